"""The notices of studies: which occasions were told to whom, and which hooks wait.

A notice is written once for each recipient of an occasion, under a key that says so; a second process
that notices the same writes nothing. One by mail is a letter of the outbox under the same key, written
in the same transaction. One by hook waits here, and whoever sends takes it under a lease.
"""

import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Case, Connection, Row, and_, case, func, select, update

from palaver.core.outbox import SendingState
from palaver.core.studies.notices import Channel, Notice, NoticeEvent, NoticeList, Occasion
from palaver.storage.outbox.box import Outbox, by_state, count_states, put, revive
from palaver.storage.schema import mails, notices, problems, studies

MOST_LISTED = 200


def _notice(row: Row[Any]) -> Notice:
    values = dict(row._mapping)
    whole = values["recipient"]
    if values["channel"] == "hook":
        values["recipient"] = urlsplit(whole).netloc
    # A letter that somebody deleted from the outbox tells no state of its own.
    values["state"] = values["state"] or "sent"
    values["attempts"], values["due"] = values["attempts"] or 0, values["due"] or 0.0
    return Notice(**{**values, "reason": values["reason"] or ""}, address=whole)


def _of_letter(column: str) -> Case[Any]:
    """A column of the letter for notices by mail, of the notice itself for the others."""
    return case((notices.c.channel == "mail", mails.c[column]), else_=notices.c[column])


_KEPT = ("id", "key", "event", "channel", "recipient", "words", "created", "over", "path", "holder")
_TOLD = notices.outerjoin(mails, and_(notices.c.channel == "mail", mails.c.key == notices.c.key))
_STATE = _of_letter("state")

HOOKS = Outbox(
    notices,
    select(
        *(notices.c[name] for name in _KEPT),
        studies.c.name.label("study"),
        *(_of_letter(name).label(name) for name in ("state", "attempts", "due", "reason", "sent")),
    )
    .select_from(_TOLD)
    .join(studies, studies.c.id == notices.c.study_id),
    _notice,
    lease_seconds=120.0,
    conditions=(notices.c.channel == "hook",),
)


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
    is_new = put(
        connection,
        notices,
        key=key,
        now=now,
        study_id=study_id,
        event=occasion.event,
        subject=occasion.subject,
        number=number,
        channel=channel,
        recipient=recipient,
        words=occasion.words,
        path=occasion.path,
        over=None if lasts else now,
    )
    return key if is_new else None


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


def revive_hooks(connection: Connection, study_id: int, *, now: float) -> int:
    """Let notices by hook of a study that failed be tried again, now; how many they are."""
    return revive(connection, HOOKS.where(notices.c.study_id == study_id), now=now)


def list_notices(connection: Connection, study_id: int, *, most: int = MOST_LISTED) -> NoticeList:
    """The notices of a study, newest first; those by mail as their letters stand."""
    of_study = notices.c.study_id == study_id
    counts = select(_STATE, func.count()).select_from(_TOLD).where(of_study).group_by(_STATE)
    rows = HOOKS.rows.where(of_study).order_by(notices.c.id.desc()).limit(most)
    return NoticeList(
        **by_state(connection.execute(counts)),
        notices=tuple(_notice(row) for row in connection.execute(rows)),
    )


def count_hooks(connection: Connection) -> dict[SendingState, int]:
    """How many notices by hook there are in each state."""
    return count_states(connection, HOOKS)


def last_hook_trouble(connection: Connection) -> str:
    """What was said last to a notice by hook that was not taken; empty if all were."""
    return (
        connection.execute(
            select(notices.c.reason)
            .where(*HOOKS.conditions, notices.c.state != "sent", notices.c.reason != "")
            .order_by(notices.c.id.desc())
            .limit(1)
        ).scalar()
        or ""
    )
