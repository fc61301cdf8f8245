"""Who leads each of many boards, kept while nothing that a board is made of changes.

A process keeps the cells of a few boards only; what a list says of each is small, so that it is kept for
all of them, and a page that lists twenty boards computes none that stayed as it was.
"""

from collections.abc import Hashable, Sequence

from sqlalchemy import Connection

from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.dynaboards.board_reader import (
    Boards,
    LedTask,
    list_leaders,
    read_entrants,
)
from palaver.storage.engine.store import Cache
from palaver.storage.evaluation.boards import content_mark
from palaver.storage.evaluation.datasets import list_datasets

MOST_KEPT = 1000


class Leaders:
    """What the boards of a process say first."""

    def __init__(self, boards: Boards) -> None:
        self._boards = boards
        self._kept: Cache[LedTask] = Cache(MOST_KEPT)

    def list(
        self, connection: Connection, rows: Sequence[StoredTask], *, public: bool
    ) -> tuple[LedTask, ...]:
        """Who leads the boards of these tasks, as strangers may know it, or as it is."""
        return tuple(self.find(connection, row, public=public) for row in rows)

    def find(self, connection: Connection, row: StoredTask, *, public: bool) -> LedTask:
        """Who leads the board of a task."""
        name = (public, *_mark(connection, row))
        known = self._kept.get(name)
        if known is not None:
            return known
        (found,) = list_leaders(connection, [row], self._boards, public=public)
        return found if found.pending else self._kept.keep(name, found)


def _mark(connection: Connection, row: StoredTask) -> tuple[Hashable, ...]:
    """Changes with the task, its models, its data sets, and every run and score of theirs."""
    models = read_entrants(connection, row.id)
    datasets = list_datasets(connection, row.id)
    versions = [each.version_id for each in models], [each.version_id for each in datasets]
    sets = tuple((each.name, each.access, each.version_id, each.parent_id) for each in datasets)
    return row, models, sets, content_mark(connection, *versions)
