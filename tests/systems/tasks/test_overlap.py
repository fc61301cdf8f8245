"""The model that ships for rounds of writing: often right, wrong where it can be outwitted."""

from collections.abc import Callable
from typing import Any

import pytest

from palaver.core.errors import SystemFailureError
from palaver.systems.overlap.reader import likeliest, marks_of, read

CONTEXT = "The ferry left an hour late because the captain had overslept."

RIGHT = [
    ("The captain overslept.", "entailed"),
    ("The ferry was early.", "contradictory"),
    ("Nobody overslept.", "contradictory"),
    ("It was raining.", "neutral"),
    ("The crew was tired of the fog.", "neutral"),
]
# Who did what to whom, what a word means, and what follows from something, it does not know.
WRONG = [
    ("The captain left the ferry.", "neutral"),
    ("The captain was asleep when he should have been at work.", "entailed"),
    ("The captain left because the ferry had overslept.", "contradictory"),
]


@pytest.mark.parametrize(("sentence", "label"), RIGHT)
def test_it_is_right_where_words_decide(sentence: str, label: str) -> None:
    assert likeliest(read(CONTEXT, sentence)) == label


@pytest.mark.parametrize(("sentence", "label"), WRONG)
def test_it_can_be_outwitted(sentence: str, label: str) -> None:
    assert likeliest(read(CONTEXT, sentence)) != label


def test_two_negations_cancel_each_other() -> None:
    assert marks_of("Nobody slept.").is_negated
    assert not marks_of("Nobody did not sleep.").is_negated
    assert marks_of("She hasn’t slept.").is_negated


@pytest.mark.parametrize("sentence", ["", "???", "x" * 5000, "الطقس حار", *(s for s, _ in RIGHT)])
def test_its_shares_are_shares(sentence: str) -> None:
    shares = read(CONTEXT, sentence)
    assert sum(shares.values()) == pytest.approx(1, abs=1e-12)
    assert all(0 <= share <= 1 for share in shares.values())
    assert read("", sentence).keys() == shares.keys()


@pytest.mark.asyncio
async def test_it_answers_a_batch_and_refuses_what_it_cannot_read(
    build: Callable[..., Any],
) -> None:
    model = build("overlap")
    questions = [
        {"uid": str(n), "context": CONTEXT, "hypothesis": sentence}
        for n, (sentence, _) in enumerate(RIGHT)
    ]

    replies = await model.predict(questions)

    assert [reply.record["label"] for reply in replies] == [label for _, label in RIGHT]
    assert [reply.record["id"] for reply in replies] == ["0", "1", "2", "3", "4"]
    with pytest.raises(SystemFailureError, match="Expected a text in the field 'hypothesis'"):
        await model.predict([{"uid": "9", "context": CONTEXT, "statement": "It rains."}])
