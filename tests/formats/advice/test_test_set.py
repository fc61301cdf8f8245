"""A test set on dumps small enough to work out by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.situations import Situation
from palaver.formats.advice.listing import TopOfMonth
from palaver.formats.advice.notices import read_notice_words
from palaver.formats.advice.posts import DumpPost
from palaver.formats.advice.situations import read_situations
from palaver.formats.advice.test_set import TestSetPlan, TestSetReport, make_test_set
from support.dumps import DAY, NOW, long_comment, long_post, write_dump


class Made:
    """A test set that was made."""

    def __init__(self, report: TestSetReport, situations: list[Situation]) -> None:
        self.report, self.situations = report, situations
        self.ids = [each.id for each in situations]

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

    def run(records: list[Any], *, notices: Path | None = None, **plan: Any) -> Made:
        nonlocal made
        made += 1
        folder = tmp_path / f"made-{made}"
        (folder / "scratch").mkdir(parents=True)
        file = folder / "test.jsonl"
        report = make_test_set(
            [write_dump(folder / "dump.jsonl", records)],
            file,
            plan=TestSetPlan(**({"at": float(NOW)} | plan)),
            scratch=folder / "scratch",
            notices=None if notices is None else read_notice_words(notices),
        )
        assert list((folder / "scratch").iterdir()) == []
        return Made(report, list(read_situations(file)))

    return run


def test_best_advice_is_the_first_by_score_that_passes(make: Make) -> None:
    made = make(
        [
            long_post("a", permalink="/r/Advice/comments/a/what/", num_comments=9),
            long_comment("third", "a", score=40),
            long_comment("second", "a", score=60),
            long_comment("edited", "a", score=900, edited=NOW),
            long_comment("own", "a", score=800, author="asker"),
            long_comment("best", "a", score=70),
            long_comment("low", "a", score=19),
        ]
    )
    (situation,) = made.situations
    assert [each.id for each in situation.advice] == ["best", "second"]
    assert situation.best is not None
    assert situation.best.id == "best"
    assert situation.permalink == "/r/Advice/comments/a/what/"
    assert situation.notice == ""
    assert situation.more == {"num_comments": 9, "upvote_ratio": 0.9}
    assert made.dropped() == ({}, {"score": 1, "author": 1, "edited": 1, "second": 1})
    assert (made.report.with_second, made.report.topics) == (1, {"Life": 1})


def test_only_the_first_comments_are_looked_at(make: Make) -> None:
    edited = [long_comment(f"e{n}", "a", score=100 + n, edited=NOW) for n in range(16)]
    made = make([long_post("a"), *edited, long_comment("late", "a", score=50)])
    assert made.ids == []
    assert made.dropped() == ({"advice": 1}, {"fetched": 1, "edited": 16})


def test_a_post_is_as_old_as_it_is_when_the_set_is_taken(make: Make) -> None:
    dump = [
        *[long_post("new", created_utc=NOW), long_comment("c1", "new")],
        *[long_post("ripe", created_utc=NOW - 2 * DAY), long_comment("c2", "ripe")],
        *[long_post("old", created_utc=NOW - 15 * DAY), long_comment("c3", "old")],
        *[long_post("older", created_utc=NOW - 31 * DAY), long_comment("c4", "older")],
    ]
    newest = make(dump, at=None)
    assert newest.report.plan.at == NOW
    assert newest.ids == ["ripe"]
    assert newest.dropped() == ({"listing": 1, "age": 2}, {"post": 3})
    assert set(make(dump, at=float(NOW + 2 * DAY)).ids) == {"new", "ripe"}


def test_rules_of_one_line_and_of_length_are_counted(make: Make) -> None:
    made = make(
        [
            *[long_post("short", selftext="Why?"), long_comment("c1", "short")],
            *[long_post("long", selftext="word " * 1300), long_comment("c2", "long")],
            *[long_post("sub", subreddit="NoStupidQuestions"), long_comment("c3", "sub")],
            *[long_post("low", score=19), long_post("links", selftext="https://a.org")],
            *[long_post("twice"), long_post("twice"), long_comment("c4", "twice")],
        ]
    )
    assert made.ids == ["twice"]
    posts, comments = made.dropped()
    assert posts == {"subreddit": 1, "score": 1, "links": 1, "twice": 1, "tokens": 2}
    assert comments == {"post": 3}


def test_situations_are_drawn_by_the_seed_whatever_the_order_of_the_dump(make: Make) -> None:
    dump = [
        each for n in range(30) for each in (long_post(f"a{n}"), long_comment(f"b{n}", f"a{n}"))
    ]
    one, again, other = make(dump, keep=10), make(dump[::-1], keep=10), make(dump, keep=10, seed=2)
    assert one.ids == again.ids
    assert len(one.ids) == 10
    assert set(one.ids) != set(other.ids)
    assert make(dump).ids[:10] == one.ids
    assert one.dropped() == ({"drawn": 20}, {"post": 20})


def test_legacy_keeps_advice_with_links(make: Make) -> None:
    linking = long_comment("linking", "a", score=90)
    linking["body"] += " https://a.org"
    dump = [long_post("a"), linking, long_comment("plain", "a")]
    assert [each.id for each in make(dump).situations[0].advice] == ["plain"]
    first = make(dump, legacy=True).situations[0]
    assert [each.id for each in first.advice] == ["linking", "plain"]


def test_a_permalink_is_made_where_the_dump_has_none(make: Make) -> None:
    made = make([long_post("a"), long_comment("b", "a")])
    assert made.situations[0].permalink == "/r/Advice/comments/a/"


def test_a_notice_says_what_its_words_call_for(make: Make, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text(
        "# Words\nlandlord: housing\npanic attack\nDeposit: housing\n", encoding="utf-8"
    )
    dump = [
        *[long_post("a", title="A Panic\tattack?"), long_comment("b", "a")],
        *[long_post("c", selftext="We went for a walk. " * 30), long_comment("d", "c")],
    ]
    notices = {each.id: each.notice for each in make(dump, notices=words).situations}
    assert notices == {"a": "panic attack, housing", "c": ""}
    words.write_text("\n# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no words"):
        read_notice_words(words)


def test_a_listing_has_the_top_of_each_subreddit_in_a_month(tmp_path: Path) -> None:
    listing = TopOfMonth(tmp_path / "listing", longest=2)
    for id, subreddit, score, age in [
        *[("a", "love", 30, 1), ("b", "love", 90, 2), ("c", "love", 60, 3), ("b", "love", 90, 2)],
        *[("old", "love", 500, 31), ("later", "love", 500, -1), ("d", "dating", 20, 30)],
    ]:
        created = NOW - age * DAY
        post = DumpPost(id=id, title="", subreddit=subreddit, score=score, created_utc=created)
        listing.note(post)
    assert listing.at(NOW) == {"b", "c", "d"}
