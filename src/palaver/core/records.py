"""The shape of Palaver's own files: one dialogue or one label per line of JSON.

These structs are the door for JSON lines in both directions; `msgspec` checks the types.
"""

from typing import Any

import msgspec

from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event
from palaver.core.scenario import Scenario


class DialogueRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `dialogues.jsonl`."""

    id: str
    study: str
    condition: str = ""
    position: int = 0
    group: str | None = None
    scenario: Scenario = Scenario()
    seats: list[Seat]
    events: list[Event]
    created: float | None = None
    status: str = "running"
    reason: str = ""

    def dialogue(self) -> Dialogue:
        """The record as a dialogue, folded."""
        dialogue = Dialogue(
            id=self.id,
            study=self.study,
            condition=self.condition,
            scenario=self.scenario,
            seats=list(self.seats),
        )
        dialogue.extend(self.events)
        return dialogue


class LabelRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `labels.jsonl`; the columns of the tidy table."""

    study: str
    unit: str
    dialogue: str | None
    seq: int | None
    turn: int | None
    question: str
    question_version: str
    purpose: str
    rater: str
    rater_kind: str
    assignment: str | None
    shown_order: list[str] | None
    value: Any
    label: Any
    seconds: float | None
    superseded: bool
    time: float


_encoder = msgspec.json.Encoder()
_dialogue_decoder = msgspec.json.Decoder(DialogueRecord)


def encode_line(record: msgspec.Struct) -> bytes:
    """A record as one line of JSON."""
    return _encoder.encode(record) + b"\n"


def decode_dialogue(line: bytes) -> DialogueRecord:
    """A line of `dialogues.jsonl`."""
    return _dialogue_decoder.decode(line)
