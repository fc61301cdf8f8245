"""A challenge as readers meet it: what its file says, and what of it is open now."""

from sqlalchemy import Connection

from palaver.core.evaluation.challenges import ShownChallenge, StoredChallenge
from palaver.core.evaluation.tasks import terms_digest
from palaver.core.serial import extended
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.tasks import find_task, stored_task
from palaver.evaluation.tasks.definition import task_data


def shown_challenge(connection: Connection, row: StoredChallenge, *, now: float) -> ShownChallenge:
    """A challenge with its definition, the tasks of its tracks, and where its phases stand."""
    challenge = stored_definition(row)
    tasks = {track.task: find_task(connection, track.task) for track in challenge.tracks}
    phase = None if row.frozen is not None else challenge.phase_at(now)
    return extended(
        row,
        ShownChallenge,
        definition=challenge,
        tasks={name: task_data(stored_task(found)) for name, found in tasks.items()},
        phase=None if phase is None else phase.name,
        states={each.name: each.state(now) for each in challenge.phases},
        terms_digest=terms_digest(challenge.terms) if challenge.terms else "",
    )
