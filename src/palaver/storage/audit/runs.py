"""What a run was scored on and what came of it, as digests: a board can be checked against them.

The answers of a run are rows, or the uploaded file that its model was handed in as; the path of such a
file holds a digest of its content.
"""

import hashlib
from collections.abc import Iterator

import msgspec
from sqlalchemy import Connection, select

from palaver.core.audit import SERVER
from palaver.core.evaluation.models import UPLOADED
from palaver.storage.audit.entries import record
from palaver.storage.schema import audit_entries
from palaver.storage.schema.evaluation import (
    dataset_versions,
    model_versions,
    predictions,
    runs,
    scores,
)

SCORED = "run.score"
BATCH = 5000
_encode = msgspec.json.Encoder().encode


def record_run(connection: Connection, run_id: int, *, now: float) -> None:
    """Record the predictions and the scores of a run as they are now."""
    key = connection.execute(select(runs.c.key).where(runs.c.id == run_id)).scalar_one()
    told = _digests(connection, run_id)
    record(connection, SCORED, by=SERVER, now=now, subject=key, detail=told)


def changed_runs(connection: Connection) -> Iterator[tuple[str, str]]:
    """Runs whose predictions or scores are not those recorded last, with which of the two."""
    entries = select(audit_entries.c.subject, audit_entries.c.detail).where(
        audit_entries.c.act == SCORED
    )
    newest = {row.subject: row.detail for row in connection.execute(entries.order_by(_ID))}
    found_runs = {row.key: row for row in connection.execute(select(runs))}
    for key, detail in newest.items():
        run = found_runs.get(key)
        if run is None:
            yield key, "row"
            continue
        if run.state != "done":
            continue  # it is being answered again, and will be scored again
        told, found = msgspec.json.decode(detail), _digests(connection, run.id)
        yield from ((key, what) for what in found if found[what] != told.get(what))


def answers_path(connection: Connection, run_id: int) -> str | None:
    """Where the uploaded file lies that is a run's answers; None where its answers are rows."""
    row = connection.execute(
        select(model_versions.c.options, dataset_versions.c.digest)
        .select_from(runs)
        .join(model_versions, model_versions.c.id == runs.c.model_version_id)
        .join(dataset_versions, dataset_versions.c.id == runs.c.dataset_version_id)
        .where(runs.c.id == run_id, model_versions.c.kind == UPLOADED)
    ).one_or_none()
    path = None if row is None else msgspec.json.decode(row.options).get(row.digest)
    if path is None:
        return None
    first = select(predictions.c.run_id).where(predictions.c.run_id == run_id).limit(1)
    return None if connection.execute(first).scalar() is not None else str(path)


def _digests(connection: Connection, run_id: int) -> dict[str, str]:
    """Digests of what a run answered and of what it scored."""
    answered = (
        select(predictions.c.position, predictions.c.uid, predictions.c.answer)
        .where(predictions.c.run_id == run_id)
        .order_by(predictions.c.position)
    )
    columns = ("metric", "version", "variant_id", "value", "low", "high", "n")
    scored = (
        select(*(scores.c[name] for name in columns))
        .where(scores.c.run_id == run_id)
        .order_by(scores.c.metric, scores.c.version, scores.c.variant_id)
    )
    digests = {}
    for name, statement in (("predictions", answered), ("scores", scored)):
        hasher = hashlib.sha256()
        for row in connection.execute(statement.execution_options(yield_per=BATCH)):
            hasher.update(_encode(tuple(row)))
        if name == "predictions" and (path := answers_path(connection, run_id)) is not None:
            hasher.update(_encode(path))
        digests[name] = hasher.hexdigest()
    return digests


_ID = audit_entries.c.id
