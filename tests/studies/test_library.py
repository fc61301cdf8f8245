"""What ships with Palaver: 40 labels, help-desk questions, and training for eight tasks."""

import pytest

from palaver.core.errors import Problem
from palaver.formats.line_problems import LineProblems
from palaver.studies import library
from palaver.studies.file.questions import built_in_question
from palaver.studies.intake.trainings import check_training, read_training_file

QUALITIES = (
    *("grammatical", "relevant", "informative", "emotional"),
    *("engaging", "consistent", "proactive", "quality"),
)
# The labels of Finch, Finch and Choi (ACL 2023), by the tasks that give them.
BEHAVIOURS = {
    "grammar": {"uninterpretable"},
    "sociality": {"antisocial"},
    "commonsense": {"commonsense contradiction"},
    "empathy": {"empathetic", "lack of empathy"},
    "personal_information": {"preference info", "life info"},
    "transitions": {"ignore", "follow up", "topic switch", "irrelevant"},
    "knowledge": {"correct fact", "incorrect fact"},
    "consistency_label": {"self contradiction", "partner contradiction", "redundant"},
}
FAMILIES = {
    "_likert": ("ordinal", "dialogue"),
    "_likert_turn": ("ordinal", "turn"),
    "_comparative": ("pairwise", "pair"),
}


def test_sixteen_behaviours_and_three_times_eight_qualities() -> None:
    found = {name: set(built_in_question(name).label_names) for name in BEHAVIOURS}  # type: ignore[union-attr]
    assert found == BEHAVIOURS
    assert sum(len(labels) for labels in found.values()) == 16
    for family, (level, about) in FAMILIES.items():
        for quality in QUALITIES:
            name = f"{'emotion' if quality == 'emotional' else quality}{family}"
            question = built_in_question(name)
            assert question is not None, name
            assert (question.level, question.about) == (level, about)
            assert question.label == quality  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", library.question_names())
def test_every_question_explains_itself(name: str) -> None:
    question = built_in_question(name)
    assert question is not None
    assert question.definition
    labels = len(BEHAVIOURS.get(name, {""}))
    for applies in (True, False):
        shown = [example for example in question.examples if example.applies is applies]
        assert len(shown) >= (2 * labels if name in BEHAVIOURS else 1) or name in PLAIN
    for example in question.examples:
        assert example.why


# These speak for themselves; they need no counter-examples.
PLAIN = {
    *("nuggets", "accomplishment", "satisfaction", "effectiveness"),
    *("overall_comment", "overall_score", "would_talk_again", "thumbs"),
}


def test_nuggets_depend_on_who_spoke_and_quality_has_five_points() -> None:
    nuggets = library.question_entry("nuggets")
    assert nuggets is not None
    by_speaker = {
        role: [option["id"] for option in nuggets["options"] if option["speaker"] == role]
        for role in ("user", "system")
    }
    assert by_speaker == {
        "user": ["CNUG0", "CNUG", "CNUG*", "CNaN"],
        "system": ["HNUG", "HNUG*", "HNaN"],
    }
    for name in ("accomplishment", "satisfaction", "effectiveness"):
        entry = library.question_entry(name)
        assert entry is not None
        assert entry["points"] == [2, 1, 0, -1, -2]


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_training_set_has_three_rounds_of_explained_turns(name: str) -> None:
    file = library.training_file(name)
    assert file is not None
    line_problems = LineProblems(str(file))
    found = read_training_file(file, line_problems)
    question = built_in_question(name)
    assert found is not None
    assert question is not None
    check_training(found, question, line_problems)
    problems: list[Problem] = line_problems.problems
    assert problems == []
    training = found.training
    assert (training.question, len(training.rounds)) == (name, 3)
    assert training.introduction
    for text in training.rounds:
        judged = [turn for turn in text.turns if turn.speaker == "system"]
        assert len(judged) >= 10
        assert all(turn.why for turn in judged)
        assert len({turn.why for turn in judged}) == len(judged)


def test_every_task_with_a_training_set_is_a_question() -> None:
    assert set(library.training_names()) == set(BEHAVIOURS)
    assert {library.trained_question(name) for name in BEHAVIOURS} == set(BEHAVIOURS)
