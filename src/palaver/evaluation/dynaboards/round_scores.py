"""How a model does in each round: its averages on the boards of the rounds.

They are read from those boards, so a number has one interval, here and there. Together the boards of
all rounds have the cells of one board of the task; what they come to is kept, a few numbers per model.
"""

from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.evaluation.boards import Board, Measured, RoundScore
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards.board_reader import Boards, read_entrants, read_sets
from palaver.evaluation.dynaboards.columns import columns_of
from palaver.evaluation.dynaboards.rounds import counting_sets
from palaver.storage.engine.store import Cache
from palaver.storage.evaluation.boards import content_mark

MOST_KEPT = 500


class ScoresByRound:
    """The scores by round of a process: read again only when a score, model or data set changed."""

    def __init__(self, boards: Boards) -> None:
        self._boards = boards
        self._kept: Cache[tuple[RoundScore, ...]] = Cache(MOST_KEPT)

    def read(
        self,
        connection: Connection,
        task_row: StoredTask,
        task: Task,
        key: str,
        *,
        public: bool = False,
        team: int | None = None,
    ) -> tuple[RoundScore, ...]:
        """How a model does in each round by the metric that ranks; empty where there are no rounds."""
        sets = read_sets(connection, task_row.id)
        rounds = counting_sets(sets, None).rounds
        if not rounds:
            return ()
        entrants = read_entrants(connection, task_row.id)
        versions = [entrant.version_id for entrant in entrants]
        mark = content_mark(connection, versions, [each.version_id for each in sets])
        name = (task_row.id, key, public, team, entrants, repr(sets), mark)
        known = self._kept.get(name)
        if known is not None:
            return known
        # Of a model that lacks another metric the score counts all the same.
        others = {each.key: 0.0 for each in columns_of(task)[1:]}
        boards = [
            self._boards.read(
                connection,
                task_row,
                task,
                round=each,
                metric_weights=None if task.ranking == "measure" else others,
                public=public,
                team=team,
            )
            for each in rounds
        ]
        return self._kept.keep(name, tuple(_score(board, key) for board in boards))


def _score(board: Board, key: str) -> RoundScore:
    """How a model does on the board of a round, by the metric that ranks."""
    first, model = board.metrics[0].key, board.find(key)
    score = Measured(value=None, reason="it is not on the board")
    if model is not None:
        reason = "; ".join(model.reasons) or None
        score = model.averages.get(first, Measured(value=None))
        if score.value is None:
            score = replace(score, reason=score.reason or reason)
    return RoundScore(
        round=board.round or 0,
        datasets=tuple(each.name for each in board.datasets),
        items=sum(each.items for each in board.datasets),
        score=score,
    )
