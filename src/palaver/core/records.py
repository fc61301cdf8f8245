"""The shape of Palaver's own files: one dialogue or one label per line of JSON.

These structs are the door for JSON lines in both directions; `msgspec` checks the types.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event
from palaver.core.labels import Purpose, RaterKind
from palaver.core.scenario import Scenario
from palaver.core.units import UnitPlace


class DialogueRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `dialogues.jsonl`; `source_id` is its name in `source`, the file it came from."""

    id: str
    source_id: str | None = None
    source: str | None = None
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
    """One line of `labels.jsonl`; the columns of the tidy table.

    `turn` counts from 1 and is None where the unit is a dialogue or a pair. `label` says what the
    value means; an abstention has the label "abstained", an erased answer neither value nor label.
    """

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


class TidyLabel(LabelRecord, frozen=True, kw_only=True):
    """A row of the tidy table, with the label's id; `value` is null if abstained or erased.

    `dialogue`, `seq` and `turn` are null for a pair, `seq` and `turn` for a whole dialogue.
    """

    id: int
    purpose: Purpose
    rater_kind: RaterKind
    label: str | None
    abstained: bool
    erased: bool


class PlacedLabel(TidyLabel, frozen=True, kw_only=True):
    """One label on a dialogue, standing or not, with everything needed to show it in its place."""

    supersedes: int | None
    abandoned: bool
    excluded: bool
    place: UnitPlace


class RaterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `raters.jsonl`: who labelled in a study, and whether the study counts it."""

    study: str
    rater: str
    rater_kind: str
    labels: int
    excluded: bool
    first_time: float
    last_time: float


class QuestionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `questions.jsonl`: a question of a study as it stands, with all that it says."""

    study: str
    question: str
    question_version: str
    kind: str
    about: str
    level: str
    labels: list[str]
    text: str
    definition: dict[str, Any]


_encoder = msgspec.json.Encoder()
_dialogue_decoder = msgspec.json.Decoder(DialogueRecord)


def encode_line(record: msgspec.Struct) -> bytes:
    """A record as one line of JSON."""
    return _encoder.encode(record) + b"\n"


def encode_lines(records: Sequence[msgspec.Struct]) -> bytes:
    """Records as one line of JSON each."""
    return _encoder.encode_lines(records)


def decode_dialogue(line: bytes) -> DialogueRecord:
    """A line of `dialogues.jsonl`."""
    return _dialogue_decoder.decode(line)
