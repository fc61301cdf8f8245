"""What of a model that is handed in will be ranked, and what will not and why: said at once.

A model has a rank where it has every metric that counts by the usual weights on every scoring data set.
Which numbers it can have is known before anything is scored: what is uploaded has those that its files
allow, and neither throughput nor memory.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import BoardColumn
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import UPLOADED, AddedModel, RankingOutlook
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.dynaboards.board_reader import read_entrants
from palaver.evaluation.dynaboards.columns import MEMORY, THROUGHPUT, columns_of
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.registration import add_model
from palaver.storage.evaluation.boards import measured_on
from palaver.storage.evaluation.datasets import list_datasets

NOT_RUN = (THROUGHPUT, MEMORY)


@dataclass(frozen=True, slots=True)
class _Ground:
    """The scoring data sets, their variants by kind, the columns, and what published models have."""

    scoring: Sequence[Dataset]
    variants: Sequence[Dataset]
    columns: Sequence[BoardColumn]
    present: Collection[tuple[int, str]]

    def has(self, column: BoardColumn) -> bool:
        """Whether a published model has a metric somewhere."""
        return any(metric == column.key for _, metric in self.present)

    def has_on(self, dataset: Dataset) -> bool:
        """Whether a published model has its performance on a data set, so that it counts."""
        return (dataset.version_id, self.columns[0].key) in self.present

    @property
    def counting(self) -> list[BoardColumn]:
        """What ranks by the usual weights; agreement only with variants that there are."""
        kinds = {each.kind for each in self.variants}
        first, *others = self.columns
        weighed = [each for each in others if each.usual_weight > 0]
        return [first, *(each for each in weighed if not each.is_delta or each.key in kinds)]


def check_takes_predictions(task: Task) -> None:
    """Raise InputError where a task takes models alone."""
    if not task.takes_predictions:
        raise InputError(
            f"The task '{task.name}' takes no predictions: its file says 'takes_predictions: false'. "
            "Give a model or the address of an endpoint."
        )


def add_model_told(
    home: EvaluationHome, task_row: StoredTask, task: Task, **described: Any
) -> AddedModel:
    """Register a model, as `add_model` does, and say what will be ranked of it."""
    return with_outlook(home, task_row, task, add_model(home, task_row, task, **described))


def with_outlook(
    home: EvaluationHome, task_row: StoredTask, task: Task, added: AddedModel
) -> AddedModel:
    """What became of a model, with what will be ranked of it."""
    answered = set(added.options) if added.kind == UPLOADED else None
    found = home.store.read_now(lambda c: ranking_outlook(c, task_row, task, answered=answered))
    return replace(added, outlook=found)


def ranking_outlook(
    connection: Connection, task_row: StoredTask, task: Task, *, answered: Collection[str] | None
) -> RankingOutlook:
    """What will be ranked of answers to the data sets with these digests; None: of a model."""
    (found,) = ranking_outlooks(connection, task_row, task, [answered])
    return found


def ranking_outlooks(
    connection: Connection,
    task_row: StoredTask,
    task: Task,
    each_answered: Iterable[Collection[str] | None],
) -> list[RankingOutlook]:
    """What will be ranked of several; what only unpublished models have counts for nobody else."""
    ground = _ground(connection, task_row, task)
    return [_outlook(ground, answered) for answered in each_answered]


def _outlook(ground: _Ground, answered: Collection[str] | None) -> RankingOutlook:
    has = {each.digest for each in ground.scoring} if answered is None else answered
    missing = [each for each in ground.scoring if each.digest not in has]
    has_some = len(missing) < len(ground.scoring)
    needed = [each.name for each in missing if not has_some or ground.has_on(each)]
    without = "there are no predictions for"
    reasons = [f"{without} {listed(needed)}"] if needed else []
    remarks = [
        f"{without} {each.name}, which counts as soon as a published model has it"
        for each in missing
        if each.name not in needed
    ]
    if answered is not None:
        for column in ground.columns[1:]:
            counts = column.usual_weight > 0 and ground.has(column)
            (reasons if counts else remarks).extend(_lacks(column, ground, answered))
        remarks += _not_run(ground)
    return RankingOutlook(
        ranked=has_some and not reasons,
        counts={each.title: each.usual_weight for each in ground.counting},
        covered=tuple(each.name for each in ground.scoring if each.digest in has),
        missing=tuple(each.name for each in missing),
        reasons=tuple(reasons),
        remarks=tuple(remarks),
        is_asked=answered is None,
    )


def _ground(connection: Connection, task_row: StoredTask, task: Task) -> _Ground:
    known = list_datasets(connection, task_row.id)
    scoring = [each for each in known if each.access == "scoring" and each.parent_id is None]
    ids = {each.id for each in scoring}
    entrants = [each for each in read_entrants(connection, task_row.id) if each.published]
    present = measured_on(
        connection,
        [each.version_id for each in entrants],
        [each.version_id for each in scoring],
    )
    return _Ground(
        scoring=scoring,
        variants=[each for each in known if each.parent_id in ids],
        columns=columns_of(task),
        present=present,
    )


def _lacks(column: BoardColumn, ground: _Ground, answered: Collection[str]) -> Iterator[str]:
    """What uploaded answers do not have that counts, or would if another model had it."""
    if column.key in NOT_RUN and column.usual_weight > 0:
        yield (
            f"{column.title.lower()} counts on this board (weight {column.usual_weight:g}), and "
            "predictions that were uploaded have none"
        )
    if not column.is_delta:
        return
    without = [
        each.name
        for each in ground.variants
        if each.kind == column.key and each.digest not in answered
    ]
    if not without:
        return
    counts = f"counts on this board (weight {column.usual_weight:g})" if column.usual_weight else ""
    if not ground.has(column):
        counts = f"{counts} as soon as a published model has it" if counts else ""
    yield (
        f"{column.title.lower()} {counts or 'does not decide (weight 0)'}, and there are no "
        f"predictions for {listed(without)}: hand {'it' if len(without) == 1 else 'them'} in, too"
    )


def _not_run(ground: _Ground) -> Iterator[str]:
    """That nothing runs here, where that decides nothing."""
    names = [
        each.title.lower()
        for each in ground.columns
        if each.key in NOT_RUN and each.usual_weight == 0
    ]
    if names:
        yield (
            f"it has no {listed(names, 'or')}, as nothing runs here; on this board these have weight "
            "0 unless a reader gives them one"
        )
