"""Labels as the rows of the tidy table: read in batches, for exports and the API.

An abstention has no value and the label "abstained"; an erased answer has neither.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, func, select

from palaver.core.events import HOUSEKEEPING
from palaver.core.records import LabelRecord, PlacedLabel, RaterRecord, TidyLabel
from palaver.storage.judging.exclusions import excluded_raters, not_excluded
from palaver.storage.judging.ratings import UNIT, newer, place_of, with_sides
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
    labels,
    raters,
    slots,
    studies,
    units,
)

ABSTAINED = "abstained"

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two dialogues that were compared, by key, in the order of the unit's members."""

    unit: str
    dialogues: tuple[str, str]
    labels: list[TidyLabel]


# Sequence number of an event → the number of its turn, from 1.
Turns = Mapping[int, int]


class TurnNumbers:
    """The number of a turn within its dialogue, without reading what was said in it.

    Units point at events, never at turns, which are a view. A table for people has the turn as well;
    it is counted from who acted when, as `core.dialogue.Dialogue.turns` counts. Only the dialogues
    that were asked for last are known: labels come in runs about one.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[int, Turns] = {}

    def prepare(self, dialogue_ids: Iterable[int]) -> None:
        """Know these dialogues, and forget the others."""
        wanted = set(dialogue_ids)
        kept = {key: turns for key, turns in self._known.items() if key in wanted}
        missing = wanted - kept.keys()
        self._known = kept | (turns_of(self._connection, missing) if missing else {})

    def prepare_rows(self, rows: Sequence[Row[Any]]) -> None:
        """Know the dialogues of rows that have a `dialogue_id` and the `first_seq` of a unit."""
        self.prepare(row.dialogue_id for row in rows if row.first_seq is not None)

    def at(self, dialogue_id: int | None, seq: int | None) -> int | None:
        """The number of the turn that an event belongs to; None if it belongs to none."""
        if dialogue_id is None or seq is None:
            return None
        return self._known[dialogue_id].get(seq)


def label_records(
    connection: Connection, study: str | None = None, *, batch: int = 2000
) -> Iterator[LabelRecord]:
    """Every label of a study (or of all), oldest first; no more than a batch is held at once."""
    statement = _of_study(tidy_rows(), study).order_by(labels.c.id).limit(batch)
    turns, last = TurnNumbers(connection), 0
    while True:
        rows = connection.execute(statement.where(labels.c.id > last)).all()
        if not rows:
            return
        turns.prepare_rows(rows)
        yield from (LabelRecord(**tidy_columns(row, turns)) for row in rows)
        last = rows[-1].id


def tidy_page(
    connection: Connection, study_id: int, *, after: int = 0, limit: int = 100
) -> list[TidyLabel]:
    """The labels of a study behind one, oldest first."""
    statement = tidy_rows().where(labels.c.study_id == study_id, labels.c.id > after)
    return _read(connection, statement.order_by(labels.c.id).limit(limit))


def labels_of_dialogues(
    connection: Connection, study: str, keys: Sequence[str]
) -> dict[str, list[TidyLabel]]:
    """What a study says of each of these dialogues and their parts, oldest first."""
    statement = _of_study(tidy_rows(), study).where(dialogues.c.key.in_(keys)).order_by(labels.c.id)
    found: dict[str, list[TidyLabel]] = {key: [] for key in keys}
    for label in _read(connection, statement):
        found[label.dialogue or ""].append(label)
    return found


def labelled_pairs(
    connection: Connection, study: str, *, batch: int = 500
) -> Iterator[LabelledPair]:
    """Every pair of dialogues that a study compared, oldest first."""
    first, second = units.alias("first"), units.alias("second")
    one, other = dialogues.alias("one"), dialogues.alias("other")
    pairs = (
        select(units.c.id, units.c.key, one.c.key.label("one"), other.c.key.label("other"))
        .join(studies, studies.c.id == units.c.study_id)
        .join(first, first.c.id == units.c.first_unit_id)
        .join(second, second.c.id == units.c.second_unit_id)
        .join(one, one.c.id == first.c.dialogue_id)
        .join(other, other.c.id == second.c.dialogue_id)
        .where(studies.c.name == study)
        .order_by(units.c.id)
        .limit(batch)
    )
    last = 0
    while True:
        rows = connection.execute(pairs.where(units.c.id > last)).all()
        if not rows:
            return
        last = rows[-1].id
        statement = tidy_rows().where(labels.c.unit_id.in_([row.id for row in rows]))
        by_unit: dict[str, list[TidyLabel]] = {}
        for label in _read(connection, statement.order_by(labels.c.id)):
            by_unit.setdefault(label.unit, []).append(label)
        for row in rows:
            yield LabelledPair(row.key, (row.one, row.other), by_unit.get(row.key, []))


def borrowed_dialogues(connection: Connection, study: str) -> list[str]:
    """The keys of dialogues that a study judged and another one holds, in their order."""
    rows = connection.execute(
        select(dialogues.c.key)
        .join(units, units.c.dialogue_id == dialogues.c.id)
        .join(studies, studies.c.id == units.c.study_id)
        .where(studies.c.name == study, dialogues.c.study_id != units.c.study_id)
        .group_by(dialogues.c.id, dialogues.c.key)
        .order_by(dialogues.c.id)
    )
    return list(rows.scalars())


def rater_records(connection: Connection, study: str | None = None) -> Iterator[RaterRecord]:
    """Who labelled in a study (or in any), with how much they did and whether it counts."""
    statement = (
        select(
            studies.c.id.label("study_id"),
            studies.c.name.label("study"),
            raters.c.id.label("rater_id"),
            raters.c.key,
            raters.c.kind,
            func.count().label("labels"),
            func.min(labels.c.time).label("first"),
            func.max(labels.c.time).label("last"),
        )
        .select_from(labels)
        .join(studies, studies.c.id == labels.c.study_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .group_by(studies.c.id, studies.c.name, raters.c.id, raters.c.key, raters.c.kind)
        .order_by(studies.c.id, raters.c.id)
    )
    excluded: dict[int, set[int]] = {}
    for row in connection.execute(_of_study(statement, study)).all():
        if row.study_id not in excluded:
            excluded[row.study_id] = excluded_raters(connection, row.study_id)
        yield RaterRecord(
            study=row.study,
            rater=row.key,
            rater_kind=row.kind,
            labels=row.labels,
            excluded=row.rater_id in excluded[row.study_id],
            first_time=row.first,
            last_time=row.last,
        )


def tidy_rows() -> Select[Any]:
    """The statement whose rows `tidy_columns` reads."""
    return (
        select(
            labels,
            studies.c.name.label("study_name"),
            units.c.key.label("unit_key"),
            units.c.first_seq,
            units.c.dialogue_id,
            dialogues.c.key.label("dialogue"),
            raters.c.key.label("rater_key"),
            raters.c.kind.label("rater_kind"),
            assignments.c.key.label("assignment_key"),
            newer.c.id.label("newer_id"),
        )
        .join(studies, studies.c.id == labels.c.study_id)
        .join(units, units.c.id == labels.c.unit_id)
        .outerjoin(dialogues, dialogues.c.id == units.c.dialogue_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .outerjoin(assignments, assignments.c.id == labels.c.assignment_id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
    )


def _of_study(statement: Select[Any], study: str | None) -> Select[Any]:
    return statement if study is None else statement.where(studies.c.name == study)


def _read(connection: Connection, statement: Select[Any]) -> list[TidyLabel]:
    rows, turns = connection.execute(statement).all(), TurnNumbers(connection)
    turns.prepare_rows(rows)
    return [TidyLabel(**tidy_label_columns(row, turns)) for row in rows]


def tidy_label_columns(row: Row[Any], turns: TurnNumbers) -> dict[str, Any]:
    """The columns of the tidy table with the label's id, and why it has no value if it has none."""
    return {
        **tidy_columns(row, turns),
        "id": row.id,
        "abstained": row.abstained,
        "erased": row.erased is not None,
    }


