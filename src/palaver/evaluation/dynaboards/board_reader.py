"""Reading boards from the store: who is on them, on what, and who leads.

The cells of a board are kept for whoever moves a weight next.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import (
    Board,
    BoardColumn,
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
from palaver.evaluation.dynaboards.cells import Cells, draw_columns, led_by, read_cells
from palaver.evaluation.dynaboards.columns import (
    MEMORY_OFFSET,
    Weights,
    columns_of,
    find_column,
    parse_weights,
    resolve_weights,
)
from palaver.evaluation.dynaboards.measure_ranking import rank_by_measure, standing_tables
from palaver.evaluation.dynaboards.ranking import rank_board
from palaver.evaluation.dynaboards.rounds import CountingSets, counting_sets
from palaver.evaluation.dynaboards.verdicts import Found, Verdicts
from palaver.evaluation.tasks import stored_task
from palaver.storage.engine.store import Cache
from palaver.storage.evaluation.boards import content_mark, scored_metrics
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models

DRAWS = 1000
# What ranks a board by several metrics.
DYNASCORE = "dynascore"
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
        metric: str = "",
        metric_weights: Mapping[str, float] | None = None,
        dataset_weights: Mapping[str, float] | None = None,
        fork: SavedBoard | None = None,
        round: int | None = None,
        memory_offset: float = MEMORY_OFFSET,
        public: bool = False,
        team: int | None = None,
    ) -> Board:
        """The task's board under these weights, above those of a fork; of one `round`, or of all.

        With a `metric` that one ranks in place of what the task or the fork says; "dynascore" is the
        weighed sum. In public unpublished models are counted and nothing else, except those of the
        `team` that asks. Data sets that a fork knows and that are gone do not count.
        """
        entrants = read_entrants(connection, task_row.id)
        seen = tuple(e for e in entrants if not public or e.published or _is_of(e, team))
        told: dict[str, Any] = {
            "task": task_row.name,
            "title": task_row.title,
            "public": public,
            "unpublished": len(entrants) - len(seen),
        }
        saved = fork.weights if fork else BoardWeights()
        wanted = saved.round if round is None else round
        counting = counting_sets(read_sets(connection, task_row.id), wanted)
        with self._lock:
            name, cells = self._cells(connection, task_row, task, memory_offset, seen, counting)
        first, gone = _ranking_column(cells, task, metric, saved.metric)
        _check_weights(cells, task, first, metric_weights, dataset_weights)
        datasets = _still_there(saved.datasets, [each.name for each in cells.sets])
        datasets |= dataset_weights or {}
        if first is not None:
            return self._by_measure(connection, task, name, cells, first, datasets, told)
        metrics = _still_there(saved.metrics, [each.key for each in cells.columns])
        weights = resolve_weights(
            cells.columns,
            cells.sets,
            gone=cells.gone,
            metrics={**metrics, **(metric_weights or {})},
            datasets=datasets,
        )
        cells = self._drawn(connection, name, cells, weights)
        board = rank_board(cells, self._average(name, cells, weights), weights, **told)
        return replace(board, warnings=(*board.warnings, gone)) if gone else board

    def scores_beside(
        self,
        connection: Connection,
        model: Model,
        datasets: Sequence[Dataset],
        columns: Sequence[BoardColumn],
    ) -> Mapping[str, Mapping[str, Measured]]:
        """What a model scored on data sets that are not on its board, as the board would have it."""
        if not datasets:
            return {}
        known = list_datasets(connection, model.task_id)
        cells = read_cells(
            connection,
            [_entrant(model)],
            [_scoring_set(each, known) for each in datasets],
            columns,
            draws=self.draws,
            seed=self.seed,
            confidence=CONFIDENCE,
        )
        return cells.scores[0]

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

        Those of metrics beyond the usual columns may be left out. A board that ranks by one measure
        has no weights; clients of that API send some all the same.
        """
        board = self.read(connection, task_row, task, public=public)
        if task.ranking == "measure":
            return board
        keys = [metric.key for metric in board.metrics]
        usual = [metric.key for metric in board.metrics if metric.is_usual]
        names = [dataset.name for dataset in board.datasets]
        if metrics is None and datasets is None:
            return board
        given = usual if metrics and metrics.count("|") + 1 == len(usual) else keys
        return self.read(
            connection,
            task_row,
            task,
            metric_weights=_positional(metrics, given, "ordered_metric_weights"),
            dataset_weights=_positional(datasets, names, "ordered_scoring_dataset_weights"),
            public=public,
        )

    def _by_measure(
        self,
        connection: Connection,
        task: Task,
        name: Hashable,
        cells: Cells,
        first: int,
        datasets: Mapping[str, float],
        told: Mapping[str, Any],
    ) -> Board:
        """The board in the order of one column: the task's own, or the one that was chosen."""
        column = cells.columns[first]
        weight = column.usual_weight or 1.0
        alone = Weights(
            tuple(weight if n == first else 0.0 for n in range(len(cells.columns))),
            resolve_weights(cells.columns, cells.sets, gone=cells.gone, datasets=datasets).datasets,
        )
        drawn = led_by(self._drawn(connection, name, cells, alone), first)
        weights = Weights(tuple(sorted(alone.metrics, reverse=True)), alone.datasets)
        averages = self._average((name, first), drawn, weights)
        found: Found | None = Found()
        if task.ranking == "measure":
            seen = [entrant.seen(public=told["public"]) for entrant in drawn.entrants]
            # Of a measure that somebody chose alone, nobody asks what the others say.
            tested = [column] if first else [each for each in drawn.columns if each.is_usual]
            found = self.verdicts.get(
                (name, first, told["public"]),
                lambda: standing_tables(connection, drawn, averages, seen, tested),
            )
        chosen = column.key if first or task.ranking != "measure" else ""
        return rank_by_measure(drawn, averages, weights, found, metric=chosen, **told)

    def _drawn(
        self, connection: Connection, name: Hashable, cells: Cells, weights: Weights
    ) -> Cells:
        """The cells with samples of every column that counts, kept for whoever asks next."""
        counting = [
            column.key
            for column, weight in zip(cells.columns, weights.metrics, strict=True)
            if weight > 0
        ]
        with self._lock:
            known = self._kept.get(name) or cells
            return self._kept.keep(name, draw_columns(connection, known, counting))

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
        counting: CountingSets,
    ) -> tuple[Hashable, Cells]:
        """The cells of these models, and what they are kept under."""
        sets = counting.sets
        versions = (
            [entrant.version_id for entrant in entrants],
            [each.version_id for each in sets],
        )
        variants = tuple(sorted((s.version_id, *item) for s in sets for item in s.variants.items()))
        name: Hashable = (
            task_row.id,
            entrants,
            tuple((each.version_id, each.name, each.round) for each in sets),
            (counting.round, counting.rounds),
            variants,
            columns_of(task, memory_offset=memory_offset),
            content_mark(connection, *versions),
        )
        found = self._kept.get(name)
        if found is not None:
            return name, found
        stored = scored_metrics(connection, *versions)
        made = read_cells(
            connection,
            entrants,
            sets,
            columns_of(task, memory_offset=memory_offset, stored=stored),
            draws=self.draws,
            seed=self.seed,
            confidence=CONFIDENCE,
        )
        return name, self._kept.keep(name, replace(made, counting=counting))


