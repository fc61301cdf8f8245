"""Studies as the store knows them: a name, the file as it was, and when it was first served."""

from sqlalchemy import Connection, insert, select, update

from palaver.core.audit import SERVER
from palaver.core.studies.progress import StoredStudy
from palaver.storage.audit.entries import record
from palaver.storage.schema import studies


def register_study(
    connection: Connection, *, name: str, title: str, digest: str, definition: str, now: float
) -> int:
    """Store a study or bring its row up to date; its id. That its file is new is recorded."""
    found = connection.execute(
        select(studies.c.id, studies.c.digest).where(studies.c.name == name).with_for_update()
    ).one_or_none()
    if found is not None:
        connection.execute(
            update(studies)
            .where(studies.c.id == found.id)
            .values(title=title, digest=digest, definition=definition)
        )
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
    if found is None or found.digest != digest:
        told = {"file": digest, "before": "" if found is None else found.digest}
        record(connection, act, by=SERVER, now=now, subject=name, study_id=study_id, detail=told)
    return study_id


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
