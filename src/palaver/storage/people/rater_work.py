"""What each rater did, how the checks on them went, and their record across studies.

A record is a list of standings under the name of a qualification, and is only appended to.
"""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, insert, select

from palaver.core.studies.raters import (
    BARRED,
    LIFTED,
    PASSED,
    WARNED,
    QualificationEntry,
    RaterWork,
    StoredRater,
)
from palaver.storage.engine.prepared import Prepared
from palaver.storage.judging.ratings import newer, stands
from palaver.storage.schema import (
    labels,
    raters,
    screenings,
    sheets,
    slots,
    standings,
    written,
)

_RATER = (raters.c.id, raters.c.key, raters.c.kind, raters.c.participant_id)


Found = dict[tuple[int, int], RaterWork]


def find_rater(connection: Connection, key: str) -> StoredRater | None:
    row = connection.execute(select(*_RATER).where(raters.c.key == key)).one_or_none()
    return None if row is None else StoredRater(*row)


def raters_of(connection: Connection, study_id: int) -> dict[int, StoredRater]:
    """Everybody who gave a label of any purpose in a study, by id, in the order they first came."""
    rows = connection.execute(select(*_RATER).where(_labelled_in(study_id)).order_by(raters.c.id))
    return {row.id: StoredRater(*row) for row in rows}


def rater_work(
    connection: Connection, *, study_id: int | None = None, rater_id: int | None = None
) -> list[RaterWork]:
    """What the raters of a study did, or what one rater did in each study."""
    chosen = and_(
        *([labels.c.study_id == study_id] if study_id is not None else []),
        *([labels.c.rater_id == rater_id] if rater_id is not None else []),
    )
    found: dict[tuple[int, int], RaterWork] = {}
    _add_labels(connection, chosen, found)
    _add_sheets(connection, chosen, found)
    _add_screenings(connection, found)
    _add_skips(connection, found)
    return [found[key] for key in sorted(found)]


def newest_entries(connection: Connection, study_id: int) -> dict[int, dict[str, str]]:
    """For each rater of a study the newest state under each name of their record, in any study."""
    rows = connection.execute(
        select(raters.c.id, standings.c.name, standings.c.state)
        .join(standings, standings.c.participant_id == raters.c.participant_id)
        .where(_labelled_in(study_id))
        .order_by(standings.c.id)
    )
    found: dict[int, dict[str, str]] = {}
    for rater_id, name, state in rows:
        found.setdefault(rater_id, {})[name] = state
    return found


def record(
    connection: Connection,
    *,
    participant_id: int,
    name: str,
    state: str,
    study_id: int,
    reason: str = "",
    now: float,
) -> None:
    connection.execute(
        insert(standings).values(
            participant_id=participant_id,
            name=name,
            state=state,
            study_id=study_id,
            reason=reason,
            time=now,
        )
    )


def standing(connection: Connection, participant_id: int, name: str) -> str | None:
    """The newest state under a name, or None."""
    return _NEWEST.scalar(connection, participant=participant_id, name=name)  # type: ignore[no-any-return]


def is_barred(connection: Connection, participant_id: int, name: str) -> bool:
    """Whether a person is barred under a name: the newest state that is no warning says so."""
    return bool(_HELD.scalar(connection, participant=participant_id, name=name) == BARRED)


def entries_of(connection: Connection, participant_id: int) -> list[QualificationEntry]:
    """The whole record of a person, oldest first."""
    return [QualificationEntry(*row) for row in _RECORD.all(connection, participant=participant_id)]


def verdict(entries: Iterable[QualificationEntry], name: str) -> QualificationEntry | None:
    """What holds under a name: passed, failed or barred; None if nothing does.

    A warning changes nothing. Lifting takes back a bar or a failure: what held before holds again.
    """
    held: list[QualificationEntry] = []
    for entry in entries:
        if entry.name != name or entry.state == WARNED:
            continue
        if entry.state == LIFTED:
            held = [earlier for earlier in held if earlier.state == PASSED]
        else:
            held.append(entry)
    return held[-1] if held else None


