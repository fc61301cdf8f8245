"""Predictions in the store: one row per item of a run, appended as answers come in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, select

from palaver.storage.evaluation.tables import predictions
from palaver.storage.prepared import PreparedInsert

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a model answered to one item (checked values by output), or why there is no answer."""

    position: int
    uid: str
    answer: dict[str, Any] | None
    problem: str | None = None
    seconds: float


def append_predictions(connection: Connection, run_id: int, new: Sequence[Prediction]) -> None:
    """Append predictions of a run; ConflictError if an item has one already."""
    _NEW.all(
        connection,
        [
            {
                "run_id": run_id,
                "position": each.position,
                "uid": each.uid,
                "answer": None if each.answer is None else _encode(each.answer).decode(),
                "problem": each.problem,
                "seconds": each.seconds,
            }
            for each in new
        ],
    )


def read_predictions(connection: Connection, run_id: int) -> Iterator[Prediction]:
    """The predictions of a run, in the order of the data set."""
    rows = connection.execute(
        select(
            predictions.c.position,
            predictions.c.uid,
            predictions.c.answer,
            predictions.c.problem,
            predictions.c.seconds,
        )
        .where(predictions.c.run_id == run_id)
        .order_by(predictions.c.position)
    )
    for row in rows:
        yield Prediction(
            position=row.position,
            uid=row.uid,
            answer=None if row.answer is None else _decode(row.answer),
            problem=row.problem,
            seconds=row.seconds,
        )


def answered_positions(connection: Connection, run_id: int) -> set[int]:
    """Which items of a run have an answer or a problem already."""
    rows = connection.execute(select(predictions.c.position).where(predictions.c.run_id == run_id))
    return set(rows.scalars())


def refused_predictions(connection: Connection, run_id: int, *, limit: int) -> list[Prediction]:
    """The first items of a run whose answer was refused."""
    rows = connection.execute(
        select(
            predictions.c.position, predictions.c.uid, predictions.c.problem, predictions.c.seconds
        )
        .where(predictions.c.run_id == run_id, predictions.c.problem.is_not(None))
        .order_by(predictions.c.position)
        .limit(limit)
    )
    return [Prediction(answer=None, **row._mapping) for row in rows]


def drop_refused(connection: Connection, run_id: int) -> int:
    """Forget the answers of a run that were refused, so that they are asked again; how many."""
    dropped = connection.execute(
        delete(predictions).where(
            predictions.c.run_id == run_id, predictions.c.problem.is_not(None)
        )
    )
    return dropped.rowcount


_NEW = PreparedInsert(
    predictions,
    ("run_id", "position", "uid", "answer", "problem", "seconds"),
    returning=[predictions.c.position],
)
