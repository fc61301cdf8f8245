"""The one writer of a process: group commit without a timer.

Whatever queued up while the last commit ran goes into the next one. Each operation has its own
savepoint, so that one violation fails one operation and not the batch; a run of plain appends, or of
other work that goes together, shares one savepoint and is taken apart only if it fails. An operation
is answered after the commit. A commit that the database undoes because of another process is tried
again; one that fails answers all of its operations with an error, and nothing was stored.
"""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from queue import SimpleQueue
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from palaver.core.errors import ConflictError, StoreUnavailableError
from palaver.core.events import END
from palaver.core.logs import get_log
from palaver.storage.engine.appends import Append, append, append_many, rows_of, take_appended
from palaver.storage.engine.chain import Book, book_of, linked_events, watch_savepoints
from palaver.storage.engine.sqlite import append_at_once

T = TypeVar("T")
log = get_log(__name__)

# How many operations one transaction holds at most: bounds the wait of the first one.
BATCH = 2000
# Of two processes that wait for each other, PostgreSQL undoes one; it tries again, this often in all.
ATTEMPTS = 5
DEADLOCK, NOT_SERIALIZABLE = "40P01", "40001"


class Joint(ABC):
    """Work that takes fewer statements together with others of its kind."""

    __slots__ = ()

    @abstractmethod
    def together(self, connection: Connection, works: Sequence[Self]) -> Sequence[Any]:
        """Do these works, this one among them; the result of each."""


Work = Append | Joint | Callable[[Connection], Any]
Answer = Callable[[Any, BaseException | None], None]
# Tells other processes what a transaction appended; called before its commit.
Notifier = Callable[[Connection, Sequence[tuple[int, int]]], None]


@dataclass(slots=True)
class _Request:
    work: Work
    answer: Answer
    loop: asyncio.AbstractEventLoop | None
    result: Any = None
    error: BaseException | None = None