def read_board(
    connection: Connection,
    task_row: StoredTask,
    task: Task,
    *,
    metric: str = "",
    metric_weights: Mapping[str, float] | None = None,
    dataset_weights: Mapping[str, float] | None = None,
    round: int | None = None,
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
        metric=metric,
        metric_weights=metric_weights,
        dataset_weights=dataset_weights,
        round=round,
        memory_offset=memory_offset,
        public=public,
    )


def _ranking_column(cells: Cells, task: Task, asked: str, saved: str) -> tuple[int | None, str]:
    """The place of the metric that ranks alone, None where a Dynascore does.

    With it comes what to say where a fork's metric is gone. InputError where the one that was asked
    for is none of the board's.
    """
    own = 0 if task.ranking == "measure" else None
    if asked.casefold() == DYNASCORE:
        if own is not None:
            raise InputError(
                f"The board of '{task.name}' ranks by {cells.columns[0].title} alone and has no "
                "Dynascore."
            )
        return None, ""
    if asked:
        return find_column(asked, cells.columns), ""
    if saved and saved not in [each.key for each in cells.columns]:
        return own, f"It was saved as ranked by '{saved}', which no model on this board has now."
    return (find_column(saved, cells.columns) if saved else own), ""


def _check_weights(
    cells: Cells,
    task: Task,
    first: int | None,
    metrics: Mapping[str, float] | None,
    datasets: Mapping[str, float] | None,
) -> None:
    """InputError where weights are given to what has none."""
    if first is None:
        return
    title = cells.columns[first].title
    if task.ranking == "measure" and (metrics or datasets):
        raise InputError(f"The board of '{task.name}' ranks by {title} alone: it takes no weights.")
    if metrics:
        raise InputError(
            f"A board that ranks by {title} alone takes no weights of metrics; leave out the metric "
            "or the weights."
        )


def _still_there(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """What of saved weights the board still has."""
    return {each: weight for each, weight in weights.items() if each in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class LedTask:
    """A task, how many models and open data sets it has, and what its board says.

    `leader` is the model that is told apart from all others, or the only one; None on a tie. `score`
    is what ranks it, by a `measure`, shown with so many `digits`.
    """

    row: StoredTask
    task: Task
    models: int
    datasets: int
    leader: RankedModel | None
    answer: str
    score: Measured | None = None
    measure: str = ""
    digits: int | None = None
    # Whether what is sure of the order is still being computed.
    pending: bool = False
    # Of the models, those that everybody may know of.
    published: int = 0


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
    by_measure = board is not None and board.ranking == "measure"
    return LedTask(
        row=row,
        task=task,
        models=len(models),
        datasets=len(datasets),
        leader=leader,
        answer=board.answer if board and board.models else "",
        score=board.standing(leader) if board and leader else None,
        measure=board.ranked_by if board else "Dynascore",
        digits=board.metrics[0].digits if board and by_measure else None,
        pending=board is not None and board.pending,
        published=sum(model.published for model in models),
    )


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
        _scoring_set(each, known)
        for each in known
        if each.access == "scoring" and each.parent_id is None
    )


def _scoring_set(dataset: Dataset, known: Sequence[Dataset]) -> ScoringSet:
    return ScoringSet(
        id=dataset.id,
        name=dataset.name,
        version=dataset.version,
        items=dataset.items,
        round=dataset.round,
        version_id=dataset.version_id,
        digest=dataset.digest,
        variants=_variants(dataset, known),
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
