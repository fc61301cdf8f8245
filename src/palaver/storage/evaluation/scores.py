"""Scores in the store: one number of a run under one version of a metric."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select

from palaver.core.evaluation.scores import RunScore
from palaver.storage.evaluation.tables import dataset_versions, datasets, scores


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


def scores_of_runs(
    connection: Connection, run_ids: Sequence[int], *, rows: bool = False
) -> list[RunScore]:
    """The scores of these runs, oldest first; with `rows` also what each item adds."""
    columns = [each for each in scores.c if each.name not in ("id", "created")]
    wanted: list[Any] = [each for each in columns if rows or each.name != "rows"]
    wanted.append(datasets.c.name.label("variants"))
    found = connection.execute(
        select(*wanted)
        .outerjoin(dataset_versions, dataset_versions.c.id == scores.c.variant_id)
        .outerjoin(datasets, datasets.c.id == dataset_versions.c.dataset_id)
        .where(scores.c.run_id.in_(run_ids))
        .order_by(scores.c.id)
    )
    return [_score(row) for row in found]


def bare_scores(
    connection: Connection, run_ids: Collection[int], *, metric: str | None = None
) -> list[RunScore]:
    """The scores of these runs without parts and rows, oldest first; with `metric` only its own."""
    columns = [each for each in scores.c if each.name not in ("id", "created", "parts", "rows")]
    wanted = select(*columns).where(scores.c.run_id.in_(run_ids))
    if metric is not None:
        wanted = wanted.where(scores.c.metric == metric, scores.c.variant_id == 0)
    found = connection.execute(wanted.order_by(scores.c.id))
    return [RunScore(**row._mapping) for row in found]


def _score(row: Row[Any]) -> RunScore:
    return RunScore(**{**row._mapping, "parts": msgspec.json.decode(row.parts)})
