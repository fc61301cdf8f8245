"""A task whose models have scores with item rows, written straight into the store."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from palaver.analysis.item_means import SHARE
from palaver.core.evaluation.runs import Run, RunScore
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.scoring.intervals import additive
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.metrics.registry import find_metric
from palaver.metrics.sums import FORMS, form_for, mean_rows, pack_rows, unpack_rows
from palaver.storage import Store
from palaver.storage.evaluation.datasets import add_version, register_dataset
from palaver.storage.evaluation.models import add_model_version, register_model
from palaver.storage.evaluation.runs import add_run, runs_of_versions, set_run
from palaver.storage.evaluation.scores import store_scores

NOW = 1_700_000_000.0


@dataclass
class Lab:
    """Registers data sets, models and scores of one task, as runs would."""

    store: Store
    name: str = "nli"
    row: StoredTask = field(init=False)
    task: Task = field(init=False)

    def __post_init__(self) -> None:
        self.row = self.store.write_now(lambda c: ensure_task(c, self.name, now=NOW))
        self.task = stored_task(self.row)

    def dataset(self, name: str, items: int, **values: Any) -> int:
        """A data set with so many items; the id of its version."""

        def work(c: Any) -> int:
            made = register_dataset(
                c, task_id=self.row.id, name=name, now=NOW, **{"access": "scoring", **values}
            )
            digest = f"{made:02x}" * 32
            version, _ = add_version(
                c, dataset_id=made, digest=digest, path=name, items=items, size=1, now=NOW
            )
            return version.version_id

        return self.store.write_now(work)

    def dataset_id(self, name: str) -> int:
        return self.store.write_now(
            lambda c: register_dataset(c, task_id=self.row.id, name=name, now=NOW)
        )

    def model(self, name: str, **values: Any) -> int:
        """A published model; the id of its version."""

        def work(c: Any) -> int:
            made = register_model(
                c, task_id=self.row.id, name=name, now=NOW, **{"published": True, **values}
            )
            version, _ = add_model_version(
                c, model_id=made, kind="python", options={}, digest=name, now=NOW
            )
            return version.version_id

        return self.store.write_now(work)

    def run(self, model: int, dataset: int, items: int, **values: Any) -> Run:
        """A run that is done."""

        def work(c: Any) -> Run:
            add_run(c, model_version_id=model, dataset_version_id=dataset, items=items, now=NOW)
            (run,) = runs_of_versions(c, [model], [dataset])
            set_run(c, run.id, **{"state": "done", **values})
            return run

        return self.store.write_now(work)

    def score(self, run: Run, *new: RunScore, now: float = NOW) -> None:
        self.store.write_now(lambda c: store_scores(c, new, now=now))


def labels(run: int, metric: str, given: Sequence[str], gold: Sequence[str]) -> RunScore:
    """A score of labels with what each item adds."""
    found = find_metric(metric)
    form = form_for(found)
    assert form is not None
    rows = form.rows(found, list(given), list(gold))
    return RunScore(
        run_id=run,
        metric=metric,
        version="1",
        value=float(form.value(rows.sum(axis=0))),
        n=len(gold),
        parts={"form": form.name},
        rows=pack_rows(rows),
    )


def mean(run: int, metric: str, values: Sequence[float], *, variant: int = 0) -> RunScore:
    """A score that is the mean of values, NaN where an item has none."""
    rows = mean_rows(np.asarray(values))
    return RunScore(
        run_id=run,
        metric=metric,
        version="1",
        variant_id=variant,
        value=float(FORMS["mean"].value(rows.sum(axis=0))),
        n=int(rows[:, 1].sum()),
        parts={"form": "mean"},
        rows=pack_rows(rows),
    )


def sure(score: RunScore) -> RunScore:
    """The score with the interval that scoring stores beside it."""
    assert score.rows is not None
    found = additive(FORMS[score.parts["form"]], unpack_rows(score.rows), SHARE).estimate()
    ends = found.interval
    return replace(
        score, low=ends and ends.low, high=ends and ends.high, reason="" if ends else found.reason
    )


def bare(run: int, metric: str, value: float | None, **known: Any) -> RunScore:
    """A score that does not say what items add."""
    return RunScore(run_id=run, metric=metric, version="1", value=value, **{"n": 100, **known})
