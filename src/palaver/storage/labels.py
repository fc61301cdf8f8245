"""Labels in the store: units and raters are made on first use, labels are appended."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, or_, select

from palaver.core.errors import InputError
from palaver.core.labels import Label, RaterKind
from palaver.core.records import LabelRecord
from palaver.core.units import Unit
from palaver.storage.exclusions import not_excluded
from palaver.storage.prepared import Prepared, PreparedInsert
from palaver.storage.schema import dialogues, labels, raters, seats, studies, units
from palaver.storage.tidy import tidy_labels

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def ensure_units(connection: Connection, study_id: int, wanted: Iterable[Unit]) -> dict[str, int]:
    """The ids of units by key; new ones are stored. A pair's members are stored, or come along."""
    by_key = {unit.key: unit for unit in wanted}
    known = _unit_ids(connection, study_id, by_key)
    new = [unit for key, unit in by_key.items() if key not in known]
    for batch in ([u for u in new if u.members is None], [u for u in new if u.members is not None]):
        known |= _store_units(connection, study_id, batch, known)
    return known


def ensure_unit(connection: Connection, study_id: int, unit: Unit) -> int:
    """The id of a unit, stored if it is new. The members of a pair must be stored before it."""
    return ensure_units(connection, study_id, [unit])[unit.key]


@dataclass(frozen=True, slots=True)
class NewRater:
    """A rater who may be new."""

    key: str
    kind: RaterKind
    created: float
    participant_id: int | None = None


def ensure_raters(connection: Connection, wanted: Iterable[NewRater]) -> dict[str, int]:
    """The ids of raters by key; new ones are stored."""
    by_key = {rater.key: rater for rater in wanted}
    ids = {}
    for key, rater_id, kind in _RATERS.all(connection, keys=list(by_key)):
        if kind != by_key[key].kind:
            raise InputError(f"Rater '{key}' is a {kind} rater here, not a {by_key[key].kind} one.")
        ids[key] = rater_id
    new = [asdict(rater) for key, rater in by_key.items() if key not in ids]
    return ids | dict(_NEW_RATERS.all(connection, new))


def ensure_rater(
    connection: Connection,
    *,
    key: str,
    kind: RaterKind,
    now: float,
    participant_id: int | None = None,
) -> int:
    """The id of a rater, stored if new."""
    return ensure_raters(connection, [NewRater(key, kind, now, participant_id)])[key]


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


def append_labels(connection: Connection, new: Sequence[NewLabel]) -> list[StoredLabel]:
    """Append labels; each replaces the one that stood for the same target.

    The same client id again gives the first label. All of them take a handful of statements.
    """
    stored: list[StoredLabel] = []
    for run in _runs(new):
        stored += _append_run(connection, run)
    return stored


def append_label(
    connection: Connection,
    label: Label,
    *,
    study_id: int,
    unit_id: int,
    rater_id: int,
    assignment_id: int | None,
) -> int:
    """Append one label; its id."""
    new = NewLabel(label, study_id, unit_id, rater_id, assignment_id)
    return append_labels(connection, [new])[0].id


def slot_values(connection: Connection, slot_id: int, purpose: str) -> dict[tuple[str, str], Any]:
    """What stands under a slot, by unit and question; an abstention is None."""
    return _values(_UNDER_SLOT.all(connection, slot=slot_id, purpose=purpose))


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


@dataclass(frozen=True, slots=True)
class Preference:
    """How often raters of one kind gave one answer about one ordered pair of systems."""

    first: str
    second: str
    value: str
    rater_kind: str
    count: int


def count_preferences(connection: Connection, study: str, question: str) -> list[Preference]:
    """The standing comparative answers of a study, counted by pair, answer and kind of rater.

    Raters whom the study excludes are left out.
    """
    newer, pair = labels.alias("newer"), units.alias("pair")
    first, second = units.alias("first"), units.alias("second")
    first_seat, second_seat = seats.alias("first_seat"), seats.alias("second_seat")
    rows = connection.execute(
        select(
            first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind, func.count()
        )
        .select_from(labels)
        .join(studies, studies.c.id == labels.c.study_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .join(pair, pair.c.id == labels.c.unit_id)
        .join(first, first.c.id == pair.c.first_unit_id)
        .join(second, second.c.id == pair.c.second_unit_id)
        .join(first_seat, _system_of(first_seat, first))
        .join(second_seat, _system_of(second_seat, second))
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .where(
            studies.c.name == study,
            labels.c.question == question,
            labels.c.purpose == "real",
            labels.c.value.is_not(None),
            newer.c.id.is_(None),
            not_excluded(labels),
        )
        .group_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
        .order_by(first_seat.c.system, second_seat.c.system, labels.c.value, raters.c.kind)
    )
    return [
        Preference(one, other, _decode(value), kind, count)
        for one, other, value, kind, count in rows
    ]


def label_records(
    connection: Connection, study: str | None = None, *, batch: int = 2000
) -> Iterator[LabelRecord]:
    """Every label of a study (or of all), oldest first, read in batches."""
    return (row.record for row in tidy_labels(connection, study, batch=batch))


def _system_of(seat: Any, unit: Any) -> Any:
    # The seat as it was at the start: a system that took over later is not what was compared. A
    # dialogue of two systems as a whole says nothing about either; one seat of it does.
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
    rows = [_row(each, standing.get(each.target)) for each in fresh]
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
        "time": label.time,
        "client_id": label.client_id,
        "supersedes": supersedes,
    }


