"""The process that perturbs or scores: `python -m palaver.web.desk.tasks.adding.worker FOLDER`."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from palaver.core.errors import PalaverError
from palaver.core.evaluation.datasets import Perturbed
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import encode
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.perturbations.perturbed_datasets import perturb_dataset
from palaver.evaluation.scoring.rescore import Rescoring, rescore_task
from palaver.evaluation.tasks import find_task, stored_task
from palaver.web.desk.beside import give_way
from palaver.web.desk.tasks.adding.making import (
    MakingTask,
    PerturbTask,
    RescoreTask,
    ScoredMetric,
    ScoredMetrics,
)
from palaver.web.desk.works import PROGRESS, RESULT

SAMPLES = 5
# Records that are perturbed before the page hears of it.
SIZE = 500

Tell = Callable[[str], None]


def main() -> None:
    """Do what standard input asks for; on a mistake one line on standard error."""
    give_way()
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=MakingTask)
    folder = Path(sys.argv[1])

    def tell(words: str) -> None:
        part = folder / f"{PROGRESS}.part"
        part.write_text(words, encoding="utf-8")
        part.replace(folder / PROGRESS)

    try:
        with open_evaluation(Path(task.home), task.database) as home:
            row = home.store.read_now(lambda c: find_task(c, task.task))
            made = make(home, row, task, tell)
    except PalaverError as error:
        sys.exit(" ".join(str(error).split()))
    (folder / RESULT).write_bytes(encode(made))


def make(
    home: EvaluationHome, row: StoredTask, task: MakingTask, tell: Tell
) -> Perturbed | ScoredMetrics:
    """The variants, registered; or the scores, stored."""
    if isinstance(task, PerturbTask):
        return perturb(home, row, task, tell)
    return ScoredMetrics(metrics=tuple(score(home, row, task, each, tell) for each in task.metrics))


def perturb(home: EvaluationHome, row: StoredTask, task: PerturbTask, tell: Tell) -> Perturbed:
    return perturb_dataset(
        home,
        row,
        stored_task(row),
        task.dataset,
        kind=task.kind,
        seed=task.seed,
        only=task.only,
        fields=task.fields,
        samples=SAMPLES,
        size=SIZE,
        tell=lambda done, of: tell(f"{done:,} of {of:,} items"),
        now=task.now,
    )


def score(
    home: EvaluationHome, row: StoredTask, task: RescoreTask, metric: str, tell: Tell
) -> ScoredMetric:
    """One metric on the runs; a metric that does not fit leaves the others alone."""
    wanted = Rescoring(
        metric=metric,
        models=task.models,
        datasets=task.datasets,
        fields=task.fields,
        force=task.force,
    )
    try:
        runs = rescore_task(
            home,
            row,
            wanted,
            now=task.now,
            tell=lambda done, of: tell(f"{metric}: {done:,} of {of:,} runs"),
        )
    except PalaverError as error:
        return ScoredMetric(metric=metric, problem=str(error))
    return ScoredMetric(metric=metric, runs=tuple(runs))


if __name__ == "__main__":
    main()
