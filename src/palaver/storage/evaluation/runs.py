"""Runs in the store: one model version on one data set version, once.

The payload of a run's job says where it stands: planned and nothing more, asked for by hand, or
cancelled because a newer version came. What was asked for by hand, and what somebody has begun, is
never replaced.
"""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    case,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.runs import Run, RunState
from palaver.storage.engine.keys import new_key
from palaver.storage.engine.statements import store_now
from palaver.storage.schema.evaluation import (
    dataset_versions,
    datasets,
    job_failures,
    jobs,
    model_versions,
    models,
    runs,
    scores,
    tasks,
)

_PLANNED = "{}"
_BY_HAND = '{"by_hand":true}'
_REPLACED = '{"replaced":true}'


def hold_task(connection: Connection, task_id: int) -> None:
    """Let nobody else plan for this task before this transaction ends.

    A model and a data set that are registered at once would not see each other otherwise. Rows that
    refer to the task hold its key already, so the lock must be one that goes with that.
    """
    wanted = select(tasks.c.id).where(tasks.c.id == task_id)
    connection.execute(wanted.with_for_update(key_share=True))


def add_run(
    connection: Connection,
    *,
    model_version_id: int,
    dataset_version_id: int,
    items: int,
    now: float,
) -> Run | None:
    """The run of this pair if it is new; None if there is one already."""
    known = select(runs.c.id).where(
        runs.c.model_version_id == model_version_id,
        runs.c.dataset_version_id == dataset_version_id,
    )
    if connection.execute(known).scalar() is not None:
        return None
    key = new_key("r")
    connection.execute(
        insert(runs).values(
            key=key,
            model_version_id=model_version_id,
            dataset_version_id=dataset_version_id,
            state="waiting",
            items=items,
            created=now,
        )
    )
    return find_run(connection, key)


def set_run(connection: Connection, run_id: int, **values: Any) -> None:
    """Change a run's state and what belongs to it."""
    if "memory" in values:
        values["memory"] = msgspec.json.encode(list(values["memory"])).decode()
    connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def count_answers(
    connection: Connection, run_id: int, *, answered: int, refused: int, busy_seconds: float
) -> None:
    """Add to what a run has got so far."""
    connection.execute(
        update(runs)
        .where(runs.c.id == run_id)
        .values(
            answered=runs.c.answered + answered,
            refused=runs.c.refused + refused,
            busy_seconds=runs.c.busy_seconds + busy_seconds,
        )
    )


def find_run(connection: Connection, key: str) -> Run:
    row = connection.execute(_NAMED.where(runs.c.key == key)).one_or_none()
    if row is None:
        raise UnknownNameError(f"No run '{key}' is stored here. See: palaver runs.")
    return _run(row)


def find_run_by_id(connection: Connection, run_id: int) -> Run:
    return _run(connection.execute(_NAMED.where(runs.c.id == run_id)).one())


def runs_of_versions(
    connection: Connection, of_models: Sequence[int], on_datasets: Sequence[int]
) -> list[Run]:
    """The runs of these model versions on these data set versions, oldest first."""
    rows = connection.execute(_NAMED.where(_between(of_models, on_datasets)).order_by(runs.c.id))
    return [_run(row) for row in rows]


def list_runs(
    connection: Connection,
    *,
    task_id: int | None = None,
    states: Collection[RunState] | None = None,
    ids: Collection[int] | None = None,
) -> list[Run]:
    """Runs, oldest first."""
    statement = _NAMED.order_by(runs.c.id)
    if task_id is not None:
        statement = statement.where(models.c.task_id == task_id)
    if states is not None:
        statement = statement.where(runs.c.state.in_(states))
    if ids is not None:
        statement = statement.where(runs.c.id.in_(ids))
    return [_run(row) for row in connection.execute(statement)]


def variant_pairs(
    connection: Connection, run_id: int, *, lock: bool = False
) -> list[tuple[Run, Run]]:
    """The (original, variant) pairs of runs of one model that a run belongs to.

    With `lock` nobody else changes them: of two runs that become done at once, one sees the other.
    """
    run = find_run_by_id(connection, run_id)
    mine = run.dataset_version_id
    links = connection.execute(
        select(dataset_versions.c.parent_version_id, dataset_versions.c.id).where(
            dataset_versions.c.parent_version_id.is_not(None),
            or_(dataset_versions.c.parent_version_id == mine, dataset_versions.c.id == mine),
        )
    ).all()
    if not links:
        return []
    versions = sorted({version for link in links for version in link})
    wanted = _NAMED.where(
        runs.c.model_version_id == run.model_version_id,
        runs.c.dataset_version_id.in_(versions),
    ).order_by(runs.c.id)
    rows = connection.execute(wanted.with_for_update(of=runs, key_share=True) if lock else wanted)
    found = {each.dataset_version_id: each for each in map(_run, rows)}
    return [(found[a], found[b]) for a, b in links if a in found and b in found]


def kin_of_runs(connection: Connection, run_ids: Collection[int]) -> set[int]:
    """The runs of the same models on the originals, or on the variants, of these runs' data."""
    kin = runs.alias("kin")
    ours, theirs = dataset_versions.alias("ours"), dataset_versions.alias("theirs")
    pairs = or_(theirs.c.id == ours.c.parent_version_id, theirs.c.parent_version_id == ours.c.id)
    found = connection.execute(
        select(kin.c.id)
        .select_from(runs)
        .join(ours, ours.c.id == runs.c.dataset_version_id)
        .join(theirs, pairs)
        .join(
            kin,
            and_(
                kin.c.dataset_version_id == theirs.c.id,
                kin.c.model_version_id == runs.c.model_version_id,
            ),
        )
        .where(runs.c.id.in_(run_ids))
    )
    return set(found.scalars())


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


