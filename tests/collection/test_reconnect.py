"""Whatever happens to the connections: every acknowledged message is there, once and in order."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.collection.room import Room
from palaver.core.clock import WallClock
from palaver.core.errors import PalaverError
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario
from palaver.games.open_chat.rules import OpenChat
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import (
    Occupant,
    create_dialogue,
    events_after,
    load_dialogue_by_id,
)
from palaver.storage.people.participants import enter
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite


class FakePage:
    """A page as the room sees it, with the bookkeeping of a real one."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.seen: list[dict[str, Any]] = []
        self.connected = False
        self.replaced = False

    @property
    def position(self) -> int:
        return self.seen[-1]["seq"] if self.seen else 0

    def deliver(self, frame: bytes) -> None:
        content = json.loads(frame)
        if self.connected and content["type"] == "event" and content["seq"] > self.position:
            self.seen.append(content)

    def replace(self) -> None:
        self.connected, self.replaced = False, True

    def dismiss(self) -> None:
        self.connected = False


class Nobody:
    """A watcher that does not care."""

    def happened(self, room: Room, events: Sequence[Event]) -> None: ...


class Storm:
    """One dialogue of two people under a script of mishaps."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.plan = ChatPlan(
            study="s",
            study_id=1,
            stage=0,
            rules=OpenChat(at_least=1, opens=None, taking="free"),
            conditions=(ConditionPlan("people", people=True),),
            draw_scenario=lambda rng: Scenario(),
            systems={},
        )
        self.id = store.write_now(self._furnish)
        self.room = self._open()
        self.pages = [FakePage(0), FakePage(1)]
        self.acknowledged: list[tuple[int, str]] = []
        self.pending: list[asyncio.Future[None]] = []

    def _furnish(self, connection: Any) -> int:
        study_id = register_study(
            connection, name="s", title="S", digest="", definition="", now=0.0
        )
        people = [
            enter(
                connection,
                study_id=study_id,
                crowd="link",
                person=name,
                assignment="1",
                first_step="stage:0",
                now=0.0,
            )
            for name in ("ann", "ben")
        ]
        return create_dialogue(
            connection,
            study_id=study_id,
            stage=0,
            condition="people",
            scenario=Scenario(),
            occupants=[Occupant(assignment_id=person.id) for person in people],
            now=0.0,
        )[0]

    def _open(self) -> Room:
        stored = self.store.read_now(lambda c: load_dialogue_by_id(c, self.id))
        return Room(stored, self.plan, store=self.store, clock=WallClock(), watcher=Nobody())

    def post(self, seat: int, client_id: str) -> None:
        """Send a message; the same id is the same message."""
        done = asyncio.get_running_loop().create_future()
        self.pending.append(done)

        def settled(events: Sequence[Event], error: PalaverError | None) -> None:
            assert error is None
            self.acknowledged.append((seat, client_id))
            done.set_result(None)

        move = Move(action="message", data={"text": client_id}, client_id=client_id)
        self.room.post(seat, move, settled)

    def drop(self, seat: int) -> None:
        """The connection of a page is lost."""
        self.pages[seat].connected = False
        self.room.detach(self.pages[seat])

    def connect(self, seat: int) -> None:
        """A page (re)connects and catches up from its last position."""
        page = self.pages[seat]
        page.connected = True
        self.room.attach(page, page.position)

    async def restart(self) -> None:
        """The process is gone and another reads the dialogue from the store."""
        await self.settle()
        for seat in (0, 1):
            self.drop(seat)
        self.room = self._open()

    async def settle(self) -> None:
        await asyncio.gather(*self.pending)
        self.pending.clear()


SEATS = st.sampled_from([0, 1])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("post"), SEATS, st.sampled_from([f"m{n}" for n in range(12)])),
        st.tuples(st.just("drop"), SEATS),
        st.tuples(st.just("connect"), SEATS),
        st.tuples(st.just("breathe")),
        st.tuples(st.just("restart")),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("storms")


@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
def test_both_pages_converge_and_nothing_is_lost_or_doubled(folder: Path, steps: list[Any]) -> None:
    database = folder / f"{len(list(folder.iterdir()))}.db"
    store = Store(new_sqlite(database))
    try:
        asyncio.run(_weather(store, steps))
    finally:
        store.close()


async def _weather(store: Store, steps: list[Any]) -> None:
    storm = Storm(store)
    for step, *arguments in steps:
        if step == "breathe":
            await asyncio.sleep(0.001)
        elif step == "restart":
            await storm.restart()
        else:
            getattr(storm, step)(*arguments)
    await storm.settle()
    for seat in (0, 1):
        storm.connect(seat)
    await storm.room.record(None, Move(action="notice", data={"text": "the end"}))

    recorded = store.read_now(lambda c: events_after(c, storm.id, 0))
    said = [(e.seat, e.text) for e in recorded if e.action == "message"]
    assert len(said) == len(set(said)), "no message is there twice"
    assert set(said) == set(storm.acknowledged), "what was acknowledged is there, and nothing else"
    first_answers = list(dict.fromkeys(storm.acknowledged))
    for seat in (0, 1):
        mine = [text for who, text in said if who == seat]
        assert mine == [text for who, text in first_answers if who == seat]
    assert [e.seq for e in recorded] == list(range(1, len(recorded) + 1))
    for page in storm.pages:
        assert [e["seq"] for e in page.seen] == [e.seq for e in recorded]