def _values(rows: Iterable[Any]) -> dict[tuple[str, str], Any]:
    return {(unit, question): _decoded(value) for unit, question, value in rows}


def _decoded(value: str | None) -> Any:
    return None if value is None else _decode(value)


def _unit_ids(connection: Connection, study_id: int, keys: Iterable[str]) -> dict[str, int]:
    return dict(_UNITS.all(connection, study=study_id, keys=list(keys)))


def _store_units(
    connection: Connection, study_id: int, new: Sequence[Unit], known: Mapping[str, int]
) -> dict[str, int]:
    if not new:
        return {}
    named = {key for unit in new for key in unit.members or () if key not in known}
    members = {**known, **(_unit_ids(connection, study_id, named) if named else {})}
    held = _dialogue_ids(connection, {unit.dialogue for unit in new if unit.dialogue is not None})
    rows = []
    for unit in new:
        first, second = unit.members or (None, None)
        rows.append(
            {
                "study_id": study_id,
                "key": unit.key,
                "kind": unit.kind,
                "dialogue_id": _found(held, unit.dialogue, "The unit names the dialogue"),
                "first_seq": unit.first_seq,
                "last_seq": unit.last_seq,
                "seat": unit.seat,
                "first_unit_id": _found(members, first, "The pair names the unit"),
                "second_unit_id": _found(members, second, "The pair names the unit"),
                "item": unit.item,
            }
        )
    # Two processes that store the same units wait for each other in the same order.
    rows.sort(key=lambda row: str(row["key"]))
    return dict(_NEW_UNITS.all(connection, rows))


def _dialogue_ids(connection: Connection, keys: Collection[str]) -> dict[str, int]:
    if not keys:
        return {}
    return dict(_DIALOGUES.all(connection, keys=list(keys)))


def _found(ids: Mapping[str, int], key: str | None, naming: str) -> int | None:
    if key is None:
        return None
    if key not in ids:
        raise InputError(f"{naming} '{key}', which is not stored.")
    return ids[key]


def _text(value: Any) -> str:
    return _encode(value).decode()


def _stands() -> ColumnElement[bool]:
    """That no newer label replaces this one."""
    newer = labels.alias("newer")
    return ~select(newer.c.id).where(newer.c.supersedes == labels.c.id).exists()


# The columns that say what a label speaks about.
_TARGET = (labels.c.rater_id, labels.c.unit_id, labels.c.question, labels.c.purpose)

_RATERS = Prepared(
    select(raters.c.key, raters.c.id, raters.c.kind).where(
        raters.c.key.in_(bindparam("keys", expanding=True))
    )
)
_UNITS = Prepared(
    select(units.c.key, units.c.id).where(
        units.c.study_id == bindparam("study"), units.c.key.in_(bindparam("keys", expanding=True))
    )
)
_DIALOGUES = Prepared(
    select(dialogues.c.key, dialogues.c.id).where(
        dialogues.c.key.in_(bindparam("keys", expanding=True))
    )
)
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
_NEW_UNITS = PreparedInsert(
    units,
    [column.name for column in units.columns if column.name != "id"],
    [units.c.key, units.c.id],
)
_NEW_RATERS = PreparedInsert(
    raters, ["key", "kind", "created", "participant_id"], [raters.c.key, raters.c.id]
)
_SAID = select(units.c.key, labels.c.question, labels.c.value).join(
    units, units.c.id == labels.c.unit_id
)
_UNDER_SLOT = Prepared(
    _SAID.where(
        labels.c.slot_id == bindparam("slot"),
        labels.c.purpose == bindparam("purpose"),
        labels.c.erased.is_(None),
        _stands(),
    )
)
_PRACTICE = Prepared(
    _SAID.where(
        labels.c.assignment_id == bindparam("assignment"),
        labels.c.purpose == "training",
        labels.c.time >= bindparam("since"),
        labels.c.erased.is_(None),
        _stands(),
    )
)
