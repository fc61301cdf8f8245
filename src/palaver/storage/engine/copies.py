"""Copying a study's rows into a database of their own, without what must not leave.

Every table of the schema is either copied here, with the rows and columns said below, or named in
`LEFT_BEHIND`; a test fails when a new table is neither. Ids stay as they are, so references hold.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec
from sqlalchemy import Connection, Row, Select, Table, insert, null, or_, select, text

from palaver.core.errors import StoreError
from palaver.core.scenario import Scenario
from palaver.storage import schema
from palaver.storage.schema import (
    assignments,
    dialogues,
    erasures,
    events,
    exclusions,
    labels,
    participants,
    places,
    problems,
    raters,
    screenings,
    seats,
    sheets,
    slots,
    standings,
    stops,
    studies,
    study_states,
    study_versions,
    units,
)
from palaver.storage.schema.audit import link_columns
from palaver.storage.schema.evaluation import EVALUATION_TABLES
from palaver.storage.schema.recruiting import RECRUITING_TABLES

BATCH = 5000

# Who may sign in, what is remembered of the erased, what signs links, what only a running server
# needs, names out of files, answers that nobody has sent, what is summed up again, the audit trail,
# the evaluation server, which belongs to no study, and what panels know of people and money.
LEFT_BEHIND: tuple[Table, ...] = (
    schema.accounts,
    schema.tokens,
    schema.sessions,
    schema.second_factors,
    schema.recovery_codes,
    schema.identities,
    schema.grants,
    schema.tombstones,
    schema.meta,
    schema.leases,
    schema.latencies,
    schema.waiting,
    schema.mails,
    schema.credits,
    schema.notices,
    schema.links,
    schema.intakes,
    schema.sheet_people,
    schema.drafts,
    schema.summaries,
    schema.chains,
    schema.chain_links,
    schema.checkpoints,
    schema.audit_entries,
    *EVALUATION_TABLES,
    *RECRUITING_TABLES,
)

# What becomes of a cell of a row.
Change = Callable[[Any, Row[Any]], Any]


class DialogueMasks(Protocol):
    """How a dialogue and what was said of it are masked on the way."""

    def text(self, text: str) -> str: ...

    def value(self, value: Any) -> Any: ...

    def scenario(self) -> Scenario: ...

    def answer(self, value: Any, *, seq: int | None, closed: bool) -> Any: ...


class Masks(Protocol):
    """How texts are masked on the way."""

    def text(self, text: str) -> str: ...

    def id(self, id: str | None) -> str | None: ...

    def about(self, dialogue_id: int) -> DialogueMasks:
        """The masks of the dialogue that has this id."""
        ...

    def comparing(self, value: Any, dialogue_ids: Sequence[int]) -> Any:
        """An answer that compares dialogues, masked."""
        ...


@dataclass(frozen=True, slots=True)
class _Part:
    table: Table
    rows: Select[Any]
    # Column → what becomes of its value. A column that is not named is copied as it is.
    changes: dict[str, Change] = field(default_factory=dict)


def copied_tables() -> list[Table]:
    """The tables that go along, each after those it refers to."""
    return [table for table in schema.metadata.sorted_tables if table not in LEFT_BEHIND]


def copy_rows(
    source: Connection,
    target: Connection,
    *,
    study: str | None,
    masks: Masks,
    masked: bool,
) -> dict[str, int]:
    """Copy a study (or all) into a database that has the schema and no rows; rows per table.

    Names that panels gave to people and completion codes become null. `masks` are always applied to
    what participants reported, and to what was said and answered if it is to be `masked`.
    """
    counts = {}
    changes = _Changes(source, masks, masked=masked)
    for part in _parts(study, changes):
        counts[part.table.name] = _copy(source, target, part)
    dangling = target.execute(text("PRAGMA foreign_key_check")).all()
    if dangling:
        tables = ", ".join(sorted({row[0] for row in dangling}))
        raise StoreError(f"The copy would refer to rows that are not in it (in {tables}).")
    return counts


def _copy(source: Connection, target: Connection, part: _Part) -> int:
    # Compiled once and given plain tuples: the events of a large study are millions of rows.
    columns = list(part.table.columns)
    statement = str(insert(part.table).compile(dialect=target.dialect))
    changes = [
        (index, part.changes[column.name])
        for index, column in enumerate(columns)
        if column.name in part.changes
    ]
    rows = part.rows.order_by(*part.table.primary_key.columns)
    count = 0
    with source.execute(rows.execution_options(yield_per=BATCH)) as result:
        for batch in result.partitions():
            target.exec_driver_sql(statement, [_changed(row, changes) for row in batch])
            count += len(batch)
    return count


def _changed(row: Row[Any], changes: list[tuple[int, Change]]) -> tuple[Any, ...]:
    if not changes:
        return tuple(row)
    cells = list(row)
    for index, change in changes:
        if cells[index] is not None:
            cells[index] = change(cells[index], row)
    return tuple(cells)


def _parts(study: str | None, changes: "_Changes") -> list[_Part]:
    """What is copied, each table after those it refers to."""
    chosen = select(studies.c.id)
    if study is not None:
        chosen = chosen.where(studies.c.name == study)
    # Dialogues that the study has judged may have been collected by another one.
    judged = select(units.c.dialogue_id).where(
        units.c.study_id.in_(chosen), units.c.dialogue_id.is_not(None)
    )
    ours = or_(dialogues.c.study_id.in_(chosen), dialogues.c.id.in_(judged))
    in_dialogues = select(dialogues.c.id).where(ours)
    from_studies = select(dialogues.c.study_id).where(ours)
    who_talked = select(seats.c.assignment_id).where(
        seats.c.dialogue_id.in_(in_dialogues), seats.c.assignment_id.is_not(None)
    )
    visits = or_(assignments.c.study_id.in_(chosen), assignments.c.id.in_(who_talked))
    who_rated = select(labels.c.rater_id).where(labels.c.study_id.in_(chosen))
    people = (
        select(assignments.c.participant_id).where(visits),
        select(erasures.c.participant_id).where(erasures.c.study_id.in_(chosen)),
        select(standings.c.participant_id).where(standings.c.study_id.in_(chosen)),
        select(raters.c.participant_id).where(
            raters.c.id.in_(who_rated), raters.c.participant_id.is_not(None)
        ),
    )

    def of(table: Table) -> Select[Any]:
        return _unlinked(table).where(table.c.study_id.in_(chosen))

    def within(table: Table) -> Select[Any]:
        return _unlinked(table).where(table.c.dialogue_id.in_(in_dialogues))

    return [
        _Part(
            studies,
            select(studies).where(or_(studies.c.id.in_(chosen), studies.c.id.in_(from_studies))),
        ),
        _Part(
            participants,
            select(participants).where(or_(*(participants.c.id.in_(ids) for ids in people))),
            {"external_id": _nothing},
        ),
        _Part(
            assignments,
            select(assignments).where(visits),
            {"external_id": _nothing, "code": _nothing, "panel_study": _nothing},
        ),
        _Part(places, of(places)),
        _Part(dialogues, select(dialogues).where(ours), changes.of_dialogues()),
        _Part(seats, within(seats)),
        _Part(events, within(events), changes.of_events()),
        _Part(units, of(units)),
        _Part(raters, select(raters).where(raters.c.id.in_(who_rated))),
        _Part(sheets, of(sheets), changes.of_sheets()),
        _Part(slots, of(slots)),
        _Part(screenings, of(screenings)),
        _Part(standings, of(standings), changes.of_decisions()),
        _Part(
            exclusions,
            of(exclusions).where(exclusions.c.rater_id.in_(who_rated)),
            changes.of_decisions(),
        ),
        _Part(labels, of(labels), changes.of_labels()),
        _Part(problems, of(problems), {"text": changes.problem}),
        _Part(erasures, of(erasures)),
        _Part(stops, of(stops)),
        _Part(study_versions, of(study_versions), {"account": _nobody}),
        _Part(study_states, of(study_states), {"account": _nobody}),
    ]


def _unlinked(table: Table) -> Select[Any]:
    """The rows without their links: with a salt, words that were masked could be guessed."""
    links = {column.name for column in link_columns()} if "proof" in table.c else set()
    return select(*(null().label(c.name) if c.name in links else c for c in table.columns))


def _nothing(_: Any, __: Row[Any]) -> None:
    return None


def _nobody(value: Any, row: Row[Any]) -> str:
    return ""  # who works here is not part of the study


@dataclass(frozen=True, slots=True)
class _Place:
    """What a label judges: a dialogue, or an event of it; or the dialogues of a pair."""

    dialogue_id: int | None
    seq: int | None
    compared: tuple[int, ...] = ()


class _Changes:
    """What becomes of cells on the way; rows come dialogue by dialogue, as the masks expect."""

    def __init__(self, source: Connection, masks: Masks, *, masked: bool) -> None:
        self._source = source
        self._masks = masks
        self._masked = masked
        self._sheet_names = Counter[str]()

    def problem(self, words: str, row: Row[Any]) -> str:
        within = self._masks if row.dialogue_id is None else self._masks.about(row.dialogue_id)
        return within.text(words)

    def of_dialogues(self) -> dict[str, Change]:
        return {"scenario": self._scenario, "source_id": self._id} if self._masked else {}

    def of_events(self) -> dict[str, Change]:
        return {"data": self._said} if self._masked else {}

    def of_labels(self) -> dict[str, Change]:
        return {"value": self._answer} if self._masked else {}

    def of_sheets(self) -> dict[str, Change]:
        return {"name": self._sheet_name} if self._masked else {}

    def of_decisions(self) -> dict[str, Change]:
        """Who decided something, and why, is in the words of people who have accounts."""
        return {"reason": self._text, "account": self._text} if self._masked else {}

    def _text(self, words: str, _: Row[Any]) -> str:
        return self._masks.text(words)

    def _id(self, id: str, _: Row[Any]) -> str | None:
        return self._masks.id(id)

    def _scenario(self, _: str, row: Row[Any]) -> str:
        return msgspec.json.encode(self._masks.about(row.id).scenario()).decode()

    def _said(self, cell: str, row: Row[Any]) -> str:
        masked = self._masks.about(row.dialogue_id).value(msgspec.json.decode(cell))
        return msgspec.json.encode(masked).decode()

    def _answer(self, cell: str, row: Row[Any]) -> str:
        value = msgspec.json.decode(cell)
        if isinstance(value, int | float):
            return cell
        closed, place = row.label is not None, self._place(row.unit_id)
        if place.dialogue_id is not None:
            about = self._masks.about(place.dialogue_id)
            value = about.answer(value, seq=place.seq, closed=closed)
        elif not closed:
            value = self._masks.comparing(value, place.compared)
        return msgspec.json.encode(value).decode()

    def _place(self, unit_id: int) -> _Place:
        columns = (
            units.c.dialogue_id,
            units.c.first_seq,
            units.c.first_unit_id,
            units.c.second_unit_id,
        )
        unit = self._source.execute(select(*columns).where(units.c.id == unit_id)).one()
        members = [unit.first_unit_id, unit.second_unit_id]
        if unit.dialogue_id is not None or None in members:
            return _Place(unit.dialogue_id, unit.first_seq)
        sides = select(units.c.dialogue_id).where(
            units.c.id.in_(members), units.c.dialogue_id.is_not(None)
        )
        found = self._source.execute(sides.order_by(units.c.id)).scalars()
        return _Place(None, None, tuple(found))

    def _sheet_name(self, name: str, _: Row[Any]) -> str:
        masked = self._masks.id(name)
        if masked is None or masked == name:
            return name
        self._sheet_names[masked] += 1
        # Sheets of one stage have names of their own, also where what told them apart is gone.
        return f"{masked} {self._sheet_names[masked]}"
