"""A board with bootstraps: read the first time, with a weight moved, and beside a plain loop."""

import itertools
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from benchmarks.statistics_measuring import extrapolated, memory, seconds, side, speed, timed
from benchmarks.table import Figure
from palaver.core.evaluation.runs import RunScore
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.dynaboards import Boards
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.metrics.registry import find_metric
from palaver.metrics.sums import FORMS, form_for, mean_rows, pack_rows, time_rows
from palaver.storage import Store
from palaver.storage.evaluation.datasets import add_version, register_dataset
from palaver.storage.evaluation.models import add_model_version, register_model
from palaver.storage.evaluation.runs import add_run, set_run
from palaver.storage.evaluation.scores import store_scores

HERE = __name__
LABELS = ["negative", "positive", "neutral"]
DELTAS = ("fairness", "robustness")
MOST_MEMORY = 500.0


def run(*, models: int, sets: int, items: int, draws: int, done: int) -> tuple[list[Figure], Any]:
    """Seconds of a board, and cells per second beside a loop over `done` of its runs."""
    size = {"models": models, "sets": sets, "items": items, "draws": draws}
    ours = side(f"{HERE}:ours", **size)
    loop = side(f"{HERE}:plain_loop", **size, done=done)
    what = f"{models} models × {sets} data sets × 5 metrics, {items:,} items, B = {draws:,}"
    cells = models * sets * 5
    return [
        seconds(f"{what}: first board", ours),
        seconds("a metric's weight moved", {"seconds": ours["metric_weight"]}),
        seconds("a data set's weight moved", {"seconds": ours["dataset_weight"]}),
        speed(
            f"first board (floor: a plain loop, {done} of {models * sets} runs)",
            cells,
            "cells/s",
            ours,
            loop,
        ),
        memory("peak memory", ours, most=MOST_MEMORY),
    ], {"ours": ours, "plain": loop}


def ours(*, models: int, sets: int, items: int, draws: int) -> dict[str, Any]:
    """The first board from the store, and the next ones with other weights."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'palaver.db'}")
        try:
            row = store.write_now(lambda c: furnish(c, models, sets, items))
            task = stored_task(row)
            boards = Boards(draws=draws)

            def read(**weights: Any) -> None:
                store.read_now(lambda c: boards.read(c, row, task, **weights))

            first = timed(read)
            # A weight that nobody has asked for yet, in every round.
            weights = itertools.count(6)
            metric = timed(lambda: read(metric_weights={"fairness": next(weights)}), rounds=5)
            dataset = timed(lambda: read(dataset_weights={"set 0": next(weights)}), rounds=5)
        finally:
            store.close()
    return {
        **first,
        "metric_weight": metric["seconds"],
        "dataset_weight": dataset["seconds"],
    }


def plain_loop(*, models: int, sets: int, items: int, draws: int, done: int) -> dict[str, Any]:
    """Draw items, add up their rows, take the value: one model, one metric, one sample at a time."""
    dice = np.random.default_rng(0)
    gold = dice.choice(LABELS, items).tolist()
    scores = [_scores(n, dice, gold, (1, 2)) for n in range(done)]
    rows = [[(FORMS[name], matrix) for name, matrix in _unpacked(each)] for each in scores]

    def work() -> None:
        for model in rows:
            for form, matrix in model:
                dice = np.random.default_rng(0)
                values = np.empty(draws)
                for sample in range(draws):
                    values[sample] = form.value(
                        matrix[dice.integers(items, size=items)].sum(axis=0)
                    )
                np.quantile(values, [0.025, 0.975])

    return extrapolated(timed(work), done=done, wanted=models * sets)


def _unpacked(scores: list[tuple[RunScore, Any]]) -> list[tuple[str, Any]]:
    return [(str(score.parts["form"]), rows) for score, rows in scores if rows is not None]


def furnish(connection: Connection, models: int, sets: int, items: int) -> StoredTask:
    """A store in which every model has every score on every data set."""
    now = time.time()
    dice = np.random.default_rng(0)
    row = ensure_task(connection, "sentiment", now=now)
    task: Task = stored_task(row)
    assert task.performance.key == "macro_f1"
    versions = [_model(connection, row.id, f"model {n}", now) for n in range(models)]
    for n in range(sets):
        gold = dice.choice(LABELS, items).tolist()
        version, own = _dataset(connection, row.id, f"set {n}", items, now)
        variants = tuple(
            _dataset(connection, row.id, f"{kind} {n}", items, now, kind=kind, parent_id=own)[0]
            for kind in DELTAS
        )
        for model in versions:
            made = add_run(
                connection,
                model_version_id=model,
                dataset_version_id=version,
                items=items,
                now=now,
            )
            assert made is not None
            set_run(connection, made.id, state="done")
            scores = _scores(made.id, dice, gold, variants)
            store_scores(connection, [score for score, _ in scores], now=now)
    return row


def _scores(
    run: int, dice: np.random.Generator, gold: list[str], variants: tuple[int, ...]
) -> list[tuple[RunScore, Any]]:
    skill = dice.uniform(0.4, 0.9)
    right = dice.random(len(gold)) < skill
    given = np.where(right, gold, dice.choice(LABELS, len(gold))).tolist()
    metric = find_metric("macro_f1")
    form = form_for(metric)
    assert form is not None
    found = [
        _score(run, "macro_f1", form.name, form.rows(metric, given, gold)),
        _score(run, "throughput", "throughput", time_rows(dice.gamma(2, 0.01, len(gold)), 1.0)),
        (RunScore(run_id=run, metric="memory", version="1", value=5 * skill, n=20), None),
    ]
    for kind, variant in zip(DELTAS, variants, strict=True):
        same = (dice.random(len(gold)) < dice.uniform(0.7, 0.95)).astype(float)
        found.append(_score(run, kind, "mean", mean_rows(same), variant=variant))
    return found


def _score(
    run: int, metric: str, form: str, rows: Any, *, variant: int = 0
) -> tuple[RunScore, Any]:
    stored = RunScore(
        run_id=run,
        metric=metric,
        version="1",
        variant_id=variant,
        value=float(FORMS[form].value(rows.sum(axis=0))),
        n=len(rows),
        parts={"form": form},
        rows=pack_rows(rows),
    )
    return stored, rows


def _model(connection: Connection, task_id: int, name: str, now: float) -> int:
    made = register_model(connection, task_id=task_id, name=name, published=True, now=now)
    version, _ = add_model_version(
        connection, model_id=made, kind="python", options={}, digest=name, now=now
    )
    return version.version_id


def _dataset(
    connection: Connection, task_id: int, name: str, items: int, now: float, **values: Any
) -> tuple[int, int]:
    made = register_dataset(
        connection, task_id=task_id, name=name, access="scoring", now=now, **values
    )
    version, _ = add_version(
        connection,
        dataset_id=made,
        digest=f"{made:064x}",
        path=name,
        items=items,
        size=items,
        now=now,
    )
    return version.version_id, made
