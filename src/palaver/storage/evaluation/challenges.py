"""Challenges and what teams handed in to them, in the store.

An entry is a row of `submissions` that points at a model version of its track's task. Nothing of it
is deleted: one that is withdrawn or replaced keeps its row and its file.
"""

import secrets
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, Select, exists, func, insert, select, update

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.challenge_entries import Entry, EntryState
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.registry import near
from palaver.storage.evaluation.runs import was_replaced
from palaver.storage.schema.evaluation import (
    challenges,
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
    """Record that a team handed in a file."""
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
    return [_entry(row) for row in connection.execute(statement)]


def retire_entry_models(
    connection: Connection, version_ids: Collection[int], *, now: float
) -> None:
    """Let nothing new be planned for the models behind entries; what they have is kept."""
    behind = select(model_versions.c.model_id).where(model_versions.c.id.in_(version_ids))
    connection.execute(update(models).where(models.c.id.in_(behind)).values(retired=now))


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
    return select(
        submissions,
        submitters.c.team,
        is_replaced.label("is_replaced"),
        has("failed", "cancelled").label("has_failed"),
        has("waiting", "answering", "scoring").label("is_running"),
        reason.label("reason"),
    ).join(submitters, submitters.c.id == submissions.c.submitter_id)


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
        submitter_id=row.submitter_id,
        model_version_id=row.model_version_id,
        path=row.path,
    )
