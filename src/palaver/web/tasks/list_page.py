"""The list of tasks: who leads each, by how much, and how sure that is."""

from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.evaluation.dynaboards import Boards
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.tasks import StoredTask
from palaver.web.tasks.pages.listing import ListedTask
from palaver.web.tasks.words import between, number


def list_rows(
    connection: Connection, rows: Sequence[StoredTask], boards: Boards, *, url: str, public: bool
) -> tuple[ListedTask, ...]:
    """The tasks with their leaders; `url` is the address of the list."""
    return tuple(_listed(connection, row, boards, url, public) for row in rows)


def _listed(
    connection: Connection, row: StoredTask, boards: Boards, url: str, public: bool
) -> ListedTask:
    task = stored_task(row)
    models = [each for each in list_models(connection, row.id) if each.retired is None]
    datasets = [
        each
        for each in list_datasets(connection, row.id)
        if each.access != "hidden" and each.parent_id is None
    ]
    # A board of nothing need not be computed.
    board = boards.read(connection, row, task, public=public) if models and datasets else None
    first = board.standings[0] if board and board.standings else None
    ends = first.dynascore.interval if first else None
    return ListedTask(
        url=f"{url}/{row.name}",
        name=row.name,
        title=row.title,
        about=task.about,
        is_public=row.public,
        models=len(models),
        datasets=len(datasets),
        leader=first.label if first else "",
        leader_url=f"{url}/{row.name}/models/{first.entrant.key}" if first else "",
        score=number(first.dynascore.value) if first else "",
        interval=between(ends.as_json() if ends else None),
    )
