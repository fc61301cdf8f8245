"""Retrieval: the nearest reply, each once, and quickly."""

import json
import math
import sys
from collections import Counter
from typing import Any

import pytest

from palaver.core.errors import InputError, MissingExtraError
from palaver.systems.connectors.retrieval import TfIdf, words

EXCHANGES = [
    ("Do you have any pets?", "Two cats."),
    ("Do you have pets at home?", "A hamster, too."),
    ("What is your job?", "I teach mathematics."),
    ("Where did you go on holiday?", "To the sea, every year."),
    ("Do you like it there?", "The water is warm."),
]


@pytest.fixture
def exchanges(write: Any) -> None:
    lines = [json.dumps({"prompt": prompt, "reply": reply}) for prompt, reply in EXCHANGES]
    write("e.jsonl", "\n".join(lines) + "\n\n")


@pytest.mark.parametrize("method", ["tfidf", "bm25"])
@pytest.mark.asyncio
async def test_finds_the_nearest_once_and_then_falls_back(
    method: str, exchanges: None, table: Any
) -> None:
    system = table.build(
        kind="retrieval", file="e.jsonl", method=method, openers=["Hi!"], fallbacks=["Hm."]
    )
    assert await table.answer(system, seat=0) == "Hi!"
    assert await table.answer(system, "what's your job then?") == "I teach mathematics."
    assert await table.answer(system, "any pets?") == "Two cats."
    assert await table.answer(system, "any pets?", "Two cats.", "pets?") == "A hamster, too."
    assert await table.answer(system, "quantum chromodynamics") == "Hm."
    assert await table.answer(system, "?!") == "Hm."


@pytest.mark.asyncio
async def test_what_was_said_before_tips_the_scales(write: Any, table: Any) -> None:
    rows = [("tell me more", "About what?"), ("tell me more about bread", "Rye is best.")]
    write("e.jsonl", "\n".join(json.dumps({"prompt": p, "reply": r}) for p, r in rows))
    heard = ("I bake bread, do you like bread?", "I love bread!", "tell me more")
    for weight, reply in ((0.0, "About what?"), (1.0, "Rye is best.")):
        system = table.build(kind="retrieval", file="e.jsonl", context=weight)
        assert await table.answer(system, *heard) == reply


def test_tfidf_is_the_cosine_worked_by_hand() -> None:
    # Two prompts; "a" is in both (idf ln 2), "b" in one (idf ln 3).
    ranking = TfIdf([["a", "b"], ["a"]])
    two, three = math.log(2), math.log(3)
    scores = ranking.scores(Counter(["a"]), Counter(), 0.0)
    assert scores == pytest.approx({0: two / math.hypot(two, three), 1: 1.0})


class Unguarded:
    def __init__(self, system: Any) -> None:
        self.new_session = system.new_session


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"prompt": "a", "reply": "b"}\n\n{"prompt": "a"}', "e.jsonl:3: "),
        ('{"prompt": "a", "reply": "b"}\nnot json', "e.jsonl:2: "),
        ('{"prompt": "a", "reply": 5}', "e.jsonl:1: "),
        ('{"prompt": " ", "reply": "b"}', "e.jsonl:1: an empty prompt or reply"),
        ("\n", "no exchanges"),
    ],
)
def test_a_wrong_line_is_named(text: str, message: str, table: Any, write: Any) -> None:
    write("e.jsonl", text)
    with pytest.raises(InputError) as error:
        table.build(kind="retrieval", file="e.jsonl")
    assert message in str(error.value)


def test_bm25_says_which_extra_it_needs(
    exchanges: None, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"palaver\[retrieval\]"):
        table.build(kind="retrieval", file="e.jsonl", method="bm25")


def test_words() -> None:
    assert words("What’s Łódź like, at 5?") == ["what's", "łódź", "like", "at", "5"]
