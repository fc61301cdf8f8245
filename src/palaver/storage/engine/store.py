"""The store: a database, its writer, and threads to read with.

Functions of this package take a connection as their first argument. `write` runs one in the writer's
next group commit, `read` runs one on a reading connection in a worker thread.
"""

import asyncio
import secrets
import sqlite3
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TextIO, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, TimeoutError

from palaver.core.errors import PalaverError
from palaver.storage.engine import postgres
from palaver.storage.engine.appends import Append
from palaver.storage.engine.database import check_version, create_or_check, hold_file, make_engines
from palaver.storage.engine.journal import Checkpointer, empty_journal
from palaver.storage.engine.signing import LASTING, SIGNING, ensure_key, find_key, readable_keys
from palaver.storage.engine.writer import Answer, Joint, Writer, unavailable

T = TypeVar("T")


READERS = 4
# A sheet in somebody's hands takes some ten kilobytes.
KEPT = 1000


class Cache(Generic[T]):
    """The values that were used last, by name; `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, T] = {}
        # On PostgreSQL the threads that read come here too.
        self._lock = Lock()

    def get(self, name: Hashable) -> T | None:
        """The value that was kept under a name, or None."""
        with self._lock:
            found = self._values.pop(name, None)
            if found is not None:
                self._values[name] = found
            return found

    def keep(self, name: Hashable, value: T) -> T:
        """Keep a value; the one that was not used for the longest time may go."""
        with self._lock:
            self._values[name] = value
            if len(self._values) > self._most:
                del self._values[next(iter(self._values))]
            return value


class Store:
    """One open database."""

    def __init__(self, url: str, *, serving: bool = False, read_only: bool = False) -> None:
        self.url = url
        self.read_only = read_only
        self._lock: TextIO | None = None
        self._write_engine, self._read_engine = make_engines(
            url, read_only=read_only, serving=serving
        )
        if serving and not self.is_postgres:
            self._lock = hold_file(Path(self._write_engine.url.database or "palaver.db"))
        try:
            if read_only:
                check_version(self._read_engine)
            else:
                create_or_check(self._write_engine)
        except PalaverError:
            self._let_go()
            raise
        # Names this process in lease rows, and its chains.
        self.holder = secrets.token_hex(8)
        notify = postgres.notify if self.is_postgres else None
        self._writer = Writer(self._write_engine, name=self.holder, notify=notify)
        serves_file = serving and not self.is_postgres
        self._checkpointer = Checkpointer(self._write_engine) if serves_file else None
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="palaver-reader")
        self._look_ups: Connection | None = None
        # What cannot change any more and will be asked for again.
        self.cache: Cache[Any] = Cache(KEPT)
        # Told on the event loop after each `write` of this process that was committed.
        self._watchers: list[Callable[[], None]] = []

    @property
    def is_postgres(self) -> bool:
        """Whether other processes may share this store."""
        return self._write_engine.dialect.name == "postgresql"

    async def write(self, work: Callable[[Connection], T] | Joint) -> T:
        """Run `work` in its own savepoint; its result after the commit."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def answer(result: Any, error: BaseException | None) -> None:
            if future.cancelled():
                return
            if error is not None:
                future.set_exception(error)
                return
            future.set_result(result)
            for tell in self._watchers:
                tell()

        self._writer.submit(work, answer, loop)
        return await future

    def watch(self, tell: Callable[[], None]) -> None:
        """Have `tell` called whenever something was written; messages in rooms are not among it."""
        self._watchers.append(tell)

    def append(self, work: Append, answer: Answer, loop: asyncio.AbstractEventLoop) -> None:
        """Append events; `answer` is called on `loop` after the commit."""
        self._writer.submit(work, answer, loop)

    def signal(self, payload: str) -> None:
        """Pass on to other processes something that is never stored; nobody waits for it."""
        if self.is_postgres:
            self._writer.submit(lambda c: postgres.signal(c, payload), lambda result, error: None)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a reading connection in a worker thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self.read_now, work)

    async def look_up(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, a few look-ups by key, without a thread of its own where that is possible.

        On SQLite such look-ups take less time than handing them to a thread and waiting for the
        interpreter's lock afterwards. Anything that reads more belongs to `read`.
        """
        return await self.read(work) if self.is_postgres else self._look_up(work)

    def _look_up(self, work: Callable[[Connection], T]) -> T:
        try:
            if self._look_ups is None:
                self._look_ups = _open_for_good(self._read_engine)
            driver = self._look_ups.connection.driver_connection
            assert driver is not None
            driver.execute("BEGIN")
            try:
                return work(self._look_ups)
            finally:
                driver.execute("ROLLBACK")
        except (DBAPIError, TimeoutError, sqlite3.Error) as error:
            raise unavailable(error) from error

    async def scrub(self) -> None:
        """Let no copy of what was erased remain in the files beside the database."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._readers, self.scrub_now)

    def scrub_now(self) -> None:
        """The same, and block until it is done: for the command line."""
        # PostgreSQL clears away old rows by itself (autovacuum).
        if self.is_postgres:
            return
        empty_journal(self._write_engine)

    def write_now(self, work: Callable[[Connection], T]) -> T:
        """Run `work` and block until it is committed: for the command line."""
        return self._writer.run(work)

    def read_now(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a reading connection in this thread."""
        try:
            with self._read_engine.connect() as connection:
                return work(connection)
        except (DBAPIError, TimeoutError) as error:
            raise unavailable(error) from error

    def secret(self) -> str:
        """The key that signs this deployment's links and cookies; made on the first use."""
        return self._key(SIGNING)

    def lasting_secret(self) -> str:
        """The key that names are derived from which must stay the same; made on the first use."""
        return self._key(LASTING)

    def readable_secrets(self, *, now: float) -> list[str]:
        """The keys whose signatures are accepted, the one that signs last."""
        current = self.secret()
        return self.read_now(lambda c: readable_keys(c, now=now)) or [current]

    def _key(self, name: str) -> str:
        found = self.read_now(lambda c: find_key(c, name))
        if found is not None or self.read_only:
            return found or secrets.token_hex(32)
        return self.write_now(lambda c: ensure_key(c, name))

    def listen(
        self,
        *,
        heard: Callable[[list[tuple[int, int]]], None],
        signalled: Callable[[str], None],
        resynchronise: Callable[[], None],
    ) -> postgres.Listener | None:
        """Hear what other processes append; None where there are no others."""
        if not self.is_postgres:
            return None
        return postgres.Listener(
            self._write_engine.url.render_as_string(hide_password=False),
            heard=heard,
            signalled=signalled,
            resynchronise=resynchronise,
        )

    def close(self) -> None:
        """Commit what is queued and let go of the database."""
        if self._checkpointer is not None:
            self._checkpointer.close()
        self._writer.close()
        self._readers.shutdown()
        if self._look_ups is not None:
            self._look_ups.invalidate()
            self._look_ups.close()
        self._let_go()

    def _let_go(self) -> None:
        self._write_engine.dispose()
        self._read_engine.dispose()
        if self._lock is not None:
            self._lock.close()


def _open_for_good(engine: Engine) -> Connection:
    """A connection to read SQLite with whose transactions are begun and ended past SQLAlchemy.

    Taking a connection out, beginning, rolling back and putting it back there costs more than a few
    look-ups. To SQLAlchemy all of them are one transaction that never ends.
    """
    connection = engine.connect()
    connection.begin()
    connection.connection.driver_connection.execute("ROLLBACK")  # type: ignore[union-attr]
    return connection
