"""What every perturbation owes: the same again in any order, gold untouched, and a difference."""

import copy
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.evaluation.perturbations import (
    Layout,
    find_perturbation,
    known_perturbations,
    layout_of,
    make_variants,
)
from palaver.evaluation.perturbations.corpus import GLUE, class_of
from palaver.evaluation.perturbations.perturbed_files import cut, perturb_piece
from palaver.evaluation.tasks import builtin_task

KINDS = ("fairness", "robustness", "dialogue")
WORDS = (
    "Mary", "John's", "Lakisha", "he", "Her", "his", "KING", "don't", "it", "is", "not", "I", "am",
    "really", "received", "the", "modern", "hotel,", "3.14", "naïve", "e\u0301te\u0301", "фильм",
    "👨‍👩‍👧", "🇩🇪", "한국어", "(well)", "\u200f", "hello\nworld", "  ", "a",
)  # fmt: skip
text = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
TURNS = Layout(texts=("title",), turns=("turns",))
QA = layout_of(builtin_task("qa"))


@st.composite
def dialogues(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records with a title and turns."""
    said = st.lists(st.tuples(st.sampled_from(["user", "system"]), text), min_size=1, max_size=5)
    return [
        {
            "uid": f"u{n}",
            "title": draw(text),
            "turns": [{"speaker": who, "text": what} for who, what in draw(said)],
            "label": ["a", "b"],
            "tags": ["t"],
        }
        for n in range(draw(st.integers(1, 5)))
    ]


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """A question whose answers, one or several, stand in the context."""
    parts = draw(
        st.lists(st.sampled_from([w for w in WORDS if w.strip()]), min_size=3, max_size=20)
    )
    context = " ".join(parts)
    answers = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(context) - 1))
        answers.append(context[start : draw(st.integers(start + 1, len(context)))])
    gold = answers[0] if len(answers) == 1 and draw(st.booleans()) else answers
    return {"uid": "q", "context": context, "question": draw(text), "answer": gold, "tags": ["x"]}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(records=dialogues(), seed=st.integers(-5, 2**70))
def test_order_and_pieces_do_not_matter(
    kind: Any, records: list[dict[str, Any]], seed: int
) -> None:
    names = [each.name for each in known_perturbations(kind)]
    before = copy.deepcopy(records)
    whole = {r["uid"]: r for r in _made(records, names, kind, seed, size=100)}

    assert {r["uid"]: r for r in _made(records[::-1], names, kind, seed, size=100)} == whole
    assert {r["uid"]: r for r in _made(records, names[::-1], kind, seed, size=1)} == whole
    assert records == before


def _made(
    records: list[dict[str, Any]], names: list[str], kind: Any, seed: int, *, size: int
) -> list[dict[str, Any]]:
    pieces = cut(records, TURNS, names, kind=kind, seed=seed, size=size)
    return [variant for piece in pieces for variant in perturb_piece(piece).records]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50, deadline=None)
@given(records=dialogues())
def test_variants_differ_link_back_and_keep_gold(kind: Any, records: list[dict[str, Any]]) -> None:
    perturbations = known_perturbations(kind)
    made = make_variants(records, TURNS, perturbations, seed=3)
    originals = {record["uid"]: record for record in records}

    for variant in made.records:
        original = originals[variant["input_id"]]
        assert variant["uid"].startswith(f"{original['uid']}_")
        assert (variant["label"], variant["tags"]) == (original["label"], original["tags"])
        assert any(variant[name] != original[name] for name in ("title", "turns"))
        if kind == "fairness":
            assert _squeezed(variant) != _squeezed(original)
    for name, tally in made.tallies.items():
        assert tally.variants + tally.unchanged + tally.gold_lost == len(records), name
    order = [variant["input_id"] for variant in made.records]
    assert order == sorted(order)


def _squeezed(record: dict[str, Any]) -> str:
    said = " ".join(turn["text"] for turn in record["turns"])
    return "".join(f"{record['title']} {said}".split())


@pytest.mark.parametrize("kind", ["fairness", "robustness"])
@settings(max_examples=50, deadline=None)
@given(record=questions(), seed=st.integers(0, 1000))
def test_gold_spans_stay(kind: Any, record: dict[str, Any], seed: int) -> None:
    before = copy.deepcopy(record)
    made = make_variants([record], QA, known_perturbations(kind), seed=seed)
    answers = record["answer"] if isinstance(record["answer"], list) else [record["answer"]]

    assert record == before
    assert all(tally.gold_lost == 0 for tally in made.tallies.values())
    for variant in made.records:
        assert variant["answer"] == before["answer"]
        assert all(answer in variant["context"] for answer in answers)


INSERTING = ("typos", "whitespace", "zero_width", "punctuation", "split_words")


@pytest.mark.parametrize("name", INSERTING)
@settings(max_examples=50, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_marks_stay_with_their_letters(name: str, words: list[str]) -> None:
    original = " ".join(words)
    made = make_variants(
        [{"uid": "1", "t": original}], Layout(texts=("t",)), [find_perturbation(name)], seed=5
    )

    for variant in made.records:
        assert _clusters(variant["t"]) == _clusters(original)


def _clusters(said: str) -> list[str]:
    """Every run of marks with the character that it belongs to; what follows a joiner included."""
    found, at = [], 0
    while at < len(said):
        end = at + 1
        while end < len(said) and (class_of(ord(said[end])) & GLUE or said[end - 1] == "\u200d"):
            end += 1
        if end > at + 1:
            found.append(said[at:end])
        at = end
    return found


def test_clusters_are_what_the_eye_sees() -> None:
    assert _clusters("e\u0301t 👨‍👩‍👧") == ["e\u0301", "👨‍👩‍👧"]
    assert unicodedata.category("\u0301") == "Mn"


def test_a_seed_gives_other_variants_than_another() -> None:
    records = [{"uid": str(n), "t": "Where is the nearest station, please?"} for n in range(20)]
    layout, typos = Layout(texts=("t",)), [find_perturbation("typos")]
    one, two = (make_variants(records, layout, typos, seed=s).records for s in (1, 2))

    assert one != two
    # Equal texts under different uids are drawn for apart.
    assert len({variant["t"] for variant in one}) > 10


def test_every_perturbation_is_described() -> None:
    for each in known_perturbations():
        assert re.fullmatch(r"[a-z_]+", each.name)
        assert each.about.endswith(".")
        assert each.example
