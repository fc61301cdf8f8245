"""Labels and raters as lists."""

from dataclasses import dataclass
from statistics import median
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, or_, select

from palaver.storage.listings import Slice, Window, read_slice
from palaver.storage.schema import dialogues, labels, raters, units

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class ListedRater:
    """A rater and how much they did; the median is over the `timed` labels."""

    key: str
    kind: str
    labels: int
    timed: int
    median_seconds: float | None


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


@dataclass(frozen=True, slots=True)
class ListedLabel:
    """One label with what it is about; `value` is None if abstained or erased."""

    id: int
    unit: str
    unit_kind: str
    first_seq: int | None
    last_seq: int | None
    seat: int | None
    dialogue: str | None
    question: str
    question_version: str
    purpose: str
    rater: str
    rater_kind: str
    value: Any
    abstained: bool
    erased: bool
    superseded: bool
    seconds: float | None
    time: float


def list_labels(
    connection: Connection, study_id: int, *, after: int = 0, limit: int = 100
) -> list[ListedLabel]:
    """The labels of a study behind one, oldest first."""
    rows = connection.execute(
        _labels()
        .where(labels.c.study_id == study_id, labels.c.id > after)
        .order_by(labels.c.id)
        .limit(limit)
    )
    return [_label(row) for row in rows]


def labels_of_dialogue(connection: Connection, dialogue_id: int) -> list[ListedLabel]:
    """The labels about a dialogue, a part of it, or a pair it belongs to."""
    own = select(units.c.id).where(units.c.dialogue_id == dialogue_id)
    study = select(dialogues.c.study_id).where(dialogues.c.id == dialogue_id).scalar_subquery()
    pairs = select(units.c.id).where(
        units.c.study_id == study,
        or_(units.c.first_unit_id.in_(own), units.c.second_unit_id.in_(own)),
    )
    ids = [*connection.execute(own).scalars(), *connection.execute(pairs).scalars()]
    rows = connection.execute(
        _labels().where(labels.c.unit_id.in_(ids)).order_by(labels.c.question, labels.c.id)
    )
    return [_label(row) for row in rows]


def _labels() -> Select[Any]:
    newer = labels.alias("newer")
    return (
        select(
            labels,
            units.c.key.label("unit"),
            units.c.kind.label("unit_kind"),
            units.c.first_seq,
            units.c.last_seq,
            units.c.seat,
            dialogues.c.key.label("dialogue"),
            raters.c.key.label("rater"),
            raters.c.kind.label("rater_kind"),
            newer.c.id.label("newer_id"),
        )
        .join(units, units.c.id == labels.c.unit_id)
        .outerjoin(dialogues, dialogues.c.id == units.c.dialogue_id)
        .join(raters, raters.c.id == labels.c.rater_id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
    )


def _label(row: Row[Any]) -> ListedLabel:
    return ListedLabel(
        id=row.id,
        unit=row.unit,
        unit_kind=row.unit_kind,
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        seat=row.seat,
        dialogue=row.dialogue,
        question=row.question,
        question_version=row.question_version,
        purpose=row.purpose,
        rater=row.rater,
        rater_kind=row.rater_kind,
        value=None if row.value is None else _decode(row.value),
        abstained=row.abstained,
        erased=row.erased is not None,
        superseded=row.newer_id is not None,
        seconds=row.seconds,
        time=row.time,
    )
