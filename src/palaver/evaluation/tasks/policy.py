"""What the owner of a task decides: who sees it, what submitters accept, how much they submit."""

from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.tasks import find_task, set_task_policy

MOST_TERMS = 100_000
MOST_SUBMISSIONS = 1_000_000
MOST_HOURS = 1_000_000


def set_policy(
    connection: Connection,
    task: StoredTask,
    *,
    public: bool | None = None,
    terms: str | None = None,
    most_submissions: int | None = None,
    submission_hours: float | None = None,
) -> StoredTask:
    """Change what is given, leave the rest as it is; the task as it is then.

    InputError says which limit was not kept. Terms are stored without the line ends of Windows and
    without the NUL that PostgreSQL refuses.
    """
    changed: dict[str, Any] = {}
    if public is not None:
        changed["public"] = public
    if terms is not None:
        changed["terms"] = _checked_terms(terms)
    if most_submissions is not None:
        changed["most_submissions"] = _checked_submissions(most_submissions)
    if submission_hours is not None:
        changed["submission_hours"] = _checked_hours(submission_hours)
    if changed:
        set_task_policy(connection, task.id, **changed)
    return find_task(connection, task.name)


def submissions_error(given: object) -> InputError:
    """What to say of a number of submissions that is none."""
    return InputError(
        f"Submissions are a whole number from 0 to {MOST_SUBMISSIONS:,}; got '{given!s:.40}'."
    )


def hours_error(given: object) -> InputError:
    """What to say of a number of hours that is none."""
    return InputError(f"Hours are a number above 0, at most {MOST_HOURS:,}; got '{given!s:.40}'.")


def _checked_terms(given: str) -> str:
    terms = given.replace("\r\n", "\n").replace("\0", "").strip()
    if len(terms) > MOST_TERMS:
        raise InputError(f"Terms have at most {MOST_TERMS:,} characters; got {len(terms):,}.")
    return terms


def _checked_submissions(given: int) -> int:
    if not 0 <= given <= MOST_SUBMISSIONS:
        raise submissions_error(given)
    return given


def _checked_hours(given: float) -> float:
    # Written so that a value that is not a number is refused, too.
    if not 0 < given <= MOST_HOURS:
        raise hours_error(given)
    return given
