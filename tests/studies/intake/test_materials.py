"""The files that a study names: found, checked against its questions, and told about in full."""

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from palaver.core.errors import StudyError
from palaver.formats.chateval.buckets import read_buckets
from palaver.formats.line_problems import LineProblems
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.judged_files import JudgedFile
from palaver.studies.intake.materials import StudyMaterials, load_material
from palaver.studies.intake.right_answers import truth_of
from palaver.studies.intake.trainings import check_training, read_training_file
from palaver.studies.intake.unconfigured import unconfigured
from palaver.studies.library import training_names
from support.shared import ABC_EVAL

QUESTIONS = {
    "kind": {
        "kind": "choice",
        "text": "Is it kind?",
        "speaker": "system",
        "options": [{"id": "yes", "text": "Yes"}, {"id": "no", "text": "No"}],
    },
    "tags": {
        "kind": "multiselect",
        "text": "What is it?",
        "speaker": "system",
        "options": [{"id": "odd", "text": "Odd"}, {"id": "new", "text": "New"}],
    },
    "whole": {"kind": "likert", "text": "How good was it?"},
    "better": {"kind": "comparative", "text": "Which was better?"},
}
TURNS = [["user", "Hi"], ["system", "Hello!"]]
TRAINING = """\
question: kind
pass: {rounds: [1], mistakes: 0}
rounds:
  - id: r1
    turns:
      - user: Hi
      - system: Hello!
        answer: yes
        why: It greets.
"""


