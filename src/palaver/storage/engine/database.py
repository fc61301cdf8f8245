"""Opening a database: engines, pragmas, the schema and its version."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError

from palaver import __version__
from palaver.core.errors import (
    InputError,
    MissingExtraError,
    StoreBusyError,
    StoreUnavailableError,
    StoreVersionError,
)
from palaver.storage.engine import postgres
from palaver.storage.engine.characters import refuse_nulls
from palaver.storage.engine.journal import WRITER_PAGES
from palaver.storage.schema import SCHEMA_VERSION, metadata

# Their tables belong to `metadata`.
from palaver.storage.schema import evaluation as _evaluation  # noqa: F401
from palaver.storage.schema import recruiting as _recruiting  # noqa: F401

REVISION = f"{SCHEMA_VERSION:04d}"


def make_engines(
    url: str, *, read_only: bool = False, serving: bool = False
) -> tuple[Engine, Engine]:
    """The engine to write with and the engine to read with."""
    url = postgres.url_for_driver(url)
    backend = make_url(url).get_backend_name()
    if backend == "postgresql":
        engine = _postgres_engine(url)
        refuse_nulls(engine)
        return engine, engine
    if backend != "sqlite":
        raise InputError(
            f"The database address '{url}' is of kind '{backend}'; use a file (SQLite) or "
            "postgresql://…"
        )
    engines = (
        _sqlite_engine(url, begin="BEGIN IMMEDIATE", read_only=read_only, serving=serving),
        _sqlite_engine(url, begin="BEGIN", read_only=read_only),
    )
    for engine in engines:
        refuse_nulls(engine)
    return engines


def _postgres_engine(url: str) -> Engine:
    try:
        return create_engine(url, pool_size=8, max_overflow=8, pool_pre_ping=True)
    except ImportError as error:
        raise MissingExtraError("A PostgreSQL database", "postgres") from error


def _sqlite_engine(url: str, *, begin: str, read_only: bool, serving: bool = False) -> Engine:
    if read_only:
        # A file that is not there must be an error, not an empty database.
        url = f"sqlite:///file:{make_url(url).database}?mode=ro&uri=true"
    engine = create_engine(url, connect_args={"isolation_level": None, "timeout": 10.0})

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA busy_timeout = 10000")
        if read_only:
            cursor.execute("PRAGMA query_only = ON")
        else:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
            # What is erased is overwritten, not merely unlinked.
            cursor.execute("PRAGMA secure_delete = ON")
        if serving:
            cursor.execute(f"PRAGMA wal_autocheckpoint = {WRITER_PAGES}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def create_or_check(engine: Engine) -> None:
    """Create the schema in an empty database; StoreVersionError if it has another version."""
    try:
        with engine.begin() as connection:
            if _revision(connection) is None:
                _lock_schema(connection)
                if _revision(connection) is None:
                    _create(connection)
                    return
    except DatabaseError as error:
        raise StoreUnavailableError(
            f"The database at {engine.url.render_as_string()} does not open "
            f"({str(error.orig).splitlines()[0]}). Check the address and that it is running."
        ) from error
    check_version(engine)


def check_version(engine: Engine) -> None:
    """StoreVersionError unless the schema is of this version; nothing is ever changed by the way."""
    found = schema_version(engine)
    where = engine.url.render_as_string()
    if engine.dialect.name == "sqlite":
        where = (engine.url.database or "").removeprefix("file:").partition("?")[0]
    if found is None or found == REVISION:
        return  # Whoever reads from an empty one says that nothing is there.
    if found > REVISION:
        raise StoreVersionError(
            f"The database at {where} has schema {found}; Palaver "
            f"{__version__} knows up to {REVISION}. Install the newer Palaver that wrote it."
        )
    raise StoreVersionError(
        f"The database at {where} was written by an older Palaver (schema {found}, now {REVISION}). "
        "It is left as it is; bring it up to date with: palaver migrate HOME"
    )


def schema_version(engine: Engine) -> str | None:
    """The version of the schema; None where there is none, or where it cannot be read."""
    try:
        with engine.connect() as connection:
            return _revision(connection)
    except DatabaseError:
        return None  # Whoever reads from it says why it cannot be read.


def migrate(engine: Engine) -> None:
    """Bring the schema to this version, whatever it was; StoreVersionError if it is newer."""
    found = schema_version(engine)
    if found is None or found >= REVISION:
        create_or_check(engine)
        return
    try:
        _upgrade(engine)
    except (DatabaseError, sqlite3.Error) as error:
        reason = str(getattr(error, "orig", error)).splitlines()[0]
        raise StoreVersionError(
            f"The database at {engine.url.render_as_string()} was written by an older Palaver "
            f"(schema {found}, now {REVISION}) and cannot be brought up to date here ({reason}). "
            "Make the file and its folder writable, or copy them to a place that is."
        ) from error


def copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite database, whole and as it is at one moment; nobody but the owner reads it."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.close(handle)
    reading = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    writing = sqlite3.connect(target)
    try:
        reading.backup(writing)
    finally:
        writing.close()
        reading.close()


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _lock_schema(connection: Connection) -> None:
    # Two processes may start on one empty PostgreSQL; this ends with the transaction.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7205759)"))


def _create(connection: Connection) -> None:
    metadata.create_all(connection)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)"))
    connection.execute(text(f"INSERT INTO alembic_version VALUES ('{REVISION}')"))


def _upgrade(engine: Engine) -> None:
    # Alembic takes a while to import and most starts need no migration.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    with engine.connect() as connection, _tables_replaceable(connection), connection.begin():
        _lock_schema(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        _check_references(connection)


@contextmanager
def _tables_replaceable(connection: Connection) -> Iterator[None]:
    """Let SQLite replace a table that others refer to: it changes one by making it anew.

    The switch does nothing inside a transaction, so it is thrown on the connection below.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    own = connection.connection.driver_connection
    assert own is not None
    own.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        own.execute("PRAGMA foreign_keys = ON")


def _check_references(connection: Connection) -> None:
    """Raise StoreVersionError, and so undo everything, if a row now refers to nothing."""
    if connection.dialect.name != "sqlite":
        return
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if lost is not None:
        raise StoreVersionError(
            f"Row {lost[1]} of the table '{lost[0]}' refers to a row of '{lost[2]}' that is not "
            "there, so the database was left as it was. Restore a backup, or ask for help with it."
        )


def hold_file(path: Path) -> TextIO:
    """Keep any other process from serving this SQLite file for as long as the result lives."""
    lock = path.with_name("palaver.lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise StoreBusyError(
            f"{path} is being served by another process (pid {holder}). Stop that one first, or "
            "use PostgreSQL (PALAVER_DATABASE_URL=postgresql://…) to serve with several."
        ) from error
    lock.seek(0)
    lock.truncate()
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
