"""Exclusions: raters whose labels a study does not count. Nothing is deleted; the newest row holds."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, func, insert, select, tuple_

from palaver.core.studies.raters import ExclusionNote
from palaver.storage.engine.chain import EXCLUSION, link
from palaver.storage.schema import exclusions, studies


def exclude(
    connection: Connection,
    *,
    study_id: int,
    rater_id: int,
    excluded: bool,
    account: str = "",
    reason: str = "",
    now: float,
) -> ExclusionNote:
    """Leave a rater's labels out of a study's counts, or take them in again."""
    note = ExclusionNote(study_id, rater_id, excluded, account, reason, now)
    row = asdict(note)
    made = connection.execute(insert(exclusions).values(row).returning(exclusions.c.id))
    link(connection, EXCLUSION, [{**row, "id": made.scalar_one()}], study_id=study_id)
    return note


def exclusion_notes(
    connection: Connection, *, study_id: int | None = None, rater_id: int | None = None
) -> list[ExclusionNote]:
    """The exclusions of a study or of a rater, oldest first; the newest of a rater holds."""
    statement = select(
        exclusions.c.study_id,
        exclusions.c.rater_id,
        exclusions.c.excluded,
        exclusions.c.account,
        exclusions.c.reason,
        exclusions.c.time,
    ).order_by(exclusions.c.id)
    if study_id is not None:
        statement = statement.where(exclusions.c.study_id == study_id)
    if rater_id is not None:
        statement = statement.where(exclusions.c.rater_id == rater_id)
    return [ExclusionNote(*row) for row in connection.execute(statement)]


def excluded_raters(connection: Connection, study_id: int) -> set[int]:
    """The raters whose labels a study does not count."""
    rows = connection.execute(excluded_pairs().where(exclusions.c.study_id == study_id))
    return {row.rater_id for row in rows}


def count_excluded(connection: Connection, study: str) -> int:
    """How many raters the study of this name does not count."""
    study_id = select(studies.c.id).where(studies.c.name == study).scalar_subquery()
    rows = connection.execute(excluded_pairs().where(exclusions.c.study_id == study_id))
    return len(rows.all())


def not_excluded(labels: FromClause) -> ColumnElement[bool]:
    """The condition that a row of labels is by a rater whom its study counts."""
    # Not correlated: both databases look the few excluded raters up once for the whole statement.
    return tuple_(labels.c.study_id, labels.c.rater_id).not_in(excluded_pairs())


def excluded_pairs() -> Select[Any]:
    """The studies and raters that are excluded there, as they stand."""
    newest = select(func.max(exclusions.c.id)).group_by(
        exclusions.c.study_id, exclusions.c.rater_id
    )
    return select(exclusions.c.study_id, exclusions.c.rater_id).where(
        exclusions.c.excluded, exclusions.c.id.in_(newest)
    )
