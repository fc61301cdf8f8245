"""Raters as a list."""

from statistics import median
from typing import Any

from sqlalchemy import Connection, Row, select

from palaver.core.listings import Slice, Window
from palaver.core.studies.raters import ListedRater
from palaver.storage.listings import read_slice
from palaver.storage.schema import labels, raters


def list_raters(connection: Connection, window: Window) -> Slice[ListedRater]:
    """A page of raters with the number and the median time of their labels."""
    found = read_slice(
        connection,
        select(raters.c.id, raters.c.key, raters.c.kind),
        window,
        id=raters.c.id,
        name=raters.c.key,
    )
    ids = [row.id for row in found.rows]
    times: dict[int, list[float | None]] = {}
    for rater_id, seconds in connection.execute(
        select(labels.c.rater_id, labels.c.seconds).where(
            labels.c.rater_id.in_(ids), labels.c.erased.is_(None)
        )
    ):
        times.setdefault(rater_id, []).append(seconds)

    def rater(row: Row[Any]) -> ListedRater:
        all_labels = times.get(row.id, [])
        timed = [seconds for seconds in all_labels if seconds is not None]
        return ListedRater(
            row.key, row.kind, len(all_labels), len(timed), median(timed) if timed else None
        )

    return found.map(rater)
