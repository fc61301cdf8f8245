"""Why recruiting should rest now, by itself; and when it may go on.

The reasons are asked in the order of how long they last: a study that is decided or closed first.
"""

from sqlalchemy import Connection

from palaver.core.recruiting.recruitments import HeldFor, Recruitment
from palaver.storage.recruiting.health import recent_endings
from palaver.storage.recruiting.visits import count_inside
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.life import read_life

# So many dialogues that began within this time and ended by a failure, and this share of all.
FAILING_SECONDS = 1800.0
FAILING = 3
FAILING_SHARE = 0.5
# Recruiting goes on when so much of what may be at once is free again.
FREE_AGAIN = 0.2


def reason_to_hold(
    connection: Connection, study: RunningStudy, recruitment: Recruitment, *, now: float
) -> HeldFor:
    """Why nobody new should come now; empty if nothing speaks against it."""
    definition = study.definition
    life = read_life(connection, study.id, definition, now=now)
    if life.by_rule:
        return "decided"
    if life.state == "closed":
        return "study_closed"
    if life.state != "open":
        return "study_paused"
    if is_failing(connection, study.id, now=now):
        return "system_failing"
    most = None if definition.recruit is None else definition.recruit.at_once
    if most is not None:
        inside = count_inside(connection, study.id)
        # Once full, a fifth must leave: recruiting is not switched for every single person.
        was_full = recruitment.held_for == "rooms_full"
        if inside >= most or (was_full and inside > (1 - FREE_AGAIN) * most):
            return "rooms_full"
    return ""


def is_failing(connection: Connection, study_id: int, *, now: float) -> bool:
    """Whether a study's systems fail of late: several dialogues, and a good part of all."""
    endings = recent_endings(connection, study_id, since=now - FAILING_SECONDS)
    return endings.failed >= FAILING and endings.failed >= FAILING_SHARE * endings.ended
