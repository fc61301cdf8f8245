"""Stored answers in words: what a value means, as its question would say it.

A value that the question does not know any more (its wording changed) is shown as it was stored.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from palaver.core.questions.comparative import FIRST, SECOND, TIE
from palaver.core.questions.question import Question
from palaver.core.records import PlacedLabel
from palaver.core.units import UnitPlace
from palaver.studies.review.answer_parts import Facet

SIDES = {FIRST: "the first", SECOND: "the second"}


def answer_words(question: Question | None, label: PlacedLabel, *, text: str = "") -> str:
    """What a label says; `text` is the judged turn, from which marked words are quoted."""
    if label.erased:
        return "erased"
    if label.abstained:
        return "left out"
    if question is None or question.version != label.question_version:
        return label.label or value_words(None, label.value)
    return _marked(label.value, text) or question.in_words(label.value)


def value_words(question: Question | None, value: Any) -> str:
    """A value in words: the text of an option, a point with its anchor, an order, a mapping."""
    texts = option_texts(question)
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, bool) or value is None:
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return " ".join(part for part in (f"{value:g}", _anchor(question, value)) if part)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " › ".join(texts.get(part, part) for part in value)
    if isinstance(value, dict) and all(isinstance(part, int | float) for part in value.values()):
        return ", ".join(f"{texts.get(name, name)} {point:g}" for name, point in value.items())
    return msgspec.json.encode(value).decode()


def code_words(question: Question | None, facet: Facet, code: Any) -> str:
    """What one code of a facet means."""
    if isinstance(code, bool):
        return "given" if code else "not given"
    value = facet.shown(code)
    if question is not None and question.level == "pairwise":
        return SIDES.get(value, str(getattr(question, "label_tie", TIE)))
    return value_words(question, value)


def facet_words(question: Question | None, facet: Facet) -> str:
    """The label, aspect or option that a facet is about, as a rater read it."""
    return option_texts(question).get(facet.name, facet.name)


def unit_words(place: UnitPlace) -> str:
    """What a unit is."""
    if place.kind == "pair":
        return "two dialogues compared"
    if place.seat is not None:
        return f"seat {place.seat}"
    if place.first_seq is None:
        return "the whole dialogue" if place.kind == "dialogue" else place.key
    if place.last_seq in (None, place.first_seq):
        return f"event {place.first_seq}"
    return f"events {place.first_seq} to {place.last_seq}"


def option_texts(question: Question | None) -> Mapping[str, str]:
    """The text of each option (or aspect), by its id."""
    offered = (*getattr(question, "options", ()), *getattr(question, "aspects", ()))
    return {option.id: option.text for option in offered}


def _anchor(question: Question | None, value: float) -> str:
    anchor = getattr(question, "anchor", None)
    return str(anchor(value)) if callable(anchor) else ""


def _marked(value: Any, text: str) -> str:
    """Marked stretches of a turn, quoted; empty where the value holds none."""
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        return ""
    return ", ".join(
        f"{part.get('label', '')}: “{text[part.get('start', 0) : part.get('end', 0)]}”"
        for part in value
    )
