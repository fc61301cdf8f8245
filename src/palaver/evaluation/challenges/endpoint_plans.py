"""The endpoints of a challenge are asked what its file says now, when it says so."""

from sqlalchemy import Connection

from palaver.core.evaluation.challenges import StoredChallenge
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.runs.entry_plans import endpoint_models, reschedule
from palaver.evaluation.runs.plans import plan_entries
from palaver.evaluation.tasks import ensure_task


def plan_endpoints(connection: Connection, row: StoredChallenge, *, now: float) -> None:
    """Plan what the endpoints that stand are to be asked, each at the time of its phase.

    A built-in task that is named for the first time is stored.
    """
    tracks = stored_definition(row).tracks
    for name in dict.fromkeys(each.task for each in tracks if each.takes_endpoints):
        task_row = ensure_task(connection, name, now=now)
        reschedule(connection, row, task_row)
        models = endpoint_models(connection, row, task_row)
        if models:
            plan_entries(connection, task_row, models, now=now)
