"""The votes on a comparative question, one row each, read once and then only what is new.

A process that shows a board keeps the votes it has read (`VoteRows`) and asks for those that came
since; after an erasure, an exclusion, an abandoned sheet or a corrected vote all are read again. A
vote knows its rater and the visit in which it was given, and of a visit that is over when it ended:
sequences take raters in the order in which they were done (`analysis/sequential`).
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import msgspec
from sqlalchemy import Connection, bindparam, func, select, text

from palaver.core.questions.comparative import FIRST, NEITHER, SECOND, TIE, side_of
from palaver.storage.engine.prepared import Prepared
from palaver.storage.engine.statements import few
from palaver.storage.judging.answer_columns import system_of
from palaver.storage.judging.answer_counts import count_labels
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.ratings import newer, stands
from palaver.storage.schema import (
    APART,
    assignments,
    exclusions,
    labels,
    raters,
    seats,
    slots,
    units,
    written,
)

OUTCOMES = (FIRST, SECOND, TIE, NEITHER)
# The visit of a vote that was given in none: imported, or by a model.
NO_VISIT = -1
# How many visits one statement asks for.
AT_ONCE = 500

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class _Mark:
    """The state of the labels of a question; only `newest` and `count` change with a new vote."""

    newest: int
    count: int
    erased: int
    excluded: int
    abandoned: int

    def follows(self, other: "_Mark") -> bool:
        """Whether nothing but new labels came since the other."""
        return (self.erased, self.excluded, self.abandoned) == (
            *(other.erased, other.excluded),
            other.abandoned,
        )


@dataclass(slots=True)
class VoteRows:
    """The standing votes on a question in the order they came, as columns.

    `first` and `second` are places in `systems`, `outcome` in `OUTCOMES`, `kind` in `kinds`; `unit`,
    `rater` and `visit` are ids of the store. `ended` says when a visit was over; those that are not
    are `under_way`. `version` changes with every row and every visit that ends.
    """

    mark: _Mark | None = None
    version: int = 0
    systems: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    first: "array[int]" = field(default_factory=lambda: array("q"))
    second: "array[int]" = field(default_factory=lambda: array("q"))
    outcome: "array[int]" = field(default_factory=lambda: array("q"))
    unit: "array[int]" = field(default_factory=lambda: array("q"))
    rater: "array[int]" = field(default_factory=lambda: array("q"))
    kind: "array[int]" = field(default_factory=lambda: array("q"))
    visit: "array[int]" = field(default_factory=lambda: array("q"))
    time: "array[float]" = field(default_factory=lambda: array("d"))
    ended: dict[int, float] = field(default_factory=dict)
    under_way: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.first)

    def count(self, kind: str | None = None) -> int:
        """How many votes there are, of all raters or of one kind."""
        return len(self) if kind is None else self.kind.count(self.kinds.get(kind, -1))

    def add(
        self,
        systems: tuple[str, str],
        side: str,
        *,
        unit: int,
        rater: int,
        kind: str,
        visit: int | None,
        ended: float | None,
        time: float,
    ) -> None:
        """One more vote; `ended` is when its visit was over."""
        self.first.append(self.systems.setdefault(systems[0], len(self.systems)))
        self.second.append(self.systems.setdefault(systems[1], len(self.systems)))
        self.outcome.append(OUTCOMES.index(side))
        self.unit.append(unit)
        self.rater.append(rater)
        self.kind.append(self.kinds.setdefault(kind, len(self.kinds)))
        self.visit.append(NO_VISIT if visit is None else visit)
        self.time.append(time)
        if visit is not None and ended is not None:
            self.ended[visit] = ended
        elif visit is not None:
            self.under_way.add(visit)


def read_votes(
    connection: Connection, study_id: int, question: str, known: VoteRows | None = None
) -> VoteRows:
    """The standing votes on a question; those of `known` are not read again, and it is changed.

    Votes of raters whom the study excludes are left out. How much better a side is makes no other
    vote of it.
    """
    now = _mark(connection, study_id, question)
    rows, after = VoteRows(version=0 if known is None else known.version + 1), 0
    before = None if known is None else known.mark
    if (
        known is not None
        and before is not None
        and _goes_on(connection, now, before, study_id, question)
    ):
        rows, after = known, before.newest
    length = len(rows)
    if now != rows.mark:
        _add(connection, rows, study_id, question, after)
        rows.mark = now
    if _note_ends(connection, rows) or len(rows) > length:
        rows.version += 1
    return rows


def vote_keys(connection: Connection, study_id: int, rows: VoteRows) -> list[tuple[str, str]]:
    """What was judged and by whom, of each vote: the keys of the unit and of the rater."""
    judged = connection.execute(
        select(units.c.id, units.c.key).where(
            units.c.study_id == study_id, units.c.first_unit_id.is_not(None)
        )
    )
    mine = select(labels.c.rater_id).where(labels.c.study_id == study_id)
    known = connection.execute(select(raters.c.id, raters.c.key).where(raters.c.id.in_(mine)))
    unit, rater = ({row.id: row.key for row in each} for each in (judged, known))
    return [(unit[one], rater[other]) for one, other in zip(rows.unit, rows.rater, strict=True)]


def _add(connection: Connection, rows: VoteRows, study_id: int, question: str, after: int) -> None:
    sides: dict[str, str] = {}
    found = _statement().each(connection, study=study_id, question=question, after=after)
    for one, other, value, unit, rater, kind, visit, state, ended, time in found:
        side = sides.get(value)
        if side is None:
            side = sides[value] = side_of(_decode(value))
        # A visit that an earlier version ended has no time; its last vote is as good.
        over = None if state == "active" else (ended or time)
        if side in OUTCOMES:
            rows.add(
                (one, other),
                side,
                unit=unit,
                rater=rater,
                kind=kind,
                visit=visit,
                ended=over,
                time=time,
            )


@cache
def _statement() -> Prepared:
    first, second = units.alias("first"), units.alias("second")
    pair = units.alias("pair")
    first_seat, second_seat = seats.alias("first_seat"), seats.alias("second_seat")
    return Prepared(
        select(
            first_seat.c.system.label("one"),
            second_seat.c.system.label("other"),
            labels.c.value,
            labels.c.unit_id,
            labels.c.rater_id,
            raters.c.kind,
            labels.c.assignment_id,
            assignments.c.state,
            assignments.c.finished,
            labels.c.time,
        )
        .select_from(labels)
        .join(raters, raters.c.id == labels.c.rater_id)
        .join(pair, pair.c.id == labels.c.unit_id)
        .join(first, first.c.id == pair.c.first_unit_id)
        .join(second, second.c.id == pair.c.second_unit_id)
        .join(first_seat, system_of(first_seat, first))
        .join(second_seat, system_of(second_seat, second))
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .outerjoin(assignments, assignments.c.id == labels.c.assignment_id)
        .where(
            labels.c.study_id == bindparam("study"),
            labels.c.question == bindparam("question"),
            labels.c.id > bindparam("after"),
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .order_by(labels.c.id)
    )


def _note_ends(connection: Connection, rows: VoteRows) -> bool:
    """Which visits ended that were under way; whether any did."""
    over = _ends(connection, sorted(rows.under_way))
    rows.ended |= over
    rows.under_way -= over.keys()
    return bool(over)


def _ends(connection: Connection, visits: Sequence[int]) -> dict[int, float]:
    """When those of these visits ended that are over."""
    found: dict[int, float] = {}
    for start in range(0, len(visits), AT_ONCE):
        some = visits[start : start + AT_ONCE]
        over = connection.execute(
            select(assignments.c.id, assignments.c.finished, assignments.c.created).where(
                assignments.c.id.in_(some), assignments.c.state != "active"
            )
        )
        found |= {visit: finished or created for visit, finished, created in over}
    return found


def _goes_on(
    connection: Connection, now: _Mark, before: _Mark, study_id: int, question: str
) -> bool:
    """Whether the labels behind the last one read are all that is new, and replace nothing.

    On PostgreSQL a label of a lower id may be committed later.
    """
    if now == before or not now.follows(before):
        return now == before
    came, corrected = connection.execute(
        select(func.count(), func.count(labels.c.supersedes)).where(
            labels.c.study_id == study_id,
            labels.c.question == question,
            labels.c.id > before.newest,
        )
    ).one()
    return bool(came == now.count - before.count and corrected == 0)


def _mark(connection: Connection, study_id: int, question: str) -> _Mark:
    mine = (labels.c.study_id == study_id, labels.c.question == question)
    newest = connection.scalar(select(func.max(labels.c.id)).where(*mine))
    apart = few(
        select(labels.c.study_id, labels.c.question, labels.c.erased).where(text(f"({APART})"))
    )
    erased = connection.scalar(
        select(func.count(apart.c.erased)).where(
            apart.c.study_id == study_id, apart.c.question == question
        )
    )
    excluded = connection.scalar(
        select(func.max(exclusions.c.id)).where(exclusions.c.study_id == study_id)
    )
    given_up = select(slots.c.id).where(slots.c.state == written("abandoned"))
    lost = few(select(labels.c.study_id, labels.c.question).where(labels.c.slot_id.in_(given_up)))
    abandoned = connection.scalar(
        select(func.count())
        .select_from(lost)
        .where(lost.c.study_id == study_id, lost.c.question == question)
    )
    count = count_labels(connection, study_id, question)
    return _Mark(newest or 0, count, erased or 0, excluded or 0, abandoned or 0)
