"""Teams of a task: added with a token that is shown once, renewed, revoked; their terms and allowances.

A team may submit so many models in so many hours, those that fail not counted.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from sqlalchemy import Connection

from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.public_numbers import public_number
from palaver.core.evaluation.submissions import (
    Allowance,
    ListedTeam,
    Team,
    TeamSheet,
    TeamToken,
    WordingAccepted,
)
from palaver.core.evaluation.tasks import StoredTask, policy_of, terms_digest
from palaver.core.serial import extended
from palaver.evaluation.models.decisions import check_link
from palaver.evaluation.submissions.team_view import answerable_sets
from palaver.storage.evaluation import submitters
from palaver.storage.evaluation.submitters import counted_submissions

MOST_NAME = 100
MOST_AFFILIATION = 200

HOUR = 3600.0


class AllowanceError(AccessError):
    """A team has used up its submissions; `retry_after` says for how many seconds."""

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def add_team(
    connection: Connection,
    task: StoredTask,
    *,
    team: str,
    affiliation: str = "",
    link: str = "",
    now: float,
) -> TeamToken:
    """Let a team submit to the task; InputError if it may already, or cannot be called so."""
    name, place, link = check_team_name(team), check_affiliation(affiliation), link.strip()
    check_link(link)
    return submitters.add_submitter(
        connection, task_id=task.id, team=name, affiliation=place, link=link, now=now
    )


def check_team_name(team: str) -> str:
    """The name of a team with single spaces; InputError if it cannot be called so."""
    name = " ".join(team.split())
    if not name:
        raise InputError("A team needs a name.")
    if len(name) > MOST_NAME or not name.isprintable():
        raise InputError(
            f"The name of a team has 1 to {MOST_NAME} characters; got '{name[:MOST_NAME]}'."
        )
    return name


def check_affiliation(affiliation: str) -> str:
    """Where a team works, without spaces around it; InputError if it is too long."""
    place = affiliation.strip()
    if len(place) > MOST_AFFILIATION:
        raise InputError(
            f"An affiliation has at most {MOST_AFFILIATION} characters; got {len(place):,}."
        )
    return place


def renew_team(connection: Connection, task: StoredTask, team: str | int) -> TeamToken:
    """A new token for a team, in place of the old one; a revoked team may submit again."""
    return submitters.renew_token(connection, find_team(connection, task, team).id)


def revoke_team(connection: Connection, task: StoredTask, team: str | int, *, now: float) -> Team:
    """Refuse a team's token from now on; its models stay. One that is revoked stays as it is."""
    found = find_team(connection, task, team)
    submitters.revoke_submitter(connection, found.id, now=now)
    return find_team(connection, task, found.id)


def find_team(connection: Connection, task: StoredTask, team: str | int) -> Team:
    """A team of the task by its number, or by its name, or by its number as a text.

    UnknownNameError names what is near.
    """
    if isinstance(team, str):
        return submitters.find_team(connection, task.id, team)
    submitter = submitters.find_submitter_by_id(connection, team)
    if submitter is None or submitter.task_id != task.id:
        raise UnknownNameError(f"The task '{task.name}' has no such team.")
    return submitter


def holder_of(connection: Connection, token: str) -> Team | None:
    """The team of a task that a token speaks for; None if it is unknown, revoked or a challenge's."""
    team = submitters.find_submitter(connection, token)
    return None if team is None or team.task_id is None else team


def list_teams(connection: Connection, task: StoredTask, *, now: float) -> list[ListedTeam]:
    """The teams of a task, oldest first, revoked ones included."""
    return [
        extended(
            each,
            ListedTeam,
            used=allowance(connection, each, task, now=now).used,
            wording=_accepted(each, task),
        )
        for each in submitters.list_submitters(connection, task.id)
    ]


def team_sheet(connection: Connection, team: Team, task: StoredTask, *, now: float) -> TeamSheet:
    """A team as it is now, the terms of its task, and what it may still submit."""
    known = submitters.find_submitter_by_id(connection, team.id) or team
    return extended(
        replace(known, id=public_number("team", known.team)),
        TeamSheet,
        task=task.name,
        title=task.title,
        terms=task.terms,
        terms_digest=policy_of(task).terms_digest,
        accepted=has_accepted(known, task),
        allowance=allowance(connection, known, task, now=now),
        datasets=tuple(each.name for each in answerable_sets(connection, task)),
    )


def has_accepted(team: Team, task: StoredTask) -> bool:
    """Whether the team accepted the terms as they stand now, or there are none."""
    return _accepted(team, task) in ("none", "current")


def check_terms(team: Team, task: StoredTask) -> None:
    """Raise AccessError unless the team accepted the terms as they stand now."""
    if not has_accepted(team, task):
        raise AccessError(
            f"Accept the terms of '{task.name}' first; they are on its page and may have changed."
        )


def accept_terms(
    connection: Connection, team: Team, task: StoredTask, *, digest: str, now: float
) -> TeamSheet:
    """Record that the team accepts the wording with this digest; InputError if it is another now."""
    if digest != terms_digest(task.terms):
        raise InputError(
            f"The terms of '{task.name}' have changed: their digest is now "
            f"{terms_digest(task.terms)}. Read them again, then accept that digest."
        )
    submitters.accept_terms(connection, team.id, digest=digest, now=now)
    return team_sheet(connection, team, task, now=now)


def allowance(connection: Connection, team: Team, task: StoredTask, *, now: float) -> Allowance:
    """What a team may still submit; failed and cancelled submissions are not counted."""
    hours = task.submission_hours
    made = counted_submissions(connection, team.id, since=now - hours * HOUR)
    return allowance_of(made, most=task.most_submissions, hours=hours)


def allowance_of(made: Sequence[float], *, most: int, hours: float) -> Allowance:
    """What is left of `most` submissions in so many hours, of which some were `made`, oldest first."""
    is_full = len(made) >= most > 0
    return Allowance(
        used=len(made),
        most=most,
        hours=hours,
        next_at=made[len(made) - most] + hours * HOUR if is_full else None,
    )


def check_allowance(found: Allowance, *, now: float) -> None:
    """Raise AllowanceError if nothing is left."""
    if found.left:
        return
    if not found.most:
        raise AllowanceError("This task is not taking submissions now.")
    when, seconds = "", None
    if found.next_at is not None:
        seconds = max(1, ceil(found.next_at - now))
        minutes = ceil(seconds / 60)
        when = f" The next one is free in {minutes // 60} h {minutes % 60} min."
    raise AllowanceError(
        f"{found.used} of {found.most} submissions in {found.hours:g} hours are used."
        f"{when} Submissions whose runs fail are not counted.",
        retry_after=seconds,
    )


def _accepted(team: Team, task: StoredTask) -> WordingAccepted:
    if not task.terms.strip():
        return "none"
    if team.accepted_digest is None:
        return "open"
    return "current" if team.accepted_digest == terms_digest(task.terms) else "earlier"
