"""Training and gold that were written in Excel are read as they are, and mistakes name their cell."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from palaver.core.questions import Question
from palaver.core.sheets import RightAnswer
from palaver.formats.chateval.buckets import read_buckets
from palaver.formats.line_problems import LineProblems
from palaver.studies import library
from palaver.studies.check import check_study
from palaver.studies.file.questions import build_questions
from palaver.studies.file.reader import load_study
from palaver.studies.intake.chateval import import_project
from palaver.studies.intake.materials import load_material
from palaver.studies.intake.right_answers import truth_of
from palaver.studies.intake.trainings import check_training, read_training_file
from support.chateval import BUCKETS, JUDGING, write_json, write_project

HEAD = ("turn", "selection", "explanation")
MOOD = (
    HEAD,
    ("Hi !", None, None),
    ("Hello , friend .", "yes", "It is warm."),
    ("Who are you?", None, None),
    ("Nobody .", "no\nyes", "It can be taken either way."),
)


def write_book(file: Path, *sheets: Any, change: Callable[[Any], None] | None = None) -> Path:
    """A workbook with the rows of each sheet, called '1', '2' and so on."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for n, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(str(n))
        for row in rows:
            sheet.append(list(row))
    if change is not None:
        change(book["1"])
    file.parent.mkdir(parents=True, exist_ok=True)
    book.save(file)
    return file


@pytest.fixture
def mood(tmp_path: Path) -> Question:
    file = write_json(tmp_path / "annotation_buckets.json", {"config": BUCKETS})
    return read_buckets(file)["mood"].question()


def truths(file: Path, question: Question) -> list[list[RightAnswer]]:
    """The right answers of a workbook, round by round."""
    line_problems = LineProblems(file.name)
    found = read_training_file(file, line_problems)
    assert found is not None, line_problems.problems
    check_training(found, question, line_problems)
    assert line_problems.problems == []
    return [
        list(truth_of(text.dialogue(text.id), question, text).truth.answers)
        for text in found.training.rounds
    ]


def problems(file: Path, question: Question) -> list[str]:
    line_problems = LineProblems(file.name)
    found = read_training_file(file, line_problems)
    if found is not None:
        check_training(found, question, line_problems)
    return [str(problem) for problem in line_problems.problems]


def test_each_sheet_is_a_round(tmp_path: Path, mood: Question) -> None:
    file = write_book(tmp_path / "mood.xlsx", MOOD, MOOD)
    found = read_training_file(file, LineProblems(""))
    assert found is not None
    training = found.training
    assert (training.question, training.passing_rounds, training.mistakes) == ("mood", (2,), 0)
    first = training.rounds[0]
    assert first.id == "mood_onboarding_1"
    assert [(turn.speaker, turn.text) for turn in first.turns] == [
        ("user", "Hi!"),
        ("system", "Hello, friend."),
        ("user", "Who are you?"),
        ("system", "Nobody."),
    ]
    [[kind, either], _] = truths(file, mood)
    step = kind.any_of[0]
    assert list(step.values()) == ["yes"]
    assert (kind.why, len(either.any_of)) == ("It is warm.", 2)


def test_references_to_legends(tmp_path: Path, mood: Question) -> None:
    legend = ("Is this reply kind?", "Yes, it is.")
    rows = (
        (*HEAD, "LegendQ", "LegendA"),
        ("Hi!", None, None, *legend),
        ("Hello.", "D2: E2", "It is warm.", None, "No, it is not."),
        ("Hm.", None, None),
        ("Go.", "D2:E3\nd2: e2", "Who knows.", "Why?"),
    )
    [[kind, either]] = truths(write_book(tmp_path / "mood.xlsx", rows), mood)
    assert list(kind.any_of[0].values()) == ["yes"]
    assert [list(value.values()) for value in either.any_of] == [["no"], ["yes"]]


@pytest.mark.parametrize(
    ("task", "selection", "labels"),
    [
        ("grammar", "x", {"uninterpretable"}),
        ("grammar", None, set()),
        ("sociality", "X", {"antisocial"}),
        ("empathy", "empathy", {"empathetic"}),
        ("empathy", "lack", {"lack of empathy"}),
        ("empathy", "na", set()),
        ("personal_information", "life, value", {"life info", "preference info"}),
        ("consistency_label", "cont_s_ctxt, redundant", {"self contradiction", "redundant"}),
    ],
)
def test_the_short_names_of_the_behaviour_tasks(
    tmp_path: Path, task: str, selection: str | None, labels: set[str]
) -> None:
    entry = library.question_entry(task)
    assert entry is not None
    question = build_questions({task: entry}).questions[task]
    rows = (HEAD, ("Hi!", None, None), ("Hello.", selection, "Because."))
    [[right]] = truths(write_book(tmp_path / f"{task}.xlsx", rows), question)
    assert set(question.labels(right.any_of[0])) == labels


