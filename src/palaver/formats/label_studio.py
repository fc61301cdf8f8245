"""Label Studio's task files: dialogues as paragraphs, answers as results.

A task is `{"id", "data", "meta", "annotations", "predictions"}`. A result names the control that it
came from (`from_name`, the question), the paragraphs that it is about (`to_name`), its `type` and
its `value`. How an answer becomes results, and which control asks for it, is said once per question
kind; a kind that is not known here is a text field with the answer as JSON.

A turn is a paragraph. An answer about a turn has the paragraph's index as `start` and `end` (text,
as Label Studio writes them) and belongs to a region of that turn, which has the same id. Offsets
count UTF-16 units, as a browser does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import singledispatch
from typing import Any

import msgspec

from palaver.core.dialogue import Dialogue
from palaver.core.questions import Comparative
from palaver.core.questions.aspects import Aspects
from palaver.core.questions.choice import Choice
from palaver.core.questions.flow import Flow
from palaver.core.questions.flow_tree import named_in
from palaver.core.questions.likert import Likert
from palaver.core.questions.multiselect import Multiselect
from palaver.core.questions.slider import Slider
from palaver.core.questions.spans import Spans
from palaver.core.questions.text import FreeText
from palaver.core.questions.thumbs import Thumbs
from palaver.core.questions.turns import role_of
from palaver.core.records import LabelRecord

# The paragraphs of the dialogue (of a pair: of its first side) and those of the second side.
DIALOGUE, SECOND = "dialogue", "second"
# The control whose regions are whole turns.
TURN = "turn"


class Paragraph(msgspec.Struct, frozen=True):
    """A turn: the part its speaker plays, the words, and the number of its first event."""

    author: str
    text: str
    seq: int


class StudioResult(msgspec.Struct, frozen=True):
    """One answer, or one part of it."""

    id: str
    from_name: str
    to_name: str
    type: str
    value: dict[str, Any]


class CompletedBy(msgspec.Struct, frozen=True):
    """A rater; the address is no real one, and Label Studio knows people by nothing else."""

    id: int
    email: str


class StudioAnnotation(msgspec.Struct, frozen=True, kw_only=True):
    """What one rater said of a task; `was_cancelled` if they abstained from all of it."""

    id: int
    result: list[StudioResult]
    completed_by: CompletedBy
    was_cancelled: bool
    ground_truth: bool = False
    lead_time: float | None
    created_at: str
    updated_at: str


class StudioPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """What a model judge said of a task."""

    id: int
    result: list[StudioResult]
    model_version: str
    created_at: str


class StudioTask(msgspec.Struct, frozen=True, kw_only=True):
    """One dialogue, or two that were compared."""

    id: int
    data: dict[str, Any]
    meta: dict[str, Any]
    annotations: list[StudioAnnotation]
    predictions: list[StudioPrediction]


def paragraphs(dialogue: Dialogue) -> list[Paragraph]:
    """The turns of a dialogue; what was erased has no words."""
    return [
        Paragraph(role_of(dialogue, turn.seat), turn.text, turn.events[0].seq)
        for turn in dialogue.turns()
    ]


def moment(time: float) -> str:
    """A time as Label Studio writes it."""
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


# --- Answers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StudioValue:
    """A part of an answer before it has a place: the control, its type and its value."""

    name: str
    type: str
    value: dict[str, Any]
    # Where it stands in the words of the turn; None: it is about the whole turn or dialogue.
    span: tuple[int, int] | None = None


def results(
    label: LabelRecord, question: object | None, shown: Sequence[Paragraph], *, number: int
) -> list[StudioResult]:
    """The results of one answer; `number` tells it apart from the rater's other answers."""
    parts = list(said(question, label.question, label.value))
    if label.turn is None:
        return [
            StudioResult(f"a{number}.{n}", part.name, DIALOGUE, part.type, part.value)
            for n, part in enumerate(parts)
        ]
    index, text = label.turn - 1, shown[label.turn - 1].text
    found = []
    for n, part in enumerate(parts):
        # Answers about a whole turn share its region; a marked stretch is a region of its own.
        region = f"t{index}" if part.span is None else f"a{number}.{n}"
        value = {**_place(index, text, part.span), **part.value}
        found.append(StudioResult(region, part.name, DIALOGUE, part.type, value))
    return found


def turn_region(index: int, paragraph: Paragraph) -> StudioResult:
    """The region of a whole turn, to which the answers about it belong."""
    value = {**_place(index, paragraph.text, None), "text": paragraph.text}
    return StudioResult(
        f"t{index}", TURN, DIALOGUE, "paragraphlabels", {**value, "paragraphlabels": [TURN]}
    )


def _place(index: int, text: str, span: tuple[int, int] | None) -> dict[str, Any]:
    start, end = span or (0, len(text))
    place: dict[str, Any] = {
        "start": str(index),
        "end": str(index),
        "startOffset": _units(text[:start]),
        "endOffset": _units(text[:end]),
    }
    return place if span is None else {**place, "text": text[start:end]}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@singledispatch
def said(question: object, name: str, value: Any) -> Iterator[StudioValue]:
    """The parts of an answer; where the kind is not known, its JSON in a text field."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    yield StudioValue(name, "textarea", {"text": [text]})


@said.register
def _(question: Likert, name: str, value: Any) -> Iterator[StudioValue]:
    yield _point(name, question.points, value)


@said.register
def _(question: Aspects, name: str, value: Any) -> Iterator[StudioValue]:
    for aspect, point in value.items():
        yield _point(f"{name}.{aspect}", question.points, point)


@said.register
def _(question: Slider, name: str, value: Any) -> Iterator[StudioValue]:
    yield StudioValue(name, "number", {"number": value})


@said.register(Choice)
@said.register(Thumbs)
@said.register(Comparative)
@said.register(Multiselect)
def _(question: object, name: str, value: Any) -> Iterator[StudioValue]:
    yield _chosen(name, value)


@said.register
def _(question: Flow, name: str, value: Any) -> Iterator[StudioValue]:
    # A step that was asked and left empty is an answer too: nothing was ticked.
    for step in question.visible(value):
        yield _chosen(f"{name}.{step.id}", value.get(step.id))


@said.register
def _(question: FreeText, name: str, value: Any) -> Iterator[StudioValue]:
    yield StudioValue(name, "textarea", {"text": [value]})


@said.register
def _(question: Spans, name: str, value: Any) -> Iterator[StudioValue]:
    for span in value:
        labels = {"paragraphlabels": [span["label"]]}
        yield StudioValue(name, "paragraphlabels", labels, span=(span["start"], span["end"]))


def _chosen(name: str, value: Any) -> StudioValue:
    return StudioValue(name, "choices", {"choices": named_in(value)})


def _point(name: str, points: Sequence[int], value: int) -> StudioValue:
    kind = "rating" if are_stars(points) else "number"
    return StudioValue(name, kind, {kind: value})


def are_stars(points: Sequence[int]) -> bool:
    """Whether the points can be stars: 1, 2, 3, …"""
    return list(points) == list(range(1, len(points) + 1))