def tidy_columns(row: Row[Any], turns: TurnNumbers) -> dict[str, Any]:
    """The columns of the tidy table out of a row of `tidy_rows`."""
    return {
        "study": row.study_name,
        "unit": row.unit_key,
        "dialogue": row.dialogue,
        "seq": row.first_seq,
        "turn": turns.at(row.dialogue_id, row.first_seq),
        "question": row.question,
        "question_version": row.question_version,
        "purpose": row.purpose,
        "rater": row.rater_key,
        "rater_kind": row.rater_kind,
        "assignment": row.assignment_key,
        "shown_order": None if row.shown_order is None else _decode(row.shown_order),
        "value": None if row.value is None else _decode(row.value),
        "label": ABSTAINED if row.abstained and row.erased is None else row.label,
        "seconds": row.seconds,
        "superseded": row.newer_id is not None,
        "time": row.time,
    }


def labels_in_place(connection: Connection, dialogue_id: int) -> list[PlacedLabel]:
    """The labels about a dialogue, a part of it, or a pair it belongs to, of every study."""
    own = [
        *connection.execute(
            select(units.c.id).where(units.c.dialogue_id == dialogue_id).order_by(units.c.id)
        ).scalars()
    ]
    pairs = {
        unit_id
        for side in (units.c.first_unit_id, units.c.second_unit_id)
        for unit_id in connection.execute(select(units.c.id).where(side.in_(own))).scalars()
    }
    statement = with_sides(
        tidy_rows()
        .add_columns(
            slots.c.state.label("slot_state"), not_excluded(labels).label("counted"), *UNIT
        )
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
    )
    rows = connection.execute(
        statement.where(labels.c.unit_id.in_([*own, *pairs])).order_by(
            labels.c.question, labels.c.id
        )
    ).all()
    turns = TurnNumbers(connection)
    turns.prepare_rows(rows)
    return [
        PlacedLabel(
            **tidy_label_columns(row, turns),
            supersedes=row.supersedes,
            abandoned=row.slot_state == "abandoned",
            excluded=not row.counted,
            place=place_of(row, row.unit_id),
        )
        for row in rows
    ]


def turns_of(connection: Connection, dialogue_ids: Iterable[int]) -> dict[int, Turns]:
    """The turns of each of these dialogues; an event that is nobody's turn is in none."""
    found: dict[int, dict[int, int]] = {dialogue_id: {} for dialogue_id in dialogue_ids}
    rows = connection.execute(
        select(events.c.dialogue_id, events.c.seq, events.c.seat)
        .where(
            events.c.dialogue_id.in_(list(found)),
            events.c.seat.is_not(None),
            events.c.action.not_in(sorted(HOUSEKEEPING)),
        )
        .order_by(events.c.dialogue_id, events.c.seq)
    )
    before, number = (0, -1), 0
    for dialogue_id, seq, seat in rows:
        if before[0] != dialogue_id:
            number = 0
        if before != (dialogue_id, seat):
            number += 1
        found[dialogue_id][seq] = number
        before = (dialogue_id, seat)
    return dict(found)
