"""Dialogues that one study has finished and a stage of another has not made sheets of yet."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, and_, exists, func, literal, select

from palaver.core.studies.visits import WITHDRAWN
from palaver.storage.engine.functions import json_text
from palaver.storage.schema import (
    assignments,
    dialogues,
    events,
    participants,
    seats,
    sheets,
    studies,
    written,
)


@dataclass(frozen=True, slots=True)
class FinishedGroup:
    """One dialogue, or the two that one person held to compare them; `people` took part."""

    name: str
    position: int
    dialogues: tuple[str, ...]
    people: tuple[str, ...]


def finished_groups(
    connection: Connection,
    *,
    study: str,
    judged_in: tuple[int, int],
    reasons: Collection[str],
    together: bool,
    limit: int,
) -> list[FinishedGroup]:
    """Dialogues of a study that ended for one of these reasons and have no sheet yet, oldest first.

    With `together`, only groups of exactly two such dialogues. `judged_in` is the study and the
    stage whose sheets are looked at. What was withdrawn or erased is left out.
    """
    name = dialogues.c.group_key if together else dialogues.c.key
    study_id, stage = judged_in
    judged = exists().where(
        sheets.c.study_id == study_id,
        sheets.c.stage == stage,
        sheets.c.purpose == "real",
        sheets.c.name == name,
    )
    erased = exists().where(
        events.c.dialogue_id == dialogues.c.id, events.c.action == written("erase")
    )
    withdrawn = (
        select(seats.c.seat)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .where(seats.c.dialogue_id == dialogues.c.id, assignments.c.state == WITHDRAWN)
        .exists()
    )
    end = events.alias("end_event")
    held = (
        select(dialogues.c.id, dialogues.c.key, name.label("name"), dialogues.c.position)
        .join(studies, studies.c.id == dialogues.c.study_id)
        .join(end, and_(end.c.dialogue_id == dialogues.c.id, end.c.action == written("end")))
        .where(
            studies.c.name == study,
            json_text(end.c.data, literal("reason")).in_(sorted(reasons)),
            ~judged,
            ~erased,
            ~withdrawn,
        )
        .subquery()
    )
    size = 2 if together else 1
    chosen = (
        select(held.c.name)
        .group_by(held.c.name)
        .having(func.count() == size)
        .order_by(func.min(held.c.id))
        .limit(limit)
        .subquery()
    )
    rows = connection.execute(
        select(held)
        .join(chosen, chosen.c.name == held.c.name)
        .order_by(held.c.name, held.c.position, held.c.id)
    ).all()
    return _grouped(rows, _people(connection, [row.id for row in rows]))


def _grouped(rows: Sequence[Row[Any]], people: dict[int, tuple[str, ...]]) -> list[FinishedGroup]:
    by_name: dict[str, list[Row[Any]]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    groups = [
        FinishedGroup(
            name=name,
            position=min(row.id for row in members),
            dialogues=tuple(row.key for row in members),
            people=tuple(dict.fromkeys(who for row in members for who in people.get(row.id, ()))),
        )
        for name, members in by_name.items()
    ]
    return sorted(groups, key=lambda group: group.position)


def _people(connection: Connection, dialogue_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    rows = connection.execute(
        select(seats.c.dialogue_id, participants.c.alias)
        .join(assignments, assignments.c.id == seats.c.assignment_id)
        .join(participants, participants.c.id == assignments.c.participant_id)
        .where(seats.c.dialogue_id.in_(dialogue_ids))
        .order_by(seats.c.dialogue_id, seats.c.seat)
    )
    people: dict[int, tuple[str, ...]] = {}
    for dialogue_id, alias in rows:
        people[dialogue_id] = (*people.get(dialogue_id, ()), alias)
    return people
