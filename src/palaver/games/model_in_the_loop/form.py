"""What a writer fills in, and what they see of an answer: a task, as its sessions carry it.

The form travels in the scenario of every session. So a session can be read, checked and shown as it
was asked, whatever becomes of the task's labels afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import msgspec

from palaver.core.serial import convert, plain
from palaver.core.tasks import (
    ContextStringSelection,
    Field,
    Image,
    Labelled,
    Multiclass,
    Multilabel,
    Prob,
    Task,
    Turns,
)

FieldForm = Literal["text", "choice", "several", "span", "image", "turns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field that is shown or filled in; `is_gold` says that it is the right answer.

    A span is taken from the field that `reference` names.
    """

    name: str
    title: str
    form: FieldForm = "text"
    about: str = ""
    labels: tuple[str, ...] = ()
    reference: str = ""
    is_gold: bool = False


@dataclass(frozen=True, kw_only=True)
class WritingForm:
    """The fields that are read, those that are written, and the outputs that are shown.

    `shares` names the output with a number per label, `confidence` the one with a single number.
    With `asks` the writer says whether an answer is wrong. With `talks` the writer talks with a
    dialogue system instead, and the right answer is the label of a turn; `turns` names the field of
    the task that holds what was said.
    """

    task: str = ""
    title: str = ""
    reads: tuple[FormField, ...] = ()
    writes: tuple[FormField, ...] = ()
    answers: tuple[FormField, ...] = ()
    shares: str = ""
    confidence: str = ""
    asks: bool = False
    talks: bool = False
    turns: str = ""
    language: str = ""

    @cached_property
    def gold(self) -> tuple[FormField, ...]:
        """The fields that hold the right answer."""
        return tuple(each for each in self.writes if each.is_gold)

    @cached_property
    def texts(self) -> tuple[FormField, ...]:
        """The fields that a writer writes in words of their own."""
        return tuple(each for each in self.writes if each.form == "text")

    @cached_property
    def goal_field(self) -> FormField | None:
        """The one field whose labels can be asked for."""
        return next((each for each in self.gold if each.form == "choice"), None)

    def written(self) -> dict[str, Any]:
        """The form as a scenario carries it."""
        return dict(plain(self))

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> "WritingForm":
        """The form that a scenario carries; all sessions of a round carry the same."""
        return _read(msgspec.json.encode(written))

    @classmethod
    def read(cls, written: bytes) -> "WritingForm":
        """The form that a scenario carries, as it was stored."""
        return _read(written)


def goal_labels(task: Task) -> tuple[str, ...]:
    """The labels that a writer can be asked for: those of the task's first labelled target."""
    return next((each.labels for each in task.targets if isinstance(each, Labelled)), ())


@lru_cache(maxsize=64)
def _read(written: bytes) -> WritingForm:
    return convert(msgspec.json.decode(written) or {}, WritingForm)


def form_of(
    task: Task, *, language: str = "", talks: bool = False, faults: Sequence[str] = ()
) -> WritingForm:
    """The form of a task's sessions; in talk, `faults` are the labels that a turn may be given."""
    said = [each for each in (*task.context, *task.inputs) if isinstance(each, Turns)]
    written = [each for each in task.inputs if not (talks and each in said)]
    shares = [each for each in task.outputs if isinstance(each, Prob)]
    return WritingForm(
        task=task.name,
        title=task.title,
        reads=tuple(_field(each, task) for each in context_fields(task, talks=talks)),
        writes=tuple(_only(_field(each, task), faults) for each in written),
        answers=tuple(_field(each, task) for each in task.targets),
        shares=next((each.name for each in shares if not each.single), ""),
        confidence=next((each.name for each in shares if each.single), ""),
        asks=task.wrong.kind == "ask_user" and not talks,
        talks=talks,
        turns=said[0].name if talks and said else "",
        language=language,
    )


def _only(field: FormField, labels: Sequence[str]) -> FormField:
    """The field with no labels but these; with its own where none are named."""
    kept = tuple(label for label in field.labels if label in labels)
    return replace(field, labels=kept) if kept else field


def context_fields(task: Task, *, talks: bool = False) -> tuple[Field, ...]:
    """The context that stands there before anybody writes; in talk nothing was said yet."""
    return tuple(each for each in task.context if not (talks and isinstance(each, Turns)))


def _field(field: Field, task: Task) -> FormField:
    is_gold = field.name in task.gold or field.name in task.gold.values()
    return FormField(
        name=field.name,
        title=field.title or field.name,
        form=_form(field),
        about=field.about,
        labels=getattr(field, "labels", ()),
        reference=getattr(field, "reference", ""),
        is_gold=is_gold,
    )


def _form(field: Field) -> FieldForm:
    match field:
        case Multiclass():
            return "choice"
        case Multilabel():
            return "several"
        case ContextStringSelection():
            return "span"
        case Image():
            return "image"
        case Turns():
            return "turns"
        case _:
            return "text"
