"""Situations from files: what counts as advice, packed files, and what is refused."""

import gzip
import json
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.formats.advice.situations import read_situations
from palaver.models.advice.cases import read_advised, read_cases
from support.advice_models import situation_file, situation_lines, written_lines

GOOD = {"title": "A leak", "selftext": "It drips.", "good_comments": [{"body": "Call them."}]}


def test_the_same_is_read_as_everywhere_else_in_palaver(tmp_path: Path) -> None:
    path = situation_file(tmp_path / "s.jsonl", 8)
    for case, other in zip(read_cases(path), read_situations(path), strict=True):
        assert case.question.title == other.title
        assert case.question.text == other.text
        assert case.advice == tuple(each.body for each in other.ranked)
    assert case.question.date == "September 20, 2020"


def test_packed_files_are_read_and_a_file_of_the_task_as_well(tmp_path: Path) -> None:
    plain = situation_file(tmp_path / "s.jsonl", 5)
    packed = tmp_path / "s.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert list(read_cases(packed)) == list(read_cases(plain))
    asked = {"uid": "1", "title": "A leak", "situation": "It drips.", "advice": "Call them."}
    [case] = read_cases(written_lines(tmp_path / "task.jsonl", [asked]))
    assert (case.question.text, case.advice) == ("It drips.", ("Call them.",))


def test_the_best_comes_first_and_what_says_nothing_is_no_advice(tmp_path: Path) -> None:
    comments = [
        {"body": "unscored"},
        {"body": " 🙂 … ", "score": 99},
        {"body": "good", "score": 7},
        {"body": "better", "score": 8.5},
        {"body": "as good", "score": 7},
    ]
    path = written_lines(tmp_path / "s.jsonl", [{**GOOD, "good_comments": comments}])
    [case] = read_cases(path)
    assert case.advice == ("better", "good", "as good", "unscored")


def test_situations_without_advice_are_left_out_and_twins_count_once(tmp_path: Path) -> None:
    lines = [GOOD, {**GOOD, "id": "again"}, {"title": "None", "selftext": "yet"}]
    cases, without = read_advised([written_lines(tmp_path / "s.jsonl", lines)])
    assert (len(cases), without) == (1, 1)


def test_a_situation_falls_into_the_same_part_wherever_it_stands(tmp_path: Path) -> None:
    lines = situation_lines(60)
    one = list(read_cases(written_lines(tmp_path / "a.jsonl", lines)))
    other = list(read_cases(written_lines(tmp_path / "b.jsonl", lines[::-1])))[::-1]
    assert [case.part(5, 1) for case in one] == [case.part(5, 1) for case in other]
    assert len({case.part(5, 1) for case in one}) == 5
    assert [case.part(5, 1) for case in one] != [case.part(5, 2) for case in one]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{broken", r"s\.jsonl:2: Expected a line of JSON .* this is not JSON"),
        ("[1, 2]", r"s\.jsonl:2: Expected a line of JSON .*; got \[1, 2\]"),
        ("<input> 1 1 </input>", "this is not JSON"),
        ('{"id": "s1", "advice": "Go."}', r"'good_comments', as .*; this one has id, advice\."),
        ('{"title": 5, "selftext": "x"}', "'title' is a text; got 5"),
        ('{"title": "", "selftext": " "}', "are both empty"),
        ('{"title": "A", "selftext": "B", "good_comments": "C"}', "is a list of comments"),
        ('{"title": "A", "selftext": "B", "good_comments": [{"score": 1}]}', "text as 'body'"),
        ('{"title": "A", "selftext": "B", "good_comments": ["C"]}', "text as 'body'"),
        (json.dumps({**GOOD, "good_comments": [{"body": "C", "score": "9"}]}), "is a number"),
        ("[" * 100_000, "this is not JSON"),
    ],
)
def test_a_wrong_line_is_named_with_what_was_expected(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=told):
        list(read_cases(path))


def test_files_that_are_cut_off_packed_otherwise_or_no_text_are_refused(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps(GOOD).encode() * 200)
    for content, told in (
        (packed[:-20], "cannot be read"),
        (b"\x28\xb5\x2f\xfd\x00", "packed with zstd. Unpack it first"),
        (b"\xff\xfe{\x00", "Not UTF-8 text"),
    ):
        path = tmp_path / "s.jsonl"
        path.write_bytes(content)
        with pytest.raises(InputError, match=told):
            list(read_cases(path))


def test_files_without_any_advice_are_refused(tmp_path: Path) -> None:
    empty = written_lines(tmp_path / "empty.jsonl", [])
    with pytest.raises(InputError, match=r"empty\.jsonl has no advice to learn from"):
        read_advised([empty])
    asked = written_lines(tmp_path / "asked.jsonl", [{**GOOD, "good_comments": []}])
    with pytest.raises(InputError, match="None of the 1 situations in"):
        read_advised([asked])