def _labelled_in(study_id: int) -> ColumnElement[bool]:
    # One look into the index of labels by rater, instead of a walk through all labels of the study.
    return (
        select(labels.c.id)
        .where(labels.c.rater_id == raters.c.id, labels.c.study_id == study_id)
        .exists()
    )


def _add_labels(connection: Connection, chosen: ColumnElement[bool], found: Found) -> None:
    rows = connection.execute(
        select(
            labels.c.study_id,
            labels.c.rater_id,
            labels.c.purpose,
            labels.c.abstained,
            labels.c.seconds,
        )
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(chosen, stands())
    )
    for study_id, rater_id, purpose, abstained, seconds in rows:
        work = found.setdefault(
            (study_id, rater_id), RaterWork(study_id=study_id, rater_id=rater_id)
        )
        if purpose != "real":
            continue
        if abstained:
            work.abstained += 1
            continue
        work.labels += 1
        if seconds is not None:
            work.label_seconds.append(seconds)


def _add_sheets(connection: Connection, chosen: ColumnElement[bool], found: Found) -> None:
    rows = connection.execute(
        select(
            labels.c.study_id,
            labels.c.rater_id,
            slots.c.id,
            sheets.c.purpose,
            slots.c.since,
            slots.c.finished,
            slots.c.mistakes,
        )
        .distinct()
        .join(slots, slots.c.id == labels.c.slot_id)
        .join(sheets, sheets.c.id == slots.c.sheet_id)
        .where(chosen, slots.c.state == "done")
    )
    for study_id, rater_id, _, purpose, since, finished, mistakes in rows:
        work = found.setdefault(
            (study_id, rater_id), RaterWork(study_id=study_id, rater_id=rater_id)
        )
        if purpose == "gold":
            work.gold += 1
            work.mistakes += mistakes or 0
            continue
        work.sheets += 1
        if mistakes is not None:  # of a real sheet: it carried an attention check
            work.checks += 1
            work.missed += mistakes
        if since is not None and finished is not None:
            work.sheet_seconds.append(finished - since)


def _add_screenings(connection: Connection, found: Found) -> None:
    rows = connection.execute(
        select(screenings.c.study_id, raters.c.id, screenings.c.passed)
        .join(raters, raters.c.participant_id == screenings.c.participant_id)
        .where(screenings.c.study_id.in_({study_id for study_id, _ in found}))
        .order_by(screenings.c.id)
    )
    for study_id, rater_id, passed in rows:
        if (study_id, rater_id) in found:
            work = found[study_id, rater_id]
            work.attempts += 1
            work.passed = passed


def _add_skips(connection: Connection, found: Found) -> None:
    rows = connection.execute(
        select(slots.c.study_id, raters.c.id, func.count())
        .join(raters, raters.c.participant_id == slots.c.participant_id)
        .where(
            slots.c.study_id.in_({study_id for study_id, _ in found}),
            slots.c.state == written("abandoned"),
            slots.c.skipped.is_not(None),
        )
        .group_by(slots.c.study_id, raters.c.id)
    )
    for study_id, rater_id, count in rows:
        if (study_id, rater_id) in found:
            found[study_id, rater_id].skipped = count


_STATE = (
    select(standings.c.state)
    .where(
        standings.c.participant_id == bindparam("participant"),
        standings.c.name == bindparam("name"),
    )
    .order_by(standings.c.id.desc())
    .limit(1)
)
_NEWEST = Prepared(_STATE)
_HELD = Prepared(_STATE.where(standings.c.state != WARNED))
_RECORD = Prepared(
    select(
        standings.c.name,
        standings.c.state,
        standings.c.study_id,
        standings.c.reason,
        standings.c.time,
    )
    .where(standings.c.participant_id == bindparam("participant"))
    .order_by(standings.c.id)
)
