"""Studies as the store knows them: a name, the file as it was, and when it was first served."""

from sqlalchemy import Connection, insert, select, update

from palaver.core.audit import SERVER, Actor
from palaver.core.studies.progress import StoredStudy
from palaver.core.studies.versions import StudyVersionSheet
from palaver.storage.audit.entries import record
from palaver.storage.schema import studies
from palaver.storage.studies.versions import add_version, latest_version


def register_study(
    connection: Connection, *, name: str, title: str, digest: str, definition: str, now: float
) -> int:
    """Store a study or bring its row up to date; its id. A file that is new is its next version."""
    found = connection.execute(
        select(studies.c.id, studies.c.digest).where(studies.c.name == name).with_for_update()
    ).one_or_none()
    if found is not None:
        change_row(connection, found.id, title=title, digest=digest, definition=definition)
        study_id, act = int(found.id), "study.change"
    else:
        study_id, act = (
            int(
                connection.execute(
                    insert(studies)
                    .values(
                        name=name, title=title, digest=digest, definition=definition, created=now
                    )
                    .returning(studies.c.id)
                ).scalar_one()
            ),
            "study.serve",
        )
    latest = latest_version(connection, study_id)
    if latest is None or latest.digest != digest:
        add_version(connection, study_id, digest=digest, definition=definition, by=SERVER, now=now)
    if found is None or found.digest != digest:
        told = {"file": digest, "before": "" if found is None else found.digest}
        record(connection, act, by=SERVER, now=now, subject=name, study_id=study_id, detail=told)
    return study_id


def new_version(
    connection: Connection,
    study_id: int,
    *,
    name: str,
    title: str,
    digest: str,
    definition: str,
    actor: Actor,
    note: str,
    now: float,
) -> StudyVersionSheet:
    """Store the next version of a study that is held, and record who made it."""
    before = study_by_id(connection, study_id).digest
    change_row(connection, study_id, title=title, digest=digest, definition=definition)
    made = add_version(
        connection, study_id, digest=digest, definition=definition, by=actor, note=note, now=now
    )
    told = {"file": digest, "before": before, "version": made.number}
    record(
        connection, "study.edit", by=actor, now=now, subject=name, study_id=study_id, detail=told
    )
    return made


def change_row(
    connection: Connection, study_id: int, *, title: str, digest: str, definition: str
) -> None:
    """Let the row of a study say what its file is now."""
    connection.execute(
        update(studies)
        .where(studies.c.id == study_id)
        .values(title=title, digest=digest, definition=definition)
    )


def list_studies(connection: Connection) -> list[StoredStudy]:
    """Every study, oldest first."""
    rows = connection.execute(select(studies).order_by(studies.c.id))
    return [StoredStudy(**row._mapping) for row in rows]


def study_by_id(connection: Connection, study_id: int) -> StoredStudy:
    row = connection.execute(select(studies).where(studies.c.id == study_id)).one()
    return StoredStudy(**row._mapping)


def hold_study(connection: Connection, study_id: int) -> None:
    """Let nobody else who holds this study go on before the commit; its labels may still come."""
    connection.execute(
        select(studies.c.id).where(studies.c.id == study_id).with_for_update(key_share=True)
    )
