"""Submissions as rows: what a panel says of each, the newest news of it, whoever brought it.

News comes by hooks and by reading lists, twice, late and in any order: what is older than what is
known changes nothing. A submission is found by a keyed hash of the panel's id, so that one of
somebody who was erased is known again without the id being kept.
"""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.errors import MissingError
from palaver.core.recruiting.submissions import Decision, DecisionState, KeptSubmission
from palaver.storage.engine.signing import LASTING, ensure_key
from palaver.storage.schema.recruiting import panel_submissions

_encode = msgspec.json.Encoder().encode
_detail = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionNews:
    """What a panel said of a submission once, to be kept if it is new; None where it does not say."""

    panel_id: str
    state: str
    time: float
    participant: str | None = None
    started: float | None = None
    completed: float | None = None
    seconds: float | None = None
    code: str | None = None
    reward: int | None = None
    bonus: int | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """A submission after news of it, and the state before; the same where nothing was new."""

    submission: KeptSubmission
    before: str

    @property
    def has_moved(self) -> bool:
        return self.submission.state != self.before


def note_news(
    connection: Connection, recruitment_id: int, news: SubmissionNews, *, now: float
) -> Noted:
    """Take in what a panel says of a submission, unless something newer is known."""
    mark = fingerprint(connection, news.panel_id)
    row = _locked(connection, recruitment_id, mark)
    if row is None:
        try:
            with connection.begin_nested():
                connection.execute(
                    insert(panel_submissions).values(
                        recruitment_id=recruitment_id,
                        fingerprint=mark,
                        panel_id=news.panel_id,
                        participant=news.participant,
                        state=news.state,
                        state_time=news.time,
                        seen=now,
                        **_facts(news),
                    )
                )
        except IntegrityError:
            row = _locked(connection, recruitment_id, mark)  # another process was first
        else:
            row = _locked(connection, recruitment_id, mark)
            assert row is not None
            return Noted(_submission(row), "")
    assert row is not None
    before = row.state
    # Details do not move in time: whichever news says them fills them in.
    values: dict[str, Any] = {"seen": now, **_facts(news)}
    if row.panel_id is None:
        values.pop("code", None)  # of somebody who was erased nothing comes back that names them
    elif row.participant is None and news.participant:
        values["participant"] = news.participant
    if news.time >= row.state_time:
        values |= {"state": news.state, "state_time": news.time}
    connection.execute(
        update(panel_submissions).where(panel_submissions.c.id == row.id).values(**values)
    )
    return Noted(submission_by_id(connection, row.id), before)


def fingerprint(connection: Connection, panel_id: str) -> str:
    """The keyed hash under which a submission is known."""
    key = ensure_key(connection, LASTING).encode()
    return hmac.new(key, b"submission\0" + panel_id.encode(), hashlib.sha256).hexdigest()


def submission_by_id(connection: Connection, submission_id: int) -> KeptSubmission:
    row = connection.execute(
        select(panel_submissions).where(panel_submissions.c.id == submission_id)
    ).one()
    return _submission(row)


def find_submission(
    connection: Connection, recruitment_id: int, panel_id: str, *, lock: bool = False
) -> KeptSubmission:
    """The submission that the panel calls so; MissingError if it is not known."""
    statement = select(panel_submissions).where(
        panel_submissions.c.recruitment_id == recruitment_id,
        panel_submissions.c.panel_id == panel_id,
    )
    if lock:
        statement = statement.with_for_update()
    row = connection.execute(statement).one_or_none()
    if row is None:
        raise MissingError(f"No submission '{panel_id[:40]}' is known in this recruitment.")
    return _submission(row)


def known_by_panel(connection: Connection, panel_id: str) -> KeptSubmission | None:
    """The submission that a panel calls so, in whichever recruitment; None if it is not known."""
    row = connection.execute(
        select(panel_submissions)
        .where(panel_submissions.c.fingerprint == fingerprint(connection, panel_id))
        .order_by(panel_submissions.c.id)
        .limit(1)
    ).one_or_none()
    return None if row is None else _submission(row)


def list_submissions(
    connection: Connection, recruitment_id: int, *, states: Collection[str] = ()
) -> list[KeptSubmission]:
    """The submissions of a recruitment, oldest first."""
    statement = (
        select(panel_submissions)
        .where(panel_submissions.c.recruitment_id == recruitment_id)
        .order_by(panel_submissions.c.id)
    )
    if states:
        statement = statement.where(panel_submissions.c.state.in_(list(states)))
    return [_submission(row) for row in connection.execute(statement)]


def count_states(connection: Connection, recruitment_id: int) -> dict[str, int]:
    """How many submissions of a recruitment are in each state."""
    rows = connection.execute(
        select(panel_submissions.c.state, func.count())
        .where(panel_submissions.c.recruitment_id == recruitment_id)
        .group_by(panel_submissions.c.state)
    )
    return {state: int(count) for state, count in rows}


def note_decision(
    connection: Connection,
    submission: KeptSubmission,
    *,
    decision: Decision,
    state: DecisionState,
    account: str,
    detail: Mapping[str, Any],
    now: float,
) -> KeptSubmission:
    """Note what was decided of a submission, and what became of it."""
    connection.execute(
        update(panel_submissions)
        .where(panel_submissions.c.id == submission.id)
        .values(
            decision=decision,
            decision_state=state,
            decided_by=account,
            decided=now,
            detail=_encode(detail).decode(),
        )
    )
    return submission_by_id(connection, submission.id)


def forget_submission(connection: Connection, submission: KeptSubmission) -> KeptSubmission:
    """Take the panel's ids out of a submission; its state and what it cost stay."""
    connection.execute(
        update(panel_submissions)
        .where(panel_submissions.c.id == submission.id)
        .values(panel_id=None, participant=None, code=None)
    )
    return submission_by_id(connection, submission.id)


def settle_decision(
    connection: Connection, submission: KeptSubmission, state: DecisionState, reason: str = ""
) -> KeptSubmission:
    """Note what became of what was decided, with the panel's reason where it has one."""
    values: dict[str, Any] = {"decision_state": state}
    if reason:
        values["detail"] = _encode({**submission.detail, "reason": reason[:1000]}).decode()
    connection.execute(
        update(panel_submissions).where(panel_submissions.c.id == submission.id).values(**values)
    )
    return submission_by_id(connection, submission.id)


def _locked(connection: Connection, recruitment_id: int, mark: str) -> Row[Any] | None:
    return connection.execute(
        select(panel_submissions)
        .where(
            panel_submissions.c.recruitment_id == recruitment_id,
            panel_submissions.c.fingerprint == mark,
        )
        .with_for_update()
    ).one_or_none()


def _facts(news: SubmissionNews) -> dict[str, Any]:
    told = {
        "started": news.started,
        "completed": news.completed,
        "seconds": news.seconds,
        "code": news.code,
        "reward": news.reward,
        "bonus": news.bonus,
    }
    return {name: value for name, value in told.items() if value is not None}


def _submission(row: Row[Any]) -> KeptSubmission:
    values = dict(row._mapping)
    del values["fingerprint"]
    values["detail"] = _detail(values["detail"])
    return KeptSubmission(**values)
