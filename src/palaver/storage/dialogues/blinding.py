"""Late replies, and replies in which a system named itself, counted by system."""

from collections import Counter

from sqlalchemy import Connection, Row, and_, distinct, func, literal, select

from palaver.core.events import DISGUISE, LATE
from palaver.core.studies.blinding import SystemBlinding
from palaver.core.studies.dialogues import REAL
from palaver.storage.engine.statements import few, json_text
from palaver.storage.schema import dialogues, events, seats, written


def count_blinding(connection: Connection, study_id: int) -> list[SystemBlinding]:
    """How often each system of a study was late or named itself, by name."""
    held = connection.execute(
        select(seats.c.system, func.count(distinct(seats.c.dialogue_id)))
        .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
        .where(
            dialogues.c.study_id == study_id,
            dialogues.c.purpose == REAL,
            seats.c.system.is_not(None),
        )
        .group_by(seats.c.system)
        .order_by(seats.c.system)
    ).all()
    late, named = (_times(connection, study_id, action) for action in (LATE, DISGUISE))
    done: Counter[tuple[str, str]] = Counter()
    for row in named:
        done[row.system, row.done] += 1
    return [
        SystemBlinding(
            system=system,
            dialogues=count,
            late=sum(row.system == system for row in late),
            late_dialogues=len({row.dialogue_id for row in late if row.system == system}),
            masked=done[system, "masked"],
            asked_again=done[system, "asked_again"],
            named_dialogues=len({row.dialogue_id for row in named if row.system == system}),
        )
        for system, count in held
    ]


def _times(
    connection: Connection, study_id: int, action: str
) -> list[Row[tuple[int, str, str | None]]]:
    """Each time that this was recorded of a system."""
    records = few(
        select(events.c.dialogue_id, events.c.seat, events.c.seq, events.c.data).where(
            events.c.action == written(action)
        )
    )
    since = seats.alias("since")
    latest = (
        select(func.max(since.c.from_seq))
        .where(
            since.c.dialogue_id == records.c.dialogue_id,
            since.c.seat == records.c.seat,
            since.c.from_seq <= records.c.seq,
        )
        .scalar_subquery()
    )
    return list(
        connection.execute(
            select(
                records.c.dialogue_id,
                seats.c.system.label("system"),
                json_text(records.c.data, literal("done")).label("done"),
            )
            .select_from(records)
            .join(dialogues, dialogues.c.id == records.c.dialogue_id)
            .join(
                seats,
                and_(
                    seats.c.dialogue_id == records.c.dialogue_id,
                    seats.c.seat == records.c.seat,
                    seats.c.from_seq == latest,
                ),
            )
            .where(dialogues.c.study_id == study_id, dialogues.c.purpose == REAL)
            .order_by(records.c.dialogue_id, records.c.seq)
        )
    )
