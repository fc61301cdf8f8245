"""Labels in the store: appended, never edited; and what a rater has answered so far."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, bindparam, select

from palaver.core.labels import Label
from palaver.storage.engine.chain import LABEL, linked_rows
from palaver.storage.engine.prepared import Prepared, PreparedInsert
from palaver.storage.schema import labels, raters, units

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class NewLabel:
    """A label and the rows it belongs to."""

    label: Label
    study_id: int
    unit_id: int
    rater_id: int
    assignment_id: int | None

    @property
    def target(self) -> tuple[int, int, str, str]:
        """What it speaks about: of two labels with one target the newer one stands."""
        return (self.rater_id, self.unit_id, self.label.question, self.label.purpose)

    @property
    def request(self) -> tuple[int, str | None]:
        """The rater's own name for it."""
        return (self.rater_id, self.label.client_id)


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """One row of labels, as far as a submission needs it; `repeated` if it was there before."""

    id: int
    unit_id: int
    question: str
    value: Any
    supersedes: int | None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A stored value, or None where the question was left out, and when it was given."""

    value: Any
    time: float


# By the key of the unit and the name of the question.
Answers = dict[tuple[str, str], StoredAnswer]


def append_labels(connection: Connection, new: Sequence[NewLabel]) -> list[StoredLabel]:
    """Append labels; each replaces the one that stood for the same target.

    The same client id again gives the first label. All of them take a handful of statements.
    """
    stored: list[StoredLabel] = []
    for run in _runs(new):
        stored += _append_run(connection, run)
    return stored


def slot_values(connection: Connection, slot_id: int, purpose: str) -> dict[tuple[str, str], Any]:
    """What stands under a slot, by unit and question; an abstention is None."""
    return _values(_OF_SLOT_FOR.all(connection, slot=slot_id, purpose=purpose))


def training_values(
    connection: Connection, assignment_id: int, *, since: float
) -> dict[tuple[str, str], Any]:
    """What stands of a visit's practice since a moment, by unit and question."""
    return _values(_PRACTICE.all(connection, assignment=assignment_id, since=since))


def answered_questions(connection: Connection, assignment_id: int) -> set[tuple[str, str]]:
    """The (unit, question) pairs that an assignment has answered."""
    rows = connection.execute(
        select(units.c.key, labels.c.question)
        .join(units, units.c.id == labels.c.unit_id)
        .where(labels.c.assignment_id == assignment_id, labels.c.erased.is_(None))
    )
    return {(key, question) for key, question in rows}


def answers_of_slot(connection: Connection, slot_id: int) -> Answers:
    """The standing answers that were given under one slot."""
    return _answers(_OF_SLOT.all(connection, slot=slot_id))


def answers_of_visit(
    connection: Connection, assignment_id: int, *, purpose: str = "real", since: float = 0.0
) -> Answers:
    """The standing answers of a visit outside of any slot, given since a moment."""
    return _answers(
        _OF_VISIT.all(connection, assignment=assignment_id, purpose=purpose, since=since)
    )


def is_answered(connection: Connection, assignment_id: int, unit: str, question: str) -> bool:
    """Whether a visit has answered this question about this unit."""
    found = connection.execute(
        select(labels.c.id)
        .join(units, units.c.id == labels.c.unit_id)
        .where(
            labels.c.assignment_id == assignment_id,
            labels.c.question == question,
            units.c.key == unit,
        )
        .limit(1)
    ).scalar()
    return found is not None


