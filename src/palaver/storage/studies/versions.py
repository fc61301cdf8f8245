"""The files that studies were served with, in order; and what a new one could spoil."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, func, insert, select

from palaver.core.audit import Actor
from palaver.core.errors import MissingError
from palaver.core.studies.versions import (
    StageWork,
    StudyVersion,
    StudyVersionSheet,
    StudyWork,
)
from palaver.core.studies.visits import ACTIVE
from palaver.storage.schema import (
    assignments,
    dialogues,
    labels,
    places,
    screenings,
    seats,
    sheets,
    slots,
    studies,
    study_versions,
)

_HEAD = tuple(column for column in study_versions.c if column.name not in ("id", "definition"))


def add_version(
    connection: Connection,
    study_id: int,
    *,
    digest: str,
    definition: str,
    by: Actor,
    note: str = "",
    now: float,
) -> StudyVersionSheet:
    """Store the next version of a study; of two that come at once one is a ConflictError."""
    highest = connection.scalar(
        select(func.max(study_versions.c.number)).where(study_versions.c.study_id == study_id)
    )
    made = StudyVersionSheet(
        study_id=study_id,
        number=(highest or 0) + 1,
        digest=digest,
        definition=definition,
        account=by.name,
        via=by.via,
        note=note,
        time=now,
    )
    connection.execute(insert(study_versions).values(asdict(made)))
    return made


def list_versions(connection: Connection, study_id: int) -> list[StudyVersion]:
    """The versions of a study, oldest first."""
    rows = connection.execute(
        select(*_HEAD)
        .where(study_versions.c.study_id == study_id)
        .order_by(study_versions.c.number)
    )
    return [StudyVersion(**row._mapping) for row in rows]


def get_version(connection: Connection, study_id: int, number: int) -> StudyVersionSheet:
    """A version of a study with its file; MissingError if there is none of this number."""
    row = connection.execute(
        select(*_HEAD, study_versions.c.definition).where(
            study_versions.c.study_id == study_id, study_versions.c.number == number
        )
    ).one_or_none()
    if row is None:
        raise MissingError(f"The study has no version {number}. See: palaver study versions")
    return StudyVersionSheet(**row._mapping)


def file_of(connection: Connection, study_id: int) -> str:
    """The file of a study as it was served last."""
    found = select(studies.c.definition).where(studies.c.id == study_id)
    return str(connection.execute(found).scalar_one())


def latest_version(connection: Connection, study_id: int) -> StudyVersionSheet | None:
    """The version of a study that is served; None where it was never served."""
    row = connection.execute(
        select(*_HEAD, study_versions.c.definition)
        .where(study_versions.c.study_id == study_id)
        .order_by(study_versions.c.number.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else StudyVersionSheet(**row._mapping)


def versions_of_file(connection: Connection, study_id: int, digest: str) -> list[StudyVersion]:
    """The versions of a study that were this file, oldest first."""
    rows = connection.execute(
        select(*_HEAD)
        .where(study_versions.c.study_id == study_id, study_versions.c.digest == digest)
        .order_by(study_versions.c.number)
    )
    return [StudyVersion(**row._mapping) for row in rows]


def latest_numbers(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    """The number of the latest version of each of these studies, by name."""
    rows = connection.execute(
        select(studies.c.name, func.max(study_versions.c.number).label("number"))
        .join(study_versions, study_versions.c.study_id == studies.c.id)
        .where(studies.c.name.in_(list(names)))
        .group_by(studies.c.name)
    )
    return {row.name: row.number for row in rows}


def collected_work(connection: Connection, study_id: int) -> StudyWork:
    """What a study has collected, by stage, as far as a new file could spoil it."""
    talked = _by_stage(
        connection.execute(
            select(dialogues.c.stage, dialogues.c.condition, func.count())
            .where(
                dialogues.c.study_id == study_id,
                # What was read from files is taken in anew when they change.
                dialogues.c.source.is_(None),
            )
            .group_by(dialogues.c.stage, dialogues.c.condition)
        )
    )
    taken: dict[int, dict[tuple[str, str | None], int]] = {}
    for stage, condition, scenario, count in connection.execute(
        select(places.c.stage, places.c.condition, places.c.scenario, func.count())
        .where(places.c.study_id == study_id, places.c.state != "free")
        .group_by(places.c.stage, places.c.condition, places.c.scenario)
    ):
        taken.setdefault(stage, {})[condition, scenario] = count
    each_sheet = (
        select(slots.c.stage, slots.c.sheet_id, func.count().label("raters"))
        .join(sheets, sheets.c.id == slots.c.sheet_id)
        .where(
            slots.c.study_id == study_id,
            slots.c.state.in_(("held", "done")),
            sheets.c.purpose == "real",
        )
        .group_by(slots.c.stage, slots.c.sheet_id)
        .subquery()
    )
    judged = _by_stage(
        connection.execute(
            select(each_sheet.c.stage, each_sheet.c.raters, func.count()).group_by(
                each_sheet.c.stage, each_sheet.c.raters
            )
        )
    )
    practised = _counted(
        connection.execute(
            select(screenings.c.stage, func.count())
            .where(screenings.c.study_id == study_id)
            .group_by(screenings.c.stage)
        )
    )
    here = _counted(
        connection.execute(
            select(assignments.c.step, func.count())
            .where(assignments.c.study_id == study_id, assignments.c.state == ACTIVE)
            .group_by(assignments.c.step)
        )
    )
    at = {
        int(step.removeprefix("stage:")): count
        for step, count in here.items()
        if step.startswith("stage:")
    }
    stages = {
        stage: StageWork(
            dialogues=talked.get(stage, {}),
            places=taken.get(stage, {}),
            sheets=judged.get(stage, {}),
            screenings=practised.get(stage, 0),
            visits=at.get(stage, 0),
        )
        for stage in sorted({*talked, *taken, *judged, *practised, *at})
    }
    visits = connection.execute(
        select(func.count()).select_from(assignments).where(assignments.c.study_id == study_id)
    ).scalar_one()
    return StudyWork(
        stages=stages,
        answers=_counted(
            connection.execute(
                select(labels.c.question, func.count())
                .where(labels.c.study_id == study_id)
                .group_by(labels.c.question)
            )
        ),
        visits=visits,
        speaking=_counted(
            connection.execute(
                select(seats.c.system, func.count())
                .join(dialogues, dialogues.c.id == seats.c.dialogue_id)
                .where(
                    dialogues.c.study_id == study_id,
                    dialogues.c.ending.is_(None),
                    seats.c.system.is_not(None),
                )
                .group_by(seats.c.system)
            )
        ),
    )


def _counted(rows: Any) -> dict[Any, int]:
    return dict(tuple(row) for row in rows)


def _by_stage(rows: Any) -> dict[int, dict[Any, int]]:
    found: dict[int, dict[Any, int]] = {}
    for stage, name, count in rows:
        found.setdefault(stage, {})[name] = count
    return found
