"""Predictions in the store: one row per item of a run, appended as answers come in."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, select

from palaver.core.evaluation.runs import Prediction
from palaver.core.raw_answers import RawAnswer
from palaver.storage.engine.prepared import PreparedInsert
from palaver.storage.schema.evaluation import predictions

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_decode_raw = msgspec.json.Decoder(RawAnswer).decode


def append_predictions(connection: Connection, run_id: int, new: Sequence[Prediction]) -> None:
    """Append predictions of a run; ConflictError if an item has one already."""
    _NEW.all(
        connection,
        [
            {
                "run_id": run_id,
                "position": each.position,
                "uid": each.uid,
                "answer": _kept(each),
                "problem": each.problem,
                "seconds": each.seconds,
            }
            for each in new
        ],
    )


def read_predictions(connection: Connection, run_id: int) -> Iterator[Prediction]:
    """The predictions of a run, in the order of the data set."""
    rows = connection.execute(
        _predictions().where(predictions.c.run_id == run_id).order_by(predictions.c.position)
    )
    yield from map(_prediction, rows)


def predictions_from(
    connection: Connection, run_id: int, *, start: int, limit: int
) -> list[Prediction]:
    """At most `limit` predictions of a run from the item at `start` on, in the data set's order."""
    rows = connection.execute(
        _predictions()
        .where(predictions.c.run_id == run_id, predictions.c.position >= start)
        .order_by(predictions.c.position)
        .limit(limit)
    )
    return [_prediction(row) for row in rows]


def answered_positions(connection: Connection, run_id: int) -> set[int]:
    """Which items of a run have an answer or a problem already."""
    rows = connection.execute(select(predictions.c.position).where(predictions.c.run_id == run_id))
    return set(rows.scalars())


def refused_predictions(connection: Connection, run_id: int, *, limit: int) -> list[Prediction]:
    """The first items of a run whose answer was refused."""
    rows = connection.execute(
        _predictions()
        .where(predictions.c.run_id == run_id, predictions.c.problem.is_not(None))
        .order_by(predictions.c.position)
        .limit(limit)
    )
    return [_prediction(row) for row in rows]


def drop_predictions(connection: Connection, run_id: int) -> None:
    """Forget every row of a run: its answers are a file."""
    connection.execute(delete(predictions).where(predictions.c.run_id == run_id))


def drop_refused(connection: Connection, run_id: int) -> int:
    """Forget the answers of a run that were refused, so that they are asked again; how many."""
    dropped = connection.execute(
        delete(predictions).where(
            predictions.c.run_id == run_id, predictions.c.problem.is_not(None)
        )
    )
    return dropped.rowcount


def _predictions() -> Select[Any]:
    return select(
        predictions.c.position,
        predictions.c.uid,
        predictions.c.answer,
        predictions.c.problem,
        predictions.c.seconds,
    )


def _kept(prediction: Prediction) -> str | None:
    """What stands in the column `answer`: what was answered, or what came and was refused."""
    held = prediction.answer if prediction.problem is None else prediction.raw
    return None if held is None else _encode(held).decode()


def _prediction(row: Row[Any]) -> Prediction:
    is_refused = row.problem is not None
    return Prediction(
        position=row.position,
        uid=row.uid,
        answer=None if is_refused or row.answer is None else _decode(row.answer),
        problem=row.problem,
        raw=_decode_raw(row.answer) if is_refused and row.answer is not None else None,
        seconds=row.seconds,
    )


_NEW = PreparedInsert(
    predictions,
    ("run_id", "position", "uid", "answer", "problem", "seconds"),
    returning=[predictions.c.position],
)
