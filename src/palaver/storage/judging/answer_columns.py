"""Standing labels column by column, with all that a statistic groups them by.

What differs from answer to answer (its unit, its rater, its value) stands in lists; what many answers
share is read once per unit and once per rater. Hundreds of thousands of answers are read in a second or
two so; an object for each would take several times as long.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, and_, bindparam, null, or_, select

from palaver.core.repeated import RepeatedValues
from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.ratings import Rating, newer, read_value, stands
from palaver.storage.schema import dialogues, labels, raters, seats, slots, units


class AnswerRow(NamedTuple):
    """One standing answer and what it is about.

    `dialogue` and `system` are None where a unit is a pair; `dialogues` and `systems` are None where
    it is not, or where a side has no single system.
    """

    rating: Rating
    unit: str
    rater: str
    rater_kind: str
    seconds: float | None
    dialogue: str | None
    system: str | None
    dialogues: tuple[str, str] | None
    systems: tuple[str, str] | None


class JudgedUnit(NamedTuple):
    """What a unit is about; see `AnswerRow`."""

    key: str
    dialogue: str | None
    system: str | None
    dialogues: tuple[str, str] | None = None
    systems: tuple[str, str] | None = None


class JudgingRater(NamedTuple):
    """Who judged: the key, and the kind."""

    key: str
    kind: str


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    """The standing answers to one question in the order they were given, column by column.

    `values` are JSON, as they are stored. `units` and `raters` tell of each id what it stands for.
    """

    question: str
    versions: list[str]
    unit_ids: list[int]
    rater_ids: list[int]
    values: list[str]
    labels: list[str | None]
    seconds: list[float | None]
    units: Mapping[int, JudgedUnit]
    raters: Mapping[int, JudgingRater]

    @classmethod
    def of(cls, question: str, answers: Sequence[AnswerRow]) -> "AnswerColumns":
        """Answers that were read elsewhere."""
        return cls(
            question,
            versions=[each.rating.version for each in answers],
            unit_ids=[each.rating.unit_id for each in answers],
            rater_ids=[each.rating.rater_id for each in answers],
            values=[msgspec.json.encode(each.rating.value).decode() for each in answers],
            labels=[each.rating.label for each in answers],
            seconds=[each.seconds for each in answers],
            units={
                each.rating.unit_id: JudgedUnit(
                    each.unit, each.dialogue, each.system, each.dialogues, each.systems
                )
                for each in answers
            },
            raters={
                each.rating.rater_id: JudgingRater(each.rater, each.rater_kind) for each in answers
            },
        )

    def __len__(self) -> int:
        return len(self.unit_ids)

    def of_units(self, field: Callable[[JudgedUnit], Any]) -> RepeatedValues:
        """A field of the unit of each answer."""
        known = {unit_id: field(unit) for unit_id, unit in self.units.items()}
        return RepeatedValues(map(known.__getitem__, self.unit_ids))

    def of_raters(self, field: Callable[[JudgingRater], str]) -> RepeatedValues:
        """A field of the rater of each answer."""
        known = {rater_id: field(rater) for rater_id, rater in self.raters.items()}
        return RepeatedValues(map(known.__getitem__, self.rater_ids))

    def taken(self, rows: Sequence[int]) -> "AnswerColumns":
        """Some of the answers, in the order in which they are named."""
        return replace(
            self,
            versions=[self.versions[row] for row in rows],
            unit_ids=[self.unit_ids[row] for row in rows],
            rater_ids=[self.rater_ids[row] for row in rows],
            values=[self.values[row] for row in rows],
            labels=[self.labels[row] for row in rows],
            seconds=[self.seconds[row] for row in rows],
        )

    def rating(self, row: int) -> Rating:
        """One of the answers."""
        return Rating(
            self.question,
            self.versions[row],
            self.unit_ids[row],
            self.rater_ids[row],
            read_value(self.values[row]),
            self.labels[row],
        )

    def rows(self) -> list[AnswerRow]:
        """Each answer with what it is about."""
        return [
            AnswerRow(
                self.rating(row),
                unit.key,
                *self.raters[self.rater_ids[row]],
                self.seconds[row],
                unit.dialogue,
                unit.system,
                unit.dialogues,
                unit.systems,
            )
            for row, unit in enumerate(map(self.units.__getitem__, self.unit_ids))
        ]


class JudgedUnits(Mapping[int, JudgedUnit]):
    """What each unit of a study is about, by its id; told where it is asked for.

    `rows` are those of `_units`.
    """

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows = {row[0]: row for row in rows}

    def __getitem__(self, unit_id: int) -> JudgedUnit:
        _, key, dialogue, system, one, other = self._rows[unit_id]
        if one is None or other is None:
            return JudgedUnit(key, dialogue, system)
        first, second = self._rows[one], self._rows[other]
        return JudgedUnit(key, None, None, _both(first[2], second[2]), _both(first[3], second[3]))

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def judged_units(
    connection: Connection, study_id: int, *, with_systems: bool = True
) -> JudgedUnits:
    """What each unit of a study is about, by its id; without systems it is read in half the time."""
    return JudgedUnits(_units(with_systems=with_systems).all(connection, study=study_id))


def judging_raters(connection: Connection) -> dict[int, JudgingRater]:
    """Every rater by id."""
    rows = connection.execute(select(raters.c.id, raters.c.key, raters.c.kind))
    return {rater_id: JudgingRater(key, kind) for rater_id, key, kind in rows}


def read_answers(
    connection: Connection,
    study_id: int,
    question: str,
    *,
    units: Mapping[int, JudgedUnit],
    raters: Mapping[int, JudgingRater],
    kind: str | None = None,
    sections: Collection[str] = (),
) -> AnswerColumns:
    """The answers to a question that stand and are counted, in the order they were given.

    `kind` leaves those of raters of one kind, `sections` those of some sections of released data.
    `units` and `raters` are those of `judged_units` and `judging_raters`.
    """
    given: dict[str, Any] = {"study": study_id, "question": question}
    given |= {} if kind is None else {"kind": kind}
    given |= {"sections": list(sections)} if sections else {}
    statement = _answers(by_kind=kind is not None, by_section=bool(sections))
    columns: tuple[list[Any], ...] = tuple([] for _ in range(6))
    # Some thousands at once: rows take several times the memory of columns.
    for rows in statement.batches(connection, **given):
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
            column += cells
    versions, unit_ids, rater_ids, values, said, seconds = columns
    # The same few values come again and again: each is held once.
    known: dict[Any, Any] = {}
    versions, values, said = (
        list(map(known.setdefault, cells, cells)) for cells in (versions, values, said)
    )
    judged = {unit_id: units[unit_id] for unit_id in set(unit_ids)}
    return AnswerColumns(
        question, versions, unit_ids, rater_ids, values, said, seconds, judged, raters
    )


@cache
def _units(*, with_systems: bool) -> Prepared:
    seat = seats.alias()
    statement = (
        select(
            units.c.id,
            units.c.key,
            dialogues.c.key.label("dialogue"),
            seat.c.system if with_systems else null(),
            units.c.first_unit_id,
            units.c.second_unit_id,
        )
        .select_from(units)
        .outerjoin(dialogues, dialogues.c.id == units.c.dialogue_id)
        .where(units.c.study_id == bindparam("study"))
    )
    if with_systems:
        statement = statement.outerjoin(seat, system_of(seat, units))
    return Prepared(statement)


@cache
def _answers(*, by_kind: bool, by_section: bool) -> Prepared:
    statement = (
        select(
            labels.c.question_version,
            labels.c.unit_id,
            labels.c.rater_id,
            labels.c.value,
            labels.c.label,
            labels.c.seconds,
        )
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(
            labels.c.study_id == bindparam("study"),
            labels.c.question == bindparam("question"),
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .order_by(labels.c.id)
    )
    if by_kind:
        statement = statement.join(raters, raters.c.id == labels.c.rater_id).where(
            raters.c.kind == bindparam("kind")
        )
    if by_section:
        statement = statement.where(labels.c.section.in_(bindparam("sections", expanding=True)))
    return Prepared(statement)


def system_of(seat: Any, unit: Any) -> Any:
    """The condition that joins a unit to the seat of the system it is about.

    It is the seat as it was at the start: a system that took over later is not what was compared. A
    dialogue of two systems as a whole says nothing about either; one seat of it does.
    """
    other = seats.alias()
    alone = ~(
        select(other.c.seat)
        .where(
            other.c.dialogue_id == seat.c.dialogue_id,
            other.c.kind == "system",
            other.c.from_seq == 1,
            other.c.seat != seat.c.seat,
        )
        .exists()
    )
    return and_(
        seat.c.dialogue_id == unit.c.dialogue_id,
        seat.c.kind == "system",
        seat.c.from_seq == 1,
        or_(unit.c.seat == seat.c.seat, and_(unit.c.seat.is_(None), alone)),
    )


def _both(one: str | None, other: str | None) -> tuple[str, str] | None:
    return None if one is None or other is None else (one, other)
