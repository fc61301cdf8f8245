"""Scores in the store: one number of a run under one version of a metric."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, case, delete, insert, select

from palaver.core.evaluation.runs import RunScore
from palaver.storage.audit.runs import record_run
from palaver.storage.schema.evaluation import dataset_versions, datasets, scores


def store_scores(connection: Connection, new: Sequence[RunScore], *, now: float) -> None:
    """Store scores; one that stood under the same run, metric, version and variant is replaced."""
    for each in new:
        connection.execute(
            delete(scores).where(
                scores.c.run_id == each.run_id,
                scores.c.metric == each.metric,
                scores.c.version == each.version,
                scores.c.variant_id == each.variant_id,
            )
        )
        connection.execute(
            insert(scores).values(
                run_id=each.run_id,
                metric=each.metric,
                version=each.version,
                variant_id=each.variant_id,
                value=each.value,
                low=each.low,
                high=each.high,
                n=each.n,
                reason=each.reason,
                parts=msgspec.json.encode(each.parts).decode(),
                rows=each.rows,
                created=now,
            )
        )
    for run_id in dict.fromkeys(each.run_id for each in new):
        record_run(connection, run_id, now=now)


def scores_of_runs(
    connection: Connection,
    run_ids: Collection[int],
    *,
    metrics: Collection[str] | None = None,
    rows: bool = False,
) -> list[RunScore]:
    """The scores of these runs, oldest first; with `rows` also what each item adds."""
    wanted = _BARE.add_columns(scores.c.parts, *((scores.c.rows,) if rows else ()))
    if metrics is not None:
        wanted = wanted.where(scores.c.metric.in_(metrics))
    found = connection.execute(wanted.where(scores.c.run_id.in_(run_ids)).order_by(scores.c.id))
    return [RunScore(**{**row._mapping, "parts": _parts(row.parts)}) for row in found]


def bare_scores(
    connection: Connection, run_ids: Collection[int], *, metric: str | None = None
) -> list[RunScore]:
    """The scores of these runs without rows, oldest first; with `metric` only its own.

    Parts, which may be long, have only those that were measured with variants: they are counted there.
    """
    wanted = _BARE.add_columns(case((scores.c.variant_id != 0, scores.c.parts)).label("parts"))
    wanted = wanted.where(scores.c.run_id.in_(run_ids))
    if metric is not None:
        wanted = wanted.where(scores.c.metric == metric, scores.c.variant_id == 0)
    found = connection.execute(wanted.order_by(scores.c.id))
    return [RunScore(**{**row._mapping, "parts": _parts(row.parts)}) for row in found]


def _parts(text: str | None) -> dict[str, Any]:
    return {} if text is None else msgspec.json.decode(text, type=dict[str, Any])


_LEFT_OUT = ("id", "created", "parts", "rows")
# A score with the name of the perturbed set that it was measured with.
_BARE: Select[Any] = (
    select(
        *(column for column in scores.c if column.name not in _LEFT_OUT),
        datasets.c.name.label("variants"),
    )
    .outerjoin(dataset_versions, dataset_versions.c.id == scores.c.variant_id)
    .outerjoin(datasets, datasets.c.id == dataset_versions.c.dataset_id)
)
