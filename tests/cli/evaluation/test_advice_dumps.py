"""`palaver advice prepare` and `testset`: sets from dumps, and what is said of bad ones."""

import fcntl
import gzip
import json
import os
from pathlib import Path

import pytest

from palaver.cli.evaluation import advice_prepare
from palaver.formats.advice.situations import read_situations
from support.dumps import comment, long_comment, long_post, post, write_dump

from ..conftest import Palaver


@pytest.fixture
def dump(tmp_path: Path) -> str:
    records = [
        *[long_post("a"), long_comment("b", "a"), comment("c", "a", subreddit="Cooking")],
        *[post("d", stickied=True), "{broken", long_post("e", author="[deleted]", score=3)],
    ]
    return write_dump(tmp_path / "dump.jsonl", records).name


def test_a_training_set_is_a_folder_with_its_funnel(
    palaver: Palaver, dump: str, tmp_path: Path
) -> None:
    said = palaver("advice", "prepare", dump, "-o", "data")
    assert (said.status, said.err) == (0, "")
    assert sorted(each.name for each in (tmp_path / "data").iterdir()) == [
        "funnel.json",
        "situations.jsonl",
    ]
    assert [each.id for each in read_situations(tmp_path / "data" / "situations.jsonl")] == ["a"]
    for words in (
        "6 lines read",
        "1 broken line, such as",
        "dump.jsonl, line 5: ",
        "1 line of other subreddits: Cooking (1)",
        "not stickied",
    ):
        assert words in said.out
    record = json.loads((tmp_path / "data" / "funnel.json").read_bytes())
    assert record["posts"]["came"] == sum(record["posts"]["dropped"].values()) + 1
    assert record["plan"]["seed"] == 123456
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data", "dump.jsonl"]


def test_a_test_set_is_a_file_with_its_funnel_beside_it(
    palaver: Palaver, dump: str, tmp_path: Path
) -> None:
    said = palaver("advice", "testset", dump, "-o", "test.jsonl", "--at", "1600000000")
    assert (said.status, said.err) == (0, "")
    assert [each.id for each in read_situations(tmp_path / "test.jsonl")] == ["a"]
    assert "Taken at 2020-09-13 12:26:40 UTC" in said.out
    assert "Asked for 200, found 1." in said.out
    record = json.loads((tmp_path / "test.funnel.json").read_bytes())
    assert record["plan"]["at"] == 1_600_000_000
    assert record["words"] in ("spacy_model", "spacy_tokenizer", "own")


def test_json_is_what_the_funnel_file_says(palaver: Palaver, dump: str, tmp_path: Path) -> None:
    said = palaver("advice", "prepare", dump, "-o", "data", "--json")
    assert json.loads(said.out) == json.loads((tmp_path / "data" / "funnel.json").read_bytes())


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["prepare", "nowhere.jsonl", "-o", "data"], 2, "'nowhere.jsonl' does not exist"),
        (["prepare", "-o", "data"], 2, "Missing argument"),
        (["prepare", "dump.jsonl"], 2, "Missing option"),
        (["prepare", "dump.jsonl", "-o", "no/data"], 1, "does not exist. Make it"),
        (["prepare", "dump.jsonl", "-o", "full"], 1, "full holds other things"),
        (["prepare", "dump.jsonl", "-o", "full", "--overwrite"], 1, "full holds other things"),
        (["prepare", "cut.gz", "-o", "data"], 1, "cut.gz is damaged after line"),
        (["testset", "dump.jsonl", "-o", "full/x"], 1, "full/x exists already"),
        (["testset", "dump.jsonl", "-o", "t", "--at", "soon"], 2, "'soon' is not a date"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(
    palaver: Palaver, dump: str, tmp_path: Path, arguments: list[str], status: int, words: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    packed = gzip.compress(os.urandom(100_000))
    (tmp_path / "cut.gz").write_bytes(packed[:50_000])
    before = sorted(tmp_path.rglob("*"))
    said = palaver("advice", *arguments)
    assert (said.status, said.out) == (status, "")
    assert words in said.err
    assert said.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_file_may_be_taken_in_part(palaver: Palaver, dump: str, tmp_path: Path) -> None:
    packed = gzip.compress((tmp_path / dump).read_bytes())
    (tmp_path / "cut.gz").write_bytes(packed[:-20])
    said = palaver("advice", "prepare", "cut.gz", "-o", "data", "--partial")
    assert said.status == 0
    assert "Note: cut.gz is damaged after line" in said.out


def test_an_empty_folder_is_filled_and_a_set_is_replaced_only_if_asked(
    palaver: Palaver, dump: str, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    assert palaver("advice", "prepare", dump, "-o", "data").status == 0
    refused = palaver("advice", "prepare", dump, "-o", "data")
    assert refused.status == 1
    assert "data exists already" in refused.err
    write_dump(tmp_path / dump, [post("z"), comment("y", "z")])
    assert palaver("advice", "prepare", dump, "-o", "data", "--overwrite").status == 0
    assert [each.id for each in read_situations(tmp_path / "data" / "situations.jsonl")] == ["z"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data", "dump.jsonl"]


def test_a_run_that_is_stopped_leaves_nothing_and_what_was_killed_is_cleared_away(
    palaver: Palaver, dump: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(advice_prepare, "write_record", stop)
        assert palaver("advice", "prepare", dump, "-o", "data").status == 130
    assert [each.name for each in tmp_path.iterdir()] == ["dump.jsonl"]
    left = tmp_path / ".data.preparing" / "scratch" / "by-post"
    left.mkdir(parents=True)
    (left / "00").write_text("half")
    assert palaver("advice", "prepare", dump, "-o", "data").status == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data", "dump.jsonl"]


def test_two_runs_do_not_make_the_same_output_at_once(
    palaver: Palaver, dump: str, tmp_path: Path
) -> None:
    place = tmp_path / ".data.preparing"
    place.mkdir()
    held = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = palaver("advice", "prepare", dump, "-o", "data")
    finally:
        os.close(held)
    assert said.status == 1
    assert "Another run is making data" in said.err


def test_a_file_of_comments_alone_is_noticed(palaver: Palaver, tmp_path: Path) -> None:
    write_dump(tmp_path / "comments.jsonl", [comment("b", "a")])
    said = palaver("advice", "prepare", "comments.jsonl", "-o", "data")
    assert "there are no posts. Give the files of posts, too." in said.out
