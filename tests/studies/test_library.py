"""What ships with Palaver: 40 labels, help-desk questions, and training for eight tasks."""

import csv
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import Problem
from palaver.core.questions.flow import Flow
from palaver.core.questions.question import Question, Shown
from palaver.formats.chateval.buckets import read_buckets
from palaver.formats.dialogue_texts import alternatives
from palaver.formats.line_problems import LineProblems
from palaver.formats.training import TrainingSet
from palaver.studies import library
from palaver.studies.file.questions import built_in_question
from palaver.studies.intake.right_answers import read_answer
from palaver.studies.intake.trainings import check_training, clause_names, read_training_file
from support.shared import ABC_EVAL

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
# The published limit of wrong turns in the deciding round.
MISTAKES = {name: 1 if name in ("grammar", "sociality") else 2 for name in BEHAVIOURS}
SYSTEM = Shown(role="system")
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
    *(
        "advice_comment",
        "example_answer",
        "example_reason",
        "nuggets",
        "accomplishment",
        "satisfaction",
        "effectiveness",
    ),
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


def behaviour(name: str) -> Question:
    question = built_in_question(name)
    assert question is not None
    return question


def training_of(name: str) -> TrainingSet:
    """A built-in training set; it must be without problems."""
    file = library.training_file(name)
    assert file is not None
    line_problems = LineProblems(str(file))
    found = read_training_file(file, line_problems)
    assert found is not None
    check_training(found, behaviour(name), line_problems)
    problems: list[Problem] = line_problems.problems
    assert problems == []
    return found.training


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_training_set_has_four_rounds_of_explained_turns_and_the_last_decides(name: str) -> None:
    training = training_of(name)
    assert (training.question, len(training.rounds)) == (name, 4)
    assert (training.passing_rounds, training.mistakes) == ((4,), MISTAKES[name])
    for text in training.rounds:
        judged = [turn for turn in text.turns if turn.speaker == "system"]
        assert 10 <= len(judged) <= 16
        assert all(turn.why for turn in judged)
        assert len({turn.why for turn in judged}) == len(judged)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_an_introduction_uses_the_words_of_the_answers(name: str) -> None:
    training, question = training_of(name), behaviour(name)
    told = " ".join(training.introduction.split())
    words = [coded.text for coded in question.codebook if coded.text]
    assert words
    for text in words:
        assert text.replace("{speaker}", "Alex").replace("{partner}", "Sam") in told
    boxes = isinstance(question, Flow) and any(step.type == "checkbox" for step in question.ask)
    none = "None of these" if question.kind == "multiselect" else "No, it does not apply"
    assert (none in told) is (boxes or question.kind == "multiselect")
    limit = "1 turn wrong" if training.mistakes == 1 else f"{training.mistakes} turns wrong"
    assert "Four conversations follow." in told
    assert f"The fourth is harder and decides: you pass with **at most {limit}**." in told


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_every_scored_turn_names_the_clauses_that_decide_it(name: str) -> None:
    training = training_of(name)
    scored = {
        (*text.steps, n)
        for text in training.rounds
        for n, turn in enumerate(text.turns)
        if turn.answers is not None
    }
    assert set(training.clauses) == scored
    named = {clause for clauses in training.clauses.values() for clause in clauses}
    assert named == set(clause_names(behaviour(name)))  # no clause is left unpractised


def test_a_clause_that_the_definition_does_not_have_is_named(tmp_path: Path) -> None:
    shipped = library.training_file("sociality")
    assert shipped is not None
    file = tmp_path / "sociality.yaml"
    file.write_text(shipped.read_text().replace("clause: insult", "clause: insults", 1))
    line_problems = LineProblems("sociality.yaml")
    found = read_training_file(file, line_problems)
    assert found is not None

    check_training(found, behaviour("sociality"), line_problems)

    [problem] = line_problems.problems
    assert "has no clause 'insults'. Near: 'insult'" in problem.message
    assert "clause: insults" in file.read_text().splitlines()[problem.line - 1]


def every_answer(steps: Any) -> Iterator[dict[str, Any]]:
    """Every complete answer to some steps of a flow."""

    def answers_to(step: Any) -> Iterator[dict[str, Any]]:
        if step.type == "checkbox":
            yield {}
        for answer in step.answers:
            for below in every_answer(answer.ask):
                yield {step.id: answer.id, **below}

    for parts in itertools.product(*(tuple(answers_to(step)) for step in steps)):
        yield {key: value for part in parts for key, value in part.items()}


def test_knowledge_accepts_every_answer_that_gives_the_same_label() -> None:
    question = behaviour("knowledge")
    assert isinstance(question, Flow)
    by_label: dict[tuple[str, ...], list[Any]] = {}
    for answer in every_answer(question.ask):
        value = question.read(answer, SYSTEM)
        by_label.setdefault(question.labels(value), []).append(value)
    assert {key: len(values) for key, values in by_label.items()} == {
        (): 2,  # no fact at all, and sources that disagree: the only ones that are told apart
        ("correct fact",): 2,
        ("incorrect fact",): 4,
    }
    for text in training_of("knowledge").rounds:
        for turn in (turn for turn in text.turns if turn.answers is not None):
            right = [question.read(answer, SYSTEM) for answer in alternatives(turn.answers)]
            labels = question.labels(right[0])
            assert len(right) == 1 if not labels else right == by_label[labels], turn.text


def test_knowledge_practises_that_naming_a_real_thing_uses_a_fact() -> None:
    training = training_of("knowledge")
    rounds = [steps[1] for steps, names in training.clauses.items() if names == ("name", "right")]
    assert set(rounds) == {0, 1, 2, 3}


ONBOARDING = {
    "consistency_label": "consistency",
    "empathy": "empathy",
    "knowledge": "knowledge",
}


@pytest.mark.skipif(not ABC_EVAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(("name", "file"), ONBOARDING.items())
def test_clauses_of_ours_decide_every_turn_of_the_training_of_the_platform(
    name: str, file: str
) -> None:
    with (Path(__file__).parent / "onboarding_clauses.csv").open() as lines:
        ours = [row for row in csv.DictReader(lines) if row["question"] == name]
    question = read_buckets(ABC_EVAL / "annotation_buckets.json")[name].question()
    rounds = json.loads((ABC_EVAL / f"onboarding_data/{file}.json").read_text("utf-8-sig"))
    theirs = {
        (str(number), str(n)): {
            question.labels(read_answer(question, answer, SYSTEM))
            for answer in alternatives(turn[2])
        }
        for number, entry in enumerate(rounds.values(), start=1)
        for n, turn in enumerate(entry["turns"], start=1)
        if len(turn) > 2
    }

    assert [(row["round"], row["turn"]) for row in ours] == list(theirs)
    known = clause_names(behaviour(name))
    for row in ours:
        [labels] = theirs[row["round"], row["turn"]]
        assert row["labels"] == "; ".join(sorted(labels)), row
        assert set(row["clauses"].split("; ")) <= set(known), row


def test_every_task_with_a_training_set_is_a_question() -> None:
    assert set(library.training_names()) == set(BEHAVIOURS)
    assert {library.trained_question(name) for name in BEHAVIOURS} == set(BEHAVIOURS)
