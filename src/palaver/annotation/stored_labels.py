"""What the store holds of one label, for answering the same request again.

`storage/labels.py` does not offer these two reads yet; they belong there.
"""

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, select

from palaver.storage.schema import labels

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """One row of labels, as far as a repeated submission needs it."""

    id: int
    unit_id: int
    question: str
    value: Any
    supersedes: int | None


def find_label(connection: Connection, rater_id: int, client_id: str | None) -> StoredLabel | None:
    """The label that this rater sent under this client id, or None."""
    if client_id is None:
        return None
    return _one(connection, (labels.c.rater_id == rater_id) & (labels.c.client_id == client_id))


def get_label(connection: Connection, label_id: int) -> StoredLabel | None:
    """The label with this id, or None."""
    return _one(connection, labels.c.id == label_id)


def _one(connection: Connection, condition: ColumnElement[bool]) -> StoredLabel | None:
    row = connection.execute(
        select(
            labels.c.id, labels.c.unit_id, labels.c.question, labels.c.value, labels.c.supersedes
        ).where(condition)
    ).one_or_none()
    if row is None:
        return None
    value = None if row.value is None else _decode(row.value)
    return StoredLabel(row.id, row.unit_id, row.question, value, row.supersedes)
