"""Places of raters that are called off, because what is to be judged is settled without them.

An example of a round is settled when its writer takes it back, its owner gives a verdict, or it is
erased; its session says so, and nothing else does. A place that was free then is `abandoned`, without
anybody who held it or a moment since when: it is handed to nobody, and free again when a verdict is
taken back. So is the place that would follow one that somebody gives back later.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, select, update

from palaver.core.events import ERASE, RETRACT, VERDICT
from palaver.core.studies.dialogues import REAL
from palaver.storage.schema import dialogues, events, sheets, slots

_decode = msgspec.json.Decoder(dict[str, Any]).decode
# How many names one statement takes.
SOME = 500


def is_called_off() -> ColumnElement[bool]:
    """That a place was called off before anybody held it."""
    return and_(slots.c.state == "abandoned", slots.c.since.is_(None))


def follow_decisions(connection: Connection, examples: Collection[str]) -> None:
    """Call off the free places at those of these examples that are settled; reopen those of others."""
    for some in _portions(sorted(examples)):
        ids = _hold_sheets(connection, some)
        off = settled_sheets(connection, ids)
        connection.execute(
            update(slots)
            .where(slots.c.sheet_id.in_(sorted(off)), slots.c.state == "free")
            .values(state="abandoned")
        )
        connection.execute(
            update(slots)
            .where(slots.c.sheet_id.in_(sorted(set(ids) - off)), is_called_off())
            .values(state="free")
        )


def settled_sheets(connection: Connection, sheet_ids: Collection[int]) -> set[int]:
    """Those of these sheets whose example nobody new is to judge.

    The caller holds their rows: what is decided meanwhile waits, and then sees what came of it.
    """
    copy, session = dialogues.alias("copy"), dialogues.alias("session")
    gone: set[int] = set()
    judged: set[int] = set()
    for some in _portions(sorted(sheet_ids)):
        rows = connection.execute(
            select(sheets.c.id, copy.c.source_id, session.c.key, events.c.action, events.c.data)
            .select_from(sheets)
            .join(
                copy,
                and_(
                    copy.c.key == sheets.c.name,
                    copy.c.study_id == sheets.c.study_id,
                    copy.c.stage == sheets.c.stage,
                ),
            )
            .join(session, session.c.key == copy.c.group_key)
            .join(events, events.c.dialogue_id == session.c.id)
            .where(
                sheets.c.id.in_(some),
                copy.c.source_id.is_not(None),
                events.c.action.in_((RETRACT, VERDICT, ERASE)),
            )
            .order_by(sheets.c.id, events.c.seq)
        )
        for sheet_id, uid, key, action, data in rows:
            said = {} if data is None else _decode(data)
            is_about_it = uid == f"{key}-{said.get('seq')}"
            if action == ERASE or (action == RETRACT and is_about_it):
                gone.add(sheet_id)
            elif is_about_it and said.get("verdict"):
                judged.add(sheet_id)
            elif is_about_it:
                judged.discard(sheet_id)
    return gone | judged


def _hold_sheets(connection: Connection, examples: Sequence[str]) -> list[int]:
    """The sheets of these examples, wherever they are judged; nobody gives a place back meanwhile."""
    made = (
        select(sheets.c.id)
        .join(
            dialogues,
            and_(
                dialogues.c.key == sheets.c.name,
                dialogues.c.study_id == sheets.c.study_id,
                dialogues.c.stage == sheets.c.stage,
            ),
        )
        .where(
            dialogues.c.group_key.in_({uid.rpartition("-")[0] for uid in examples}),
            dialogues.c.source_id.in_(examples),
            sheets.c.purpose == REAL,
        )
    )
    held = (
        select(sheets.c.id)
        .where(sheets.c.id.in_(made))
        .order_by(sheets.c.id)
        .with_for_update(key_share=True)
    )
    return list(connection.execute(held).scalars())


def _portions(many: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(many), SOME):
        yield many[start : start + SOME]