class Writer:
    """A thread with one connection that everything stored goes through."""

    def __init__(
        self, engine: Engine, *, name: str = "writer", notify: Notifier | None = None
    ) -> None:
        self._engine = engine
        # Names the chains that this process writes.
        self._name = name
        watch_savepoints(engine)
        self._notify = notify
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._closing = False
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="palaver-writer", daemon=True)
        self._thread.start()

    def submit(
        self, work: Work, answer: Answer, loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        """Queue `work`; `answer(result, error)` is called, on `loop` if given, once it is settled."""
        if self._closing:
            answer(None, StoreUnavailableError("The server is stopping; nothing was stored."))
            return
        self._queue.put(_Request(work, answer, loop))

    def run(self, work: Callable[[Connection], T]) -> T:
        """Do `work` and block until it is committed."""
        done = threading.Event()
        outcome: list[tuple[Any, BaseException | None]] = []

        def answer(result: Any, error: BaseException | None) -> None:
            outcome.append((result, error))
            done.set()

        self.submit(work, answer)
        done.wait()
        result, error = outcome[0]
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def close(self) -> None:
        """Commit what is queued and end the thread."""
        self._closing = True
        self._queue.put(None)
        self._thread.join(timeout=30)

    def _run(self) -> None:
        while batch := self._take():
            self._commit(batch)
            _deliver(batch)
        if self._connection is not None:
            self._connection.close()

    def _take(self) -> list[_Request]:
        """Everything that is queued, after waiting for something; nothing at the very end."""
        first = self._queue.get()
        if first is None:
            return []
        batch = [first]
        for _ in range(min(BATCH, self._queue.qsize())):
            request = self._queue.get()
            if request is None:
                self._queue.put(None)  # the end comes after this batch
                break
            batch.append(request)
        return batch

    def _commit(self, batch: list[_Request]) -> None:
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                self._transact(batch)
                return
            except Exception as error:  # noqa: BLE001  the writer lives on, everybody is answered
                self._drop_connection()
                again = attempts_left > 0 and _was_undone(error)
                note = log.info if again else log.error
                what = "commit_repeated" if again else "commit_failed"
                note(what, operations=len(batch), error=_first_line(error))
                failure = None if again else unavailable(error)
                for request in batch:
                    request.result, request.error = None, failure
                if not again:
                    return

    def _transact(self, batch: list[_Request]) -> None:
        if self._connection is None:
            self._connection = self._engine.connect()
            self._connection.info["book"] = Book(self._name)
        connection = self._connection
        if self._is_sqlite and _append_at_once(connection, batch):
            return
        with connection.begin():
            _perform(connection, batch)
            appended = take_appended(connection)
            if appended and self._notify is not None:
                self._notify(connection, appended)
        book_of(connection).committed()

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.invalidate()
            connection.close()
        except SQLAlchemyError as error:
            log.warning("connection_not_closed", error=_first_line(error))


def _was_undone(error: Exception) -> bool:
    """Whether the database undid a transaction that can succeed the next time."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    return getattr(cause, "sqlstate", None) in (DEADLOCK, NOT_SERIALIZABLE)


def _append_at_once(connection: Connection, batch: list[_Request]) -> bool:
    """Store a batch of nothing but plain appends, without the wrappers; False if it is not one."""
    book = book_of(connection)
    rows, chains = [], {}
    for request in batch:
        work = request.work
        # Written out instead of `is_plain` and `ending`: every message passes here.
        if type(work) is not Append or work.lease is not None or work.also is not None:
            return False
        chain = book.known_chain(work.dialogue_id)
        if chain is None:
            return False
        chains[work.dialogue_id] = chain
        for row in rows_of(work):
            if row[3] == END:
                return False
            rows.append(row)
    raw = connection.connection.driver_connection
    if raw is None:
        return False
    mark = book.mark()
    if append_at_once(raw, linked_events(book, rows, chains)):
        book.committed()
        return True
    book.undo(mark)
    return False


def _perform(connection: Connection, batch: list[_Request]) -> None:
    for _, run in groupby(batch, key=_kind):
        requests = list(run)
        if len(requests) > 1 and _do_together(connection, requests):
            continue
        for request in requests:
            _do(connection, request)


def _kind(request: _Request) -> Hashable:
    """The same for neighbours that can be done together."""
    work = request.work
    is_joint = work.is_plain if isinstance(work, Append) else isinstance(work, Joint)
    return type(work).__name__ if is_joint else id(request)


def _do_together(connection: Connection, run: list[_Request]) -> bool:
    """Do a run of works of one kind at once; False if one of them is in the way."""
    works: list[Any] = [request.work for request in run]
    results: Sequence[Any] = [None] * len(run)
    savepoint = connection.begin_nested()
    try:
        if isinstance(works[0], Append):
            append_many(connection, works)
        else:
            results = works[0].together(connection, works)
        savepoint.commit()
    except OperationalError:
        raise
    except Exception:  # noqa: BLE001  one is in the way: each is now tried and answered alone
        savepoint.rollback()
        return False
    for request, result in zip(run, results, strict=True):
        request.result = result
    return True


def _do(connection: Connection, request: _Request) -> None:
    savepoint = connection.begin_nested()
    try:
        if isinstance(request.work, Append):
            append(connection, request.work)
        elif isinstance(request.work, Joint):
            (request.result,) = request.work.together(connection, [request.work])
        else:
            request.result = request.work(connection)
        savepoint.commit()
    except OperationalError:
        raise  # the disk or the connection: the whole transaction is lost
    except IntegrityError as error:
        savepoint.rollback()
        request.error = ConflictError(_first_line(error))
    except DBAPIError as error:
        if error.connection_invalidated:
            raise
        savepoint.rollback()
        request.error = error
    except Exception as error:  # noqa: BLE001  handed to whoever asked; the others go on
        savepoint.rollback()
        request.error = error


def _deliver(batch: list[_Request]) -> None:
    for loop in {request.loop for request in batch}:
        mine = [request for request in batch if request.loop is loop]
        if loop is None:
            _answer_all(mine)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(_answer_all, mine)


def _answer_all(batch: list[_Request]) -> None:
    for request in batch:
        request.answer(request.result, request.error)


def unavailable(error: BaseException) -> StoreUnavailableError:
    """What a failed commit or read is called outside the store."""
    return StoreUnavailableError(
        f"The database could not store it ({_first_line(error)}). Nothing was lost; "
        "free some space or bring the database back, then try again."
    )


def _first_line(error: BaseException) -> str:
    return (str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__])[0]
