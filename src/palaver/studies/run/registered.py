"""A study in the store as its file says: its row, its versions, and the file that follows them."""

from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.errors import ConflictError
from palaver.core.logs import get_log
from palaver.storage.studies.studies import list_studies, register_study
from palaver.storage.studies.versions import latest_version, versions_of_file
from palaver.studies.file.definition import Study
from palaver.studies.file.disk import digest_on_disk, read_text, staged_file

log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """The version under which a study is served: the study's id, its number and its text."""

    id: int
    version: int
    text: str


def register(connection: Connection, study: Study, *, now: float) -> int:
    """Store a study, or its file as it is now; its id."""
    return serve_version(connection, study, now=now).id


def serve_version(connection: Connection, study: Study, *, now: float) -> ServedVersion:
    """Store a study, or its file as it is now, as the next version if it is another file.

    A file that an older version had, where a later one was made at the desk or by another door, is
    served as that older version: it came from a process that has not followed yet.
    """
    stored = {each.name: each.id for each in list_studies(connection)}
    study_id = stored.get(study.name)
    latest = None if study_id is None else latest_version(connection, study_id)
    if latest is not None and study_id is not None:
        if latest.digest == study.digest:
            text = latest.definition
        else:
            text = read_text(study.file)
            older = versions_of_file(connection, study_id, study.digest)
            if older and latest.via != "server":
                return ServedVersion(study_id, older[-1].number, text)
    else:
        text = read_text(study.file)
    study_id = register_study(
        connection,
        name=study.name,
        title=study.title,
        digest=study.digest,
        definition=text,
        now=now,
    )
    made = latest_version(connection, study_id)
    assert made is not None, "it was registered"
    return ServedVersion(study_id, made.number, text)


def bring_to_disk(study: Study, text: str) -> None:
    """Let the file on disk say what is served; one that cannot be written is told of in the log."""
    if digest_on_disk(study.file) == study.digest:
        return
    try:
        with staged_file(study.file, text) as staged:
            staged.replace()
    except ConflictError as error:
        log.warning("study_file_not_written", study=study.name, error=str(error))
