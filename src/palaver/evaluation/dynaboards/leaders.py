"""Tasks with how much is in them, and who leads their boards."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.evaluation.boards import RankedModel
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards.board_reader import Boards
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models


@dataclass(frozen=True, slots=True, kw_only=True)
class LedTask:
    """A task, how many models and open data sets it has, and who leads, if anybody is ranked."""

    row: StoredTask
    task: Task
    models: int
    datasets: int
    leader: RankedModel | None


def list_leaders(
    connection: Connection, rows: Sequence[StoredTask], boards: Boards, *, public: bool
) -> tuple[LedTask, ...]:
    """The tasks with their leaders."""
    return tuple(_led(connection, row, boards, public) for row in rows)


def _led(connection: Connection, row: StoredTask, boards: Boards, public: bool) -> LedTask:
    task = stored_task(row)
    models = [each for each in list_models(connection, row.id) if each.retired is None]
    datasets = [
        each
        for each in list_datasets(connection, row.id)
        if each.access != "hidden" and each.parent_id is None
    ]
    # A board of nothing need not be computed.
    board = boards.read(connection, row, task, public=public) if models and datasets else None
    return LedTask(
        row=row,
        task=task,
        models=len(models),
        datasets=len(datasets),
        leader=board.models[0] if board and board.models else None,
    )
