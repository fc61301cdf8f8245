"""Sheets in the store: what raters are handed, who must not see it, and how often it is needed.

A sheet of purpose "real" has as many slots as it needs raters; `slots` hands them out by rank. The
rank is drawn here, when the slot is made, so that handing out is one look-up in an index.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, and_, bindparam, delete, func, insert, or_, select, text

from palaver.core.errors import InputError
from palaver.core.sheets import SheetContent, Truth
from palaver.storage.engine.keys import new_key
from palaver.storage.engine.prepared import Prepared
from palaver.storage.engine.statements import few
from palaver.storage.judging.called_off import is_called_off
from palaver.storage.schema import SEVERAL_PARTS, sheet_people, sheets, slots, studies

_encode = msgspec.json.Encoder().encode
_decode_content = msgspec.json.Decoder(SheetContent).decode
_decode_truth = msgspec.json.Decoder(Truth).decode

ORDERS = ("balanced", "file", "random")
# How many rows go to the database at a time: bounds the memory of a large file.
CHUNK = 5000
# How many values one `IN` holds.
PORTION = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredSheet:
    """One sheet; `truth` is None where there are no right answers."""

    id: int
    key: str
    study_id: int
    stage: int
    purpose: str
    name: str
    group: str
    position: int
    content: SheetContent
    truth: Truth | None


@dataclass(frozen=True, slots=True)
class NewSheet:
    """A sheet as a file gives it; `people` must not judge it, `needed` raters shall.

    One that is `shared` comes before all others, for everybody.
    """

    name: str
    group: str
    position: int
    content: SheetContent
    truth: Truth | None = None
    people: tuple[str, ...] = ()
    needed: int = 1
    shared: bool = False


def add_sheets(
    connection: Connection,
    study_id: int,
    stage: int,
    purpose: str,
    new: Sequence[NewSheet],
    *,
    order: str,
    seed: int,
) -> int:
    """Store the sheets that are not there yet, with their slots; how many were new.

    Sheets that are there stay as they are, but their slots follow `needed`: missing ones are added,
    free ones too many are removed, and what a rater holds or has done is never taken away.
    """
    if order not in ORDERS:
        raise InputError(f"The order must be one of {', '.join(ORDERS)}; got '{order}'.")
    # Two processes that take in the same file: the second waits and finds everything there.
    connection.execute(
        select(studies.c.id).where(studies.c.id == study_id).with_for_update(key_share=True)
    )
    names = [sheet.name for sheet in new]
    before = _ids(connection, study_id, stage, purpose, names)
    fresh = list({sheet.name: sheet for sheet in new if sheet.name not in before}.values())
    _insert(
        connection,
        sheets,
        (_sheet_row(sheet, study_id, stage, purpose) for sheet in fresh),
    )
    ids = _ids(connection, study_id, stage, purpose, names) if fresh else before
    _insert(
        connection,
        sheet_people,
        (
            {"sheet_id": ids[sheet.name], "person": person}
            for sheet in fresh
            for person in dict.fromkeys(sheet.people)
        ),
    )
    if purpose == "real":
        known = [sheet for sheet in new if sheet.name in before]
        wanted = _missing(connection, known, ids) if known else []
        wanted += [(sheet, n, n) for sheet in fresh for n in range(1, sheet.needed + 1)]
        ranked = [
            (rank(order, seed=seed, sheet=sheet, turn=turn), sheet, number)
            for sheet, number, turn in wanted
        ]
        # Slots that are handed out one after the other then lie side by side in the database.
        ranked.sort(key=lambda each: each[0])
        _insert(
            connection,
            slots,
            (
                {
                    "sheet_id": ids[sheet.name],
                    "study_id": study_id,
                    "stage": stage,
                    "group_key": sheet.group,
                    "number": number,
                    "rank": place,
                    "state": "free",
                }
                for place, sheet, number in ranked
            ),
        )
    if connection.dialect.name == "postgresql":
        _analyse(connection)
    return len(fresh)


def rank(order: str, *, seed: int, sheet: NewSheet, turn: int) -> int:
    """Where the slot of a sheet's first, second… rater (`turn`, from 1) stands among all slots.

    "balanced" gives every sheet its first rater before any gets a second, in an order drawn by lot;
    "file" finishes one sheet after the other; "random" draws a lot for every slot. Shared sheets come
    first: the lot of their slots is below any other.
    """
    if order == "file":
        # Shared sheets are the first of a file.
        return sheet.position << 24 | turn
    if sheet.shared:
        turn = 0
    lot = hashlib.blake2b(f"{seed}\n{turn}\n{sheet.name}".encode(), digest_size=8).digest()
    if order == "random" and not sheet.shared:
        return int.from_bytes(lot, "big") >> 1
    return turn << 44 | int.from_bytes(lot, "big") >> 20


def sheets_of(connection: Connection, study_id: int, stage: int, purpose: str) -> list[StoredSheet]:
    """The sheets of a stage that serve one purpose, by position."""
    rows = _ALL.all(connection, study=study_id, stage=stage, purpose=purpose)
    return [stored_sheet(row) for row in rows]


def count_sheets(connection: Connection, study_id: int, stage: int, purpose: str) -> int:
    """How many sheets of a stage serve one purpose."""
    return connection.execute(
        select(func.count())
        .select_from(sheets)
        .where(sheets.c.study_id == study_id, sheets.c.stage == stage, sheets.c.purpose == purpose)
    ).scalar_one()


def stored_sheet(row: Sequence[Any]) -> StoredSheet:
    """The sheet out of the columns of `SHEET`."""
    sheet_id, key, study_id, stage, purpose, name, group, position, content, truth = row
    return StoredSheet(
        sheet_id,
        key,
        study_id,
        stage,
        purpose,
        name,
        group,
        position,
        _decode_content(content),
        None if truth is None else _decode_truth(truth),
    )


# The columns of a sheet, in the order that `stored_sheet` reads them.
SHEET = (
    sheets.c.id,
    sheets.c.key,
    sheets.c.study_id,
    sheets.c.stage,
    sheets.c.purpose,
    sheets.c.name,
    sheets.c.group_key,
    sheets.c.position,
    sheets.c.content,
    sheets.c.truth,
)
_ONE = Prepared(select(*SHEET).where(sheets.c.id == bindparam("sheet")))
_ALL = Prepared(
    select(*SHEET)
    .where(
        sheets.c.study_id == bindparam("study"),
        sheets.c.stage == bindparam("stage"),
        sheets.c.purpose == bindparam("purpose"),
    )
    .order_by(sheets.c.position, sheets.c.id)
)


def _ids(
    connection: Connection, study_id: int, stage: int, purpose: str, names: Sequence[str]
) -> dict[str, int]:
    """The ids of those of these sheets that are there, by name."""
    found: dict[str, int] = {}
    for some in _portions(names):
        rows = connection.execute(
            select(sheets.c.name, sheets.c.id).where(
                sheets.c.study_id == study_id,
                sheets.c.stage == stage,
                sheets.c.purpose == purpose,
                sheets.c.name.in_(some),
            )
        )
        found.update({row.name: row.id for row in rows})
    return found


def _analyse(connection: Connection) -> None:
    # PostgreSQL looks at new rows when it finds time. Until then it plans for the few it knows of,
    # and reads through all of them. Whenever there are twice as many, it is told to look at once.
    known = connection.execute(
        text("SELECT reltuples FROM pg_class WHERE oid = 'slots'::regclass")
    ).scalar_one()
    if (connection.execute(select(func.max(slots.c.id))).scalar() or 0) > 2 * max(known, 0):
        connection.execute(text("ANALYZE sheets, sheet_people, slots"))


def _portions(many: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many at a time as both databases take in one statement."""
    for start in range(0, len(many), PORTION):
        yield many[start : start + PORTION]