def standing_value(
    connection: Connection, *, study_id: int, rater: str, unit: str, question: str, purpose: str
) -> Any:
    """What a rater, by key, says of a unit as it stands; None where nothing does."""
    found = connection.execute(
        select(labels.c.value)
        .join(units, units.c.id == labels.c.unit_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .where(
            units.c.study_id == study_id,
            units.c.key == unit,
            raters.c.key == rater,
            labels.c.question == question,
            labels.c.purpose == purpose,
            labels.c.erased.is_(None),
            _stands(),
        )
        .order_by(labels.c.id.desc())
        .limit(1)
    ).scalar()
    return _decoded(found)


def _runs(new: Sequence[NewLabel]) -> Iterator[list[NewLabel]]:
    """The labels in order, cut before one that follows on an earlier one of the same form."""
    run: list[NewLabel] = []
    seen: set[tuple[Any, ...]] = set()
    for each in new:
        names = {each.target} if each.label.client_id is None else {each.target, each.request}
        if seen & names:
            yield run
            run, seen = [], set()
        run.append(each)
        seen |= names
    if run:
        yield run


def _append_run(connection: Connection, run: Sequence[NewLabel]) -> list[StoredLabel]:
    repeated = _repeated(connection, run)
    fresh = [each for each in run if each.request not in repeated]
    standing = _standing(connection, fresh) if fresh else {}
    rows = linked_rows(connection, LABEL, [_row(each, standing.get(each.target)) for each in fresh])
    ids = {tuple(target): label for *target, label in _NEW_LABELS.all(connection, rows)}
    return [
        repeated.get(each.request)
        or StoredLabel(
            ids[each.target],
            each.unit_id,
            each.label.question,
            None if each.label.abstained else each.label.value,
            standing.get(each.target),
        )
        for each in run
    ]


def _repeated(
    connection: Connection, run: Sequence[NewLabel]
) -> dict[tuple[int, str | None], StoredLabel]:
    """The labels that came before under the same client ids."""
    asked = [each.request for each in run if each.label.client_id is not None]
    if not asked:
        return {}
    rows = _BY_CLIENT_ID.all(
        connection,
        raters=list({rater for rater, _ in asked}),
        ids=[name for _, name in asked],
    )
    return {
        (rater, name): StoredLabel(
            label, unit, question, _decoded(value), supersedes, repeated=True
        )
        for rater, name, label, unit, question, value, supersedes in rows
    }


def _standing(
    connection: Connection, new: Sequence[NewLabel]
) -> dict[tuple[int, int, str, str], int]:
    """The labels that stand for the targets of new ones."""
    rows = _STANDING.all(
        connection,
        units=list({each.unit_id for each in new}),
        raters=list({each.rater_id for each in new}),
    )
    return {
        (rater, unit, question, purpose): label for rater, unit, question, purpose, label in rows
    }


def _row(new: NewLabel, supersedes: int | None) -> dict[str, Any]:
    label = new.label
    return {
        "study_id": new.study_id,
        "unit_id": new.unit_id,
        "question": label.question,
        "question_version": label.question_version,
        "purpose": label.purpose,
        "rater_id": new.rater_id,
        "assignment_id": new.assignment_id,
        "shown_order": None if label.shown_order is None else _text(label.shown_order),
        "value": None if label.abstained else _text(label.value),
        "abstained": label.abstained,
        "label": label.label,
        "slot_id": label.slot_id,
        "seconds": label.seconds,
        "pastes": label.pastes,
        "pasted": label.pasted,
        "active": label.active,
        "section": label.section,
        "time": label.time,
        "client_id": label.client_id,
        "supersedes": supersedes,
        "version": label.study_version,
    }


def _values(rows: Iterable[Any]) -> dict[tuple[str, str], Any]:
    return {(unit, question): _decoded(value) for unit, question, value, _ in rows}


def _answers(rows: Iterable[tuple[Any, ...]]) -> Answers:
    return {
        (unit, question): StoredAnswer(_decoded(value), time)
        for unit, question, value, time in rows
    }


def _decoded(value: str | None) -> Any:
    return None if value is None else _decode(value)


def _text(value: Any) -> str:
    return _encode(value).decode()


def _stands() -> ColumnElement[bool]:
    """That no newer label replaces this one."""
    newer = labels.alias("newer")
    return ~select(newer.c.id).where(newer.c.supersedes == labels.c.id).exists()


# The columns that say what a label speaks about.
_TARGET = (labels.c.rater_id, labels.c.unit_id, labels.c.question, labels.c.purpose)
_BY_CLIENT_ID = Prepared(
    select(
        labels.c.rater_id,
        labels.c.client_id,
        labels.c.id,
        labels.c.unit_id,
        labels.c.question,
        labels.c.value,
        labels.c.supersedes,
    ).where(
        labels.c.rater_id.in_(bindparam("raters", expanding=True)),
        labels.c.client_id.in_(bindparam("ids", expanding=True)),
    )
)
_STANDING = Prepared(
    select(*_TARGET, labels.c.id)
    .where(
        labels.c.unit_id.in_(bindparam("units", expanding=True)),
        labels.c.rater_id.in_(bindparam("raters", expanding=True)),
        _stands(),
    )
    .order_by(labels.c.id)
)
_NEW_LABELS = PreparedInsert(
    labels,
    [column.name for column in labels.columns if column.name not in ("id", "erased")],
    [*_TARGET, labels.c.id],
)


def _said(*conditions: ColumnElement[bool]) -> Prepared:
    """What stands under conditions: unit, question, value and time, oldest first."""
    return Prepared(
        select(units.c.key, labels.c.question, labels.c.value, labels.c.time)
        .join(units, units.c.id == labels.c.unit_id)
        .where(*conditions, labels.c.erased.is_(None), _stands())
        .order_by(labels.c.id)
    )


_OF_SLOT = _said(labels.c.slot_id == bindparam("slot"))
_OF_SLOT_FOR = _said(
    labels.c.slot_id == bindparam("slot"), labels.c.purpose == bindparam("purpose")
)
_OF_VISIT = _said(
    labels.c.assignment_id == bindparam("assignment"),
    labels.c.slot_id.is_(None),
    labels.c.purpose == bindparam("purpose"),
    labels.c.time >= bindparam("since"),
)
_PRACTICE = _said(
    labels.c.assignment_id == bindparam("assignment"),
    labels.c.purpose == "training",
    labels.c.time >= bindparam("since"),
)