class Folder:
    """A study folder that grows."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def study(self, *stages: dict[str, Any], **given: Any) -> "Folder":
        questions = {name: entry for name, entry in QUESTIONS.items() if f"'{name}'" in str(stages)}
        whole = {
            "title": "Judging",
            "consent": {"version": "1", "text": "Yes?"},
            "pay": {"amount": 1.5, "currency": "GBP"},
            "minutes": 10,
            "questions": questions,
            "stages": list(stages),
            **given,
        }
        with (self.path / "study.yaml").open("w") as out:
            YAML(typ="safe").dump(whole, out)
        return self

    def lines(self, name: str, *lines: Any) -> "Folder":
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (self.path / name).write_text(text)
        return self

    def write(self, name: str, content: str) -> "Folder":
        (self.path / name).write_text(content)
        return self

    def load(self) -> StudyMaterials:
        return load_material(load_study(self.path))

    def said(self) -> list[str]:
        """What `palaver check` says, without the folder."""
        return [str(p).replace(f"{self.path}/", "") for p in check_study(self.path)]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def rate(*ask: str, **given: Any) -> dict[str, Any]:
    return {"rate": {"ask": list(ask), "data": "d.jsonl", **given}}


# --- What is judged -------------------------------------------------------------------------------


def test_each_part_is_asked_what_fits_it(folder: Folder) -> None:
    pair = [{"id": "a", "turns": TURNS}, {"id": "b", "turns": TURNS}]
    folder.study(rate("kind", "better", raters=2))
    folder.lines("d.jsonl", {"id": "s", "dialogues": [{"id": "a", "turns": TURNS}, {"pair": pair}]})

    file = folder.load().data[0]
    [sheet] = file.sheets()

    assert [part.ask for part in sheet.parts] == [("kind",), ("better",)]
    assert (sheet.needed, sheet.position) == (2, 0)
    assert folder.said() == []


def test_counts_by_group_say_how_many_raters(folder: Folder) -> None:
    folder.study(rate("kind", units="u.json"))
    folder.lines(
        "d.jsonl",
        {"id": "a", "group": "g1", "turns": TURNS, "origin": "ann"},
        {"id": "b", "group": "g0", "turns": TURNS},
        {"id": "c", "group": "g0", "turns": TURNS, "raters": 4},
    ).write("u.json", '{"g1": 2, "g0": 0}')

    sheets = list(folder.load().data[0].sheets())

    assert [(sheet.name, sheet.position, sheet.needed) for sheet in sheets] == [
        ("a", 0, 2),
        ("c", 2, 4),
    ]
    assert sheets[0].people == ("ann",)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"ask": ["knid"]}, "d.jsonl:1:25: This stage asks no question 'knid'. Near: 'kind'."),
        ({"ask": []}, "'ask' is empty."),
        ({"ask": ["better"]}, "Question 'better' compares two dialogues; here is one dialogue."),
        ({"group": "g2"}, "d.jsonl:1:1: The group 'g2' is not in u.json. Near: 'g1'."),
    ],
)
def test_a_line_that_does_not_fit_the_stage(
    folder: Folder, line: dict[str, Any], expected: str
) -> None:
    folder.study(rate("kind", "better", units="u.json")).write("u.json", '{"g1": 1}')
    folder.lines("d.jsonl", {"group": "g1", **line, "turns": TURNS})

    assert len(folder.said()) == 1
    assert expected in folder.said()[0]
    with pytest.raises(StudyError, match=r"d\.jsonl:1:"):
        folder.load()


def test_a_pair_is_not_asked_about_one_dialogue(folder: Folder) -> None:
    pair = [{"id": "a", "turns": TURNS}, {"id": "b", "turns": TURNS}]
    folder.study(rate("kind"))
    folder.lines("d.jsonl", {"pair": pair}, {"pair": pair, "ask": ["kind"]})

    assert [problem.partition(": ")[2] for problem in folder.said()] == [
        "A pair does not fit the questions of this stage.",
        "Question 'kind' is about one dialogue; here is a pair.",
    ]


def test_a_question_with_no_turn_to_ask_of_is_worth_a_warning(folder: Folder) -> None:
    folder.study(rate("kind")).lines("d.jsonl", {"id": "a", "turns": [["user", "Hi"]]})

    assert folder.said() == [
        "d.jsonl:1:22: warning: 'a' has no turn that question 'kind' is asked of."
    ]
    assert len(list(folder.load().data[0].sheets())) == 1


def test_nothing_left_to_judge_is_a_mistake(folder: Folder) -> None:
    folder.study(rate("kind", units="u.json")).write("u.json", '{"a": 0}')
    folder.lines("d.jsonl", {"id": "a", "turns": TURNS})

    assert "Nothing is left to judge" in folder.said()[0]


def test_a_file_that_is_in_the_store_is_not_read_again(folder: Folder) -> None:
    folder.study(rate("kind")).lines("d.jsonl", {"id": "a"})
    study = load_study(folder.path)
    with pytest.raises(StudyError):
        load_material(study)

    folder.lines("d.jsonl", {"id": "a", "turns": TURNS})
    digest = load_material(study).data[0].digest

    assert load_material(study, taken_in={digest}).data[0].digest == digest


# --- Files that are missing -----------------------------------------------------------------------


def test_a_missing_file_is_named_where_the_study_names_it(folder: Folder) -> None:
    folder.study(rate("kind", units="u.json", gold={"file": "g.jsonl"}))

    said = folder.said()

    assert len(said) == 3
    assert all(problem.startswith("study.yaml:") for problem in said)
    assert any("'data' names 'd.jsonl'; there is no such file in" in problem for problem in said)
    assert any("'file' names 'g.jsonl'" in problem for problem in said)
    with pytest.raises(StudyError, match=r"study\.yaml:\d+:\d+: 'units' names 'u\.json'"):
        folder.load()


def test_what_is_not_configured_is_a_warning_to_check_and_an_error_to_serve(folder: Folder) -> None:
    later = {"unconfigured": "task_data/x.jsonl"}
    folder.study(
        {"screen": {"training": {"unconfigured": "onboarding_data/x.json"}, "ask": "kind"}},
        {"rate": {"ask": ["kind"], "data": later}},
        systems={"emora": {"kind": "unconfigured", "note": "-m internal:emora", "temp": 3}},
    )

    said = [problem for problem in folder.said() if "not configured yet" in problem]

    assert [problem.partition(": ")[2] for problem in said] == [
        "warning: 'training' is not configured yet: onboarding_data/x.json. "
        "The study cannot be served until it is.",
        "warning: 'data' is not configured yet: task_data/x.jsonl. "
        "The study cannot be served until it is.",
        "warning: System 'emora' is not configured yet: -m internal:emora. "
        "The study cannot be served until it is.",
    ]
    assert len(unconfigured(load_study(folder.path))) == 3
    with pytest.raises(StudyError, match="cannot be served"):
        folder.load()


# --- Training -------------------------------------------------------------------------------------


def screen(training: str = "t.yaml", **given: Any) -> dict[str, Any]:
    return {"screen": {"training": training, **given}}


@pytest.mark.parametrize("name", training_names())
def test_the_training_that_ships(folder: Folder, name: str) -> None:
    folder.study(screen(name), rate("kind")).lines("d.jsonl", {"turns": TURNS})

    training = folder.load().trainings[0]

    assert len(list(training.sheets())) == 4
    assert [p for p in check_study(folder.path) if not p.warning] == []


def test_training_of_ones_own(folder: Folder) -> None:
    folder.study(screen(ask="kind"), rate("kind")).lines("d.jsonl", {"turns": TURNS})
    folder.write("t.yaml", TRAINING)

    training = folder.load().trainings[0]
    [sheet] = training.sheets()

    assert (sheet.name, sheet.position, sheet.parts[0].ask) == ("r1", 0, ("kind",))
    assert training.training.mistakes == 0


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("        answer: yes\n", "", "t.yaml:7:9: Turn 2 of 'r1' has no ground truth."),
        ("answer: yes", "answer: perhaps", "Turn 2 of 'r1': Question 'kind' takes 'yes', 'no'"),
        ("        why: It greets.\n", "", "t.yaml:7:9: Turn 2 of 'r1' has no explanation ('why')."),
        ("user: Hi", "user: Hi\n        answer: no", "warning: Turn 1 of 'r1' has an answer, but"),
        ("- system:", "- sytem:", "t.yaml:7:16: Turn 2: unknown key 'sytem'. Near: 'system'"),
        ("pass: {", "pass: [", "t.yaml:"),
        ("question: kind", "question: knd", "The training teaches the question 'knd'"),
    ],
)
def test_a_mistake_in_training(folder: Folder, old: str, new: str, expected: str) -> None:
    folder.study(screen(), rate("kind")).lines("d.jsonl", {"turns": TURNS})
    folder.write("t.yaml", TRAINING.replace(old, new))

    assert len(folder.said()) == 1
    assert expected in folder.said()[0]


def test_training_that_does_not_exist(folder: Folder) -> None:
    folder.study(screen("empaty"), rate("kind")).lines("d.jsonl", {"turns": TURNS})

    assert (
        "No training set 'empaty' is built in, and no file has that name. Near: 'emp"
        in (folder.said()[0])
    )


def test_a_round_that_counts_must_exist(folder: Folder) -> None:
    rule = {"rounds": [1, 4], "mistakes": 1}
    folder.study(screen(**{"pass": rule}), rate("kind")).lines("d.jsonl", {"turns": TURNS})
    folder.write("t.yaml", TRAINING)

    assert "The training has 1 rounds; there is no round 4." in folder.said()[0]


def test_only_a_question_about_turns_is_taught(folder: Folder) -> None:
    folder.study(screen(ask="whole"), rate("kind")).lines("d.jsonl", {"turns": TURNS})
    folder.write("t.yaml", TRAINING)

    assert "Question 'whole' is about whole dialogues" in folder.said()[0]


# --- Gold -----------------------------------------------------------------------------------------


def gold(folder: Folder, *ask: str) -> Folder:
    folder.study(rate(*ask, gold={"file": "g.jsonl"}))
    return folder.lines("d.jsonl", {"id": "d", "turns": TURNS, "ask": [ask[0]]})


def test_gold_has_a_truth_for_everything_it_asks(folder: Folder) -> None:
    gold(folder, "kind", "tags", "whole")
    answers = {"kind": "yes", "tags": {"tags_labels": ["new", "odd"]}}
    turns = [["user", "Hi"], ["system", "Hello!", answers]]
    folder.lines("g.jsonl", {"id": "g", "turns": turns, "answers": {"whole": {"Quality": "4"}}})

    assert folder.said() == []
    assert len(list(folder.load().gold[0].sheets())) == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"turns": TURNS}, "g.jsonl:1:28: Turn 2 of 'line-1' has no ground truth."),
        (
            {"turns": [["user", "Hi"], ["system", "Hello!", "maybe"]]},
            "g.jsonl:1:28: Turn 2 of 'line-1': Question 'kind' takes 'yes', 'no'; got 'maybe'.",
        ),
        (
            {"turns": [["system", "Hi", "yes"], ["system", "Hello!", "no"]]},
            "Turn 1 of 'line-1' has more than one ground truth.",
        ),
    ],
)
def test_a_mistake_in_gold(folder: Folder, line: dict[str, Any], expected: str) -> None:
    gold(folder, "kind").lines("g.jsonl", line)

    assert len(folder.said()) == 1
    assert expected in folder.said()[0]


def test_gold_about_the_whole_needs_answers(folder: Folder) -> None:
    gold(folder, "whole").lines("g.jsonl", {"turns": TURNS})

    assert "'answers' has no ground truth for question 'whole'." in folder.said()[0]


# --- The ChatEvaluationPlatform's own files -------------------------------------------------------

needs_shared = pytest.mark.skipif(not ABC_EVAL.exists(), reason="the shared data is not here")


@needs_shared
@pytest.mark.parametrize(
    ("name", "right"), [("empathy", 45), ("knowledge", 39), ("consistency", 44)]
)
def test_real_training_is_read_by_the_imported_questions(name: str, right: int) -> None:
    buckets = read_buckets(ABC_EVAL / "annotation_buckets.json")
    line_problems = LineProblems(name)
    found = read_training_file(ABC_EVAL / f"onboarding_data/{name}.json", line_problems)
    assert found is not None
    question = buckets[found.training.question].question()

    check_training(found, question, line_problems)
    truths = [truth_of(text.dialogue(text.id), question, text) for text in found.training.rounds]

    assert line_problems.problems == []
    assert sum(len(grounding.truth.answers) for grounding in truths) == right


@needs_shared
def test_alternatives_are_all_right() -> None:
    buckets = read_buckets(ABC_EVAL / "annotation_buckets.json")
    found = read_training_file(ABC_EVAL / "onboarding_data/knowledge.json", LineProblems(""))
    assert found is not None
    text = found.training.rounds[0]

    truth = truth_of(text.dialogue("d"), buckets["knowledge"].question(), text).truth

    assert truth.answers[0].any_of == ({},)
    assert len(truth.answers[1].any_of) == 2
    assert truth.answers[1].unit == "event:d:4"


@needs_shared
def test_real_gold_is_read_by_the_imported_question() -> None:
    question = read_buckets(ABC_EVAL / "annotation_buckets.json")["empathy"].question()
    file = JudgedFile(
        path=ABC_EVAL / "gold_data/empathy.jsonl",
        stage=0,
        purpose="gold",
        questions={"empathy": question},
    )

    assert [sheet.name for sheet in file.sheets()] == ["empathy_gold_1", "empathy_gold_2"]
