"""Bringing a home of an older version up to date. Only this changes the tables of a home."""

import time
from dataclasses import dataclass
from pathlib import Path

from palaver.core.audit import COMMAND
from palaver.core.errors import InputError, StoreBusyError
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.engine.database import (
    REVISION,
    copy_file,
    make_engines,
    migrate,
    schema_version,
)
from palaver.studies.home import DATABASE, Home


@dataclass(frozen=True, slots=True)
class Migrated:
    """From which version to which, and where the copy from before is."""

    found: str
    now: str
    copy: Path | None = None


def migrate_home(home: Home, *, has_dump: bool) -> Migrated:
    """Copy the database of a home, then bring it to this version.

    A PostgreSQL database is not copied here: InputError unless its owner says that there is a dump.
    """
    if addresses := home.addresses():
        raise StoreBusyError(
            f"{home.describe()} is being served at {addresses[0]}. Stop the server, then migrate."
        )
    writing, reading = make_engines(home.database_url)
    try:
        found = schema_version(reading)
        if found is None or found == REVISION:
            return Migrated(REVISION, REVISION)
        if not home.is_file and not has_dump:
            raise InputError(
                f"{home.describe()} is not copied by Palaver. Make a dump first (pg_dump --format "
                "custom --file palaver.dump …), then say so: palaver migrate … --yes"
            )
        copy = _copied(home, found) if home.is_file and found < REVISION else None
        migrate(writing)
    finally:
        writing.dispose()
        reading.dispose()
    _note(home, found)
    return Migrated(found, REVISION, copy)


def _copied(home: Home, found: str) -> Path:
    moment = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    target = home.folder / f"palaver-{found}-{moment}.db"
    copy_file(home.folder / DATABASE, target)
    return target


def _note(home: Home, found: str) -> None:
    store = Store(home.database_url)
    told = {"from": found, "to": REVISION}
    try:
        store.write_now(
            lambda c: record(c, "home.migrate", by=COMMAND, now=time.time(), detail=told)
        )
    finally:
        store.close()
