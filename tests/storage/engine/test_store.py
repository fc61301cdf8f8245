"""The store: one batch, many operations, and databases that refuse politely."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text

from palaver.core.errors import (
    ConflictError,
    InputError,
    LeaseLostError,
    StoreBusyError,
    StoreUnavailableError,
    StoreVersionError,
)
from palaver.core.events import Event
from palaver.core.scenario import Scenario
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue, events_after
from palaver.storage.dialogues.leases import new_lease
from palaver.storage.engine.appends import Append, Lease
from palaver.storage.schema import meta
from palaver.storage.studies.studies import register_study


def message(seq: int, words: str = "hello", **given: Any) -> Event:
    return Event(seq=seq, seat=0, action="message", data={"text": words}, time=1.0, **given)


def new_dialogue(store: Store, *, holder: str | None = None) -> tuple[int, Lease | None]:
    def work(connection: Any) -> tuple[int, Lease | None]:
        study_id = register_study(
            connection, name="s", title="S", digest="", definition="", now=0.0
        )
        dialogue_id, _ = create_dialogue(
            connection,
            study_id=study_id,
            stage=0,
            condition="a",
            scenario=Scenario(),
            occupants=[Occupant(system="a"), Occupant(system="b")],
            now=0.0,
        )
        lease = None if holder is None else new_lease(connection, dialogue_id, holder)
        return dialogue_id, lease

    return store.write_now(work)


def texts(store: Store, dialogue_id: int) -> list[str]:
    return [e.text for e in store.read_now(lambda c: events_after(c, dialogue_id, 0))]


class Batch:
    """Operations that are sure to be committed together: the writer is held up meanwhile."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.outcomes: list[Any] = []
        self._free = threading.Event()
        self._done = threading.Event()
        store._writer.submit(lambda c: self._free.wait(60), lambda result, error: None)

    def add(self, work: Any) -> None:
        n = len(self.outcomes)
        self.outcomes.append(None)

        def answer(result: Any, error: BaseException | None) -> None:
            self.outcomes[n] = error if error is not None else "stored"

        self.store._writer.submit(work, answer)

    def commit(self) -> list[Any]:
        self.store._writer.submit(lambda c: None, lambda result, error: self._done.set())
        self._free.set()
        assert self._done.wait(60)
        return self.outcomes


def test_one_violation_fails_one_operation_of_a_batch(store: Store) -> None:
    dialogue_id, _ = new_dialogue(store)
    batch = Batch(store)
    batch.add(Append(dialogue_id, [message(1, "one")]))
    batch.add(Append(dialogue_id, [message(1, "again")]))
    batch.add(Append(dialogue_id, [message(2, "two")]))
    batch.add(lambda c: c.execute(insert(meta).values(key="k", value="v")))
    batch.add(lambda c: c.execute(insert(meta).values(key="k", value="w")))
    batch.add(Append(dialogue_id, [message(3, "three")]))

    kinds = [type(outcome) for outcome in batch.commit()]

    assert kinds == [str, ConflictError, str, str, ConflictError, str]
    assert texts(store, dialogue_id) == ["one", "two", "three"]
    kept = select(meta.c.value).where(meta.c.key == "k")
    assert store.read_now(lambda c: c.execute(kept).scalar()) == "v"


@pytest.mark.parametrize(
    "bad",
    [
        message(2, "\ud800"),
        Event(seq=2, seat=0, action="message", data={"text": object()}, time=1.0),
        Event(seq=2, seat=0, action="message\ud800", data=None, time=1.0),
    ],
    ids=["surrogate", "object", "surrogate action"],
)
def test_a_payload_that_cannot_be_stored_fails_alone(store: Store, bad: Event) -> None:
    dialogue_id, _ = new_dialogue(store)
    batch = Batch(store)
    batch.add(Append(dialogue_id, [message(1, "before")]))
    batch.add(Append(dialogue_id, [bad]))
    batch.add(Append(dialogue_id, [message(2, "after")]))

    before, failed, after = batch.commit()

    assert (before, after) == ("stored", "stored")
    assert isinstance(failed, Exception)
    assert not isinstance(failed, StoreUnavailableError)
    assert texts(store, dialogue_id) == ["before", "after"]


def test_an_exception_in_one_operation_takes_its_own_writes_back(store: Store) -> None:
    def half(connection: Any) -> None:
        connection.execute(insert(meta).values(key="half", value="x"))
        raise InputError("no")

    with pytest.raises(InputError):
        store.write_now(half)

    assert store.read_now(lambda c: c.execute(select(meta).where(meta.c.key == "half")).all()) == []


@pytest.mark.asyncio
async def test_answers_come_in_the_order_of_the_questions(store: Store) -> None:
    answered: list[int] = []

    async def write(n: int) -> None:
        await store.write(lambda c: c.execute(insert(meta).values(key=f"n{n}", value=str(n))))
        answered.append(n)

    await asyncio.gather(*(write(n) for n in range(200)))

    assert answered == list(range(200))


