"""`annotation_buckets.json`: every display becomes a question, and what is wrong is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import StudyError
from palaver.core.questions.question import Shown
from palaver.formats.chateval.buckets import bucket_notes, read_buckets
from palaver.studies.file.questions import build_questions
from support.chateval import BUCKETS, write_json
from support.shared import ABC_EVAL

REAL = ABC_EVAL / "annotation_buckets.json"
real_file = pytest.mark.skipif(not REAL.exists(), reason="the shared files are not here")

# The sixteen behaviours of ABC-Eval (Finch, Finch and Choi 2023), by the task that asks for them.
BEHAVIOURS = {
    "transitions": ("ignore", "topic switch", "follow up", "irrelevant"),
    "knowledge": ("correct fact", "incorrect fact"),
    "grammar": ("uninterpretable",),
    "sociality": ("antisocial",),
    "commonsense": ("commonsense contradiction",),
    "empathy": ("empathetic", "lack of empathy"),
    "personal_information": ("preference info", "life info"),
    "consistency_label": ("self contradiction", "partner contradiction", "redundant"),
}


def _file(tmp_path: Path, **tasks: Any) -> Path:
    return write_json(tmp_path / "annotation_buckets.json", {"config": tasks})


@real_file
def test_every_task_of_the_platform_becomes_a_question() -> None:
    buckets = read_buckets(REAL)
    assert len(buckets) == 35
    built = build_questions({bucket.name: bucket.entry for bucket in buckets.values()})
    assert built.key_problems == []
    assert list(built.questions) == list(buckets)
    assert list(bucket_notes(buckets)) == []


@real_file
@pytest.mark.parametrize(("task", "labels"), BEHAVIOURS.items())
def test_the_authors_map_gives_the_behaviour_labels(task: str, labels: tuple[str, ...]) -> None:
    assert read_buckets(REAL)[task].question().label_names == labels


@real_file
def test_an_answer_of_a_training_file_is_understood_by_its_text() -> None:
    question = read_buckets(REAL)["knowledge"].question()
    answer = {
        "Does SPEAKER_X's response use, claim, or assume any FACTS (either correct or "
        "incorrect)?": "SPEAKER_X's response incorporates or assumes at least one fact.",
        "Do you know whether ALL of the facts that SPEAKER_X uses or assumes are accurate?": (
            "I don't know for sure whether ALL of the facts are accurate."
        ),
        "Take 60 seconds to search ALL unknown facts on the internet. Does your search verify or "
        "falsify ALL the facts?": (
            "I couldn't find enough credible evidence in my search to either verify or falsify one "
            "of the facts."
        ),
    }
    assert question.labels(question.read(answer, Shown())) == ("incorrect fact",)


@real_file
def test_displays_levels_and_anchors() -> None:
    entries = {task: bucket.entry for task, bucket in read_buckets(REAL).items()}
    displays = [entries[task]["display"] for task in ("transitions", "knowledge", "grammar")]
    assert displays == ["folded", "open", "plain"]
    assert entries["quality_likert"]["anchors"] == {1: "poor", 5: "excellent"}
    assert "indices" not in entries["quality_likert"]
    assert entries["quality_likert_turn"]["indices"] == "odd"
    assert entries["quality_comparative"]["label_b"] == "Dialogue 2 (right)"
    assert [a["id"] for a in entries["dialogue_likert"]["aspects"]][3] == "emotion_aware"


def test_names_that_were_never_shown_become_ids(tmp_path: Path) -> None:
    bucket = read_buckets(_file(tmp_path, rude=BUCKETS["rude"]))["rude"]
    [step] = bucket.entry["ask"]
    assert (step["id"], step["text"]) == ("rude_q", "Tick what applies.")
    assert bucket.question().read({"rude_q": "This reply is rude."}, Shown()) == {
        "rude_q": ["reply_rude"]
    }


def test_boxes_that_excluded_each_other_become_a_choice(tmp_path: Path) -> None:
    options = {"Which?": {"_type_": {"checkbox": {}}, "One.": {}, "Two.": {}}}
    task = {**BUCKETS["rude"], "options": options}
    bucket = read_buckets(_file(tmp_path, which=task))["which"]
    [step] = bucket.entry["ask"]
    assert (step["type"], step["required"]) == ("radio", False)
    assert "only one could be ticked" in bucket.notes[0]


def test_a_dependency_is_reported(tmp_path: Path) -> None:
    options = {"New?": {"_dep_": {"boolPrevTurnExpect": {}}, "Yes": {}, "No": {}}}
    bucket = read_buckets(_file(tmp_path, new={**BUCKETS["rude"], "options": options}))["new"]
    assert "_dep_: boolPrevTurnExpect" in bucket.notes[0]
    assert [a["id"] for a in bucket.entry["ask"][0]["answers"]] == ["yes", "no"]


def test_an_option_for_one_speaker(tmp_path: Path) -> None:
    options = [{"value": "a", "label": "A", "speaker": 1}, {"value": "b", "label": "B"}]
    bucket = read_buckets(_file(tmp_path, m={**BUCKETS["faults"], "options": options}))["m"]
    assert [option.get("speaker") for option in bucket.entry["options"]] == [1, None]


def test_a_name_that_a_study_cannot_carry_is_changed(tmp_path: Path) -> None:
    [bucket] = read_buckets(_file(tmp_path, **{"_my task!": BUCKETS["mood"]})).values()
    assert bucket.name == "my_task_"
    assert "is called 'my_task_' here" in bucket.notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"config": "buton_flow"}, "there is no display 'buton_flow'. Near: 'button_flow'"),
        ({"indices": "ood"}, "there are no indices 'ood'. Near: 'odd'"),
        ({"options": []}, "'options' must be a mapping"),
        ({"options": {"Q": {}}}, "The question 'Q' has no answers"),
        ({"options": {"Q": "yes"}}, "takes a mapping of its answers"),
        ({"options": {"Q": {"Yes": 1, "No": {}}}}, "takes a mapping of further questions"),
        ({"options": {"Q": {"_type_": {"slider": {}}, "A": {}}}}, "'checkbox' or 'radio'"),
        ({"require": {"level": "word"}}, "'require' takes"),
        ({"config": "multiselect"}, "'options' must be a list of"),
        ({"config": "multiselect", "options": [{"value": "x"}]}, "option 1 needs 'label'"),
        ({"config": "likert-5-turn", "options": ["Quality"]}, "option 1 needs 'label'"),
        ({"config": "comparative", "options": ["left"]}, "two or three texts"),
        ({"task_title": 7}, "'task_title' takes text"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_task(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    file = _file(tmp_path, rude=BUCKETS["rude"], mood={**BUCKETS["mood"], **change})
    with pytest.raises(StudyError) as raised:
        read_buckets(file)
    [problem] = raised.value.problems
    assert message in problem.message
    assert "'mood'" in problem.message
    assert problem.file == str(file)
    assert problem.line > json.dumps(json.loads(file.read_text()), indent=1)[:200].count("\n")


def test_tasks_without_the_wrapper(tmp_path: Path) -> None:
    file = write_json(tmp_path / "buckets.json", {"mood": BUCKETS["mood"]})
    with pytest.raises(StudyError, match="must be under the key 'config'"):
        read_buckets(file)


def test_a_task_that_stands_there_twice(tmp_path: Path) -> None:
    file = tmp_path / "buckets.json"
    file.write_text('{"config": {"mood": {}, "mood": {}}}')
    with pytest.raises(StudyError, match="'mood' is used twice"):
        read_buckets(file)


def test_what_is_no_json(tmp_path: Path) -> None:
    file = tmp_path / "buckets.json"
    file.write_text('{"config":\n {"mood": }}')
    with pytest.raises(StudyError, match=r"buckets\.json:2:\d+: Not JSON"):
        read_buckets(file)
