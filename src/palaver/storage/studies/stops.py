"""That a study was stopped by its rule: kept once, whoever noticed first."""

from dataclasses import asdict
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, insert, select

from palaver.core.audit import SERVER
from palaver.core.studies.stops import DecidedPair, StudyStop
from palaver.storage.audit.entries import record
from palaver.storage.engine.chain import STOP, link
from palaver.storage.schema import stops, studies
from palaver.storage.studies.studies import hold_study

_encode = msgspec.json.Encoder().encode
_pairs = msgspec.json.Decoder(tuple[DecidedPair, ...]).decode
_rule = msgspec.json.Decoder(dict[str, Any]).decode
RULE = ("until", "within", "at_most")


def keep_stop(connection: Connection, study_id: int, stop: StudyStop) -> bool:
    """Keep that a study stopped, and record it; False, and nothing changes, where it had before."""
    # Of two processes that notice at once the second waits here, and finds what the first kept.
    hold_study(connection, study_id)
    if is_stopped(connection, study_id):
        return False
    told = asdict(stop)
    row = {
        "study_id": study_id,
        **{name: told[name] for name in ("time", "reason", "votes", "raters", "answer")},
        "pairs": _encode(stop.pairs).decode(),
        "rule": _encode({name: told[name] for name in RULE}).decode(),
    }
    made = connection.execute(insert(stops).values(row).returning(stops.c.id)).scalar_one()
    link(connection, STOP, [{**row, "id": made}], study_id=study_id)
    name = connection.scalar(select(studies.c.name).where(studies.c.id == study_id))
    detail = {"votes": stop.votes, "reason": stop.reason}
    record(
        connection,
        "study.stop",
        by=SERVER,
        now=stop.time,
        subject=name or "",
        study_id=study_id,
        detail=detail,
    )
    return True


def is_stopped(connection: Connection, study_id: int) -> bool:
    """Whether a study was stopped by its rule."""
    found = select(stops.c.id).where(stops.c.study_id == study_id)
    return connection.scalar(found) is not None


def find_stop(connection: Connection, study_id: int) -> StudyStop | None:
    """When and why a study was stopped by its rule; None where it was not."""
    row = connection.execute(select(stops).where(stops.c.study_id == study_id)).one_or_none()
    return None if row is None else _stop(row)


def read_stops(connection: Connection) -> dict[int, StudyStop]:
    """The studies that were stopped by their rule, by id."""
    return {row.study_id: _stop(row) for row in connection.execute(select(stops))}


def stops_by_name(connection: Connection) -> dict[str, StudyStop]:
    """The studies that were stopped by their rule, by name."""
    rows = connection.execute(
        select(stops, studies.c.name).join(studies, studies.c.id == stops.c.study_id)
    )
    return {row.name: _stop(row) for row in rows}


def _stop(row: Row[Any]) -> StudyStop:
    return StudyStop(
        time=row.time,
        reason=row.reason,
        votes=row.votes,
        raters=row.raters,
        answer=row.answer,
        pairs=_pairs(row.pairs),
        **_rule(row.rule),
    )
