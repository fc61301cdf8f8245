"""The terms of a task: which wording of them a team has accepted."""

from sqlalchemy import Connection

from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.tasks import StoredTask, terms_digest
from palaver.storage.evaluation.submitters import Submitter, accept_terms


def has_accepted(submitter: Submitter, task: StoredTask) -> bool:
    """Whether the team accepted the terms as they stand now, or there are none."""
    return not task.terms.strip() or submitter.terms_digest == terms_digest(task.terms)


def check_terms(submitter: Submitter, task: StoredTask) -> None:
    """Raise AccessError unless the team accepted the terms as they stand now."""
    if not has_accepted(submitter, task):
        raise AccessError(
            f"Accept the terms of '{task.name}' first; they are on its page and may have changed."
        )


def accept(
    connection: Connection, submitter: Submitter, task: StoredTask, *, digest: str, now: float
) -> None:
    """Record that the team accepts the wording with this digest; InputError if it is another now."""
    if digest != terms_digest(task.terms):
        raise InputError(
            f"The terms of '{task.name}' read otherwise now: their digest is "
            f"{terms_digest(task.terms)}. Read them again, then accept that."
        )
    accept_terms(connection, submitter.id, digest=digest, now=now)
