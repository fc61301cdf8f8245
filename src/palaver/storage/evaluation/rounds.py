"""Rounds in the store."""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, func, insert, or_, select, update

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.rounds import (
    Round,
    RoundModel,
    RoundResult,
    RoundState,
    RoundTerms,
)
from palaver.core.serial import convert, encode, plain
from palaver.storage.dialogues.copies import is_copy
from palaver.storage.schema import (
    dialogues,
    events,
    exclusions,
    labels,
    places,
    slots,
    studies,
    units,
    written,
)
from palaver.storage.schema.evaluation import rounds, tasks


class RoundMark(NamedTuple):
    """How much was written and judged in a round; `gone` are judgements that count no more."""

    events: int
    labels: int
    gone: int
    exclusions: int


def add_round(
    connection: Connection,
    *,
    task_id: int,
    study_id: int,
    stage: int,
    terms: RoundTerms,
    models: Sequence[RoundModel],
    contexts_path: str,
    contexts_digest: str,
    contexts: int,
    state: RoundState = "open",
    now: float,
) -> Round:
    """Open the next round of a task; InputError while another is open or stopped.

    One that was held elsewhere may be closed from the start, whatever else is running.
    """
    running = find_running(connection, task_id)
    if running is not None and state != "closed":
        raise InputError(
            f"Round {running.number} of '{running.task}' is {running.state}. Close it first: "
            f"palaver round close {running.task}"
        )
    newest = select(func.max(rounds.c.number)).where(rounds.c.task_id == task_id)
    number = (connection.execute(newest).scalar() or 0) + 1
    made = insert(rounds).values(
        task_id=task_id,
        number=number,
        study_id=study_id,
        stage=stage,
        state=state,
        terms=encode(terms).decode(),
        models=encode(list(models)).decode(),
        contexts_path=contexts_path,
        contexts_digest=contexts_digest,
        contexts=contexts,
        secret=secrets.token_hex(16),
        opened=now,
        closed=now if state == "closed" else None,
        result=encode(RoundResult()).decode() if state == "closed" else None,
    )
    round_id = connection.execute(made.returning(rounds.c.id)).scalar_one()
    return _one(connection, rounds.c.id == round_id)


def find_running(connection: Connection, task_id: int) -> Round | None:
    """The round of a task that is not closed, or None."""
    return _first(connection, rounds.c.task_id == task_id, rounds.c.state != "closed")


def find_round(connection: Connection, task_id: int, number: int | None = None) -> Round:
    """A round by its number, or the newest; UnknownNameError where there is none."""
    here = [rounds.c.task_id == task_id]
    found = _first(connection, *here, *([] if number is None else [rounds.c.number == number]))
    if found is None:
        which = "no rounds" if number is None else f"no round {number}"
        raise UnknownNameError(f"The task has {which}. See: palaver round list TASK")
    return found


def hold_round(connection: Connection, round_id: int) -> None:
    """Let nobody else change what a round is before this transaction ends."""
    connection.execute(select(rounds.c.id).where(rounds.c.id == round_id).with_for_update())


def list_rounds(connection: Connection, task_id: int) -> list[Round]:
    """The rounds of a task, oldest first."""
    found = connection.execute(_ROUND.where(rounds.c.task_id == task_id).order_by(rounds.c.number))
    return [_round(row) for row in found]


def rounds_of_study(connection: Connection, study_id: int) -> list[Round]:
    """The rounds that a study has collected, oldest first."""
    found = connection.execute(_ROUND.where(rounds.c.study_id == study_id).order_by(rounds.c.id))
    return [_round(row) for row in found]


def sessions_with_places(connection: Connection, round_: Round) -> list[str]:
    """The keys of the sessions of a round that hold a place: they run, or were held."""
    rows = connection.execute(
        select(dialogues.c.key)
        .join(places, places.c.group_key == dialogues.c.group_key)
        .where(
            places.c.study_id == round_.study_id,
            places.c.stage == round_.stage,
            places.c.state != "free",
            # A scenario is called after its round.
            places.c.scenario.like(f"r{round_.number}-%"),
        )
    )
    return list(rows.scalars())


def has_data_of_rounds(connection: Connection, study_id: int) -> bool:
    """Whether a round of a study was closed, and data sets were made of it."""
    found = rounds_of_study(connection, study_id)
    return any(each.result is not None and each.result.datasets for each in found)


