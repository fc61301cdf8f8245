"""Challenges and what teams handed in to them, in the store.

An entry is a row of `submissions` that points at a model version of its track's task. Nothing of it
is deleted: one that is withdrawn or replaced keeps its row and its file.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, exists, func, insert, select, update

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.challenge_entries import Entry, EntryState
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.models import UPLOADED
from palaver.core.registry import near
from palaver.storage.engine.statements import store_now
from palaver.storage.evaluation.runs import drop_unended, was_replaced
from palaver.storage.schema.evaluation import (
    challenges,
    jobs,
    model_versions,
    models,
    runs,
    submissions,
    submitters,
)


def register_challenge(
    connection: Connection,
    *,
    name: str,
    title: str,
    definition: str,
    digest: str,
    folder: str,
    now: float,
) -> None:
    """Store a challenge, or its new definition; what halves are drawn with stays as it is."""
    values = {"title": title, "definition": definition, "digest": digest, "folder": folder}
    known = connection.execute(select(challenges.c.id).where(challenges.c.name == name)).scalar()
    if known is not None:
        connection.execute(update(challenges).where(challenges.c.id == known).values(**values))
        return
    salt = secrets.token_hex(16)
    connection.execute(insert(challenges).values(name=name, salt=salt, created=now, **values))


def set_challenge(connection: Connection, challenge_id: int, **values: Any) -> None:
    """Change what was decided about a challenge: `public`, `frozen`, `published`."""
    connection.execute(update(challenges).where(challenges.c.id == challenge_id).values(**values))


def find_challenge(connection: Connection, name: str) -> StoredChallenge:
    """The challenge called `name`; UnknownNameError names what is near."""
    row = connection.execute(select(challenges).where(challenges.c.name == name)).one_or_none()
    if row is None:
        names = [each.name for each in list_challenges(connection)]
        raise UnknownNameError(f"No challenge '{name[:80]}' is stored here.{near(name, names)}")
    return _challenge(row)


def find_challenge_by_id(connection: Connection, challenge_id: int) -> StoredChallenge:
    return _challenge(
        connection.execute(select(challenges).where(challenges.c.id == challenge_id)).one()
    )


def list_challenges(connection: Connection) -> list[StoredChallenge]:
    """Every challenge, by name."""
    rows = connection.execute(select(challenges).order_by(challenges.c.name))
    return [_challenge(row) for row in rows]


def hold_challenge(
    connection: Connection, challenge_id: int, *, alone: bool = False
) -> StoredChallenge:
    """The challenge as it is, and stays until this transaction ends; `alone`: nobody else holds it.

    Whoever hands something in holds it beside others; whoever closes it, or adds a team under a name
    that must be unique, holds it alone.
    """
    wanted = select(challenges).where(challenges.c.id == challenge_id)
    held = wanted.with_for_update(key_share=True) if alone else wanted.with_for_update(read=True)
    return _challenge(connection.execute(held).one())


def record_entry(
    connection: Connection,
    *,
    key: str,
    submitter_id: int,
    model_version_id: int,
    track: str,
    phase: str,
    run: int,
    late: bool,
    path: str,
    digest: str,
    now: float,
) -> None:
    """Record that a team handed in a file, or registered an endpoint."""
    connection.execute(
        insert(submissions).values(
            key=key,
            submitter_id=submitter_id,
            model_version_id=model_version_id,
            track=track,
            phase=phase,
            run=run,
            late=late,
            path=path,
            digest=digest,
            created=now,
        )
    )


def set_entries(connection: Connection, keys: Collection[str], **values: Any) -> None:
    """Change what was decided about entries: `withdrawn`, `final`."""
    connection.execute(update(submissions).where(submissions.c.key.in_(keys)).values(**values))


def list_entries(
    connection: Connection,
    challenge_id: int,
    *,
    submitter_id: int | None = None,
    track: str | None = None,
    phase: str | None = None,
    key: str | None = None,
) -> list[Entry]:
    """What was handed in, oldest first; replaced and withdrawn ones too, without scores."""
    statement = _ENTRIES.where(submitters.c.challenge_id == challenge_id).order_by(submissions.c.id)
    wanted = {
        submissions.c.submitter_id: submitter_id,
        submissions.c.track: track,
        submissions.c.phase: phase,
        submissions.c.key: key,
    }
    for column, value in wanted.items():
        if value is not None:
            statement = statement.where(column == value)
    return _with_asking(connection, [_entry(row) for row in connection.execute(statement)])


def retire_entry_models(
    connection: Connection, version_ids: Collection[int], *, now: float
) -> None:
    """Let the models behind entries not be asked any more; what they have answered is kept."""
    behind = select(model_versions.c.model_id).where(model_versions.c.id.in_(version_ids))
    connection.execute(update(models).where(models.c.id.in_(behind)).values(retired=now))
    drop_unended(connection, version_ids, reason="The entry was withdrawn or replaced.", now=now)


@dataclass(frozen=True, slots=True)
class _AskedRun:
    """The newest run of an endpoint; `is_due` says whether its time has come."""

    state: str
    reason: str
    items: int
    asked: int
    is_due: bool


def _asked_runs(connection: Connection, version_ids: Sequence[int]) -> dict[int, _AskedRun]:
    """By model version its newest run that was not replaced."""
    later = exists().where(
        jobs.c.run_id == runs.c.id,
        jobs.c.kind == "answer",
        jobs.c.state == "waiting",
        jobs.c.started.is_(None),
        jobs.c.due > store_now(),
    )
    rows = connection.execute(
        select(
            runs.c.model_version_id,
            runs.c.state,
            runs.c.reason,
            runs.c["items"].label("total"),
            (runs.c.answered + runs.c.refused).label("asked"),
            later.label("is_later"),
        )
        .where(and_(runs.c.model_version_id.in_(version_ids), ~was_replaced()))
        .order_by(runs.c.id)
    )
    return {
        row.model_version_id: _AskedRun(
            row.state, row.reason, row.total, row.asked, not row.is_later
        )
        for row in rows
    }


def _with_asking(connection: Connection, entries: list[Entry]) -> list[Entry]:
    """The entries; endpoints with how far their newest run is."""
    versions = [each.model_version_id for each in entries if each.is_endpoint]
    if not versions:
        return entries
    known = _asked_runs(connection, versions)
    return [
        _asking(each, known.get(each.model_version_id)) if each.is_endpoint else each
        for each in entries
    ]


def _asking(entry: Entry, run: _AskedRun | None) -> Entry:
    state: EntryState = "scheduled"
    if entry.withdrawn is not None:
        state = "withdrawn"
    elif run is None or not run.is_due:
        state = "scheduled"
    elif run.state in ("failed", "cancelled"):
        state = "failed"
    else:
        state = "scored" if run.state == "done" else "running"
    told = run.reason if run is not None and state in ("failed", "running") else ""
    asked, items = (None, None) if run is None else (run.asked, run.items)
    return replace(entry, state=state, reason=told, asked=asked, items=items)


def _entries() -> Select[Any]:
    later = submissions.alias("later")
    is_replaced = exists().where(
        later.c.submitter_id == submissions.c.submitter_id,
        later.c.track == submissions.c.track,
        later.c.phase == submissions.c.phase,
        later.c.run == submissions.c.run,
        later.c.id > submissions.c.id,
    )
    ours = runs.c.model_version_id == submissions.c.model_version_id

    def has(*states: str) -> Any:
        return exists().where(ours, runs.c.state.in_(states), ~was_replaced())

    reason = (
        select(func.max(runs.c.reason)).where(ours, runs.c.state.in_(["failed", "cancelled"]))
    ).scalar_subquery()
    return (
        select(
            submissions,
            submitters.c.team,
            model_versions.c.kind,
            is_replaced.label("is_replaced"),
            has("failed", "cancelled").label("has_failed"),
            has("waiting", "answering", "scoring").label("is_running"),
            reason.label("reason"),
        )
        .join(submitters, submitters.c.id == submissions.c.submitter_id)
        .join(model_versions, model_versions.c.id == submissions.c.model_version_id)
    )


_ENTRIES = _entries()


def _challenge(row: Row[Any]) -> StoredChallenge:
    known = dict(row._mapping)
    return StoredChallenge(content=known.pop("definition"), **known)


def _entry(row: Row[Any]) -> Entry:
    state: EntryState = "scored"
    if row.withdrawn is not None:
        state = "withdrawn"
    elif row.has_failed:
        state = "failed"
    elif row.is_running:
        state = "running"
    return Entry(
        key=row.key,
        team=row.team,
        track=row.track,
        phase=row.phase,
        run=row.run,
        state=state,
        created=row.created,
        is_late=bool(row.late),
        is_final=bool(row.final),
        is_replaced=bool(row.is_replaced),
        withdrawn=row.withdrawn,
        digest=row.digest,
        reason=(row.reason or "") if state == "failed" else "",
        kind="" if row.kind == UPLOADED else row.kind,
        submitter_id=row.submitter_id,
        model_version_id=row.model_version_id,
        path=row.path,
    )
