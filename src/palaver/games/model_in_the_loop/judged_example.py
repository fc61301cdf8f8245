"""What validators see of an example: the context and the writer's words, as a dialogue of its own.

The words of the writer are messages of seat 0, so that they are erased as any words are; the context
stands in the scenario. Nothing says what the model answered, which model it was, or, unless the
writer's answer is what is judged, which answer the writer gave.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.dialogue import Dialogue
from palaver.core.events import MESSAGE
from palaver.core.scenario import Scenario
from palaver.games.model_in_the_loop.form import FieldForm, FormField
from palaver.games.model_in_the_loop.moves import MODEL, WRITER
from palaver.games.model_in_the_loop.writing import WritingBrief

# Under this name the scenario of such a dialogue says what is read.
EXAMPLE = "example"


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One message of the dialogue that is judged: who says it, and its data."""

    seat: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One text to read. `marked` are the ends of the words in it that answer, `own` the writer's."""

    title: str
    text: str | None
    form: FieldForm = "text"
    own: bool = False
    marked: tuple[int, int] | None = None

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        """The text in pieces, each with whether it is marked."""
        text = self.text or ""
        if self.marked is None:
            return ((text, False),)
        start, end = self.marked
        parts = ((text[:start], False), (text[start:end], True), (text[end:], False))
        return tuple(part for part in parts if part[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExample:
    """An example as a validator reads it; `claims` is what the writer says is right, if that is asked.

    In talk `talks` is set, and the conversation is that of the dialogue.
    """

    passages: tuple[Passage, ...] = ()
    claims: tuple[Passage, ...] = ()
    talks: bool = False


def example_scenario(asked: WritingBrief) -> Scenario:
    """The scenario of the dialogue that shows an example of this session."""
    reads = [
        {"title": each.title, "form": each.form, "name": each.name, "value": value}
        for each in asked.form.reads
        if (value := asked.context.get(each.name)) not in (None, "")
    ]
    return Scenario(id=EXAMPLE, extra={EXAMPLE: {"reads": reads, "talks": asked.form.talks}})


def example_messages(
    asked: WritingBrief, values: Mapping[str, Any], *, with_gold: bool
) -> tuple[ShownMessage, ...]:
    """The messages that show an example; with its gold where the writer's answer is judged."""
    form = asked.form
    found: list[ShownMessage] = []
    if form.talks:
        found += _said(values.get(form.turns or "turns") or ())
        gold: Sequence[FormField] = () if form.goal_field is None else (form.goal_field,)
    else:
        found += [_own(each, values) for each in form.writes if not each.is_gold]
        gold = form.gold or form.answers
    if with_gold:
        found += [_own(each, values, claim=True) for each in gold if each.name in values]
    return tuple(found)


def example_of(dialogue: Dialogue) -> JudgedExample | None:
    """The example that a dialogue shows; None where it is an ordinary conversation."""
    said = dialogue.scenario.extra.get(EXAMPLE)
    if not isinstance(said, Mapping):
        return None
    spans: dict[str, str] = {}
    own: list[Passage] = []
    claims: list[Passage] = []
    for event in dialogue.events:
        if event.action != MESSAGE or event.seat != WRITER:
            continue
        data = event.data
        if data is None:
            own.append(Passage(title="", text=None, own=True))
        elif data.get("claim"):
            spans |= {str(data["in"]): event.text} if data.get("in") else {}
            claims.append(Passage(title=str(data.get("title", "")), text=event.text, own=True))
        elif "field" in data:
            title, form = str(data.get("title", "")), data.get("form", "text")
            own.append(Passage(title=title, text=event.text, form=form, own=True))
    reads = tuple(_read(each, spans) for each in said.get("reads", ()))
    talks = bool(said.get("talks"))
    return JudgedExample(
        passages=(*reads, *(() if talks else own)), claims=tuple(claims), talks=talks
    )


def _read(given: Mapping[str, Any], spans: Mapping[str, str]) -> Passage:
    text = _in_words(given.get("value"))
    span = spans.get(str(given.get("name")))
    start = text.find(span) if span else -1
    return Passage(
        title=str(given.get("title", "")),
        text=text,
        form=given.get("form", "text"),
        marked=None if not span or start < 0 else (start, start + len(span)),
    )


def _own(field: FormField, values: Mapping[str, Any], *, claim: bool = False) -> ShownMessage:
    data: dict[str, Any] = {
        "text": _in_words(values.get(field.name)),
        "field": field.name,
        "title": field.title,
        "form": field.form,
    }
    if claim:
        data["claim"] = True
    if claim and field.reference:
        data["in"] = field.reference
    return ShownMessage(WRITER, data)


def _said(turns: Sequence[Mapping[str, Any]]) -> Iterator[ShownMessage]:
    """The conversation up to the turn that is judged."""
    for turn in turns:
        seat = MODEL if turn.get("speaker") == "system" else WRITER
        yield ShownMessage(seat, {"text": str(turn.get("text", ""))})


def _in_words(value: Any) -> str:
    """A value as it is read: a list with commas, a dialogue line by line."""
    if isinstance(value, list):
        if all(isinstance(each, Mapping) for each in value):
            return "\n".join(f"{each.get('speaker')}: {each.get('text')}" for each in value)
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
