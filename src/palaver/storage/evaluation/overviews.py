"""What pages show of many runs at once: counts, and scores without their parts."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from palaver.storage.evaluation.scores import StoredScore
from palaver.storage.evaluation.tables import job_failures, runs, scores


def count_states(
    connection: Connection, of_models: Collection[int], on_datasets: Collection[int]
) -> dict[str, int]:
    """How many runs of these model versions on these data set versions are in each state."""
    rows = connection.execute(
        select(runs.c.state, func.count())
        .where(_between(of_models, on_datasets))
        .group_by(runs.c.state)
        .order_by(runs.c.state)
    )
    return {row[0]: row[1] for row in rows}


def runs_mark(
    connection: Connection, of_models: Collection[int], on_datasets: Collection[int]
) -> tuple[Any, ...]:
    """Numbers that change when one of these runs gets on, fails an attempt, or is scored."""
    states = connection.execute(
        select(
            runs.c.state,
            func.count(),
            func.sum(runs.c.id),
            func.sum(runs.c.answered),
            func.sum(runs.c.refused),
            func.max(runs.c.finished),
        )
        .where(_between(of_models, on_datasets))
        .group_by(runs.c.state)
        .order_by(runs.c.state)
    ).all()
    last = connection.execute(select(func.max(scores.c.id))).scalar()
    # A score that is replaced gets a new id, unless it was the last one.
    made = connection.execute(select(scores.c.created).where(scores.c.id == last)).scalar()
    failed = connection.execute(select(func.max(job_failures.c.id))).scalar()
    return (*(tuple(map(str, row)) for row in states), last, made, failed)


def bare_scores(
    connection: Connection, run_ids: Collection[int], *, metric: str | None = None
) -> list[StoredScore]:
    """The scores of these runs without parts and rows, oldest first; with `metric` only its own."""
    columns = [each for each in scores.c if each.name not in ("id", "created", "parts", "rows")]
    wanted = select(*columns).where(scores.c.run_id.in_(run_ids))
    if metric is not None:
        wanted = wanted.where(scores.c.metric == metric, scores.c.variant_id == 0)
    found = connection.execute(wanted.order_by(scores.c.id))
    return [StoredScore(**row._mapping) for row in found]


def _between(of_models: Collection[int], on_datasets: Collection[int]) -> ColumnElement[bool]:
    return runs.c.model_version_id.in_(of_models) & runs.c.dataset_version_id.in_(on_datasets)
