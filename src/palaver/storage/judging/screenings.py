"""Screenings in the store: each attempt of a rater at the training of a stage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, insert, select, update

from palaver.storage.schema import assignments, places, screenings

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[tuple[int, ...], ...]).decode

# The condition under which the places of a screening stage stand in `places`.
CONDITION = "screening"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt; `passed` is None while it is under way.

    `mistakes` holds for each graded round the first sequence numbers of the turns that were wrong.
    """

    id: int
    assignment_id: int
    attempt: int
    round: int
    mending: bool
    mistakes: tuple[tuple[int, ...], ...]
    passed: bool | None
    started: float
    finished: float | None


def start_attempt(
    connection: Connection,
    *,
    study_id: int,
    stage: int,
    participant_id: int,
    assignment_id: int,
    attempt: int,
    now: float,
) -> Attempt:
    """A new attempt, before its first round."""
    attempt_id = connection.execute(
        insert(screenings)
        .values(
            study_id=study_id,
            stage=stage,
            participant_id=participant_id,
            assignment_id=assignment_id,
            attempt=attempt,
            round=0,
            mending=False,
            mistakes="[]",
            started=now,
        )
        .returning(screenings.c.id)
    ).scalar_one()
    return Attempt(attempt_id, assignment_id, attempt, 0, False, (), None, now, None)


def attempts_of(
    connection: Connection, *, study_id: int, stage: int, participant_id: int
) -> list[Attempt]:
    """Every attempt of a person at a stage, in whichever visit, oldest first."""
    rows = connection.execute(
        _select()
        .where(
            screenings.c.study_id == study_id,
            screenings.c.stage == stage,
            screenings.c.participant_id == participant_id,
        )
        .order_by(screenings.c.id)
    )
    return [_attempt(row) for row in rows]


def move_attempt(
    connection: Connection,
    attempt_id: int,
    *,
    round: int,
    mending: bool,
    mistakes: Sequence[Sequence[int]],
) -> None:
    """Note how far an attempt is."""
    connection.execute(
        update(screenings)
        .where(screenings.c.id == attempt_id)
        .values(round=round, mending=mending, mistakes=_encode(mistakes).decode())
    )


def settle_attempt(
    connection: Connection,
    attempt_id: int,
    *,
    passed: bool,
    mistakes: Sequence[Sequence[int]],
    now: float,
) -> None:
    connection.execute(
        update(screenings)
        .where(screenings.c.id == attempt_id)
        .values(passed=passed, mending=False, mistakes=_encode(mistakes).decode(), finished=now)
    )


def place_name(assignment_key: str, stage: int) -> str:
    """The group under which a visit has its place in a screening stage."""
    return f"{assignment_key}:{stage}"


def place_of(
    connection: Connection, *, study_id: int, stage: int, participant_id: int
) -> str | None:
    """The group under which a person is counted in a screening stage, from any visit, or None."""
    return connection.execute(
        select(places.c.group_key)
        .join(assignments, places.c.group_key == assignments.c.key.concat(f":{stage}"))
        .where(assignments.c.study_id == study_id, assignments.c.participant_id == participant_id)
        .order_by(places.c.id)
        .limit(1)
    ).scalar()


def _select() -> Select[Any]:
    return select(
        screenings.c.id,
        screenings.c.assignment_id,
        screenings.c.attempt,
        screenings.c.round,
        screenings.c.mending,
        screenings.c.mistakes,
        screenings.c.passed,
        screenings.c.started,
        screenings.c.finished,
    )


def _attempt(row: Any) -> Attempt:
    given = {**row._mapping, "mistakes": _decode(row.mistakes)}
    return Attempt(**given)