def newest_end(
    connection: Connection, of_models: Collection[int], on_datasets: Collection[int]
) -> float | None:
    """When the newest of these runs ended; None where none has."""
    return connection.execute(
        select(func.max(runs.c.finished)).where(_between(of_models, on_datasets))
    ).scalar()


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


def cancel_unbegun(connection: Connection, run_id: int, *, reason: str, now: float) -> bool:
    """Cancel a run that was planned and that nobody has begun; whether it was such a run.

    The job is what a worker claims, so it decides: of a claim and this, one comes first.
    """
    cancelled = connection.execute(
        update(jobs)
        .where(
            jobs.c.run_id == run_id,
            jobs.c.kind == "answer",
            jobs.c.state == "waiting",
            jobs.c.started.is_(None),
            jobs.c.payload == _PLANNED,
        )
        .values(state="cancelled", payload=_REPLACED, finished=now)
    )
    if not cancelled.rowcount:
        return False
    connection.execute(
        update(runs)
        .where(runs.c.id == run_id)
        .values(state="cancelled", reason=reason, finished=now)
    )
    return True


def drop_unended(
    connection: Connection, version_ids: Collection[int], *, reason: str, now: float
) -> None:
    """Cancel the asking that is not over for these model versions, as if they had been replaced."""
    theirs = select(runs.c.id).where(
        runs.c.model_version_id.in_(version_ids), runs.c.state.in_(("waiting", "answering"))
    )
    dropped = connection.execute(
        update(jobs)
        .where(
            jobs.c.run_id.in_(theirs),
            jobs.c.kind == "answer",
            jobs.c.state.in_(("waiting", "running")),
        )
        .values(state="cancelled", payload=_REPLACED, lease=None, finished=now)
        .returning(jobs.c.run_id)
    )
    connection.execute(
        update(runs)
        .where(runs.c.id.in_(list(dropped.scalars())))
        .values(state="cancelled", reason=reason, finished=now)
    )


def bring_back(connection: Connection, run_id: int) -> None:
    """Let a run whose version was replaced wait again: that version is the newest once more."""
    connection.execute(
        update(jobs)
        .where(jobs.c.run_id == run_id, _is_replaced())
        .values(state="waiting", payload=_PLANNED, due=_not_before_now(), finished=None)
    )
    connection.execute(
        update(runs).where(runs.c.id == run_id).values(state="waiting", reason="", finished=None)
    )


def ask_by_hand(connection: Connection, run_ids: Collection[int]) -> None:
    """Note that somebody asked for these runs: a newer version does not cancel what waits of them."""
    connection.execute(
        update(jobs)
        .where(
            jobs.c.run_id.in_(run_ids),
            jobs.c.kind == "answer",
            jobs.c.state == "waiting",
            jobs.c.payload == _PLANNED,
        )
        .values(payload=_BY_HAND)
    )


def replaced_runs(connection: Connection, run_ids: Collection[int]) -> set[int]:
    """Those of these runs that were cancelled because their version was replaced."""
    found = connection.execute(
        select(jobs.c.run_id).where(jobs.c.run_id.in_(run_ids), _is_replaced())
    )
    return set(found.scalars())


def was_replaced() -> ColumnElement[bool]:
    """The condition, for a statement about runs, that a run's version was replaced."""
    return exists().where(and_(jobs.c.run_id == runs.c.id, _is_replaced()))


def _not_before_now() -> ColumnElement[float]:
    """When a job was due, or now where that has passed."""
    return case((jobs.c.due > store_now(), jobs.c.due), else_=store_now())


def _is_replaced() -> ColumnElement[bool]:
    return and_(jobs.c.state == "cancelled", jobs.c.payload == _REPLACED)


def _between(of_models: Collection[int], on_datasets: Collection[int]) -> ColumnElement[bool]:
    return runs.c.model_version_id.in_(of_models) & runs.c.dataset_version_id.in_(on_datasets)


def _run(row: Row[Any]) -> Run:
    known = dict(zip(_KEYS, row, strict=True))
    # Most have none, and pages read thousands of runs.
    memory = () if row.memory == "[]" else tuple(msgspec.json.decode(row.memory))
    return Run(**{**known, "memory": memory})


# A run with the names of what it is a run of.
_NAMED: Select[Any] = (
    select(
        runs,
        tasks.c.id.label("task_id"),
        tasks.c.name.label("task"),
        models.c.id.label("model_id"),
        models.c.name.label("model"),
        model_versions.c.number.label("model_version"),
        datasets.c.id.label("dataset_id"),
        datasets.c.name.label("dataset"),
        dataset_versions.c.number.label("dataset_version"),
        datasets.c.folder.label("dataset_folder"),
    )
    .join(model_versions, model_versions.c.id == runs.c.model_version_id)
    .join(models, models.c.id == model_versions.c.model_id)
    .join(dataset_versions, dataset_versions.c.id == runs.c.dataset_version_id)
    .join(datasets, datasets.c.id == dataset_versions.c.dataset_id)
    .join(tasks, tasks.c.id == models.c.task_id)
)


_KEYS = tuple(_NAMED.selected_columns.keys())
