"""The notices of studies: which occasions were told to whom, and which hooks wait.

A notice is written once for each recipient of an occasion, under a key that says so; a second process
that notices the same writes nothing. One by mail is a letter of the outbox under the same key, written
in the same transaction. One by hook waits here, and whoever sends takes it under a lease.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, Row, Select, and_, case, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.studies.notices import (
    Channel,
    Notice,
    NoticeEvent,
    NoticeList,
    NoticeState,
    Occasion,
)
from palaver.storage.engine.holders import is_gone
from palaver.storage.engine.statements import store_now
from palaver.storage.schema import mails, notices, problems, studies

# Longer than every step of sending one notice may take together.
LEASE_SECONDS = 120.0
MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class ToldOccasion:
    """The latest time that an occasion of a subject was told; `over` is null while it lasts."""

    number: int
    created: float
    over: float | None


def latest_occasions(
    connection: Connection, study_id: int
) -> dict[tuple[NoticeEvent, str], ToldOccasion]:
    """When each subject of a study was told last."""
    newest = (
        select(notices.c.event, notices.c.subject, func.max(notices.c.number).label("number"))
        .where(notices.c.study_id == study_id)
        .group_by(notices.c.event, notices.c.subject)
        .subquery()
    )
    rows = connection.execute(
        select(
            notices.c.event,
            notices.c.subject,
            notices.c.number,
            func.min(notices.c.created),
            func.max(notices.c.over),
        )
        .join(
            newest,
            and_(
                notices.c.event == newest.c.event,
                notices.c.subject == newest.c.subject,
                notices.c.number == newest.c.number,
            ),
        )
        .where(notices.c.study_id == study_id)
        .group_by(notices.c.event, notices.c.subject, notices.c.number)
    )
    return {
        (event, subject): ToldOccasion(int(number), created, over)
        for event, subject, number, created, over in rows
    }


def notice_key(
    study_id: int, occasion: Occasion, number: int, channel: Channel, recipient: str
) -> str:
    """The key of a notice, the same for whoever writes it; it goes out, and says no number of here."""
    what = f"{study_id}/{occasion.event}/{occasion.subject}/{number}"
    return f"notice/{_mark(what)}/{_mark(f'{what}/{channel}:{recipient}')}"


def _mark(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def add_notice(
    connection: Connection,
    study_id: int,
    occasion: Occasion,
    *,
    number: int,
    channel: Channel,
    recipient: str,
    lasts: bool,
    now: float,
) -> str | None:
    """Write a notice, due at once; its key, or None if it is there already."""
    key = notice_key(study_id, occasion, number, channel, recipient)
    if connection.execute(select(notices.c.id).where(notices.c.key == key)).scalar():
        return None
    values = {
        "key": key,
        "study_id": study_id,
        "event": occasion.event,
        "subject": occasion.subject,
        "number": number,
        "channel": channel,
        "recipient": recipient,
        "words": occasion.words,
        "path": occasion.path,
        "state": "waiting",
        "due": now,
        "created": now,
        "over": None if lasts else now,
    }
    try:
        with connection.begin_nested():
            connection.execute(insert(notices).values(values))
    except IntegrityError:
        return None  # another process wrote it in between
    return key


def mark_over(
    connection: Connection,
    study_id: int,
    event: NoticeEvent,
    subject: str,
    number: int,
    *,
    at: float | None,
) -> None:
    """Note that an occasion has passed, or that it goes on after all."""
    connection.execute(
        update(notices)
        .where(
            notices.c.study_id == study_id,
            notices.c.event == event,
            notices.c.subject == subject,
            notices.c.number == number,
        )
        .values(over=at)
    )


def count_reports(connection: Connection, study_id: int) -> int:
    """How many problems participants of a study have reported, ever."""
    return int(
        connection.execute(
            select(func.count()).select_from(problems).where(problems.c.study_id == study_id)
        ).scalar_one()
    )


def has_due_hook(connection: Connection, *, now: float) -> bool:
    """Whether a notice by hook waits that nobody is sending: a look that locks nothing."""
    if connection.execute(_claimable(now).limit(1)).scalar() is not None:
        return True
    return bool(_dead_holders(connection))


def claim_hook(
    connection: Connection, holder: str, *, now: float, lease: float = LEASE_SECONDS
) -> Notice | None:
    """Take the notice by hook that is due for longest; None if there is none."""
    if gone := _dead_holders(connection):
        connection.execute(
            update(notices)
            .where(notices.c.state == "waiting", notices.c.holder.in_(gone))
            .values(holder=None, lease=None)
        )
    found = connection.execute(
        _claimable(now).limit(1).with_for_update(skip_locked=True, key_share=True)
    ).scalar()
    if found is None:
        return None
    connection.execute(
        update(notices)
        .where(notices.c.id == found)
        .values(holder=holder, lease=store_now() + lease)
    )
    return _notice(connection.execute(_select().where(notices.c.id == found)).one())


def mark_sent(connection: Connection, notice: Notice, *, now: float) -> None:
    """The other side took a notice, whoever holds it by now."""
    connection.execute(
        update(notices)
        .where(notices.c.id == notice.id, notices.c.state != "sent")
        .values(
            state="sent",
            sent=now,
            attempts=notices.c.attempts + 1,
            reason="",
            holder=None,
            lease=None,
        )
    )


def postpone(
    connection: Connection, notice: Notice, reason: str, *, due: float, counts: bool = True
) -> None:
    """A notice was not taken now: it is tried again at `due`."""
    attempts = notice.attempts + (1 if counts else 0)
    _note(connection, notice, reason=reason, attempts=attempts, due=due)


def refuse(connection: Connection, notice: Notice, reason: str) -> None:
    """A notice will never be taken: somebody must look."""
    _note(connection, notice, state="failed", reason=reason, attempts=notice.attempts + 1)


def revive(connection: Connection, study_id: int, *, now: float) -> int:
    """Let notices by hook of a study that failed be tried again, now; how many they are."""
    changed = connection.execute(
        update(notices)
        .where(
            notices.c.study_id == study_id,
            notices.c.channel == "hook",
            notices.c.state == "failed",
        )
        .values(state="waiting", attempts=0, due=now)
    )
    return changed.rowcount


def list_notices(connection: Connection, study_id: int, *, most: int = MOST_LISTED) -> NoticeList:
    """The notices of a study, newest first; those by mail as their letters stand."""
    counts = select(_STATE, func.count()).select_from(_TOLD).where(notices.c.study_id == study_id)
    known = _by_state(connection.execute(counts.group_by(_STATE)))
    rows = connection.execute(
        _select().where(notices.c.study_id == study_id).order_by(notices.c.id.desc()).limit(most)
    )
    return NoticeList(
        waiting=known.get("waiting", 0),
        sent=known.get("sent", 0),
        failed=known.get("failed", 0),
        notices=tuple(_notice(row) for row in rows),
    )


def count_hooks(connection: Connection) -> dict[NoticeState, int]:
    """How many notices by hook there are in each state."""
    rows = connection.execute(
        select(notices.c.state, func.count())
        .where(notices.c.channel == "hook")
        .group_by(notices.c.state)
    )
    known = _by_state(rows)
    return {state: known.get(state, 0) for state in ("waiting", "sent", "failed")}


def last_hook_trouble(connection: Connection) -> str:
    """What was said last to a notice by hook that was not taken; empty if all were."""
    return (
        connection.execute(
            select(notices.c.reason)
            .where(notices.c.channel == "hook", notices.c.state != "sent", notices.c.reason != "")
            .order_by(notices.c.id.desc())
            .limit(1)
        ).scalar()
        or ""
    )


def _by_state(rows: Iterable[Any]) -> dict[str, int]:
    return {state: count for state, count in rows}  # noqa: C416  (rows are no pairs to a checker)


_TOLD = notices.outerjoin(mails, and_(notices.c.channel == "mail", mails.c.key == notices.c.key))
_STATE = case((notices.c.channel == "mail", mails.c.state), else_=notices.c.state)


def _of_letter(column: str) -> Any:
    """A column of the letter for notices by mail, of the notice itself for the others."""
    chosen = case((notices.c.channel == "mail", mails.c[column]), else_=notices.c[column])
    return chosen.label(column)


def _select() -> Select[Any]:
    kept = ("id", "key", "event", "channel", "recipient", "words", "created", "over", "path")
    return (
        select(
            *(notices.c[name] for name in kept),
            notices.c.holder,
            studies.c.name.label("study"),
            *(_of_letter(name) for name in ("state", "attempts", "due", "reason", "sent")),
        )
        .select_from(_TOLD)
        .join(studies, studies.c.id == notices.c.study_id)
    )


def _claimable(now: float) -> Select[tuple[int]]:
    free = or_(notices.c.holder.is_(None), notices.c.lease < store_now())
    return (
        select(notices.c.id)
        .where(
            notices.c.channel == "hook",
            notices.c.state == "waiting",
            notices.c.due <= now,
            free,
        )
        .order_by(notices.c.due, notices.c.id)
    )


def _dead_holders(connection: Connection) -> list[str]:
    held = select(notices.c.holder).where(
        notices.c.state == "waiting", notices.c.holder.is_not(None)
    )
    found: Iterable[str] = connection.execute(held.distinct()).scalars()
    return [holder for holder in found if is_gone(holder)]


def _note(connection: Connection, notice: Notice, **values: Any) -> None:
    """Note what came of a notice; nothing if another process has taken it since."""
    mine = and_(notices.c.id == notice.id, notices.c.holder == notice.holder)
    connection.execute(
        update(notices)
        .where(mine, notices.c.state == "waiting")
        .values(**values, holder=None, lease=None)
    )


def _notice(row: Row[Any]) -> Notice:
    values = dict(row._mapping)
    whole = values["recipient"]
    if values["channel"] == "hook":
        values["recipient"] = urlsplit(whole).netloc
    # A letter that somebody deleted from the outbox tells no state of its own.
    values["state"] = values["state"] or "sent"
    values["attempts"], values["due"] = values["attempts"] or 0, values["due"] or 0.0
    return Notice(**{**values, "reason": values["reason"] or ""}, address=whole)
