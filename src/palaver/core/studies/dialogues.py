"""Dialogues as a study lists them."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from palaver.core.dialogue import SeatKind
from palaver.core.serial import internal

# What a dialogue is for: data, or practice and checks, whose right answers are known.
REAL: Final = "real"
Use = Literal["data", "practice", "checks"]
PURPOSES: Final[dict[Use, tuple[str, ...]]] = {
    "data": (REAL,),
    "practice": ("training",),
    "checks": ("gold", "attention"),
}
RUNNING: Final = "running"
ENDED: Final = "ended"
# Endings that are not worth a warning.
WELL = frozenset({"complete", "time_up"})


def short_name(row_id: int) -> str:
    """What people call a dialogue of this home; it never changes, and the list finds it.

    >>> short_name(7), short_name(1204)
    ('d07', 'd1204')
    """
    return f"d{row_id:02}"


@dataclass(frozen=True, slots=True)
class RunningDialogue:
    """A dialogue that has not ended; `name` is what people call it."""

    key: str
    name: str
    condition: str
    created: float
    messages: int
    last: float | None


@dataclass(frozen=True, slots=True)
class Size:
    """How long a dialogue is; `first` is when somebody came in."""

    messages: int
    first: float | None
    last: float | None
    failures: int
    erased: int


# The size of a dialogue in which nothing happened.
NOTHING = Size(0, None, None, 0, 0)


@dataclass(frozen=True, slots=True)
class DialogueFilter:
    """Which dialogues to list; `status` is running, ended or the reason of an ending.

    `use` is what they are for; practice and checks are not among the data.
    """

    study: str | None = None
    condition: str | None = None
    status: str | None = None
    system: str | None = None
    text: str | None = None
    use: Use = "data"


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Who sat at a seat from an event on."""

    seat: int
    from_seq: int
    kind: SeatKind
    occupant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueHead:
    """A dialogue in a list; `reason` is null while it runs."""

    derived: ClassVar[tuple[str, ...]] = ("status", "messages", "failures", "seconds")
    row_id: int = internal(0)
    id: str
    # The first message; empty where there is none, or it was erased.
    opening: str = internal("")
    study: str
    condition: str
    created: float
    ended: float | None = internal(None)
    reason: str | None
    size: Size = internal(NOTHING)
    seats: tuple[Occupancy, ...] = ()

    @property
    def name(self) -> str:
        return short_name(self.row_id)

    @property
    def status(self) -> Literal["running", "ended"]:
        return RUNNING if self.reason is None else ENDED

    @property
    def ended_well(self) -> bool:
        """Whether it ended as it should."""
        return self.reason in WELL

    @property
    def people(self) -> list[str]:
        return [seat.occupant for seat in self.seats if seat.kind == "person"]

    @property
    def systems(self) -> list[str]:
        return [seat.occupant for seat in self.seats if seat.kind == "system"]

    @property
    def messages(self) -> int:
        return self.size.messages

    @property
    def failures(self) -> int:
        return self.size.failures

    @property
    def seconds(self) -> float | None:
        """From when somebody came in until the end (or the last event)."""
        last = self.ended if self.ended is not None else self.size.last
        return None if last is None else max(0.0, last - (self.size.first or self.created))


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters can be set to."""

    studies: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]
    systems: tuple[str, ...]
    # What there is beside data: practice, checks.
    uses: tuple[Use, ...]
