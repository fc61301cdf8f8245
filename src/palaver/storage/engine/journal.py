"""SQLite's journal, written back by a thread of its own.

Left alone, the commit that finds a thousand pages in the journal copies them into the database first,
and everybody behind it waits. A passive checkpoint on another connection does the same work while the
writer goes on appending. A writer that outruns it still does the work itself, at four thousand pages.
"""

import sqlite3
import threading
import time
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from palaver.core.logs import get_log

log = get_log(__name__)

EVERY_SECONDS = 0.05
WORTHWHILE_BYTES = 512 * 1024
# Pages in the journal at which a commit writes them back itself.
WRITER_PAGES = 4000
# How long emptying the journal is tried for while somebody else reads or writes it back.
EMPTYING_SECONDS = 60.0


def empty_journal(engine: Engine) -> bool:
    """Write the whole journal back and cut it to nothing; False, and a warning, if it stayed in use.

    SQLite gives up at once, without waiting, where another connection is writing the journal back,
    and says so in a row of the answer instead of an error.
    """
    deadline = time.monotonic() + EMPTYING_SECONDS
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        while cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > deadline:
                log.warning("journal_not_emptied", seconds=EMPTYING_SECONDS)
                return False
            time.sleep(0.02)
    finally:
        connection.close()
    return True


class Checkpointer:
    """Keeps the journal of one database short."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._journal = Path(f"{engine.url.database}-wal")
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="palaver-journal", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; the last connection to close empties the journal."""
        self._stopping.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        changed = 0
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                journal = self._journal.stat()
            except FileNotFoundError:
                continue
            # The file keeps its size after it was written back: only a change is new work.
            if journal.st_size >= WORTHWHILE_BYTES and journal.st_mtime_ns != changed:
                changed = journal.st_mtime_ns
                self._write_back()

    def _write_back(self) -> None:
        try:
            connection = self._engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
            finally:
                connection.close()
        except (sqlite3.Error, DBAPIError, OSError) as error:
            log.warning("journal_not_written_back", error=str(error))
