"""Labels as the rows of the tidy table: read in batches, for exports and the API.

An abstention has no value and the label "abstained"; an erased answer has neither.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, func, select

from palaver.core.names import rater_name
from palaver.core.records import LabelRecord, PlacedLabel, RaterRecord, TidyLabel
from palaver.storage.judging.exclusions import excluded_raters, not_excluded
from palaver.storage.judging.ratings import (
    UNIT,
    Turns,
    first_side,
    newer,
    of_sections,
    place_of,
    second_side,
    turns_of,
    with_sides,
)
from palaver.storage.schema import (
    assignments,
    dialogues,
    labels,
    raters,
    sheets,
    slots,
    studies,
    units,
)

ABSTAINED = "abstained"
# How many ids one statement asks for.
_AT_ONCE = 500

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two dialogues that were compared, by key, in the order of the unit's members."""

    unit: str
    dialogues: tuple[str, str]
    labels: list[TidyLabel]


@dataclass(frozen=True, slots=True)
class _Sides:
    """What files call the two dialogues of a pair, and the keys that their sheet may be named after."""

    sources: tuple[str | None, str | None]
    keys: frozenset[str]


class LabelPlaces:
    """What a table for people says of a label's place: the turn, and the names that files gave.

    Units point at events, never at turns, which are a view; the number of a turn is counted from who
    acted when, as `core.dialogue.Dialogue.turns` counts, without reading what was said. Only what was
    asked for last is known: labels come in runs about one dialogue.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._turns: dict[int, Turns] = {}
        self._sides: dict[int, _Sides] = {}
        self._sheets: dict[int, str] = {}

    def prepare_rows(self, rows: Sequence[Row[Any]]) -> None:
        """Know the places of these rows of `tidy_rows`, and forget the others."""
        wanted = {row.dialogue_id for row in rows if row.first_seq is not None}
        kept = {key: turns for key, turns in self._turns.items() if key in wanted}
        missing = wanted - kept.keys()
        self._turns = kept | (turns_of(self._connection, missing) if missing else {})
        pairs = {row.unit_id for row in rows if row.dialogue_id is None}
        self._sides = _sides_of(self._connection, pairs)
        slot_ids = {row.slot_id for row in rows if row.slot_id is not None}
        self._sheets = _sheet_names(self._connection, slot_ids)

    def turn(self, row: Row[Any]) -> int | None:
        """The number of the turn that a label judges; None if it judges none."""
        if row.dialogue_id is None or row.first_seq is None:
            return None
        return self._turns[row.dialogue_id].get(row.first_seq)

    def sources(self, row: Row[Any]) -> tuple[str | None, str | None]:
        """What files call the dialogue that was judged, or the two that were compared."""
        sides = self._sides.get(row.unit_id)
        return (row.source_id, None) if sides is None else sides.sources

    def item(self, row: Row[Any]) -> str | None:
        """What its file calls the sheet; one that was made of dialogues held here has their key."""
        name = self._sheets.get(row.slot_id)
        sides = self._sides.get(row.unit_id)
        own = {row.dialogue, row.group_key} if sides is None else sides.keys
        return None if name in own else name


def _sides_of(connection: Connection, unit_ids: Collection[int]) -> dict[int, _Sides]:
    """The two sides of each of these units that is a pair, by its id."""
    one, other = first_side, second_side
    found: dict[int, _Sides] = {}
    for some in _few(unit_ids):
        statement = with_sides(
            select(units.c.id, one.c.source_id, other.c.source_id, one.c.group_key, one.c.key)
        )
        for unit_id, first, second, group, key in connection.execute(
            statement.where(units.c.id.in_(some))
        ):
            found[unit_id] = _Sides((first, second), frozenset((group, key)))
    return found


def _few(ids: Collection[int]) -> Iterator[list[int]]:
    in_order = sorted(ids)
    for start in range(0, len(in_order), _AT_ONCE):
        yield in_order[start : start + _AT_ONCE]


def _sheet_names(connection: Connection, slot_ids: Collection[int]) -> dict[int, str]:
    """The name of the sheet of each of these slots."""
    found: dict[int, str] = {}
    for some in _few(slot_ids):
        rows = connection.execute(
            select(slots.c.id, sheets.c.name)
            .join(sheets, sheets.c.id == slots.c.sheet_id)
            .where(slots.c.id.in_(some))
        )
        found.update((slot_id, name) for slot_id, name in rows)
    return found


def label_records(
    connection: Connection,
    study: str | None = None,
    *,
    sections: Sequence[str] = (),
    batch: int = 2000,
) -> Iterator[LabelRecord]:
    """Every label of a study (or of all), oldest first; no more than a batch is held at once.

    `sections` leaves only the labels of these sections.
    """
    statement = of_sections(_of_study(tidy_rows(), study), sections)
    statement = statement.order_by(labels.c.id).limit(batch)
    places, last = LabelPlaces(connection), 0
    while True:
        rows = connection.execute(statement.where(labels.c.id > last)).all()
        if not rows:
            return
        places.prepare_rows(rows)
        yield from (LabelRecord(**tidy_columns(row, places)) for row in rows)
        last = rows[-1].id


def tidy_page(
    connection: Connection,
    study_id: int,
    *,
    after: int = 0,
    limit: int = 100,
    sections: Sequence[str] = (),
) -> list[TidyLabel]:
    """The labels of a study (or of some sections of it) behind one, oldest first."""
    statement = of_sections(tidy_rows(), sections).where(
        labels.c.study_id == study_id, labels.c.id > after
    )
    return _read(connection, statement.order_by(labels.c.id).limit(limit))


def labels_of_dialogues(
    connection: Connection, study: str, keys: Sequence[str], *, sections: Sequence[str] = ()
) -> dict[str, list[TidyLabel]]:
    """What a study says of each of these dialogues and their parts, oldest first."""
    chosen = of_sections(_of_study(tidy_rows(), study), sections)
    statement = chosen.where(dialogues.c.key.in_(keys)).order_by(labels.c.id)
    found: dict[str, list[TidyLabel]] = {key: [] for key in keys}
    for label in _read(connection, statement):
        found[label.dialogue or ""].append(label)
    return found


def labelled_pairs(
    connection: Connection, study: str, *, sections: Sequence[str] = (), batch: int = 500
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
        statement = of_sections(tidy_rows(), sections).where(
            labels.c.unit_id.in_([row.id for row in rows])
        )
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


def rater_records(
    connection: Connection, study: str | None = None, *, sections: Sequence[str] = ()
) -> Iterator[RaterRecord]:
    """Who labelled in a study (or in any), with how much they did and whether it counts."""
    statement = (
        select(
            studies.c.id.label("study_id"),
            studies.c.name.label("study"),
            raters.c.id.label("rater_id"),
            raters.c.key,
            raters.c.kind,
            raters.c.participant_id,
            func.count().label("labels"),
            func.min(labels.c.time).label("first"),
            func.max(labels.c.time).label("last"),
        )
        .select_from(labels)
        .join(studies, studies.c.id == labels.c.study_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .group_by(
            *(studies.c.id, studies.c.name),
            *(raters.c.id, raters.c.key, raters.c.kind, raters.c.participant_id),
        )
        .order_by(studies.c.id, raters.c.id)
    )
    excluded: dict[int, set[int]] = {}
    for row in connection.execute(of_sections(_of_study(statement, study), sections)).all():
        if row.study_id not in excluded:
            excluded[row.study_id] = excluded_raters(connection, row.study_id)
        yield RaterRecord(
            study=row.study,
            rater=row.key,
            rater_name=rater_name(row.rater_id, row.key, row.kind, row.participant_id),
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
            dialogues.c.group_key,
            dialogues.c.source_id,
            raters.c.key.label("rater_key"),
            raters.c.kind.label("rater_kind"),
            raters.c.participant_id,
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
    rows, places = connection.execute(statement).all(), LabelPlaces(connection)
    places.prepare_rows(rows)
    return [TidyLabel(**tidy_label_columns(row, places)) for row in rows]


def tidy_label_columns(row: Row[Any], places: LabelPlaces) -> dict[str, Any]:
    """The columns of the tidy table with the label's id, and why it has no value if it has none."""
    return {
        **tidy_columns(row, places),
        "id": row.id,
        "abstained": row.abstained,
        "erased": row.erased is not None,
    }


