"""Raters in the store: made on first use."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, bindparam, select

from palaver.core.errors import InputError
from palaver.core.labels import RaterKind
from palaver.storage.prepared import Prepared, PreparedInsert
from palaver.storage.schema import raters


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
    return ids | dict(_NEW_RATERS.all(connection, new))


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
