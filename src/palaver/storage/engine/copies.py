"""Copying a study's rows into a database of their own, without what must not leave.

Every table of the schema is either copied here, with the rows and columns said below, or named in
`LEFT_BEHIND`; a test fails when a new table is neither. Ids stay as they are, so references hold.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, Table, insert, or_, select, text

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
    studies,
    units,
)
from palaver.storage.schema.evaluation import EVALUATION_TABLES

BATCH = 5000

# Who may sign in, what signs links, what only a running server needs, names out of files, answers
# that nobody has sent, what is summed up again, and the evaluation server, which belongs to no study.
LEFT_BEHIND: tuple[Table, ...] = (
    schema.accounts,
    schema.tokens,
    schema.meta,
    schema.leases,
    schema.waiting,
    schema.intakes,
    schema.sheet_people,
    schema.drafts,
    schema.summaries,
    *EVALUATION_TABLES,
)

Change = Callable[[Any], Any]

_decode_scenario = msgspec.json.Decoder(Scenario).decode


@dataclass(frozen=True, slots=True)
class Masks:
    """How texts are masked on the way; the identity where they are not."""

    value: Callable[[Any], Any]
    scenario: Callable[[Scenario], Scenario]
    id: Callable[[str], str | None]


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
    masks: Masks | None,
    problem_mask: Callable[[str], str],
) -> dict[str, int]:
    """Copy a study (or all) into a database that has the schema and no rows; rows per table.

    Names that panels gave to people and completion codes become null. `masks`, where given, is
    applied to what was said and answered; `problem_mask` always to what participants reported.
    """
    counts = {}
    for part in _parts(study, masks, problem_mask):
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
            target.exec_driver_sql(statement, [_changed(tuple(row), changes) for row in batch])
            count += len(batch)
    return count


def _changed(row: tuple[Any, ...], changes: list[tuple[int, Change]]) -> tuple[Any, ...]:
    if not changes:
        return row
    cells = list(row)
    for index, change in changes:
        if cells[index] is not None:
            cells[index] = change(cells[index])
    return tuple(cells)


def _parts(
    study: str | None, masks: Masks | None, problem_mask: Callable[[str], str]
) -> list[_Part]:
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
        return select(table).where(table.c.study_id.in_(chosen))

    def within(table: Table) -> Select[Any]:
        return select(table).where(table.c.dialogue_id.in_(in_dialogues))

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
            {"external_id": _nothing, "code": _nothing},
        ),
        _Part(places, of(places)),
        _Part(dialogues, select(dialogues).where(ours), _dialogue_changes(masks)),
        _Part(seats, within(seats)),
        _Part(events, within(events), _json_change("data", masks)),
        _Part(units, of(units)),
        _Part(raters, select(raters).where(raters.c.id.in_(who_rated))),
        _Part(sheets, of(sheets), _sheet_changes(masks)),
        _Part(slots, of(slots)),
        _Part(screenings, of(screenings)),
        _Part(standings, of(standings)),
        _Part(exclusions, of(exclusions).where(exclusions.c.rater_id.in_(who_rated))),
        _Part(labels, of(labels), _json_change("value", masks)),
        _Part(problems, of(problems), {"text": problem_mask}),
        _Part(erasures, of(erasures)),
    ]


def _nothing(_: Any) -> None:
    return None


def _json_change(column: str, masks: Masks | None) -> dict[str, Change]:
    if masks is None:
        return {}
    mask_value = masks.value

    def change(cell: str) -> str:
        return msgspec.json.encode(mask_value(msgspec.json.decode(cell))).decode()

    return {column: change}


def _sheet_changes(masks: Masks | None) -> dict[str, Change]:
    if masks is None:
        return {}
    mask_id, before = masks.id, Counter[str]()

    def change(name: str) -> str:
        masked = mask_id(name)
        if masked is None or masked == name:
            return name
        before[masked] += 1
        # Sheets of one stage have names of their own, also where what told them apart is gone.
        return f"{masked} {before[masked]}"

    return {"name": change}


def _dialogue_changes(masks: Masks | None) -> dict[str, Change]:
    if masks is None:
        return {}
    mask_scenario = masks.scenario

    def change(cell: str) -> str:
        return msgspec.json.encode(mask_scenario(_decode_scenario(cell))).decode()

    return {"scenario": change, "source_id": masks.id}
