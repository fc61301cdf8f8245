"""Dialogues as a study lists them."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from palaver.core.dialogue import IMPORTED, SeatKind, tells_times
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
WELL = frozenset({"complete", "time_up", IMPORTED})


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
    `source_id` is the name in the file that a dialogue came from.
    """

    study: str | None = None
    condition: str | None = None
    status: str | None = None
    system: str | None = None
    text: str | None = None
    use: Use = "data"
    source_id: str | None = None
    # The studies that whoever asks may look at; None for all.
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Who sat at a seat from an event on; `name` is what people call a participant."""

    seat: int
    from_seq: int
    kind: SeatKind
    occupant: str
    name: str = ""

    @property
    def called(self) -> str:
        """What a page calls whoever sits here."""
        return self.name or self.occupant


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueHead:
    """A dialogue in a list; `reason` is null while it runs.

    `source_id` is its name in `source`, the file it came from; both are null where it was held here.
    `created` is null where it came from a file that does not say when it was held.
    """

    derived: ClassVar[tuple[str, ...]] = (
        *("name", "status", "created", "messages", "failures", "seconds"),
    )
    row_id: int = internal(0)
    id: str
    # The first message; empty where there is none, or it was erased.
    opening: str = internal("")
    source_id: str | None = None
    source: str | None = None
    purpose: str = "real"
    study: str
    condition: str
    # When it was stored; for a dialogue that was held here, when it began.
    stored: float = internal(0.0)
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
    def is_imported(self) -> bool:
        return self.reason == IMPORTED

    @property
    def tells_times(self) -> bool:
        """Whether its times say when it was held."""
        return self.ended is None or tells_times(self.reason or "", self.stored, self.ended)

    @property
    def created(self) -> float | None:
        """When it began."""
        return self.stored if self.tells_times else None

    @property
    def ended_well(self) -> bool:
        """Whether it ended as it should."""
        return self.reason in WELL

    @property
    def people(self) -> list[Occupancy]:
        """The people who are known; of those in most files nobody says who they were."""
        return [seat for seat in self.seats if seat.kind == "person" and seat.name]

    @property
    def systems(self) -> list[Occupancy]:
        return [seat for seat in self.seats if seat.kind == "system"]

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
        if last is None or not self.tells_times:
            return None
        return max(0.0, last - (self.size.first or self.stored))


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters can be set to."""

    studies: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]
    systems: tuple[str, ...]
    # What there is beside data: practice, checks.
    uses: tuple[Use, ...]
