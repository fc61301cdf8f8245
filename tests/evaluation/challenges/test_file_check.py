"""A file checked on a participant's machine: against questions, against gold, for any task."""

import json
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.challenges.file_check import (
    check_here,
    item_noun,
    read_gold,
    read_questions,
    told_task,
)
from palaver.evaluation.tasks import builtin_task
from palaver.evaluation.tasks.definition import task_data
from support.challenges import TEST, answers
from support.dialeval import STC3, TRUTH, prediction

NLI = builtin_task("nli")
QUALITY = builtin_task("dialogue-quality")


def written(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_questions_need_no_gold_and_no_gold_is_scored(tmp_path: Path) -> None:
    asked = [{key: each[key] for key in ("uid", "context", "hypothesis")} for each in TEST]
    examples = read_questions(NLI, written(tmp_path, "asked.jsonl", asked))
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(answers(TEST))
    checked = check_here(NLI, examples, mine, track="english")
    assert (checked.valid, checked.items, checked.scores) == (True, 6, {})


def test_gold_is_scored_as_the_server_scores(tmp_path: Path) -> None:
    examples = read_gold(NLI, written(tmp_path, "gold.jsonl", TEST))
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(answers(TEST, right=3))
    assert check_here(NLI, examples, mine, track="e", is_gold=True).scores["accuracy"] == 0.5


def test_every_fault_has_its_place(tmp_path: Path) -> None:
    examples = read_gold(NLI, written(tmp_path, "gold.jsonl", TEST))
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(
        answers(TEST[:5]) + b'{"uid": "u105", "label": "perhaps"}\n' + answers(TEST[:1])
    )
    checked = check_here(NLI, examples, mine, track="english", is_gold=True)
    assert not checked.valid
    assert [problem.partition(": ")[0] for problem in checked.problems] == [
        "mine.jsonl:6",
        "mine.jsonl:7",
    ]
    mine.write_text("no json")
    assert not check_here(NLI, examples, mine, track="english").valid


def test_help_desk_dialogues_are_read_with_labels_and_without(tmp_path: Path) -> None:
    bare = [{key: each[key] for key in ("id", "turns")} for each in TRUTH]
    mine = written(tmp_path, "mine.jsonl", [prediction(each) for each in TRUTH])
    for rows in (bare, TRUTH):
        examples = read_questions(QUALITY, written(tmp_path, "asked.jsonl", rows))
        assert check_here(QUALITY, examples, mine, track="q").valid
    assert item_noun(QUALITY) == "dialogue"
    with pytest.raises(InputError, match=r"bare\.jsonl has no item with gold"):
        read_gold(QUALITY, written(tmp_path, "bare.jsonl", bare))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "has no items"),
        ([{"context": "a", "hypothesis": "b"}], r"asked\.jsonl:1: The item has no 'uid'"),
        ([{"uid": "1", "context": "a"}], r"asked\.jsonl:1: Item 1: 'hypothesis' is missing"),
        ([{"uid": "1", "context": "a", "hypothesis": "b"}] * 2, "two items are called '1'"),
    ],
)
def test_questions_that_are_wrong_are_named(
    tmp_path: Path, rows: list[dict[str, object]], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        read_questions(NLI, written(tmp_path, "asked.jsonl", rows))


def test_a_task_that_a_server_tells_runs_no_python(tmp_path: Path) -> None:
    assert told_task(task_data(QUALITY)).metrics == QUALITY.metrics
    for more in (
        {"function": "os:abort"},
        {"answers": "os:abort"},
        {"perf_metric": "os:abort"},
        {"metrics": [{"metric": "os:abort"}]},
    ):
        with pytest.raises(InputError, match=r"Python of the server's own \(os:abort\)"):
            told_task({**task_data(NLI), **more})


@pytest.mark.skipif(not STC3.exists(), reason="the shared data are not here")
def test_the_official_test_dialogues_without_labels_check_a_submission(tmp_path: Path) -> None:
    file = STC3 / "stc3_test_en_unlabelled.jsonl"
    asked = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    mine = written(tmp_path, "uniform.jsonl", [prediction(each) for each in asked])
    for name in ("dialogue-quality", "dialogue-nugget"):
        task = builtin_task(name)
        checked = check_here(task, read_questions(task, file), mine, track="en")
        assert (checked.valid, checked.items) == (True, 390)
