"""SQLite's journal: emptied even while somebody is in its way."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event

from palaver.storage.engine import journal

WORD = b"aardvark"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A database whose journal holds a word; its connections wait for nobody."""
    engine = create_engine(f"sqlite:///{tmp_path / 'words.db'}")

    @event.listens_for(engine, "connect")
    def _impatient(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA secure_delete = ON")

    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE words (word TEXT)")
        connection.exec_driver_sql("INSERT INTO words VALUES ('aardvark')")
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM words")
    yield engine
    engine.dispose()


def reader_of(engine: Engine) -> sqlite3.Connection:
    """A connection in the middle of reading, so that the journal cannot be cut."""
    reader = sqlite3.connect(str(engine.url.database), check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM words").fetchall()
    return reader


def remains(engine: Engine) -> bool:
    path = Path(str(engine.url.database))
    return any(WORD in file.read_bytes() for file in path.parent.glob("words.db*"))


def test_an_erased_word_is_in_no_file(engine: Engine) -> None:
    assert remains(engine)
    assert journal.empty_journal(engine)
    assert not remains(engine)


def test_a_journal_in_use_is_tried_again(engine: Engine) -> None:
    reader = reader_of(engine)
    leaving = threading.Timer(0.2, reader.close)
    leaving.start()
    assert journal.empty_journal(engine)
    leaving.join()
    assert not remains(engine)


def test_a_journal_that_stays_in_use_is_said(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "EMPTYING_SECONDS", 0.05)
    reader = reader_of(engine)
    assert not journal.empty_journal(engine)
    reader.close()
