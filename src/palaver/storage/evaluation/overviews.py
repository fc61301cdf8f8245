"""What pages show of many runs at once: scores without their parts, and predictions in slices."""

from collections.abc import Collection

import msgspec
from sqlalchemy import Connection, select

from palaver.storage.evaluation.predictions import Prediction
from palaver.storage.evaluation.scores import StoredScore
from palaver.storage.evaluation.tables import predictions, scores

_decode = msgspec.json.Decoder().decode


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


def predictions_from(
    connection: Connection, run_id: int, *, start: int, limit: int
) -> list[Prediction]:
    """At most `limit` predictions of a run from the item at `start` on, in the data set's order."""
    rows = connection.execute(
        select(
            predictions.c.position,
            predictions.c.uid,
            predictions.c.answer,
            predictions.c.problem,
            predictions.c.seconds,
        )
        .where(predictions.c.run_id == run_id, predictions.c.position >= start)
        .order_by(predictions.c.position)
        .limit(limit)
    )
    return [
        Prediction(
            position=row.position,
            uid=row.uid,
            answer=None if row.answer is None else _decode(row.answer),
            problem=row.problem,
            seconds=row.seconds,
        )
        for row in rows
    ]
