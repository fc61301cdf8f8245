"""Closing a challenge from the desk: computed beside the server, while its page says so."""

import msgspec

from palaver.core.audit import Via
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.works import BackgroundWork, works_of

MODULE = "palaver.web.desk.challenges.close_worker"


class CloseTask(msgspec.Struct, frozen=True, kw_only=True):
    """Which challenge is to be closed, in which home, by whom and when."""

    database: str
    home: str
    challenge: str
    publish: bool
    actor: str
    via: Via
    address: str | None
    now: float


def start_closing(deployment: Deployment, task: CloseTask) -> None:
    """Close a challenge, unless that is under way; what is not closed in the end stays open."""
    works_of(deployment).start(_name(task.challenge), MODULE, task, now=task.now)


def closing_of(deployment: Deployment, challenge: str) -> BackgroundWork | None:
    """How the closing of a challenge goes, if it was begun here."""
    return works_of(deployment).find(_name(challenge))


def _name(challenge: str) -> tuple[str, str]:
    return ("close", challenge)
