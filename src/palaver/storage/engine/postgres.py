"""What only PostgreSQL can do: one-statement batches, and telling other processes by NOTIFY.

A notice carries `dialogue:seq` pairs and nothing else; the reader catches up from the database. The
listener holds one connection of its own. After a reconnect it has missed an unknown number of
notices, so it asks everybody to resynchronise.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import MissingExtraError
from palaver.core.logs import get_log

log = get_log(__name__)

EVENTS_CHANNEL = "palaver_events"
SIGNALS_CHANNEL = "palaver_signals"
# NOTIFY refuses a payload of 8,000 bytes or more.
PAYLOAD_BYTES = 7900

_INSERT_EVENTS = """
INSERT INTO events (dialogue_id, seq, seat, action, data, time, audience, client_id, reply_to,
    link, proof)
SELECT * FROM unnest(
    %s::bigint[], %s::int[], %s::int[], %s::text[], %s::text[], %s::float8[], %s::text[],
    %s::text[], %s::int[], %s::bigint[], %s::bytea[])
"""


def url_for_driver(url: str) -> str:
    """The address with the driver that Palaver uses."""
    for prefix in ("postgresql://", "postgres://"):
        if url.startswith(prefix):
            return "postgresql+psycopg://" + url.removeprefix(prefix)
    return url


def insert_events(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert event rows with one statement, whatever their number."""
    columns = tuple(list(column) for column in zip(*rows, strict=True))
    connection.exec_driver_sql(_INSERT_EVENTS, columns)


def notify(connection: Connection, appended: Sequence[tuple[int, int]]) -> None:
    """Tell all listeners, at the commit, which dialogues have grown."""
    latest = dict(sorted(appended))
    for payload in _payloads(f"{dialogue}:{seq}" for dialogue, seq in latest.items()):
        connection.exec_driver_sql("SELECT pg_notify(%s, %s)", (EVENTS_CHANNEL, payload))


def signal(connection: Connection, payload: str) -> None:
    """Pass on something that is never stored, such as typing."""
    connection.exec_driver_sql("SELECT pg_notify(%s, %s)", (SIGNALS_CHANNEL, payload))


def _payloads(pairs: Iterator[str]) -> Iterator[str]:
    payload = ""
    for pair in pairs:
        if len(payload) + len(pair) + 1 > PAYLOAD_BYTES:
            yield payload
            payload = ""
        payload = f"{payload} {pair}" if payload else pair
    if payload:
        yield payload


class Listener:
    """A thread that hears what other processes appended."""

    def __init__(
        self,
        url: str,
        *,
        heard: Callable[[list[tuple[int, int]]], None],
        signalled: Callable[[str], None],
        resynchronise: Callable[[], None],
    ) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtraError("A PostgreSQL database", "postgres") from error
        self._psycopg = psycopg
        self._url = url.replace("postgresql+psycopg://", "postgresql://")
        self._heard = heard
        self._signalled = signalled
        self._resynchronise = resynchronise
        self._stopping = threading.Event()
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="palaver-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread and its connection."""
        self._stopping.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        wait = 0.1
        while not self._stopping.is_set():
            try:
                self._listen()
                wait = 0.1
            except self._psycopg.Error as error:
                log.warning("listener_lost", error=str(error).splitlines()[:1], retry_in=wait)
                self._stopping.wait(wait)
                wait = min(wait * 2, 2.0)

    def _listen(self) -> None:
        with self._psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"LISTEN {EVENTS_CHANNEL}")
            connection.execute(f"LISTEN {SIGNALS_CHANNEL}")
            self._resynchronise()
            self.ready.set()
            while not self._stopping.is_set():
                for notice in connection.notifies(timeout=0.5):
                    self._dispatch(notice.channel, notice.payload)

    def _dispatch(self, channel: str, payload: str) -> None:
        if channel == SIGNALS_CHANNEL:
            self._signalled(payload)
            return
        pairs = (pair.partition(":") for pair in payload.split())
        self._heard([(int(dialogue), int(seq)) for dialogue, _, seq in pairs])
