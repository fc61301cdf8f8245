"""Predictions in the store: one row per item of a run, appended as answers come in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select

from palaver.storage.evaluation.tables import predictions

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
    connection.execute(
        insert(predictions),
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
