"""Data of a challenge that are replaced after something was handed in: its teams are told at once."""

from sqlalchemy import Connection

from palaver.core.deadlines import in_both_zones
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.words import listed
from palaver.evaluation.challenges.announcements import tell_teams
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.runs.plans import plan_for_dataset
from palaver.storage.evaluation.challenges import list_challenges, list_entries
from palaver.storage.evaluation.models import uploads_for


def plan_and_tell(
    connection: Connection, task_row: StoredTask, dataset: Dataset, *, now: float
) -> list[Run]:
    """Plan the runs of every model on a data set, and tell teams whose data it replaced.

    Handed to `add_dataset`, so that teams are told in the transaction in which it happens. A challenge
    that was closed keeps its results, and nobody is told.
    """
    due = plan_for_dataset(connection, task_row, dataset, now=now)
    if dataset.version > 1 and dataset.version_created == now:
        for row in list_challenges(connection):
            _tell(connection, row, task_row, dataset, now=now)
    return due


def _tell(
    connection: Connection,
    row: StoredChallenge,
    task_row: StoredTask,
    dataset: Dataset,
    *,
    now: float,
) -> None:
    tracks = [
        (track, phase)
        for track in stored_definition(row).tracks
        for phase, name in track.datasets.items()
        if (track.task, name) == (task_row.name, dataset.name)
    ]
    if row.frozen is not None or not tracks:
        return
    entries = [
        entry
        for track, phase in tracks
        for entry in list_entries(connection, row.id, track=track.name, phase=phase)
    ]
    if not entries:
        return
    titles = listed(list(dict.fromkeys(track.title for track, _ in tracks)))
    is_gold = bool(uploads_for(connection, task_row.id, dataset.digest))
    is_asked = all(entry.is_endpoint for entry in entries)
    text = _ASKED if is_asked else _GOLD if is_gold else _OTHERS
    tell_teams(
        connection,
        row,
        subject=f"Data of {titles} replaced",
        text=text.format(titles=titles, when=in_both_zones(now)),
        key=f"data/{dataset.digest}",
        now=now,
    )


_GOLD = (
    "The gold data of {titles} were replaced on {when}. The questions are the same, so what you "
    "handed in counts as it is: its scores are computed again, and the earlier ones are kept."
)
_ASKED = (
    "The data of {titles} were replaced on {when} by others. Your endpoints are asked these; there is "
    "nothing to hand in again."
)
_OTHERS = (
    "The data of {titles} were replaced on {when} by others. What you handed in does not answer them "
    "and is not scored on them. Download the questions again and hand in new files."
)
