"""Scores in the store: one number of a run under one version of a metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select

from palaver.storage.evaluation.tables import scores


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScore:
    """A score; `value` is None where it is undefined, and `reason` says why.

    `rows` holds what each item adds, as `metrics.sums` packs it; it is read only where asked for.
    """

    run_id: int
    metric: str
    version: str
    variant_id: int = 0
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    reason: str = ""
    parts: Mapping[str, Any] = field(default_factory=dict)
    rows: bytes | None = field(default=None, repr=False)


def store_scores(connection: Connection, new: Sequence[StoredScore], *, now: float) -> None:
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
) -> list[StoredScore]:
    """The scores of these runs, oldest first; with `rows` also what each item adds."""
    columns = [column for column in scores.c if rows or column.name != "rows"]
    found = connection.execute(
        select(*columns).where(scores.c.run_id.in_(run_ids)).order_by(scores.c.id)
    )
    return [_score(row) for row in found]


def _score(row: Row[Any]) -> StoredScore:
    known = {k: v for k, v in row._mapping.items() if k not in ("id", "created")}
    return StoredScore(**{**known, "parts": msgspec.json.decode(known["parts"])})