def have_single_parts(connection: Connection, study_id: int, stage: int) -> bool:
    """Whether no real sheet of a stage has several parts."""
    several = few(
        select(sheets.c.study_id, sheets.c.stage, sheets.c.purpose).where(text(SEVERAL_PARTS))
    )
    here = (several.c.study_id == study_id, several.c.stage == stage, several.c.purpose == "real")
    return connection.execute(select(several).where(*here).limit(1)).first() is None


def _sheet_row(sheet: NewSheet, study_id: int, stage: int, purpose: str) -> dict[str, Any]:
    return {
        "key": new_key("t"),
        "study_id": study_id,
        "stage": stage,
        "purpose": purpose,
        "name": sheet.name,
        "group_key": sheet.group,
        "position": sheet.position,
        "content": _encode(sheet.content).decode(),
        "truth": None if sheet.truth is None else _encode(sheet.truth).decode(),
    }


def _missing(
    connection: Connection, known: Sequence[NewSheet], ids: Mapping[str, int]
) -> list[tuple[NewSheet, int, int]]:
    """The slots that known sheets lack, as (sheet, number, turn); free ones too many are removed."""
    present: dict[int, tuple[int, int]] = {}
    for some in _portions([ids[sheet.name] for sheet in known]):
        rows = connection.execute(
            select(
                slots.c.sheet_id,
                func.max(slots.c.number),
                func.count().filter(or_(slots.c.state != "abandoned", is_called_off())),
            )
            .where(slots.c.sheet_id.in_(some), slots.c.rank >= 0)
            .group_by(slots.c.sheet_id)
        )
        present.update({sheet_id: (highest, count) for sheet_id, highest, count in rows})
    missing = []
    for sheet in known:
        highest, count = present.get(ids[sheet.name], (0, 0))
        lacking = range(1, sheet.needed - count + 1)
        missing += [(sheet, highest + n, count + n) for n in lacking]
        if count > sheet.needed:
            _remove_free(connection, ids[sheet.name], count - sheet.needed)
    return missing


def uneven_sheets(
    connection: Connection, study_id: int, stage: int, *, needed: int, limit: int
) -> list[StoredSheet]:
    """Real sheets that lack raters, or have free slots too many, where each needs so many."""
    stands = or_(slots.c.state != "abandoned", is_called_off())
    free = func.count().filter(slots.c.state == "free")
    number = func.count().filter(stands)
    uneven = (
        select(slots.c.sheet_id)
        .where(slots.c.study_id == study_id, slots.c.stage == stage, slots.c.rank >= 0)
        .group_by(slots.c.sheet_id)
        .having(or_(number < needed, and_(number > needed, free > 0)))
    )
    rows = connection.execute(
        select(*SHEET)
        .where(sheets.c.id.in_(uneven), sheets.c.purpose == "real")
        .order_by(sheets.c.id)
        .limit(limit)
    )
    return [stored_sheet(tuple(row)) for row in rows]


def _remove_free(connection: Connection, sheet_id: int, count: int) -> None:
    free = (
        select(slots.c.id)
        .where(slots.c.sheet_id == sheet_id, slots.c.state == "free")
        .order_by(slots.c.rank.desc())
        .limit(count)
        .with_for_update(skip_locked=True)
    )
    connection.execute(delete(slots).where(slots.c.id.in_(free)))


def _insert(connection: Connection, table: Any, rows: Iterator[dict[str, Any]]) -> None:
    statement = insert(table)
    chunk: list[dict[str, Any]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            connection.execute(statement, chunk)
            chunk = []
    if chunk:
        connection.execute(statement, chunk)