@pytest.mark.asyncio
async def test_an_append_is_answered_only_when_others_can_read_it(store: Store) -> None:
    dialogue_id, _ = new_dialogue(store)
    loop = asyncio.get_running_loop()
    for seq in range(1, 20):
        future = loop.create_future()
        store.append(
            Append(dialogue_id, [message(seq, str(seq))]),
            lambda result, error, f=future: f.set_result(error),
            loop,
        )
        assert await future is None
        assert texts(store, dialogue_id)[-1] == str(seq)


def test_a_lost_lease_stores_nothing(store: Store) -> None:
    dialogue_id, lease = new_dialogue(store, holder="me")
    batch = Batch(store)
    batch.add(Append(dialogue_id, [message(1, "mine")], lease))
    batch.add(Append(dialogue_id, [message(2, "not mine")], Lease(dialogue_id, "you", 1)))
    batch.add(Append(dialogue_id, [message(2, "old")], Lease(dialogue_id, "me", 0)))

    mine, other, old = batch.commit()

    assert mine == "stored"
    assert isinstance(other, LeaseLostError)
    assert isinstance(old, LeaseLostError)
    assert texts(store, dialogue_id) == ["mine"]


def test_a_system_replies_once_to_one_message(store: Store) -> None:
    dialogue_id, _ = new_dialogue(store)
    batch = Batch(store)
    batch.add(Append(dialogue_id, [message(1, "first", reply_to=0)]))
    batch.add(Append(dialogue_id, [message(2, "second", reply_to=0)]))
    batch.add(Append(dialogue_id, [message(2, "id", client_id="c")]))
    batch.add(Append(dialogue_id, [message(3, "id", client_id="c")]))
    end = Event(seq=3, seat=None, action="end", data={"reason": "x"}, time=1.0)
    batch.add(Append(dialogue_id, [end]))
    batch.add(Append(dialogue_id, [Event(seq=4, seat=None, action="end", data={}, time=1.0)]))

    kinds = [type(outcome) for outcome in batch.commit()]

    assert kinds == [str, ConflictError, str, ConflictError, str, ConflictError]


def test_the_secret_is_made_once(store: Store) -> None:
    other = Store(store.url)
    try:
        assert len({store.secret(), other.secret(), store.secret()}) == 1
        assert len(store.secret()) == 64
    finally:
        other.close()


def test_a_closed_store_says_that_nothing_was_stored(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    store.close()
    with pytest.raises(StoreUnavailableError, match="nothing was stored"):
        store.write_now(lambda c: None)


def test_a_newer_schema_is_refused_with_what_to_do(store: Store) -> None:
    store.write_now(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '9999'")))

    with pytest.raises(StoreVersionError, match=r"has schema 9999.*Install the newer Palaver"):
        Store(store.url)


def test_a_second_serving_process_on_one_file_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'palaver.db'}"
    serving = Store(url, serving=True)
    try:
        with pytest.raises(StoreBusyError, match=r"served by another process \(pid \d+\)"):
            Store(url, serving=True)
        code = f"from palaver.storage import Store; Store({url!r}, serving=True)"
        other = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
        assert "StoreBusyError" in other.stderr
        Store(url).close()  # looking at it, or a command line, is fine
    finally:
        serving.close()
    Store(url, serving=True).close()


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("mysql://localhost/x", InputError),
        ("sqlite:////no/such/folder/palaver.db", StoreUnavailableError),
        ("postgresql://nobody@127.0.0.1:1/x?connect_timeout=2", StoreUnavailableError),
    ],
)
def test_an_address_that_does_not_work_is_explained(url: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"127.0.0.1|no/such|mysql"):
        Store(url)


def test_a_database_of_another_program_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "palaver.db"
    file.write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(StoreUnavailableError):
        Store(f"sqlite:///{file}")
    assert file.read_bytes().startswith(b"this is not")


@pytest.mark.postgres
def test_a_transaction_that_a_deadlock_undid_is_tried_again(postgres: Any) -> None:
    """Two processes lock the same two things in opposite orders; both get what they asked for."""
    stores = [Store(postgres.new_database())]
    stores.append(Store(stores[0].url))
    holds = [threading.Event(), threading.Event()]
    tries = [0, 0]

    def lock_both(mine: int) -> str:
        def work(connection: Any) -> str:
            tries[mine] += 1
            connection.execute(text(f"SELECT pg_advisory_xact_lock({mine})"))
            holds[mine].set()
            assert holds[1 - mine].wait(60)
            connection.execute(text(f"SELECT pg_advisory_xact_lock({1 - mine})"))
            return f"done {mine}"

        return str(stores[mine].write_now(work))

    try:
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(lock_both, (0, 1))) == ["done 0", "done 1"]
    finally:
        for each in stores:
            each.close()
    assert sorted(tries) == [1, 2]
