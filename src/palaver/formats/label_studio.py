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
from typing import Annotated, Any

import msgspec
from msgspec import Meta

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

    author: Annotated[str, Meta(description="the part its speaker plays: `user` or `system`")]
    text: Annotated[str, Meta(description="the words of the turn")]
    seq: Annotated[int, Meta(description="the number of its first event")]


class StudioResult(msgspec.Struct, frozen=True):
    """One answer, or one part of it."""

    id: Annotated[str, Meta(description="its id in the annotation; a turn's region has the same")]
    from_name: Annotated[str, Meta(description="the question, of a part `question.part`")]
    to_name: Annotated[str, Meta(description="what it is about: `dialogue`")]
    type: Annotated[str, Meta(description="the type of the control, as Label Studio names it")]
    value: Annotated[
        dict[str, Any], Meta(description="the answer; `start` and `end` are the index of a turn")
    ]


class CompletedBy(msgspec.Struct, frozen=True):
    """A rater; the address is no real one, and Label Studio knows people by nothing else."""

    id: Annotated[int, Meta(description="the number of the rater in this file")]
    email: Annotated[str, Meta(description="the rater's key, as an address that is made up")]


class StudioAnnotation(msgspec.Struct, frozen=True, kw_only=True):
    """What one rater said of a task; `was_cancelled` if they abstained from all of it."""

    id: Annotated[int, Meta(description="its number in this file")]
    result: Annotated[list[StudioResult], Meta(description="the answers")]
    completed_by: Annotated[CompletedBy, Meta(description="who answered")]
    was_cancelled: Annotated[bool, Meta(description="whether they abstained from everything")]
    ground_truth: Annotated[bool, Meta(description="false: nobody's answers are the truth")] = False
    lead_time: Annotated[float | None, Meta(description="seconds that it took, where known")]
    created_at: Annotated[str, Meta(description="when the first answer was given")]
    updated_at: Annotated[str, Meta(description="when the last answer was given")]


class StudioPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """What a model judge said of a task."""

    id: Annotated[int, Meta(description="its number in this file")]
    result: Annotated[list[StudioResult], Meta(description="the answers")]
    model_version: Annotated[str, Meta(description="the model judge")]
    created_at: Annotated[str, Meta(description="when the last answer was given")]


class TaskMeta(msgspec.Struct, frozen=True, kw_only=True):
    """What a task says of its dialogues to whoever made it."""

    conditions: Annotated[
        list[str], Meta(description="the conditions in which the dialogues were held")
    ]
    names: Annotated[list[str], Meta(description="what people call the dialogues, such as d07")]
    source_ids: Annotated[
        list[str | None], Meta(description="your ids of the dialogues; null where held here")
    ]
    items: Annotated[
        list[str], Meta(description="your ids of the lines in which raters were handed them")
    ]
    raters: Annotated[dict[str, str], Meta(description="what people call the raters, by their key")]


class StudioTask(msgspec.Struct, frozen=True, kw_only=True):
    """One dialogue, or two that were compared."""

    id: Annotated[int, Meta(description="its number in this file, from 1")]
    data: Annotated[
        dict[str, Any],
        Meta(
            description="what annotators see: the turns of the `dialogue` (and of the `second` one "
            "of a pair) with `author`, `text` and `seq`, and `meta` with the study and the keys of "
            "the dialogues"
        ),
    ]
    meta: Annotated[TaskMeta, Meta(description="what annotators do not see")]
    annotations: Annotated[
        list[StudioAnnotation],
        Meta(description="one per person, anonymous or simulated rater"),
    ]
    predictions: Annotated[list[StudioPrediction], Meta(description="one per model judge")]


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
