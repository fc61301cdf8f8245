"""Uploaded answers are scored while whoever handed them in waits, where that takes about a second.

What takes longer is left to the job of the run: a large data set, code of somebody's own, a metric that
has to be computed anew for every sample of a bootstrap. The scores are the same either way.
"""

from typing import Any

import msgspec

from palaver.core.evaluation.datasets import Dataset
from palaver.core.tasks import MetricChoice, Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.efficiency import not_asked
from palaver.evaluation.scoring.result import Scored
from palaver.evaluation.scoring.scores import GoldColumns, ScoredColumns, find_choice, score_choice
from palaver.metrics.sums import form_for

# Up to so many items are scored at once.
MOST_ITEMS = 20_000

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def score_upload(
    home: EvaluationHome, task: Task, dataset: Dataset, content: bytes
) -> tuple[Scored, ...] | None:
    """The scores of answers that were checked, one per line in the order of the data set.

    None where they would take too long: then the job of the run computes them.
    """
    if not _is_quick(task, dataset):
        return None
    examples = read_examples(home, task, dataset)
    answers = [_decode(line) for line in content.splitlines()]
    columns = ScoredColumns(task, examples, answers, gold=_gold(home, task, dataset))
    found = [
        score_choice(
            task,
            choice,
            examples,
            answers,
            by_tag=choice.key == task.performance.key,
            columns=columns,
        )
        for choice in task.metrics
    ]
    return (*found, *not_asked())


def _gold(home: EvaluationHome, task: Task, dataset: Dataset) -> GoldColumns:
    """What is right, as metrics take it: kept, because many files are scored on the same data."""
    name = ("gold of a data set", dataset.path, dataset.digest, repr((task.gold, task.outputs)))
    known: GoldColumns | None = home.store.cache.get(name)
    return home.store.cache.keep(name, {}) if known is None else known


def _is_quick(task: Task, dataset: Dataset) -> bool:
    if dataset.items > MOST_ITEMS or dataset.function or task.function:
        return False
    return all(_is_sum(task, choice) for choice in task.metrics)


def _is_sum(task: Task, choice: MetricChoice) -> bool:
    """Whether a metric of ours adds up over items, so that its interval needs no second look."""
    metric = find_choice(task, choice)
    return metric.extra is None and form_for(metric, dict(choice.options)) is not None
