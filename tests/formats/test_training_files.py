"""Training sets and counts of raters: ours and the ChatEvaluationPlatform's, and what may be wrong."""

import json
from typing import Any

import pytest

from palaver.formats.chateval_lines import read_rater_counts
from palaver.formats.dialogue_texts import alternatives
from palaver.formats.json_places import place_of
from palaver.formats.line_problems import LineProblems
from palaver.formats.training import TrainingSet, read_training
from support.shared import ABC_EVAL

SOUND: dict[str, Any] = {
    "question": "empathy",
    "pass": {"rounds": [1], "mistakes": 1},
    "introduction": "Read it all.",
    "rounds": [
        {
            "id": "r1",
            "turns": [
                {"user": "Hi"},
                {"system": "Hello!", "answer": {"empathy": "not_applicable"}, "why": "No feeling."},
                {"user": "I won."},
                {"system": "Wow!", "any_of": [{"empathy": "empathetic"}, {}], "why": "Joy."},
            ],
        }
    ],
}


def read(data: Any) -> tuple[TrainingSet | None, list[str]]:
    """What a file gives, and what is said about it."""
    text = json.dumps(data)
    line_problems = LineProblems("training.json")
    training = read_training(json.loads(text), line_problems, lambda steps: place_of(text, steps))
    return training, [str(problem) for problem in line_problems.problems]


def changed(*steps: Any, to: Any) -> Any:
    """The sound file with one part replaced; "-" removes it."""
    data = json.loads(json.dumps(SOUND))
    owner = data
    for step in steps[:-1]:
        owner = owner[step]
    if to == "-":
        del owner[steps[-1]]
    else:
        owner[steps[-1]] = to
    return data


def test_a_set_of_ours() -> None:
    training, problems = read(SOUND)

    assert problems == []
    assert training is not None
    assert (training.question, training.introduction) == ("empathy", "Read it all.")
    assert (training.passing_rounds, training.mistakes) == ((1,), 1)
    turns = training.rounds[0].turns
    assert [turn.seat for turn in turns] == [0, 1, 0, 1]
    assert alternatives(turns[3].answers) == ({"empathy": "empathetic"}, {})
    assert turns[1].why == "No feeling."


def test_a_set_of_the_other_platform() -> None:
    def dialogue(criteria: int) -> dict[str, Any]:
        turns = [["user", "Hi"], ["system", "Hello!", {}, None]]
        return {"annotation_tasks": ["empathy"], "turns": turns, "pass_criteria": criteria}

    training, problems = read({"one": dialogue(0), "two": dialogue(2)})

    assert problems == []
    assert training is not None
    assert [text.id for text in training.rounds] == ["one", "two"]
    assert (training.passing_rounds, training.mistakes) == ((2,), 2)
    assert not training.must_explain


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([], "1:1: A training set is a mapping with 'question' and 'rounds'."),
        (changed("question", to="-"), "1:1: 'question' is missing."),
        (changed("rounds", to=[]), "'rounds' is empty."),
        (changed("pass", "rounds", to=[2]), "1:45: 'rounds' takes 1 to 1; got 2."),
        (changed("pass", "mistakes", to=-1), "'mistakes' takes 0 or more; got -1."),
        (changed("rounds", 0, "turns", to=[]), "'turns' is empty."),
        (changed("rounds", 0, "turns", 0, to="Hi"), "Turn 1 is 'user: …' or 'system: …'"),
        (
            changed("rounds", 0, "turns", 1, "anser", to="x"),
            "Turn 2: unknown key 'anser'. Near: 'answer'",
        ),
        (
            changed("rounds", 0, "turns", 0, "system", to="x"),
            "Turn 1 has either 'user' or 'system'",
        ),
        (changed("rounds", 0, "turns", 0, "user", to=5), "Turn 1: 'user' takes text."),
        (
            changed("rounds", 0, "turns", 3, "answer", to={}),
            "Turn 4 has either 'answer' or 'any_of', not both.",
        ),
        (changed("rounds", 0, "turns", 3, "any_of", to=[]), "Turn 4: 'any_of' takes a list"),
        (
            changed("rounds", 0, "turns", 1, "clause", to=[]),
            "Turn 2: 'clause' takes the name of a clause, or a list of names.",
        ),
        (
            {"one": {"annotation_tasks": ["a", "b"], "turns": []}},
            "'annotation_tasks' takes one task; got 2.",
        ),
        ({"one": {"turns": []}}, "'one': 'annotation_tasks' is missing."),
    ],
)
def test_a_mistake_is_named_with_its_place(data: Any, expected: str) -> None:
    _, problems = read(data)

    assert len(problems) == 1
    assert problems[0].startswith("training.json:1:")
    assert expected in problems[0]


@pytest.mark.skipif(not ABC_EVAL.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("name", "question"),
    [("empathy", "empathy"), ("knowledge", "knowledge"), ("consistency", "consistency_label")],
)
def test_real_files(name: str, question: str) -> None:
    training, problems = read(json.loads((ABC_EVAL / f"onboarding_data/{name}.json").read_text()))

    assert problems == []
    assert training is not None
    assert (training.question, len(training.rounds)) == (question, 3)
    assert (training.passing_rounds, training.mistakes) == ((3,), 2)


def counts(content: bytes) -> tuple[dict[str, int], list[str]]:
    line_problems = LineProblems("units.json")
    found = read_rater_counts(content, line_problems)
    return found, [str(problem) for problem in line_problems.problems]


def test_counts_of_raters() -> None:
    assert counts(b'\xef\xbb\xbf{"a": 2, "b": 0}') == ({"a": 2, "b": 0}, [])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"a": -1}', "units.json:1:7: Group 'a' takes a whole number, 0 or more; got -1."),
        (b'{"a": 1,\n "b": 1.5}', "units.json:2:7: Group 'b' takes a whole number, 0 or more"),
        (b'{"a": true}', "units.json:1:7: Group 'a' takes a whole number"),
        (b'{"a": "2"}', "units.json:1:7: Group 'a' takes a whole number"),
        (b'{"a": 1,\n}', "units.json:2:1: Not JSON"),
        (b"[1]", "units.json:1:1: Expected a mapping of group to count"),
        (b"\xff\xfe", "units.json:1:1: Not UTF-8 text."),
    ],
)
def test_wrong_counts(content: bytes, expected: str) -> None:
    _, problems = counts(content)

    assert [problem[: len(expected)] for problem in problems] == [expected]
