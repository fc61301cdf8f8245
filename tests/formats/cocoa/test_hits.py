"""Batches of CoCoA's Turk evaluation: which question each answer is to, and of whom."""

from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.formats.cocoa.hits import NO_DATA, UNSURE, read_hits

CONTEXT = [["buyer", "hi"], ["seller", "hello"], ["buyer", "would you take PRICE ?"]]


def asked(*responses: str) -> dict[str, Any]:
    said = [["seller", text] for text in responses]
    return {"context": CONTEXT, "response": said[0] if len(said) == 1 else said}


def hit(data: dict[str, Any], **assignments: dict[str, Any]) -> dict[str, Any]:
    return {"H1": {"data": data, **assignments}}


def test_likelihoods_are_answers_about_responses() -> None:
    data = {"rule-C_1": asked("sure"), "neural-C_1": asked("")}
    answers = [{"qid": "rule-C_1", "answer": "2"}, {"qid": "neural-C_1", "answer": 100}]
    document = hit(data, A1={"worker_id": "w1", "answers": answers})
    work = read_hits(document, name="hits.json")
    held = work.dialogues["C_1/rule"]
    assert (held.system, [turn.seat for turn in held.turns]) == ("rule", [0, 1, 0, 1])
    assert held.turns[-1].text == "sure"
    (answer,) = work.answers
    assert (answer.question, answer.answer, answer.rater) == ("response_likelihood", "2", "w1")
    assert work.skipped[UNSURE] == 1


def test_problems_and_appropriateness_are_two_questions() -> None:
    answers = [
        {"qid": "rule-C_1,grammar", "answer": "on"},
        {"qid": "rule-C_1,coherence", "answer": "1"},
        {"qid": "rule-C_1,relatedness", "answer": "0"},
        {"qid": "rule-C_1,all", "answer": "-1"},
        {"qid": "neural-C_1,none", "answer": "on"},
        {"qid": "neural-C_1,all", "answer": "2"},
        {"qid": "comment", "answer": "nice"},
        {"qid": "gone-C_1", "answer": "1"},
    ]
    data = {"rule-C_1": asked("sure"), "neural-C_1": asked("no")}
    work = read_hits(hit(data, A1={"worker_id": "w", "answers": answers}), name="hits.json")
    found = [(each.dialogue, each.question, each.answer) for each in work.answers]
    assert found == [
        ("C_1/rule", "response_problems", ["grammar", "coherence"]),
        ("C_1/rule", "response_appropriateness", "-1"),
        ("C_1/neural", "response_problems", []),
        ("C_1/neural", "response_appropriateness", "2"),
    ]
    assert work.skipped == {"comments": 1, NO_DATA: 1}


@pytest.mark.parametrize(("sent", "side"), [("1", "a"), (-1, "b"), ("0", "tie"), (-2, "neither")])
def test_comparisons_name_a_side_of_the_screen(sent: Any, side: str) -> None:
    answers = [{"qid": "rule-neural-C_1", "answer": sent}]
    data = {"rule-neural-C_1": asked("sure", "no")}
    work = read_hits(hit(data, A1={"worker_id": None, "answers": answers}), name="hits.json")
    (answer,) = work.answers
    assert (answer.dialogue, answer.other) == ("C_1/rule", "C_1/neural")
    assert (answer.question, answer.answer, answer.rater) == ("better_response", side, None)


def test_names_with_dashes_need_to_be_told() -> None:
    data = {"rule-based-sl-act-C-1": asked("sure", "no")}
    with pytest.raises(InputError, match=r"does not say which systems.*--system NAME"):
        read_hits(hit(data), name="hits.json")
    work = read_hits(hit(data), name="hits.json", systems=["rule-based", "sl-act"])
    assert set(work.dialogues) == {"C-1/rule-based", "C-1/sl-act"}


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ([], "Expected an object of HITs"),
        ({"H1": {"A1": {}}}, "has no 'data'"),
        (hit({"rule-C_1": {"response": ["a", "b"]}}), "has no 'context'"),
        (hit({"rule-C_1": {"context": [], "response": 3}}), "'response' takes"),
        (hit({"rule-C_1": asked("x")}, A1={"worker_id": "w"}), "has no 'answers'"),
        (hit({}, A1={"answers": [{"qid": "q"}]}), "has no 'qid' and 'answer'"),
    ],
)
def test_broken_batches_are_told(document: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_hits(document, name="hits.json")
