"""Teams that may submit models to a task or to a challenge, and what they submitted.

A token is kept as the SHA-256 of a secret that is shown once. Which wording of the terms a team
accepted is kept as the digest of that wording, with the time.
"""

import hashlib
import re
import secrets
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.submissions import Team, TeamToken
from palaver.core.registry import near
from palaver.storage.evaluation.runs import was_replaced
from palaver.storage.schema.evaluation import runs, submissions, submitters

_TOKEN = re.compile(r"ps_[A-Za-z0-9_-]{43}")


def add_submitter(
    connection: Connection,
    *,
    team: str,
    task_id: int | None = None,
    challenge_id: int | None = None,
    now: float,
    **values: Any,
) -> TeamToken:
    """Store a team and make its token; InputError if the team has one already.

    It is of a task or of a challenge. `values` are what else is known: affiliation, link, and in a
    challenge state, contact, members and baseline.
    """
    secret = _new_secret()
    statement = insert(submitters).values(
        task_id=task_id,
        challenge_id=challenge_id,
        team=team,
        digest=_digest(secret),
        created=now,
        **_written(values),
    )
    try:
        with connection.begin_nested():
            row = connection.execute(statement.returning(submitters)).one()
    except IntegrityError as error:
        what = "task" if challenge_id is None else "challenge"
        raise InputError(
            f"The team '{team}' already has a token for this {what}. Renew it to make a new one."
        ) from error
    return TeamToken(**_team(row), token=secret)


def set_submitter(connection: Connection, submitter_id: int, **values: Any) -> Team:
    """Change a team: its state, contact, members, affiliation, link, …; the team as it is then."""
    changed = update(submitters).where(submitters.c.id == submitter_id).values(**_written(values))
    return Team(**_team(connection.execute(changed.returning(submitters)).one()))


def renew_token(connection: Connection, submitter_id: int) -> TeamToken:
    """A new secret for a team, in place of the old one; a revoked team may submit again."""
    secret = _new_secret()
    row = connection.execute(
        update(submitters)
        .where(submitters.c.id == submitter_id)
        .values(digest=_digest(secret), revoked=None)
        .returning(submitters)
    ).one()
    return TeamToken(**_team(row), token=secret)


def find_submitter(connection: Connection, secret: str) -> Team | None:
    """Whom a secret speaks for; None if it is unknown or revoked."""
    if _TOKEN.fullmatch(secret) is None:
        return None
    row = connection.execute(
        select(submitters).where(
            submitters.c.digest == _digest(secret), submitters.c.revoked.is_(None)
        )
    ).one_or_none()
    return None if row is None else Team(**_team(row))


def find_submitter_by_id(connection: Connection, submitter_id: int) -> Team | None:
    """A team by its id; None if there is none."""
    row = connection.execute(
        select(submitters).where(submitters.c.id == submitter_id)
    ).one_or_none()
    return None if row is None else Team(**_team(row))


def find_team(connection: Connection, task_id: int, team: str) -> Team:
    """A team of a task by its name, else by its number; UnknownNameError names what is near."""
    found = list_submitters(connection, task_id)
    by_name = [each for each in found if each.team == team]
    for each in (*by_name, *(each for each in found if str(each.id) == team)):
        return each
    names = [each.team for each in found]
    raise UnknownNameError(f"The task has no team '{team}'.{near(team, names)}")


def list_submitters(connection: Connection, task_id: int) -> list[Team]:
    """The teams of a task, oldest first, revoked ones included."""
    rows = connection.execute(
        select(submitters).where(submitters.c.task_id == task_id).order_by(submitters.c.id)
    )
    return [Team(**_team(row)) for row in rows]


def list_challenge_submitters(connection: Connection, challenge_id: int) -> list[Team]:
    """The teams of a challenge, oldest first, whatever their state."""
    rows = connection.execute(
        select(submitters)
        .where(submitters.c.challenge_id == challenge_id)
        .order_by(submitters.c.id)
    )
    return [Team(**_team(row)) for row in rows]


def accept_terms(connection: Connection, submitter_id: int, *, digest: str, now: float) -> None:
    """Record that a team accepted the terms with this digest."""
    connection.execute(
        update(submitters)
        .where(submitters.c.id == submitter_id)
        .values(terms_digest=digest, accepted=now)
    )


def revoke_submitter(connection: Connection, submitter_id: int, *, now: float) -> bool:
    """Refuse a team's token from now on; False if it was refused already."""
    statement = update(submitters).where(
        submitters.c.id == submitter_id, submitters.c.revoked.is_(None)
    )
    return connection.execute(statement.values(revoked=now)).rowcount == 1


def record_submission(
    connection: Connection, *, submitter_id: int, model_version_id: int, now: float
) -> None:
    """Record that a team submitted a model version."""
    connection.execute(
        insert(submissions).values(
            submitter_id=submitter_id, model_version_id=model_version_id, created=now
        )
    )


def counted_submissions(connection: Connection, submitter_id: int, *, since: float) -> list[float]:
    """When a team made the submissions that count, oldest first.

    One with a run that failed or was cancelled does not count: whoever has to try again keeps the
    right to. A run that a newer version replaced spoils nothing, lest a newer version give a team
    its submissions back. A version that was submitted again counts once, with its last time.
    """
    spoilt = exists().where(
        runs.c.model_version_id == submissions.c.model_version_id,
        runs.c.state.in_(["failed", "cancelled"]),
        ~was_replaced(),
    )
    last = func.max(submissions.c.created)
    rows = connection.execute(
        select(last)
        .where(
            submissions.c.submitter_id == submitter_id,
            submissions.c.created > since,
            ~spoilt,
        )
        .group_by(submissions.c.model_version_id)
        .order_by(last)
    )
    return list(rows.scalars())


def _team(row: Row[Any]) -> dict[str, Any]:
    known = dict(row._mapping)
    del known["digest"]
    renamed = {
        "accepted_at": known.pop("accepted"),
        "accepted_digest": known.pop("terms_digest"),
        "is_baseline": known.pop("baseline"),
        "members": tuple(msgspec.json.decode(known.pop("members"), type=list[str])),
    }
    return {**known, **renamed}


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """Values as the table holds them: members are a JSON list."""
    if "members" in values:
        values = {**values, "members": msgspec.json.encode(list(values["members"])).decode()}
    return values


def _new_secret() -> str:
    return f"ps_{secrets.token_urlsafe(32)}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
