"""What `palaver check` says of a stage that judges examples: does its question fit the task?"""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.questions.choice import Choice
from palaver.core.questions.options import Option
from palaver.core.questions.text import FreeText
from palaver.evaluation.tasks import builtin_task
from palaver.storage import Store
from palaver.studies.file.reader import load_study
from palaver.studies.intake.example_questions import deciding_problems, placed_example_problems
from support.houses import write_study
from support.written_rounds import RoundDesk

LABELS = ("entailed", "neutral", "contradictory")


def choice(*ids: str) -> Choice:
    options = tuple(Option(id=each, text=each) for each in ids)
    return Choice(name="truth", text="True?", options=options)


def said(question: Any, task: str = "nli") -> list[str]:
    return [problem.message for problem in deciding_problems(question, builtin_task(task))]


@pytest.mark.parametrize(
    "ids", [(*LABELS, "flagged"), ("correct", "incorrect", "flagged"), ("correct", "incorrect")]
)
def test_labels_and_verdicts_fit(ids: tuple[str, ...]) -> None:
    assert said(choice(*ids)) == []


def test_a_label_without_an_option_could_never_be_verified() -> None:
    [missing] = said(choice("entailed", "neutral", "flagged"))
    assert "no option for contradictory" in missing


def test_an_option_that_is_no_label_and_a_missing_flag_are_told() -> None:
    unknown, flag = said(choice(*LABELS, "perhaps"))
    assert unknown.startswith("perhaps is no label of 'nli'")
    assert "no option 'flagged'" in flag


def test_a_task_without_labels_needs_verdicts_or_words() -> None:
    assert "no labels" in said(choice("yes", "no"), "qa")[0]
    assert said(FreeText(name="answer", text="What is the answer?"), "qa") == []
    assert "is no choice" in said(FreeText(name="answer", text="What is it?"), "nli")[0]


def test_a_study_is_told_where_and_what(store: Store, tmp_path: Path) -> None:
    RoundDesk(store)
    (tmp_path / "g.jsonl").write_text('{"uid": "g1", "context": "c", "hypothesis": "h"}\n')
    options = [{"id": each, "text": each} for each in ("entailed", "neutral")]
    questions = {
        "truth": {"kind": "choice", "text": "True?", "options": options},
        "turns": {"kind": "thumbs", "text": "Good?", "speaker": "system"},
    }
    rate = {"ask": ["truth", "turns"], "from": "loop", "raters": 1, "gold": {"records": "g.jsonl"}}
    given = {"title": "J", "questions": questions, "stages": [{"rate": rate}]}
    study = load_study(write_study(tmp_path, given))

    found = store.read_now(lambda c: placed_example_problems(c, study, {}))

    told = {problem.message.split(";")[0].split(":")[0] for problem in found}
    assert told == {
        "Question 'turns' is about turns",
        "The round asks for 3 validators, and every example gets 1 here. Leave 'raters' out to have "
        "as many as the round says.",
        "Question 'truth' has no option for contradictory",
        "Question 'truth' has no option 'flagged'",
        "Item g1",
    }
    assert all(problem.line for problem in found)
