"""The training set on dumps small enough to work out by hand."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palaver.formats.advice.situations import read_situations, write_situations
from palaver.formats.advice.training_set import (
    SITUATIONS_FILE,
    TrainingReport,
    TrainingSetPlan,
    make_training_set,
)
from support.dumps import ADVISED, ASKED, NOW, comment, post, write_dump

FIELDS = [
    *("created_utc", "subreddit", "author", "num_comments", "score", "title", "selftext", "id"),
    *("gilded", "retrieved_on", "good_comments", "split"),
]
COMMENT_FIELDS = [
    *("created_utc", "subreddit", "author", "parent_id", "link_id", "score", "body", "id"),
    *("gilded", "retrieved_on"),
]


class Made:
    """A set that was made, and its lines."""

    def __init__(self, report: TrainingReport, text: str) -> None:
        self.report, self.text = report, text
        self.lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]

    def comments(self, id: str) -> list[str]:
        found = next(line for line in self.lines if line["id"] == id)
        return [each["id"] for each in found["good_comments"]]

    def dropped(self) -> tuple[dict[str, int], dict[str, int]]:
        """What rules dropped, of posts and of comments; the sums are checked on the way."""
        found = []
        for funnel in (self.report.posts, self.report.comments):
            assert funnel.came == sum(funnel.dropped.values()) + funnel.left
            found.append({name: count for name, count in funnel.dropped.items() if count})
        return found[0], found[1]


Make = Callable[..., Made]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    made = 0

    def run(*dumps: list[Any] | Path, largest: int = 1 << 20, **plan: Any) -> Made:
        nonlocal made
        made += 1
        folder = tmp_path / f"made-{made}"
        folder.mkdir()
        paths = [
            dump if isinstance(dump, Path) else write_dump(folder / f"dump-{n}.jsonl", dump)
            for n, dump in enumerate(dumps)
        ]
        given = TrainingSetPlan(**({"test_size": 0, "val_size": 0} | plan))
        scratch = folder / "scratch"
        report = make_training_set(paths, folder, plan=given, scratch=scratch, largest=largest)
        assert not scratch.exists() or not any(scratch.iterdir())
        return Made(report, (folder / SITUATIONS_FILE).read_text(encoding="ascii"))

    return run


def test_a_line_has_the_fields_of_the_first_data_set_in_their_order(make: Make) -> None:
    (line,) = make([post("a1", gilded=2), comment("b1", "a1")]).lines
    assert list(line) == FIELDS
    assert list(line["good_comments"][0]) == COMMENT_FIELDS
    assert line == {
        "created_utc": NOW - 3 * 86_400,
        "subreddit": "Advice",
        "author": "asker",
        "num_comments": 7,
        "score": 50,
        "title": "What should I do?",
        "selftext": ASKED,
        "id": "a1",
        "gilded": True,
        "retrieved_on": NOW,
        "split": "train",
        "good_comments": [
            {
                "created_utc": NOW - 2 * 86_400,
                "subreddit": "Advice",
                "author": "adviser",
                "parent_id": "a1",
                "link_id": "a1",
                "score": 30,
                "body": ADVISED,
                "id": "b1",
                "gilded": False,
                "retrieved_on": NOW,
            }
        ],
    }


def test_posts_and_comments_may_come_in_any_order_from_any_files(
    make: Make, tmp_path: Path
) -> None:
    posts = [post(f"a{n}") for n in range(20)]
    comments = [comment(f"b{n}", f"a{n % 20}") for n in range(60)]
    packed = tmp_path / "comments.gz"
    packed.write_bytes(gzip.compress("\n".join(map(json.dumps, comments)).encode()))
    mixed = make([*comments, *posts])
    assert make(posts, comments).text == make(packed, posts).text == mixed.text
    assert make(comments, posts, largest=1).text == mixed.text
    assert mixed.comments("a3") == ["b3", "b23", "b43"]


def test_good_comments_are_those_near_the_best_in_the_order_of_the_file(make: Make) -> None:
    made = make(
        [
            post("a"),
            comment("tenth", "a", score=20),
            comment("low_gilded_twice", "a", score=15, gilded=2),
            comment("above", "a", score=21),
            comment("low_gilded", "a", score=15, gilded=1),
            comment("best", "a", score=200),
            comment("reply", "a", parent_id="t1_best", score=500),
        ]
    )
    assert made.comments("a") == ["low_gilded_twice", "above", "low_gilded", "best"]
    assert made.dropped() == ({}, {"top_level": 1, "good": 1})


def test_legacy_knows_only_what_was_gilded_once_and_leaves_titles_as_they_are(make: Make) -> None:
    dump = [
        post("a", title="Me &amp; you?", gilded=3),
        comment("low_gilded_twice", "a", score=15, gilded=2),
        comment("low_gilded", "a", score=15, gilded=1),
        comment("best", "a", score=200, gilded=4),
    ]
    now, first = make(dump), make(dump, legacy=True)
    assert now.comments("a") == ["low_gilded_twice", "low_gilded", "best"]
    assert first.comments("a") == ["low_gilded", "best"]
    assert [each["gilded"] for each in first.lines[0]["good_comments"]] == [True, False]
    assert (now.lines[0]["gilded"], first.lines[0]["gilded"]) == (True, False)
    assert (now.lines[0]["title"], first.lines[0]["title"]) == ("Me & you?", "Me &amp; you?")


def test_every_rule_that_needs_both_has_its_place_in_the_funnel(make: Make) -> None:
    additions = "Hm.\n\nEdit: " + "x" * 80
    made = make(
        [
            post("alone"),
            post("liked"),
            comment("c1", "liked"),
            post("unliked"),
            comment("c2", "unliked", score=19),
            post("short", selftext=additions),
            comment("c3", "short"),
            post("shortly"),
            comment("c4", "shortly", body=additions),
            comment("c5", "nowhere"),
            post("liked", title="again"),
            comment("c1", "liked", body="again" * 20),
        ]
    )
    assert [line["id"] for line in made.lines] == ["liked"]
    assert made.lines[0]["title"] == "What should I do?"
    assert made.dropped() == (
        {"twice": 1, "advice": 1, "best": 1, "cleaned": 1, "examples": 1},
        {"twice": 1, "post": 3, "cleaned": 1},
    )


def test_what_a_first_look_drops_is_counted_and_named(make: Make) -> None:
    made = make(
        [
            post("a"),
            comment("b", "a"),
            post("c", subreddit="Cooking"),
            comment("d", "c", subreddit="Cooking"),
            comment("e", "c", subreddit="cats"),
            post("f", score=10),
            comment("g", "a", score="10"),
            comment("h", "a", score=None),
        ]
    )
    assert made.dropped() == ({"subreddit": 1, "score": 1}, {"subreddit": 2, "score": 2})
    assert made.report.lines.subreddits == {"Cooking": 2, "cats": 1}
    asked = [post("c", subreddit="Cooking"), comment("d", "c", subreddit="Cooking")]
    assert make(asked, subreddits=["Cooking"]).report.posts.left == 1


def test_broken_lines_are_counted_and_the_first_are_named(make: Make) -> None:
    made = make(
        [
            post("a"),
            "",
            '{"id": "cut',
            comment("b", "a"),
            "[1, 2]",
            '{"kind": "neither"}',
            '{"subreddit": "Advice", "score": 99}',
            *["no json"] * 10,
        ]
    )
    counted = made.report.lines
    assert (counted.lines, counted.blank, counted.broken, counted.neither) == (17, 1, 13, 1)
    assert len(counted.places) == 5
    assert counted.places[0].startswith("dump-0.jsonl, line 3: ")
    assert made.report.posts.left == 1
    made.dropped()


def test_odd_values_do_no_harm(make: Make) -> None:
    made = make(
        [
            post(
                "a", author=None, created_utc="1500000000", num_comments=None, title="🙂 <b>x</b>?"
            ),
            comment("b", "a", author="[deleted]", score="25", retrieved_on=None, gilded=None),
            comment("c", "a", body=""),
            comment("d", "a", body=None),
        ]
    )
    (line,) = made.lines
    assert (line["author"], line["created_utc"], line["num_comments"]) == (
        None,
        1_500_000_000,
        None,
    )
    assert line["title"] == "🙂 <b>x</b>?"
    assert [each["author"] for each in line["good_comments"]] == ["[deleted]"]
    assert made.dropped() == ({}, {"length": 2})


def test_the_newest_are_held_out_and_the_sizes_are_exact(make: Make) -> None:
    dump = [post(f"p{n:02}", created_utc=NOW + n) for n in range(30)]
    dump += [comment(f"c{n}", f"p{n % 30:02}") for n in range(30 * 12)]
    made = make(dump, test_size=20, val_size=12)
    splits = {line["id"]: line["split"] for line in made.lines}
    sizes = {line["id"]: len(line["good_comments"]) for line in made.lines}
    assert {id for id, split in splits.items() if split == "test"} == {"p29", "p28"}
    assert {id for id, split in splits.items() if split == "val"} == {"p27"}
    assert (sizes["p29"], sizes["p28"], sizes["p27"], sizes["p00"]) == (12, 8, 12, 10)
    told = {name: (size.situations, size.examples) for name, size in made.report.splits.items()}
    assert told == {"train": (27, 270), "val": (1, 12), "test": (2, 20)}
    assert made.dropped() == ({}, {"split": 4, "most": 54})


def test_the_seed_decides_the_order_of_lines_and_nothing_else(make: Make) -> None:
    dump = [each for n in range(40) for each in (post(f"a{n}"), comment(f"b{n}", f"a{n}"))]
    one, again, other = make(dump), make(dump[::-1]), make(dump, seed=2)
    assert one.text == again.text != other.text
    assert sorted(one.text.splitlines()) == sorted(other.text.splitlines())
    assert [line["id"] for line in one.lines] != sorted(line["id"] for line in one.lines)


def test_token_ids_are_passed_through_and_never_made(make: Make) -> None:
    ids = {"context": [1, 2], "target": [3]}
    made = make(
        [
            *[post("a"), comment("b", "a", tokens=ids), comment("c", "a", tokens=ids)],
            *[post("d"), comment("e", "d", tokens=ids), comment("f", "d")],
            *[post("g", tokens=[ids]), comment("h", "g")],
        ]
    )
    found = {line["id"]: line.get("tokens") for line in made.lines}
    assert found == {"a": [ids, ids], "d": None, "g": [ids]}
    assert all("tokens" not in each for line in made.lines for each in line["good_comments"])


def test_what_is_written_is_read_and_written_again_byte_by_byte(make: Make, tmp_path: Path) -> None:
    made = make(
        [
            post(
                "a",
                author=None,
                title="Was it “right”? 🙂",
                tokens=[{"context": [1], "target": []}],
            ),
            comment("b", "a", author=None),
            post("c", selftext=ASKED + "\n\nReally."),
            comment("d", "c"),
        ]
    )
    source, copy = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(made.text, encoding="ascii")
    assert write_situations(copy, read_situations(source)) == 2
    assert copy.read_bytes() == source.read_bytes()
