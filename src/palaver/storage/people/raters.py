"""Raters in the store: made on first use."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select

from palaver.core.errors import ConflictError, InputError
from palaver.core.labels import RaterKind
from palaver.core.listings import Slice, Window
from palaver.core.names import rater_name
from palaver.core.studies.raters import ListedRater
from palaver.storage.engine.chain import RATER, link
from palaver.storage.engine.prepared import Prepared, PreparedInsert
from palaver.storage.engine.statements import read_slice
from palaver.storage.schema import labels, participants, raters, units


@dataclass(frozen=True, slots=True)
class NewRater:
    """A rater who may be new."""

    key: str
    kind: RaterKind
    created: float
    participant_id: int | None = None


def ensure_raters(connection: Connection, wanted: Iterable[NewRater]) -> dict[str, int]:
    """The ids of raters by key; new ones are stored."""
    by_key = {rater.key: rater for rater in wanted}
    ids = {}
    for key, rater_id, kind in _RATERS.all(connection, keys=list(by_key)):
        if kind != by_key[key].kind:
            raise InputError(f"Rater '{key}' is a {kind} rater here, not a {by_key[key].kind} one.")
        ids[key] = rater_id
    new = [asdict(rater) for key, rater in by_key.items() if key not in ids]
    made = dict(_NEW_RATERS.all(connection, new))
    if made:
        link(connection, RATER, [{**row, "id": made[row["key"]]} for row in new], study_id=None)
    return ids | made


def ensure_rater(
    connection: Connection,
    *,
    key: str,
    kind: RaterKind,
    now: float,
    participant_id: int | None = None,
) -> int:
    """The id of a rater, stored if new."""
    return ensure_raters(connection, [NewRater(key, kind, now, participant_id)])[key]


_RATERS = Prepared(
    select(raters.c.key, raters.c.id, raters.c.kind).where(
        raters.c.key.in_(bindparam("keys", expanding=True))
    )
)
_NEW_RATERS = PreparedInsert(
    raters, ["key", "kind", "created", "participant_id"], [raters.c.key, raters.c.id]
)


def lock_rater(connection: Connection, participant_id: int) -> None:
    """Keep other transactions from serving this person until this one ends.

    ConflictError if another one serves them right now: a group commit that waited for another
    process's could wait for ever, so whoever asked asks again.
    """
    lock_raters(connection, [participant_id])


def lock_raters(connection: Connection, participant_ids: Collection[int]) -> None:
    """Keep other transactions from serving these people, as `lock_rater` does for one."""
    if connection.dialect.name == "sqlite":
        return  # one writer at a time
    wanted = set(participant_ids)
    if len(_LOCK.all(connection, participants=list(wanted))) < len(wanted):
        raise ConflictError("Another request from this person is being served. Try again.")


_LOCK = Prepared(
    select(participants.c.id)
    .where(participants.c.id.in_(bindparam("participants", expanding=True)))
    .with_for_update(key_share=True, skip_locked=True)
)


def rater_kinds(connection: Connection, keys: Collection[str]) -> dict[str, str]:
    """The kinds of those raters that are known."""
    rows = connection.execute(select(raters.c.key, raters.c.kind).where(raters.c.key.in_(keys)))
    return {row.key: row.kind for row in rows}


def sent_before(
    connection: Connection, keys: Collection[str], client_ids: Collection[str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """What these raters answered under these ids of theirs: the unit and the question."""
    rows = connection.execute(
        select(raters.c.key, labels.c.client_id, units.c.key, labels.c.question)
        .join(raters, raters.c.id == labels.c.rater_id)
        .join(units, units.c.id == labels.c.unit_id)
        .where(raters.c.key.in_(keys), labels.c.client_id.in_(client_ids))
    )
    return {
        (rater, client_id): (unit, question)
        for rater, client_id, unit, question in rows
        if client_id is not None
    }


def list_raters(connection: Connection, window: Window) -> Slice[ListedRater]:
    """A page of raters with the number and the median time of their labels."""
    found = read_slice(
        connection,
        select(raters.c.id, raters.c.key, raters.c.kind, raters.c.participant_id),
        window,
        id=raters.c.id,
        name=raters.c.key,
    )
    ids = [row.id for row in found.rows]
    counts = {rater_id: both for rater_id, *both in _COUNTS.all(connection, raters=ids)}

    def rater(row: Row[Any]) -> ListedRater:
        given, timed = counts.get(row.id, (0, 0))
        return ListedRater(
            row.key,
            rater_name(row.id, row.key, row.kind, row.participant_id),
            row.kind,
            given,
            timed,
            _median_time(connection, row.id, timed) if timed else None,
        )

    return found.map(rater)


def _median_time(connection: Connection, rater_id: int, timed: int) -> float:
    """The one or two times in the middle: an index has them in order."""
    before = (timed - 1) // 2
    rows = _TIMES.all(connection, rater=rater_id, before=before, most=timed - 2 * before)
    return float(median(seconds for (seconds,) in rows))


_COUNTS = Prepared(
    select(labels.c.rater_id, func.count(), func.count(labels.c.seconds))
    .where(labels.c.rater_id.in_(bindparam("raters", expanding=True)), labels.c.erased.is_(None))
    .group_by(labels.c.rater_id)
)
_TIMES = Prepared(
    select(labels.c.seconds)
    .where(
        labels.c.rater_id == bindparam("rater"),
        labels.c.erased.is_(None),
        labels.c.seconds.is_not(None),
    )
    .order_by(labels.c.seconds)
    .limit(bindparam("most"))
    .offset(bindparam("before"))
)
