"""What standings of a challenge are read from: the runs of entries, their scores, and a mark of both."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from palaver.storage.schema.evaluation import (
    dataset_versions,
    runs,
    scores,
    submissions,
    submitters,
)

# No statement names more rows than this.
BATCH = 500


@dataclass(frozen=True, slots=True)
class EntryRun:
    """The run of an entry on one version of a data set; `newest` is the id of its newest score."""

    run_id: int
    number: int  # of the version
    model_version_id: int
    dataset_version_id: int
    state: str
    reason: str
    newest: int


@dataclass(frozen=True, slots=True)
class StoredScore:
    """A number of a run; `rows` are what each item adds, where they were asked for."""

    run_id: int
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str
    form: str = ""
    rows: bytes | None = None


def standings_mark(connection: Connection, challenge_id: int) -> tuple[Any, ...]:
    """Numbers that change when something that standings are made of does."""
    entries = connection.execute(
        select(
            func.count(),
            func.max(submissions.c.id),
            func.sum(submissions.c.withdrawn),
            func.count().filter(submissions.c.final),
        )
        .join(submitters, submitters.c.id == submissions.c.submitter_id)
        .where(submitters.c.challenge_id == challenge_id)
    ).one()
    # Which of them are final, and not only how many.
    chosen = connection.execute(
        select(func.sum(submissions.c.id * submissions.c.id))
        .join(submitters, submitters.c.id == submissions.c.submitter_id)
        .where(submitters.c.challenge_id == challenge_id, submissions.c.final)
    ).scalar()
    teams = connection.execute(
        select(submitters.c.state, submitters.c.baseline, func.count(), func.sum(submitters.c.id))
        .where(submitters.c.challenge_id == challenge_id)
        .group_by(submitters.c.state, submitters.c.baseline)
        .order_by(submitters.c.state, submitters.c.baseline)
    ).all()
    states = connection.execute(
        select(runs.c.state, func.count(), func.max(runs.c.id))
        .group_by(runs.c.state)
        .order_by(runs.c.state)
    ).all()
    last = connection.execute(select(func.max(scores.c.id))).scalar()
    made = connection.execute(select(scores.c.created).where(scores.c.id == last)).scalar()
    data = connection.execute(
        select(func.max(dataset_versions.c.id), func.sum(dataset_versions.c.number))
    ).one()
    found = (*entries, chosen, *map(tuple, teams), *map(tuple, states), last, made, *data)
    return tuple(map(str, found))


def runs_of_entries_on(
    connection: Connection, model_versions: Sequence[int], dataset_id: int
) -> list[EntryRun]:
    """The runs of these model versions on any version of a data set, older versions first."""
    found = []
    for some in _batches(model_versions):
        newest = select(func.max(scores.c.id)).where(scores.c.run_id == runs.c.id).scalar_subquery()
        rows = connection.execute(
            select(
                runs.c.id,
                dataset_versions.c.number,
                runs.c.model_version_id,
                runs.c.dataset_version_id,
                runs.c.state,
                runs.c.reason,
                func.coalesce(newest, 0),
            )
            .join(dataset_versions, dataset_versions.c.id == runs.c.dataset_version_id)
            .where(runs.c.model_version_id.in_(some), dataset_versions.c.dataset_id == dataset_id)
            .order_by(dataset_versions.c.number, runs.c.id)
        )
        found += [EntryRun(*row) for row in rows]
    return found


def stored_scores(
    connection: Connection, run_ids: Sequence[int], metrics: Collection[str], *, rows: bool = False
) -> list[StoredScore]:
    """The scores of these runs under these metrics, oldest first; with `rows` what items add."""
    columns = [
        scores.c[name] for name in ("run_id", "metric", "value", "low", "high", "n", "reason")
    ]
    found = []
    for some in _batches(run_ids):
        statement = select(*columns, *((scores.c.parts, scores.c.rows) if rows else ())).where(
            scores.c.run_id.in_(some), scores.c.metric.in_(metrics), scores.c.variant_id == 0
        )
        for row in connection.execute(statement.order_by(scores.c.id)):
            known = tuple(row)
            if rows:
                form = msgspec.json.decode(row.parts, type=_Parts).form
                known = (*known[:-2], form, row.rows)
            found.append(StoredScore(*known))
    return found


class _Parts(msgspec.Struct):
    form: str = ""


def _batches(ids: Sequence[int]) -> list[Sequence[int]]:
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
