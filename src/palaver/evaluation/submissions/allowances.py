"""How much a team may submit: so many models in so many hours, those that fail not counted."""

from math import ceil

from sqlalchemy import Connection

from palaver.core.errors import AccessError
from palaver.core.evaluation.submissions import Allowance, Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.submitters import counted_submissions

HOUR = 3600.0


class AllowanceError(AccessError):
    """A team has used up its submissions; `retry_after` says for how many seconds."""

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def allowance(connection: Connection, team: Team, task: StoredTask, *, now: float) -> Allowance:
    """What a team may still submit; failed and cancelled submissions are not counted."""
    window = task.submission_hours * HOUR
    made = counted_submissions(connection, team.id, since=now - window)
    is_full = len(made) >= task.most_submissions > 0
    return Allowance(
        used=len(made),
        most=task.most_submissions,
        hours=task.submission_hours,
        next_at=made[len(made) - task.most_submissions] + window if is_full else None,
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
