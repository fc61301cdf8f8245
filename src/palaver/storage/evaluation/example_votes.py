"""What others said of the examples of a round, and which of its sessions nobody was asked about yet.

An example is judged as a copy (`storage/dialogues/copies`) in another study of the home: its group is
the session's key, its source is named after the example.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, and_, exists, func, or_, select

from palaver.core.events import ERASE, RETRACT, VERDICT
from palaver.core.sheets import SheetContent
from palaver.core.studies.dialogues import REAL
from palaver.storage.dialogues.copies import is_copy
from palaver.storage.judging.exclusions import not_excluded
from palaver.storage.judging.ratings import newer, read_value, stands
from palaver.storage.schema import (
    dialogues,
    events,
    labels,
    raters,
    sheets,
    slots,
    studies,
    units,
    written,
)

_decode_content = msgspec.json.Decoder(SheetContent).decode
# How many names one statement takes.
SOME = 500


class SheetAnswers(NamedTuple):
    """What one rater answered about one example: a value by question, the deciding one first."""

    study: str
    rater: str
    deciding: str
    values: Mapping[str, Any]


def read_example_answers(
    connection: Connection, study_id: int, stage: int
) -> dict[str, list[SheetAnswers]]:
    """The standing answers about the examples of a write stage, by example and in the order given."""
    copy = dialogues.alias("copy")
    rows = connection.execute(
        select(
            copy.c.source_id,
            sheets.c.id,
            studies.c.name,
            raters.c.key,
            labels.c.question,
            labels.c.value,
        )
        .select_from(dialogues)
        .join(copy, is_copy(copy, dialogues))
        .join(units, units.c.dialogue_id == copy.c.id)
        .join(labels, labels.c.unit_id == units.c.id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .join(studies, studies.c.id == labels.c.study_id)
        .join(sheets, _is_sheet_of(copy))
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(
            dialogues.c.study_id == study_id,
            dialogues.c.stage == stage,
            sheets.c.purpose == REAL,
            labels.c.purpose == REAL,
            labels.c.value.is_not(None),
            stands(),
            not_excluded(labels),
        )
        .order_by(labels.c.id)
    )
    said: dict[tuple[str, int, str, str], dict[str, Any]] = defaultdict(dict)
    for uid, sheet_id, study, rater, question, value in rows:
        said[uid, sheet_id, study, rater][question] = read_value(value)
    deciding = _deciding(connection, {key[1] for key in said})
    found: dict[str, list[SheetAnswers]] = defaultdict(list)
    for (uid, sheet_id, study, rater), values in said.items():
        found[uid].append(SheetAnswers(study, rater, deciding[sheet_id], values))
    return dict(found)


def unasked_sessions(
    connection: Connection,
    study_id: int,
    stage: int,
    *,
    judged_in: tuple[int, int],
    reasons: Collection[str],
    actions: Collection[str],
    also_retracted: bool,
    limit: int,
) -> list[int]:
    """Sessions with one of these actions of which a stage (`judged_in`) has no copy yet, oldest first.

    What was erased is left out, and so are sessions of which an example was taken back, unless they
    are asked for.
    """
    copy = dialogues.alias("copy")
    asked = exists().where(
        is_copy(copy, dialogues), copy.c.study_id == judged_in[0], copy.c.stage == judged_in[1]
    )
    wanted = [or_(*map(_has, actions)), *(() if also_retracted else (~_has(RETRACT),))]
    rows = connection.execute(
        select(dialogues.c.id)
        .where(
            dialogues.c.study_id == study_id,
            dialogues.c.stage == stage,
            dialogues.c.purpose == REAL,
            dialogues.c.ending.in_(sorted(reasons)),
            *wanted,
            ~_has(ERASE),
            ~asked,
        )
        .order_by(dialogues.c.id)
        .limit(limit)
    )
    return [int(dialogue_id) for dialogue_id in rows.scalars()]


def hold_sessions(connection: Connection, keys: Collection[str]) -> set[str]:
    """Let nobody decide anything about these sessions before this transaction ends.

    Gives those of them of which nothing was erased by now.
    """
    wanted, found = sorted(keys), set()
    for start in range(0, len(wanted), SOME):
        these = dialogues.c.key.in_(wanted[start : start + SOME])
        held = select(dialogues.c.id).where(these).order_by(dialogues.c.id).with_for_update()
        connection.execute(held).all()
        # Asked once they are held: what was erased while this waited is seen.
        left = connection.execute(select(dialogues.c.key).where(these, ~_has(ERASE)))
        found |= set(left.scalars())
    return found


def count_verdicts(connection: Connection, study_id: int, stage: int) -> int:
    """How often an owner has said something of the examples of a write stage."""
    return connection.execute(
        select(func.count())
        .select_from(events)
        .join(dialogues, dialogues.c.id == events.c.dialogue_id)
        .where(
            dialogues.c.study_id == study_id,
            dialogues.c.stage == stage,
            events.c.action == written(VERDICT),
        )
    ).scalar_one()


def count_places(connection: Connection, study_id: int, stage: int) -> dict[str, tuple[int, int]]:
    """For each example of a write stage: how many judgements it is to get, and how many are in."""
    copy = dialogues.alias("copy")
    rows = connection.execute(
        select(
            copy.c.source_id,
            func.count().filter(slots.c.state != "abandoned"),
            func.count().filter(slots.c.state == "done"),
        )
        .select_from(dialogues)
        .join(copy, is_copy(copy, dialogues))
        .join(sheets, _is_sheet_of(copy))
        .join(slots, slots.c.sheet_id == sheets.c.id)
        .where(
            dialogues.c.study_id == study_id, dialogues.c.stage == stage, sheets.c.purpose == REAL
        )
        .group_by(copy.c.source_id)
    )
    return {uid: (wanted, done) for uid, wanted, done in rows}


def _is_sheet_of(copy: Any) -> Any:
    return and_(
        sheets.c.study_id == copy.c.study_id,
        sheets.c.stage == copy.c.stage,
        sheets.c.name == copy.c.key,
    )


def _has(action: str) -> Any:
    return exists().where(
        events.c.dialogue_id == dialogues.c.id, events.c.action == written(action)
    )


def _deciding(connection: Connection, sheet_ids: Collection[int]) -> dict[int, str]:
    """The first question of each sheet."""
    ids: Sequence[int] = sorted(sheet_ids)
    found: dict[int, str] = {}
    for start in range(0, len(ids), SOME):
        rows = connection.execute(
            select(sheets.c.id, sheets.c.content).where(sheets.c.id.in_(ids[start : start + SOME]))
        )
        found.update((row.id, _decode_content(row.content).parts[0].ask[0]) for row in rows)
    return found
