"""Masking a dialogue and what was said of it: names said anywhere in it are masked everywhere in it.

Marks are places in the words of a turn. They move with the words: a mark behind a placeholder shifts,
one that touches a masked detail covers its placeholder.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any, TypeVar

import msgspec

from palaver.core.events import MESSAGE, Event
from palaver.core.questions.spans import KEYS as MARK_KEYS
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.scenario import Scenario, SeedUtterance
from palaver.formats.cocoa.events import KEPT, kept_in
from palaver.formats.masking.finds import Masked
from palaver.formats.masking.masker import Masker

L = TypeVar("L", bound=LabelRecord)
_TIMES = frozenset({"time", "start_time"})


class TurnWords:
    """The messages of a turn, one per line, and where their places went."""

    def __init__(self, messages: Sequence[Masked], lengths: Sequence[int]) -> None:
        self._messages = messages
        self._lengths = lengths

    def shift(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the turn as it was stands now."""
        return self._moved(start, last=False), self._moved(end, last=True)

    def _moved(self, place: int, *, last: bool) -> int:
        before, now = 0, 0
        for message, length in zip(self._messages, self._lengths, strict=True):
            inside = place - before
            if inside <= length:
                one, other = message.shift(inside, inside)
                return now + (other if last else one)
            before += length + 1
            now += len(message.text) + 1
        return now + place - before


class DialogueMasker:
    """Masks one dialogue and the answers about it."""

    def __init__(self, masker: Masker, record: DialogueRecord) -> None:
        self._masker = masker.with_names_in(_texts(record))
        self._record = record

    def text(self, text: str) -> str:
        return self._masker.text(text)

    def value(self, value: Any) -> Any:
        return self._masker.value(value)

    def scenario(self) -> Scenario:
        """The scenario with what the seats know and say masked."""
        scenario = self._record.scenario
        return msgspec.structs.replace(
            scenario,
            personas=self.value(scenario.personas),
            seeds=tuple(SeedUtterance(seat=s.seat, text=self.text(s.text)) for s in scenario.seeds),
            kbs=self.value(scenario.kbs),
            extra=self.value(scenario.extra),
        )

    def record(self) -> DialogueRecord:
        """The dialogue with everything that was said masked."""
        return msgspec.structs.replace(
            self._record,
            source_id=self._masker.id(self._record.source_id),
            scenario=self.scenario(),
            events=[self._event(event) for event in self._record.events],
        )

    def answer(self, value: Any, *, seq: int | None, closed: bool) -> Any:
        """An answer about this dialogue, or about the turn that has the event `seq`.

        A `closed` answer is one of those that the question offers: its author wrote it, and it stays.
        """
        if not _are_marks(value):
            return value if closed else self.value(value)
        words = self._turn_words(seq)
        return value if words is None else [_moved(mark, words) for mark in value]

    def knowing_also(self, others: Sequence["DialogueMasker"]) -> "DialogueMasker":
        """The same with the names that were said in other dialogues."""
        found = copy(self)
        for other in others:
            found._masker = found._masker.with_names_in(_texts(other._record))
        return found

    def _event(self, event: Event) -> Event:
        masked = self._data(event.data)
        return event if masked == event.data else msgspec.structs.replace(event, data=masked)

    def _data(self, data: dict[str, Any] | None) -> Any:
        """What an event says, masked; seconds that a file wrote as text only look like numbers."""
        kept = kept_in(data)
        if data is None or kept is None:
            return self.value(data)
        inside = {key: value if key in _TIMES else self.value(value) for key, value in kept.items()}
        rest = self.value({key: value for key, value in data.items() if key != KEPT})
        return {**rest, KEPT: inside}

    def _turn_words(self, seq: int | None) -> TurnWords | None:
        for turn in self._record.dialogue().turns():
            if any(event.seq == seq for event in turn.events):
                texts = [event.text for event in turn.events if event.action == MESSAGE]
                return TurnWords([self._masker.found(text) for text in texts], [*map(len, texts)])
        return None


def mask_label(record: L, about: Sequence[DialogueMasker], masker: Masker) -> L:
    """The record with its answer masked and its marks moved; `about` are the dialogues it judges."""
    closed = record.label is not None and record.label != record.value
    value = record.value
    if about:
        inside = about[0].knowing_also(about[1:]) if len(about) > 1 else about[0]
        value = inside.answer(value, seq=record.seq, closed=closed)
    elif not closed:
        value = masker.value(value)
    return msgspec.structs.replace(
        record,
        item=masker.id(record.item),
        source_id=masker.id(record.source_id),
        second_source_id=masker.id(record.second_source_id),
        value=value,
        label=record.label if closed else value if record.label is not None else None,
    )


def _are_marks(value: Any) -> bool:
    """Whether an answer marks places of a turn."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(mark, dict) and mark.keys() == MARK_KEYS for mark in value)
    )


def _moved(mark: dict[str, Any], words: TurnWords) -> dict[str, Any]:
    start, end = words.shift(mark["start"], mark["end"])
    return {**mark, "start": start, "end": end}


def _texts(dialogue: DialogueRecord) -> Iterator[str]:
    """Everything in a dialogue in which a name may be said."""
    scenario = dialogue.scenario
    yield from _strings(scenario.personas)
    yield from (seed.text for seed in scenario.seeds)
    for event in dialogue.events:
        yield from _strings(event.data)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _all_strings(value.values())
    elif isinstance(value, list | tuple):
        yield from _all_strings(value)


def _all_strings(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from _strings(value)
