"""Reading boards from the store: who is on them, on what, and who leads.

The cells of a board are kept for whoever moves a weight next.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import (
    Board,
    BoardMetric,
    BoardWeights,
    Entrant,
    Measured,
    RankedModel,
    SavedBoard,
    ScoringSet,
)
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards.averages import Averages, average
from palaver.evaluation.dynaboards.cells import Cells, read_cells
from palaver.evaluation.dynaboards.columns import (
    MEMORY_OFFSET,
    Weights,
    columns_of,
    parse_weights,
    resolve_weights,
)
from palaver.evaluation.dynaboards.measure_ranking import rank_by_measure, standing_tables
from palaver.evaluation.dynaboards.ranking import rank_board
from palaver.evaluation.dynaboards.verdicts import Verdicts
from palaver.evaluation.tasks import stored_task
from palaver.storage.engine.store import Cache
from palaver.storage.evaluation.boards import content_mark
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models

DRAWS = 1000
CONFIDENCE = 0.95
# A board of 200 models × 20 data sets × 5 metrics takes 80 MB.
MOST_KEPT = 3


class Boards:
    """The boards of a process: cells are read again only when a score, model or data set changed."""

    def __init__(
        self, *, draws: int = DRAWS, seed: int = 0, most: int = MOST_KEPT, at_once: bool = False
    ) -> None:
        self.draws = draws
        self.seed = seed
        # With `at_once` nothing is left to be computed beside.
        self.verdicts = Verdicts(at_once=at_once)
        self._kept: Cache[Cells] = Cache(most)
        self._averages: Cache[Averages] = Cache(most)
        # Two readers of one board wait for each other instead of computing it twice.
        self._lock = Lock()

    def read(
        self,
        connection: Connection,
        task_row: StoredTask,
        task: Task,
        *,
        metric_weights: Mapping[str, float] | None = None,
        dataset_weights: Mapping[str, float] | None = None,
        fork: SavedBoard | None = None,
        memory_offset: float = MEMORY_OFFSET,
        public: bool = False,
        team: int | None = None,
    ) -> Board:
        """The task's board under these weights, above those of a fork.

        In public unpublished models are counted and nothing else, except those of the `team` that
        asks. Data sets that a fork knows and that are gone do not count.
        """
        entrants = read_entrants(connection, task_row.id)
        seen = tuple(e for e in entrants if not public or e.published or _is_of(e, team))
        hidden = len(entrants) - len(seen)
        with self._lock:
            name, cells = self._cells(connection, task_row, task, memory_offset, seen)
        if task.ranking == "measure":
            if metric_weights or dataset_weights:
                raise InputError(
                    f"The board of '{task_row.name}' ranks by {cells.columns[0].title} alone: it "
                    "takes no weights."
                )
            return self._by_measure(
                connection, task_row, name, cells, public=public, unpublished=hidden
            )
        saved = fork.weights if fork else BoardWeights()
        there = {each.name for each in cells.sets}
        kept = {each: weight for each, weight in saved.datasets.items() if each in there}
        weights = resolve_weights(
            cells.columns,
            cells.sets,
            gone=cells.gone,
            metrics={**saved.metrics, **(metric_weights or {})},
            datasets={**kept, **(dataset_weights or {})},
        )
        return rank_board(
            cells,
            self._average(name, cells, weights),
            weights,
            task=task_row.name,
            title=task_row.title,
            public=public,
            unpublished=hidden,
        )

    def read_positional(
        self,
        connection: Connection,
        task_row: StoredTask,
        task: Task,
        *,
        metrics: str | None,
        datasets: str | None,
        public: bool,
    ) -> Board:
        """The board under weights as the dynaboard API has them: 4|1|1; None for the usual ones.

        A board that ranks by one measure has no weights; clients of that API send some all the same.
        """
        board = self.read(connection, task_row, task, public=public)
        if task.ranking == "measure":
            return board
        keys = [metric.key for metric in board.metrics]
        names = [dataset.name for dataset in board.datasets]
        if metrics is None and datasets is None:
            return board
        return self.read(
            connection,
            task_row,
            task,
            metric_weights=_positional(metrics, keys, "ordered_metric_weights"),
            dataset_weights=_positional(datasets, names, "ordered_scoring_dataset_weights"),
            public=public,
        )

    def _by_measure(
        self,
        connection: Connection,
        task_row: StoredTask,
        name: Hashable,
        cells: Cells,
        *,
        public: bool,
        unpublished: int,
    ) -> Board:
        weights = resolve_weights(cells.columns, cells.sets, gone=cells.gone)
        averages = self._average(name, cells, weights)
        seen = [entrant.seen(public=public) for entrant in cells.entrants]
        found = self.verdicts.get(
            (name, public), lambda: standing_tables(connection, cells, averages, seen)
        )
        return rank_by_measure(
            cells,
            averages,
            weights,
            found,
            task=task_row.name,
            title=task_row.title,
            public=public,
            unpublished=unpublished,
        )

    def _average(self, name: Hashable, cells: Cells, weights: Weights) -> Averages:
        """The averages, which depend on the weights of metrics only in which of them are 0."""
        key = (name, weights.datasets, tuple(weight > 0 for weight in weights.metrics))
        found = self._averages.get(key)
        return found or self._averages.keep(key, average(cells, weights))

    def _cells(
        self,
        connection: Connection,
        task_row: StoredTask,
        task: Task,
        memory_offset: float,
        entrants: tuple[Entrant, ...],
    ) -> tuple[Hashable, Cells]:
        """The cells of these models, and what they are kept under."""
        sets = read_sets(connection, task_row.id)
        columns = columns_of(task, memory_offset=memory_offset)
        mark = content_mark(
            connection,
            [entrant.version_id for entrant in entrants],
            [each.version_id for each in sets],
        )
        variants = tuple(sorted((s.version_id, *item) for s in sets for item in s.variants.items()))
        name: Hashable = (
            task_row.id,
            entrants,
            tuple((each.version_id, each.name) for each in sets),
            variants,
            columns,
            mark,
        )
        found = self._kept.get(name)
        if found is not None:
            return name, found
        made = read_cells(
            connection,
            entrants,
            sets,
            columns,
            draws=self.draws,
            seed=self.seed,
            confidence=CONFIDENCE,
        )
        return name, self._kept.keep(name, made)


def read_board(
    connection: Connection,
    task_row: StoredTask,
    task: Task,
    *,
    metric_weights: Mapping[str, float] | None = None,
    dataset_weights: Mapping[str, float] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    memory_offset: float = MEMORY_OFFSET,
    public: bool = False,
) -> Board:
    """A board, once; a server keeps `Boards` instead."""
    return Boards(draws=draws, seed=seed, most=1, at_once=True).read(
        connection,
        task_row,
        task,
        metric_weights=metric_weights,
        dataset_weights=dataset_weights,
        memory_offset=memory_offset,
        public=public,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LedTask:
    """A task, how many models and open data sets it has, and what its board says.

    `leader` is the model that is told apart from all others, or the only one; None on a tie. `score`
    is what ranks it, shown with so many `digits`.
    """

    row: StoredTask
    task: Task
    models: int
    datasets: int
    leader: RankedModel | None
    answer: str
    score: Measured | None = None
    digits: int | None = None


def list_leaders(
    connection: Connection, rows: Sequence[StoredTask], boards: Boards, *, public: bool
) -> tuple[LedTask, ...]:
    return tuple(_led(connection, row, boards, public) for row in rows)


def _positional(text: str | None, names: Sequence[str], what: str) -> dict[str, float] | None:
    return None if text is None else parse_weights(text, names, what=what)


def _led(connection: Connection, row: StoredTask, boards: Boards, public: bool) -> LedTask:
    task = stored_task(row)
    models = [
        model
        for model in list_models(connection, row.id)
        if model.retired is None and model.challenge_id is None
    ]
    datasets = [
        dataset
        for dataset in list_datasets(connection, row.id)
        if dataset.access != "hidden" and dataset.parent_id is None
    ]
    # A board of nothing need not be computed.
    board = boards.read(connection, row, task, public=public) if models and datasets else None
    leader = _leader(board.models) if board else None
    first = board.metrics[0] if board and board.ranking == "measure" else None
    return LedTask(
        row=row,
        task=task,
        models=len(models),
        datasets=len(datasets),
        leader=leader,
        answer=board.answer if board and board.models else "",
        score=_score(leader, first),
        digits=first.digits if first else None,
    )


def _score(leader: RankedModel | None, first: BoardMetric | None) -> Measured | None:
    """What ranks the leader: the first metric, or the Dynascore."""
    if leader is None:
        return None
    return leader.averages[first.key] if first else leader.dynascore


def _leader(models: Sequence[RankedModel]) -> RankedModel | None:
    """The first, where no other may be first, too; equal scores share a rank."""
    if not models:
        return None
    ranks = models[0].rank_interval
    alone = len(models) == 1
    return models[0] if alone or (ranks is not None and ranks == (1, 1)) else None


def read_entrants(connection: Connection, task_id: int) -> tuple[Entrant, ...]:
    """The models of a task that are not retired, oldest first; those of challenges are not on it."""
    return tuple(
        _entrant(model)
        for model in list_models(connection, task_id)
        if model.retired is None and model.challenge_id is None
    )


def _is_of(entrant: Entrant, team: int | None) -> bool:
    return team is not None and entrant.submitter_id == team


def read_sets(connection: Connection, task_id: int) -> tuple[ScoringSet, ...]:
    """The scoring data sets of a task, oldest first."""
    known = list_datasets(connection, task_id)
    return tuple(
        ScoringSet(
            id=each.id,
            name=each.name,
            version=each.version,
            items=each.items,
            version_id=each.version_id,
            digest=each.digest,
            variants=_variants(each, known),
        )
        for each in known
        if each.access == "scoring" and each.parent_id is None
    )


def _entrant(model: Model) -> Entrant:
    return Entrant(
        id=model.id,
        key=model.key,
        name=model.name,
        submitter_id=model.submitter_id,
        team=model.team,
        published=model.published,
        anonymous=model.anonymous,
        tags=model.tags,
        link=model.link,
        version_id=model.version_id,
        arrival=model.id,
        challenge_id=model.challenge_id,
    )


def _variants(parent: Dataset, known: Sequence[Dataset]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for each in known:
        if each.parent_id == parent.id and each.kind:
            found.setdefault(each.kind, []).append(each.version_id)
    return {kind: tuple(versions) for kind, versions in found.items()}
