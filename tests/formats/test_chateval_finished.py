"""State files and the released data: dialogues, answers and results, and what is left out."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, StudyError
from palaver.formats.chateval.buckets import Bucket, read_buckets
from palaver.formats.chateval.finished import FinishedWork
from palaver.formats.chateval.released import read_released, read_section, sections_of
from palaver.formats.chateval.states import read_state, state_files
from support.chateval import (
    BUCKETS,
    OTHER_TURNS,
    TURNS,
    chat_state,
    dialogue,
    judged_state,
    released,
    training,
    write_json,
)


@pytest.fixture
def buckets(tmp_path: Path) -> dict[str, Bucket]:
    return read_buckets(write_json(tmp_path / "annotation_buckets.json", {"config": BUCKETS}))


def _read(tmp_path: Path, state: dict[str, Any], buckets: dict[str, Bucket]) -> FinishedWork:
    return read_state(write_json(tmp_path / "run" / "state.json", state), buckets)


def test_answers_about_turns(tmp_path: Path, buckets: dict[str, Bucket]) -> None:
    shown = [dialogue("(1,2)_tern", annotation_tasks=["mood", "rude", "faults"])]
    answers = {
        "workerId": "A1B2",
        "0": {
            "data": {
                "1": {"turn_idx": 1, "Is this reply kind?": "Yes, it is.", "agent_idx": 1},
                "3": {
                    "Is this reply kind?": "No, it is not.",
                    "rude_q": "This reply is rude.",
                    "faults_labels": ["odd"],
                },
            }
        },
        "duration_task_0_0": [[1000, 5000], [6000]],
    }
    finished = _read(tmp_path, judged_state(answers, shown), buckets)
    assert [(g.question, g.turn, g.answer) for g in finished.answers] == [
        ("mood", 1, {"Is this reply kind?": "Yes, it is."}),
        ("mood", 3, {"Is this reply kind?": "No, it is not."}),
        ("rude", 1, {}),
        ("rude", 3, {"rude_q": "This reply is rude."}),
        ("faults", 1, []),
        ("faults", 3, ["odd"]),
    ]
    assert [g.seconds for g in finished.answers] == [2.0, 2.0, None, None, None, None]
    assert {(g.rater, g.purpose, g.time) for g in finished.answers} == {("A1B2", "real", 1001.0)}
    held = finished.dialogues["(1,2)_tern"]
    assert (held.system, held.person, len(held.turns)) == ("tern", "student-17", len(TURNS))


def test_answers_about_the_whole_and_a_pair(tmp_path: Path, buckets: dict[str, Bucket]) -> None:
    shown = [
        dialogue("a", annotation_tasks=["quality_likert"]),
        dialogue("a|b", annotation_tasks=["quality_comparative"], turns2=OTHER_TURNS),
    ]
    answers = {
        "0": {"likert": {"Quality": "4"}},
        "1": {"comparative": {"Which was better?": "Dialogue 2 (right)"}},
    }
    finished = _read(tmp_path, judged_state(answers, shown), buckets)
    likert, comparison = finished.answers
    assert (likert.question, likert.answer, likert.turn) == ("quality_likert", "4", None)
    assert (comparison.answer, comparison.dialogue, comparison.other) == ("b", "a", "b")
    assert comparison.rater is None


def test_training_and_gold(tmp_path: Path, buckets: dict[str, Bucket]) -> None:
    given = {str(n): {"data": {"1": {"Is this reply kind?": "Yes, it is."}}} for n in range(3)}
    state = judged_state(
        {"workerId": "A1", **given},
        [{"is_screen": True, **training()}],
        mistakes=[[1], [], []],
        success=True,
    )
    finished = _read(tmp_path, state, buckets)
    assert [g.purpose for g in finished.answers] == ["training"] * 3
    [result] = finished.trained
    assert (result.person, result.mistakes, result.passed) == ("A1", ((1,), (), ()), True)
    gold = _read(tmp_path, judged_state(given, [dialogue("mood_gold_1")]), buckets)
    assert {g.purpose for g in gold.answers} == {"gold"}


def test_chats_carry_their_own_definitions(tmp_path: Path) -> None:
    annotations = {
        "0": {"likert": {"Quality": "5"}, "data": {"1": {"faults_labels": ["dull"]}}},
        "1": {"likert": {"Quality": "1"}, "comparative": {"Which was better?": "No difference"}},
    }
    finished = _read(tmp_path, chat_state(annotations), {})
    tern, plover = finished.dialogues.values()
    assert (tern.system, plover.system, tern.position, plover.position) == ("tern", "plover", 0, 1)
    assert tern.group == plover.group
    assert tern.condition == "plover|tern"
    assert [(s.seat, s.text, s.seed) for s in tern.turns] == [
        (0, "Hi!", True),
        (1, "Hello.", False),
    ]
    assert tern.turns[1].time == 500.0
    assert [(g.question, g.answer, g.turn) for g in finished.answers] == [
        ("faults", ["dull"], 1),
        ("quality_likert", "5", None),
        ("quality_likert", "1", None),
        ("quality_comparative", "tie", None),
    ]
    assert {g.rater for g in finished.answers} == {"A1B2"}
    assert (finished.answers[-1].dialogue, finished.answers[-1].other) == (tern.id, plover.id)


def test_what_is_left_out_is_counted(tmp_path: Path, buckets: dict[str, Bucket]) -> None:
    unfinished = judged_state({})
    unfinished["outputs"]["messages"] = []
    assert list(_read(tmp_path, unfinished, buckets).skipped) == [
        "files of work that was not submitted"
    ]
    assert list(_read(tmp_path, {"other": 1}, buckets).skipped) == [
        "files that are not a state of the platform"
    ]
    [reason] = _read(tmp_path, judged_state({"0": {}}), {}).skipped
    assert "without a definition" in reason
    assert "'mood'" in reason


def test_finding_state_files(tmp_path: Path) -> None:
    first = write_json(tmp_path / "b" / "agent" / "state.json", {})
    second = write_json(tmp_path / "a" / "agent" / "state.json", {})
    own = write_json(tmp_path / "mine.json", {})
    assert state_files([tmp_path, own, first]) == [second, first, own]
    with pytest.raises(InputError, match=r"There is no state\.json in"):
        state_files([write_json(tmp_path / "c" / "x.json", {}).parent])
    with pytest.raises(InputError, match=r"There is no .*gone"):
        state_files([tmp_path / "gone"])


def test_a_broken_state_names_its_place(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text('{"outputs":\n{')
    with pytest.raises(StudyError, match=r"state\.json:2:2: Not JSON"):
        read_state(file, {})


def test_the_released_data(tmp_path: Path) -> None:
    project = read_released(write_json(tmp_path / "data.json", released()))
    assert sections_of(project) == ["surge_evaluation", "surge_onboarding"]
    finished = read_section(project, "surge_evaluation")
    assert list(finished.questions) == [
        "quality_likert_turn",
        "topic_switch",
        "antisocial",
        "emotion_likert",
        "quality_comparative",
    ]
    assert finished.questions["topic_switch"].label_names == ("topic switch",)
    by_question = [(g.question, g.answer, g.turn, g.rater) for g in finished.answers[:5]]
    assert by_question == [
        ("quality_likert_turn", 5, 1, "student-1"),
        ("topic_switch", ["topic switch"], 1, "student-1"),
        ("topic_switch", [], 1, "student-2"),
        ("antisocial", [], 1, "student-1"),
        ("emotion_likert", 4, None, "student-1"),
    ]
    assert dict(finished.skipped) == {"annotations without a score": 2}


def test_a_comparison_is_given_once(tmp_path: Path) -> None:
    project = read_released(write_json(tmp_path / "data.json", released()))
    answers = read_section(project, "surge_evaluation").answers
    [comparison] = [g for g in answers if g.question == "quality_comparative"]
    assert (comparison.dialogue, comparison.other, comparison.answer) == ("a", "b", "a")
    assert comparison.seconds == 60.0
    contradicted = released()
    one = contradicted["surge_evaluation"]["dialogues"]["b"]["comparative_annotations"]["quality"]
    one[0]["score"] = 1
    project = read_released(write_json(tmp_path / "data.json", contradicted))
    skipped = read_section(project, "surge_evaluation").skipped
    assert skipped["comparisons whose two directions contradict each other"] == 1


def test_time_is_spread_over_the_answers_of_a_work_unit(tmp_path: Path) -> None:
    project = read_released(write_json(tmp_path / "data.json", released()))
    answers = read_section(project, "surge_evaluation").answers
    first = [g for g in answers if g.rater == "student-1"]
    assert sum(g.seconds or 0 for g in first) == pytest.approx(60.0)
    assert first[0].time == 1651399200.0


def test_training_of_the_released_data(tmp_path: Path) -> None:
    project = read_released(write_json(tmp_path / "data.json", released()))
    [result] = read_section(project, "surge_onboarding").trained
    assert (result.person, result.mistakes, result.passed) == ("student-1", ((0,),), False)


def test_sections_that_are_not_there(tmp_path: Path) -> None:
    project = read_released(write_json(tmp_path / "data.json", released()))
    with pytest.raises(InputError, match="There is no section 'surge'"):
        read_section(project, "surge")
    with pytest.raises(InputError, match=r"'mturk_evaluation' is empty\. Sections: surge_eval"):
        read_section(project, "mturk_evaluation")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"surge_evaluation": {"dialogues": []}}',
            r"Expected `object`.*surge_evaluation\.dialogues",
        ),
        ("{}", "has none of the sections"),
        ("{", "truncated|malformed|ended"),
    ],
)
def test_what_is_no_released_data(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "data.json"
    file.write_text(content)
    with pytest.raises(InputError, match=message) as raised:
        read_released(file)
    assert str(file) in str(raised.value)
