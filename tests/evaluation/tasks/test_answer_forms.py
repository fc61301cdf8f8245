"""A task takes answers in a form of their own, at every door."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import AnswerError, StudyError
from palaver.core.tasks import Task
from palaver.evaluation.models.uploads import check_predictions
from palaver.evaluation.tasks.definition import parse_task, task_data, task_from_data
from palaver.evaluation.tasks.samples import sample_answer, sample_record
from palaver.systems.signatures import signature_holds, signature_of

FILE = """
name: moods
input:
  - {name: text, type: string}
  - {name: mood, type: multiclass, labels: [good, bad]}
output: [mood, {name: sure, type: prob}]
perf_metric: {metric: accuracy, fields: mood}
answers: ANSWERS
"""
FUNCTION = """
MOODS = {"+": "good", "-": "bad"}

def convert(record):
    return {"mood": MOODS[record["sign"]]}

def careless(record):
    return "good"
"""


def moods(answers: str, folder: Path) -> Task:
    (folder / "signs.py").write_text(FUNCTION)
    return parse_task(FILE.replace("ANSWERS", answers).encode(), folder=str(folder), file="t.yaml")


@pytest.fixture
def nested(tmp_path: Path) -> Task:
    return moods("{mood: out.mood, sure: out.how.sure}", tmp_path)


@pytest.fixture
def signed(tmp_path: Path) -> Task:
    return moods("signs:convert", tmp_path)


def record(mood: str = "good") -> dict[str, Any]:
    return {"uid": "1", "text": "Hooray.", "mood": mood}


def test_places_of_outputs_are_data(nested: Task) -> None:
    example = nested.read_example(record())
    given = {"id": "1", "out": {"mood": "bad", "how": {"sure": 0.25}}, "other task": 3}
    answer = nested.read_answer(given, example, strict=True)
    assert answer.values == {"mood": "bad", "sure": 0.25}
    shown = sample_answer(nested)
    assert shown == {"id": "1", "out": {"mood": "good", "how": {"sure": 0.5}}}
    nested.read_answer(shown, nested.read_example(sample_record(nested)), strict=True)
    assert task_from_data(task_data(nested), folder=nested.folder, source="t") == nested


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"id": "1", "mood": "good"}, "it has no 'out.mood'"),
        ({"id": "1", "out": "good"}, "'out': expected an object with mood, how; got 'good'"),
        ({"id": "1", "out": {"mood": "good", "mod": 1}}, "unexpected 'out.mod'; 'out' holds mood"),
        ({"id": "1", "out": {"mood": "so"}}, "'out.mood': expected one of good, bad; got 'so'"),
    ],
)
def test_faults_are_named_as_they_are_written(nested: Task, given: Any, problem: str) -> None:
    with pytest.raises(AnswerError, match=f"Answer to 1: {problem}"):
        nested.read_answer(given, nested.read_example(record()))


def test_a_function_converts_a_record(signed: Task) -> None:
    example = signed.read_example(record())
    assert signed.read_answer({"id": "1", "sign": "-"}, example).values == {"mood": "bad"}
    with pytest.raises(AnswerError, match=r"Answer to 1: 'signs:convert' failed: KeyError: '\?'"):
        signed.read_answer({"id": "1", "sign": "?"}, example)


def test_what_does_not_return_a_record_is_told(tmp_path: Path) -> None:
    task = moods("signs:careless", tmp_path)
    with pytest.raises(AnswerError, match="takes a record and returns one; got 'good'"):
        task.read_answer({"id": "1"}, task.read_example(record()))


@pytest.mark.parametrize("answers", ["{mood: out.mood}", "signs:convert"])
def test_stored_predictions_are_the_outputs_by_name(tmp_path: Path, answers: str) -> None:
    task = moods(answers, tmp_path)
    example = task.read_example(record())
    content = b'[{"uid": "1", "sign": "-", "out": {"mood": "bad"}}]'
    kept = check_predictions(task, [example], content, name="f")
    assert kept == b'{"id":"1","mood":"bad"}\n'


def test_signatures_cover_what_a_form_finds(nested: Task, signed: Task) -> None:
    question = {"uid": "1", "text": "Hooray."}
    for task, given, forged in (
        (nested, {"out": {"mood": "bad"}}, {"out": {"mood": "good"}}),
        (signed, {"sign": "-"}, {"sign": "+"}),
    ):
        signature = signature_of("s", task, question, {"id": "1", **given})
        assert signature_holds("s", task, question, {"id": "1", **given, "signature": signature})
        assert not signature_holds(
            "s", task, question, {"id": "1", **forged, "signature": signature}
        )


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ("{mod: out.mood}", "'answers' names the output 'mod', which does not exist. Near: 'mood'"),
        ("{mood: out..mood}", "'answers' takes a dotted path, such as quality.A; got 'out..mood'"),
        ("signs", "'answers' takes the place of each output"),
        ("signs:none", "'signs' has no function 'none'"),
    ],
)
def test_a_form_that_leads_nowhere_is_refused(tmp_path: Path, answers: str, problem: str) -> None:
    with pytest.raises(StudyError, match=problem):
        moods(answers, tmp_path)