def tidy_columns(row: Row[Any], places: LabelPlaces) -> dict[str, Any]:
    """The columns of the tidy table out of a row of `tidy_rows`."""
    source_id, second_source_id = places.sources(row)
    return {
        "study": row.study_name,
        "unit": row.unit_key,
        "item": places.item(row),
        "dialogue": row.dialogue,
        "source_id": source_id,
        "second_source_id": second_source_id,
        "seq": row.first_seq,
        "turn": places.turn(row),
        "question": row.question,
        "question_version": row.question_version,
        "purpose": row.purpose,
        "section": row.section,
        "rater": row.rater_key,
        "rater_name": rater_name(row.rater_id, row.rater_key, row.rater_kind, row.participant_id),
        "rater_kind": row.rater_kind,
        "assignment": row.assignment_key,
        "shown_order": None if row.shown_order is None else _decode(row.shown_order),
        "value": None if row.value is None else _decode(row.value),
        "label": ABSTAINED if row.abstained and row.erased is None else row.label,
        "seconds": row.seconds,
        "pastes": row.pastes,
        "pasted": row.pasted,
        "active": row.active,
        "superseded": row.newer_id is not None,
        "time": row.time,
        "study_version": row.version,
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
    places = LabelPlaces(connection)
    places.prepare_rows(rows)
    return [
        PlacedLabel(
            **tidy_label_columns(row, places),
            supersedes=row.supersedes,
            abandoned=row.slot_state == "abandoned",
            excluded=not row.counted,
            place=place_of(row, row.unit_id, places.turn(row)),
        )
        for row in rows
    ]