def test_merged_cells_are_named(tmp_path: Path, mood: Question) -> None:
    file = write_book(tmp_path / "mood.xlsx", MOOD, change=lambda sheet: sheet.merge_cells("A2:A3"))
    assert problems(file, mood) == [
        "mood.xlsx:2:1: Sheet '1', A2:A3: these cells are merged. Unmerge them: a row is a turn."
    ]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("A1", "text", "mood.xlsx:1:1: Sheet '1', row 1: no column is called 'turn'."),
        ("A3", None, "mood.xlsx:3:1: Sheet '1', cell A3: the turn is empty."),
        ("B3", "=1+1", "mood.xlsx:3:2: Sheet '1', cell B3: it is a formula."),
        ("B3", "D9: E9", "Sheet '1', cell B3: it refers to cell D9, which is empty."),
        ("B3", "A2: B5, yes", "'yes' is not a reference like 'E2: F4'"),
        ("B3", "perhaps", "mood.xlsx:3:2: Turn 2 of 'mood_onboarding_1': Question 'mood' does not"),
    ],
)
def test_a_mistake_names_its_cell(
    tmp_path: Path, mood: Question, place: str, value: Any, message: str
) -> None:
    def change(sheet: Any) -> None:
        sheet[place] = value

    file = write_book(tmp_path / "mood.xlsx", MOOD, change=change)
    found = problems(file, mood)
    assert any(message in each for each in found), found


def test_a_turn_that_nobody_scored_is_told(tmp_path: Path, mood: Question) -> None:
    rows = (*MOOD[:2], ("Hello.", None, None))
    [told] = problems(write_book(tmp_path / "mood.xlsx", rows), mood)
    assert told == "mood.xlsx:3:2: Turn 2 of 'mood_onboarding_1' has no ground truth."


def test_what_is_no_workbook(tmp_path: Path, mood: Question) -> None:
    file = tmp_path / "mood.xlsx"
    file.write_text("turn,selection\n")
    assert problems(file, mood) == ["mood.xlsx:1:1: Not an Excel workbook (.xlsx). Save it as one."]


def test_without_the_extra_one_sentence_says_what_to_install(
    tmp_path: Path, mood: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_book(tmp_path / "mood.xlsx", MOOD)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert problems(file, mood) == [
        "mood.xlsx:1:1: Reading .xlsx needs the extra 'excel': pip install 'palaver[excel]'."
    ]


@pytest.mark.parametrize(("screen", "gold"), [("xlsx", "xlsx"), ("json", "jsonl")])
def test_a_project_with_excel_files_is_imported_as_it_is(
    tmp_path: Path, screen: str, gold: str
) -> None:
    files = {
        "screen_json": f"${{task_dir}}/task_config/onboarding_data/mood.{screen}",
        "gold_jsonl": f"${{task_dir}}/task_config/gold_data/mood.{gold}",
        "use_golds": True,
        "allowed_gold_mistakes": 1,
    }
    folder = write_project(tmp_path / "checkout", {**JUDGING, **files})
    config = folder / "collection_and_annotations" / "task_config"
    (config / "onboarding_data" / "mood.json").unlink()
    write_book(config / "onboarding_data" / "mood.xlsx", MOOD, MOOD, MOOD)
    write_book(config / "gold_data" / "mood.xlsx", MOOD)
    import_project(folder, "own", tmp_path / "study")
    assert [str(p) for p in check_study(tmp_path / "study") if not p.warning] == []
    materials = load_material(load_study(tmp_path / "study"))
    [hidden] = materials.gold[1].sheets()
    assert hidden.name == "mood_gold_1"
    assert len(list(materials.trainings[0].sheets())) == 3


def test_what_is_judged_is_not_read_from_excel(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    import_project(folder, "own", tmp_path / "study")
    file = tmp_path / "study" / "study.yaml"
    file.write_text(file.read_text().replace("task_data/mood.jsonl", "mood.xlsx"))
    write_book(tmp_path / "study" / "mood.xlsx", MOOD)
    [told] = [str(p) for p in check_study(tmp_path / "study") if not p.warning]
    assert "Excel is for training and gold" in told
