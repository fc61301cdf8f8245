"""What may have told people which system they talked with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlinding:
    """How often a system of a study may have been recognised.

    `late` are its replies that came after the time to which all are evened out. `masked` are those
    in which it named itself, its model or its maker, and the name was masked; `asked_again` counts
    the replies that were thrown away for that. Each goes with the number of dialogues it happened
    in, of `dialogues` in all.
    """

    system: str
    dialogues: int
    late: int
    late_dialogues: int
    masked: int
    asked_again: int
    named_dialogues: int


@dataclass(frozen=True, slots=True)
class BlindingList:
    """The systems of a study, by name."""

    systems: list[SystemBlinding]