def content_warning(connection: Connection, study: str) -> str:
    """What readers of what is written in a study, by name, should be prepared for; mostly empty."""
    definitions = connection.execute(
        select(tasks.c.id, tasks.c.definition)
        .join(rounds, rounds.c.task_id == tasks.c.id)
        .join(studies, studies.c.id == rounds.c.study_id)
        .where(studies.c.name == study)
        .distinct()
        .order_by(tasks.c.id)
    )
    told = (str(_decoded(row.definition).get("content_warning") or "") for row in definitions)
    return " ".join(filter(None, dict.fromkeys(told)))


def set_round(
    connection: Connection,
    round_id: int,
    *,
    state: RoundState,
    result: RoundResult | None = None,
    now: float | None = None,
) -> Round:
    """Change what a round is; a closed one keeps its result and when that was."""
    values: dict[str, Any] = {"state": state}
    if state == "closed":
        values |= {"closed": now, "result": _result(result or RoundResult())}
    connection.execute(
        update(rounds).where(rounds.c.id == round_id, rounds.c.state != "closed").values(**values)
    )
    return _one(connection, rounds.c.id == round_id)


def round_mark(connection: Connection, round_: Round) -> RoundMark:
    """What changes with anything that is written or judged, and with who counts.

    Each number only ever grows, and counts what is committed: whatever order transactions end in, two
    equal marks are of the same examples and judgements.
    """
    here = (dialogues.c.study_id == round_.study_id, dialogues.c.stage == round_.stage)
    written_here = (
        select(func.count())
        .select_from(events)
        .join(dialogues, dialogues.c.id == events.c.dialogue_id)
        .where(*here)
    )
    copy = dialogues.alias("copy")
    judged = (
        select(
            func.count(),
            func.count().filter(or_(labels.c.erased.is_not(None), slots.c.state == "abandoned")),
        )
        .select_from(dialogues)
        .join(copy, is_copy(copy, dialogues))
        .join(units, units.c.dialogue_id == copy.c.id)
        .join(labels, labels.c.unit_id == units.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(*here)
    )
    given, gone = connection.execute(judged).one()
    return RoundMark(
        events=connection.execute(written_here).scalar_one(),
        labels=given,
        gone=gone,
        exclusions=connection.execute(select(func.count(exclusions.c.id))).scalar_one(),
    )


def count_erased(connection: Connection, round_: Round) -> int:
    """How many tries of a round were erased because their writers left."""
    erased = (
        select(dialogues.c.scenario, func.count())
        .join(events, events.c.dialogue_id == dialogues.c.id)
        .where(
            dialogues.c.study_id == round_.study_id,
            events.c.action == written("try"),
            events.c.data.is_(None),
        )
        .group_by(dialogues.c.id, dialogues.c.scenario)
    )
    return sum(
        count
        for scenario, count in connection.execute(erased)
        if (_decoded(scenario).get("extra") or {}).get("round") == round_.number
    )


_ROUND = (
    select(rounds, tasks.c.name.label("task"), studies.c.name.label("study"))
    .join(tasks, tasks.c.id == rounds.c.task_id)
    .join(studies, studies.c.id == rounds.c.study_id)
)


def _first(connection: Connection, *where: Any) -> Round | None:
    row = connection.execute(_ROUND.where(*where).order_by(rounds.c.number.desc())).first()
    return None if row is None else _round(row)


def _one(connection: Connection, *where: Any) -> Round:
    return _round(connection.execute(_ROUND.where(*where)).one())


def _round(row: Row[Any]) -> Round:
    return Round(
        task=row.task,
        number=row.number,
        state=row.state,
        study=row.study,
        stage=row.stage,
        terms=convert(_decoded(row.terms), RoundTerms),
        models=tuple(convert(each, RoundModel) for each in _decoded(row.models)),
        contexts=row.contexts,
        opened=row.opened,
        closed=row.closed,
        result=None if row.result is None else convert(_decoded(row.result), RoundResult),
        id=row.id,
        task_id=row.task_id,
        study_id=row.study_id,
        contexts_path=row.contexts_path,
        contexts_digest=row.contexts_digest,
        secret=row.secret,
    )


def _result(result: RoundResult) -> str:
    """A result as it is kept: with what people earned, which no answer of the API tells."""
    kept = plain(result) | ({} if result.earned is None else {"earned": plain(result.earned)})
    return encode(kept).decode()


def _decoded(text: str) -> Any:
    return msgspec.json.decode(text)
