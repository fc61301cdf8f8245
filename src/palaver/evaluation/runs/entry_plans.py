"""Which endpoints of challenge teams are asked what, and when.

The models of a task are asked whatever counts for it. What a team registered for a challenge is asked
the data set of its track and phase alone, from the time on that the phase says, for as long as the
entry stands and the challenge is open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.evaluation.challenges import StoredChallenge, stored_definition
from palaver.core.evaluation.models import UPLOADED, Model
from palaver.core.evaluation.tasks import StoredTask
from palaver.storage.evaluation.challenges import list_challenges, list_entries
from palaver.storage.evaluation.jobs import set_due
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.submitters import list_challenge_submitters


@dataclass(frozen=True, slots=True)
class AskedEntry:
    """The data set that an endpoint of a challenge is asked, and from when on; None is at once."""

    dataset: str
    due: float | None


def is_entry_endpoint(model: Model) -> bool:
    """Whether a team registered the model for a challenge, to be asked from here."""
    return model.challenge_id is not None and model.kind != UPLOADED


def asked_entries(
    connection: Connection, task_row: StoredTask, models: Sequence[Model]
) -> dict[int, AskedEntry]:
    """By model version what those of the models are asked that teams registered for challenges."""
    wanted = {model.challenge_id for model in models if is_entry_endpoint(model)}
    found: dict[int, AskedEntry] = {}
    for row in list_challenges(connection) if wanted else ():
        if row.id in wanted and row.frozen is None:
            found |= dict(_of_challenge(connection, row, task_row.name))
    return found


def reschedule(connection: Connection, row: StoredChallenge, task_row: StoredTask) -> None:
    """Let what waits of the endpoints of a challenge be asked when its phases say so now."""
    waiting = list_runs(connection, task_id=task_row.id, states=["waiting"])
    known = dict(_of_challenge(connection, row, task_row.name))
    for run in waiting:
        if run.model_version_id in known:
            set_due(connection, [run.id], known[run.model_version_id].due)


def endpoint_models(
    connection: Connection, row: StoredChallenge, task_row: StoredTask
) -> list[Model]:
    """The endpoints of a challenge on a task that are still to be asked."""
    return [
        model
        for model in list_models(connection, task_row.id)
        if model.challenge_id == row.id and is_entry_endpoint(model) and model.retired is None
    ]


def _of_challenge(
    connection: Connection, row: StoredChallenge, task: str
) -> Iterator[tuple[int, AskedEntry]]:
    challenge = stored_definition(row)
    phases = {phase.name: phase for phase in challenge.phases}
    teams = list_challenge_submitters(connection, row.id)
    approved = {team.id for team in teams if team.state == "approved"}
    for track in challenge.tracks:
        if track.task != task:
            continue
        for entry in list_entries(connection, row.id, track=track.name):
            dataset = track.datasets.get(entry.phase)
            stands = entry.withdrawn is None and not entry.is_replaced
            if entry.is_endpoint and stands and dataset and entry.submitter_id in approved:
                yield entry.model_version_id, AskedEntry(dataset, phases[entry.phase].asks)
