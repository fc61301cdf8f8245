"""Units: the things under judgement.

A unit points at events by dialogue and sequence number, never by a turn index that can shift. Its
`key` is canonical: the same thing always has the same key, so that a unit is stored once.
"""

from dataclasses import dataclass
from typing import Literal

import msgspec

UnitKind = Literal["event", "turn", "dialogue", "seat", "response", "pair", "item"]


class Unit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing under judgement.

    `dialogue` is the key of a dialogue; `first_seq` and `last_seq` limit a turn, an event or a
    response; `seat` is the judged seat; `members` are the keys of a pair's two units in canonical
    order; `item` names an item of a data set.
    """

    key: str
    kind: UnitKind
    dialogue: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    seat: int | None = None
    members: tuple[str, str] | None = None
    item: str | None = None


def dialogue_unit(dialogue: str) -> Unit:
    return Unit(key=f"dialogue:{dialogue}", kind="dialogue", dialogue=dialogue)


def event_unit(dialogue: str, seq: int) -> Unit:
    return Unit(
        key=f"event:{dialogue}:{seq}", kind="event", dialogue=dialogue, first_seq=seq, last_seq=seq
    )


def turn_unit(dialogue: str, first_seq: int, last_seq: int) -> Unit:
    """A run of events by one seat."""
    return Unit(
        key=f"turn:{dialogue}:{first_seq}-{last_seq}",
        kind="turn",
        dialogue=dialogue,
        first_seq=first_seq,
        last_seq=last_seq,
    )


def seat_unit(dialogue: str, seat: int) -> Unit:
    """One seat of a dialogue: what a survey about the partner judges."""
    return Unit(key=f"seat:{dialogue}:{seat}", kind="seat", dialogue=dialogue, seat=seat)


def pair_unit(first: Unit, second: Unit) -> Unit:
    """Two units to compare, the same whichever is named first.

    Its sides are called first and second after the order of `members`, not of the screen.
    """
    one, other = sorted((first.key, second.key))
    return Unit(key=f"pair:{one}|{other}", kind="pair", members=(one, other))


@dataclass(frozen=True, slots=True)
class UnitPlace:
    """Where a unit stands: a dialogue or a part of it, or the two dialogues of a pair.

    `names` and `source_ids` are what people here, and the files they came from, call the dialogue or
    the two of a pair. `turn` is the number of the turn, from 1.
    """

    id: int
    key: str
    kind: str
    dialogue: str | None
    first_seq: int | None
    last_seq: int | None
    seat: int | None
    sides: tuple[str, str] | None = None
    names: tuple[str, ...] = ()
    source_ids: tuple[str | None, ...] = ()
    turn: int | None = None
