"""Studies as the store knows them: a name, the file as it was, and when it was first served."""

from sqlalchemy import Connection, insert, select, update

from palaver.core.studies.progress import StoredStudy
from palaver.storage.schema import studies


def register_study(
    connection: Connection, *, name: str, title: str, digest: str, definition: str, now: float
) -> int:
    """Store a study or bring its row up to date; its id."""
    found = connection.execute(
        select(studies.c.id).where(studies.c.name == name).with_for_update()
    ).scalar()
    if found is not None:
        connection.execute(
            update(studies)
            .where(studies.c.id == found)
            .values(title=title, digest=digest, definition=definition)
        )
        return int(found)
    return int(
        connection.execute(
            insert(studies)
            .values(name=name, title=title, digest=digest, definition=definition, created=now)
            .returning(studies.c.id)
        ).scalar_one()
    )


def list_studies(connection: Connection) -> list[StoredStudy]:
    """Every study, oldest first."""
    rows = connection.execute(select(studies).order_by(studies.c.id))
    return [StoredStudy(**row._mapping) for row in rows]


def study_by_id(connection: Connection, study_id: int) -> StoredStudy:
    row = connection.execute(select(studies).where(studies.c.id == study_id)).one()
    return StoredStudy(**row._mapping)
