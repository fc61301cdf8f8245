"""The list of dialogues, with its filters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, literal, select

from palaver.core.dialogue import SeatKind
from palaver.core.serial import internal
from palaver.storage.json_text import json_text
from palaver.storage.listings import Slice, Window, read_slice
from palaver.storage.schema import assignments, dialogues, events, participants, seats, studies
from palaver.storage.summaries import Size, end, measure, with_end

RUNNING: Final = "running"
ENDED: Final = "ended"
# Endings that are not worth a warning.
WELL = frozenset({"complete", "time_up"})
_decode = msgspec.json.Decoder().decode
_NOTHING = Size(0, None, None, 0, 0)


@dataclass(frozen=True, slots=True)
class DialogueFilter:
    """Which dialogues to list; `status` is running, ended or the reason of an ending."""

    study: str | None = None
    condition: str | None = None
    status: str | None = None
    system: str | None = None
    text: str | None = None


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
    study: str
    condition: str
    created: float
    ended: float | None = internal(None)
    reason: str | None
    size: Size = internal(_NOTHING)
    seats: tuple[Occupancy, ...] = ()

    @property
    def status(self) -> Literal["running", "ended"]:
        """Whether it still runs."""
        return RUNNING if self.reason is None else ENDED

    @property
    def ended_well(self) -> bool:
        """Whether it ended as it should."""
        return self.reason in WELL

    @property
    def people(self) -> list[str]:
        """The people who sat in it, by alias."""
        return [seat.occupant for seat in self.seats if seat.kind == "person"]

    @property
    def systems(self) -> list[str]:
        """The systems that sat in it."""
        return [seat.occupant for seat in self.seats if seat.kind == "system"]

    @property
    def messages(self) -> int:
        """How many messages were sent."""
        return self.size.messages

    @property
    def failures(self) -> int:
        """How often a system failed."""
        return self.size.failures

    @property
    def seconds(self) -> float | None:
        """From when somebody came in until the end (or the last event)."""
        last = self.ended if self.ended is not None else self.size.last
        return None if last is None else max(0.0, last - (self.size.first or self.created))


def list_dialogues(
    connection: Connection, wanted: DialogueFilter, window: Window
) -> Slice[DialogueHead]:
    """A page of dialogues with their sizes and seats."""
    statement = with_end(
        select(
            dialogues.c.id,
            dialogues.c.key,
            studies.c.name.label("study"),
            dialogues.c.condition,
            dialogues.c.created,
            end.c.time.label("ended"),
            end.c.data.label("ending"),
        ).join(studies, studies.c.id == dialogues.c.study_id)
    ).where(*_conditions(connection, wanted))
    found = read_slice(connection, statement, window, id=dialogues.c.id, name=dialogues.c.key).map(
        _listed
    )
    ids = [row.row_id for row in found.rows]
    sizes, seated = measure(connection, ids), occupants(connection, ids)
    return found.map(
        lambda row: replace(
            row, size=sizes.get(row.row_id, _NOTHING), seats=tuple(seated.get(row.row_id, ()))
        )
    )


def _conditions(connection: Connection, wanted: DialogueFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.study is not None:
        # Looked up first: the index on (study, id) serves only a known id.
        name = select(studies.c.id).where(studies.c.name == wanted.study)
        conditions.append(dialogues.c.study_id == (connection.execute(name).scalar() or 0))
    if wanted.condition is not None:
        conditions.append(dialogues.c.condition == wanted.condition)
    if wanted.status is not None:
        conditions.append(_has_status(wanted.status))
    if wanted.system is not None:
        conditions.append(
            select(seats.c.seat)
            .where(seats.c.dialogue_id == dialogues.c.id, seats.c.system == wanted.system)
            .exists()
        )
    if wanted.text is not None:
        words = json_text(events.c.data, literal("text"))
        conditions.append(
            select(events.c.seq)
            .where(
                events.c.dialogue_id == dialogues.c.id,
                events.c.action == "message",
                words.icontains(wanted.text, autoescape=True),
            )
            .exists()
        )
    return conditions


def _has_status(status: str) -> ColumnElement[bool]:
    if status == RUNNING:
        return end.c.seq.is_(None)
    if status == ENDED:
        return end.c.seq.is_not(None)
    return json_text(end.c.data, literal("reason")) == status


def _listed(row: Row[Any]) -> DialogueHead:
    ending = _decode(row.ending) if row.ending is not None else {}
    return DialogueHead(
        row_id=row.id,
        id=row.key,
        study=row.study,
        condition=row.condition,
        created=row.created,
        ended=row.ended,
        reason=None if row.ended is None else str(ending.get("reason", "")),
    )


def occupants(connection: Connection, ids: Sequence[int]) -> dict[int, list[Occupancy]]:
    """Who sat where in a few dialogues, by dialogue."""
    if not ids:
        return {}
    rows = connection.execute(
        select(seats, participants.c.alias)
        .outerjoin(assignments, assignments.c.id == seats.c.assignment_id)
        .outerjoin(participants, participants.c.id == assignments.c.participant_id)
        .where(seats.c.dialogue_id.in_(ids))
        .order_by(seats.c.dialogue_id, seats.c.from_seq, seats.c.seat)
    )
    found: dict[int, list[Occupancy]] = {}
    for row in rows:
        occupant = row.system if row.kind == "system" else (row.alias or "simulated")
        seat = Occupancy(row.seat, row.from_seq, row.kind, occupant)
        found.setdefault(row.dialogue_id, []).append(seat)
    return found


def neighbours(connection: Connection, key: str) -> tuple[str | None, str | None]:
    """The dialogues of the same study before and after this one."""
    here = connection.execute(
        select(dialogues.c.id, dialogues.c.study_id).where(dialogues.c.key == key)
    ).one()
    same = select(dialogues.c.key).where(dialogues.c.study_id == here.study_id).limit(1)
    earlier = same.where(dialogues.c.id < here.id).order_by(dialogues.c.id.desc())
    later = same.where(dialogues.c.id > here.id).order_by(dialogues.c.id)
    return connection.execute(earlier).scalar(), connection.execute(later).scalar()


def siblings(connection: Connection, group: str) -> list[str]:
    """The dialogues that were seated together, in their order."""
    rows = connection.execute(
        select(dialogues.c.key)
        .where(dialogues.c.group_key == group)
        .order_by(dialogues.c.position, dialogues.c.id)
    )
    return list(rows.scalars())


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters can be set to."""

    studies: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]
    systems: tuple[str, ...]


def read_choices(connection: Connection, study: str | None) -> Choices:
    """The studies here, and the conditions and systems of one of them (or of all)."""
    known = connection.execute(
        select(studies.c.id, studies.c.name, studies.c.title).order_by(studies.c.title)
    ).all()
    conditions = select(dialogues.c.condition).distinct().order_by(dialogues.c.condition)
    systems = (
        select(seats.c.system)
        .distinct()
        .where(seats.c.system.is_not(None))
        .order_by(seats.c.system)
    )
    if study is not None:
        study_id = next((row.id for row in known if row.name == study), 0)
        conditions = conditions.where(dialogues.c.study_id == study_id)
        systems = systems.join(dialogues, dialogues.c.id == seats.c.dialogue_id).where(
            dialogues.c.study_id == study_id
        )
    return Choices(
        studies=tuple((row.name, row.title) for row in known),
        conditions=tuple(connection.execute(conditions).scalars()),
        systems=tuple(connection.execute(systems).scalars()),
    )
