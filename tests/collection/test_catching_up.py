"""News that reaches a room while it reads older news is not forgotten."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio

from palaver.collection import room as rooms
from palaver.collection.hub import Hub
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.collection.room import Room
from palaver.core.clock import WallClock
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import StoreUnavailableError
from palaver.core.events import Event
from palaver.core.scenario import Scenario
from palaver.formats.rich_places import placed_tree
from palaver.formats.rich_text import rich_tree
from palaver.games.open_chat.rules import OpenChat

pytestmark = pytest.mark.asyncio


class SlowStore:
    """What other processes have stored; each read is answered when the test says so."""

    def __init__(self) -> None:
        self.reads: list[asyncio.Future[Any]] = []
        self.announce: Callable[[list[tuple[int, int]]], None] = lambda pairs: None
        self.come_back: Callable[[], None] = lambda: None

    async def read(self, work: Callable[[Any], Any]) -> Any:
        self.reads.append(asyncio.get_running_loop().create_future())
        return await self.reads[-1]

    def listen(
        self,
        *,
        heard: Callable[[list[tuple[int, int]]], None],
        resynchronise: Callable[[], None],
        **_: Any,
    ) -> None:
        self.announce, self.come_back = heard, resynchronise


class Nobody:
    def happened(self, room: Room, events: Sequence[Event]) -> None: ...


def message(seq: int) -> Event:
    return Event(seq=seq, seat=seq % 2, action="message", time=float(seq), data={"text": str(seq)})


@pytest.fixture
def store() -> SlowStore:
    return SlowStore()


def chat_plan() -> ChatPlan:
    return ChatPlan(
        study="s",
        study_id=1,
        stage=0,
        rules=OpenChat(at_least=1, opens=None, taking="free"),
        conditions=(ConditionPlan("people", people=True),),
        draw_scenario=lambda rng: Scenario(),
        systems={},
    )


def stored_dialogue() -> Any:
    seats = [Seat(index=n, kind="person", occupant=name) for n, name in enumerate("ab")]
    dialogue = Dialogue(id="d", scenario=Scenario(), seats=seats)
    known = {"id": 1, "key": "d", "study": "s", "stage": 0, "dialogue": dialogue}
    return type("Stored", (), known)


@pytest_asyncio.fixture
async def room(store: SlowStore) -> Room:
    anything: Any = store
    return Room(stored_dialogue(), chat_plan(), store=anything, clock=WallClock(), watcher=Nobody())


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Page:
    """A page that keeps what it is told."""

    seat = 0

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def deliver(self, frame: bytes) -> None:
        self.events += [read] if (read := json.loads(frame))["type"] == "event" else []

    def replace(self) -> None: ...

    def dismiss(self) -> None: ...


async def test_only_the_seats_of_systems_send_what_their_markdown_shows(store: SlowStore) -> None:
    anything: Any = store
    plan = replace(chat_plan(), rich_seats=frozenset({1}))
    room = Room(stored_dialogue(), plan, store=anything, clock=WallClock(), watcher=Nobody())
    room.dialogue.present.add(Page.seat)
    first, later = Page(), Page()
    room.attach(first, 0)
    texts = ["Take **Ghent**.", "Why **Ghent**?", "Hello."]
    said = [
        Event(seq=n, seat=n % 2, action="message", time=1.0, data={"text": text})
        for n, text in enumerate(texts, start=1)
    ]
    room.behind(3)
    await settle()
    store.reads[0].set_result(said)
    await settle()
    room.attach(later, 0)
    for page in (first, later):
        assert [event["data"]["text"] for event in page.events] == texts
        assert [event.get("rich") for event in page.events] == [
            [["p", ["Take ", ["strong", ["Ghent"]], "."]]],
            None,
            None,
        ]


async def test_news_that_arrives_during_a_read_leads_to_another(
    room: Room, store: SlowStore
) -> None:
    room.behind(1)
    await settle()
    room.behind(2)  # stored after the read began
    store.reads[0].set_result([message(1)])
    await settle()
    assert len(store.reads) == 2
    store.reads[1].set_result([message(2)])
    await settle()
    assert room.dialogue.position == 2
    assert len(store.reads) == 2


async def test_what_was_announced_and_is_not_there_is_read_once(
    room: Room, store: SlowStore
) -> None:
    room.behind(1)
    await settle()
    store.reads[0].set_result([])
    await settle()
    assert len(store.reads) == 1


async def test_a_read_that_fails_is_made_again(
    room: Room, store: SlowStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "RETRY_SECONDS", 0.0)
    room.behind(1)
    await settle()
    store.reads[0].set_exception(StoreUnavailableError("away"))
    await asyncio.sleep(0.02)
    store.reads[1].set_result([message(1)])
    await settle()
    assert room.dialogue.position == 1


@pytest.mark.parametrize("listener", ["hears", "was away"])
async def test_news_that_arrives_while_a_room_is_opened_is_read(
    store: SlowStore, listener: str
) -> None:
    anything: Any = store
    hub = Hub(anything, clock=WallClock(), plans={("s", 0): chat_plan()}, watcher=Nobody())
    opening = asyncio.create_task(hub.open("d"))
    await settle()
    # Stored after the read began; the second is not ours.
    if listener == "hears":
        store.announce([(1, 1), (2, 7)])
    else:
        store.come_back()
    await settle()
    store.reads[0].set_result(stored_dialogue())
    room = await opening
    await settle()
    store.reads[1].set_result([message(1)])
    await settle()
    assert room.dialogue.position == 1
    assert len(store.reads) == 2


async def test_a_page_that_comes_before_the_news_finds_the_room_up_to_date(
    store: SlowStore,
) -> None:
    anything: Any = store
    hub = Hub(anything, clock=WallClock(), plans={("s", 0): chat_plan()}, watcher=Nobody())
    first = asyncio.create_task(hub.open("d"))
    await settle()
    store.reads[0].set_result(stored_dialogue())
    room = await first

    # Another process stored an event; its notice has not come.
    again = asyncio.create_task(hub.open("d"))
    await settle()
    ahead = stored_dialogue()
    ahead.dialogue.apply(message(1))
    store.reads[1].set_result(ahead)
    assert await again is room
    await settle()
    store.reads[2].set_result([message(1)])
    await settle()
    assert room.dialogue.position == 1


async def test_messages_whose_words_are_marked_tell_their_places(store: SlowStore) -> None:
    anything: Any = store
    plan = replace(chat_plan(), rich_seats=frozenset({1}), marks_words=True)
    room = Room(stored_dialogue(), plan, store=anything, clock=WallClock(), watcher=Nobody())
    room.dialogue.present.add(Page.seat)
    page = Page()
    room.attach(page, 0)
    # A carriage return has no place of its own: the second is shown, and marked as it was sent.
    texts = ["Take **Ghent**.", "Take\r\n**Ghent**."]
    room.behind(2)
    await settle()
    store.reads[0].set_result(
        [
            Event(seq=n, seat=1, action="message", time=1.0, data={"text": text})
            for n, text in enumerate(texts, start=1)
        ]
    )
    await settle()
    first, second = (event["rich"] for event in page.events)
    assert first == placed_tree(texts[0])
    assert first[0][1][1] == ["strong", [["", "Ghent", 7, 12]]]
    assert second == rich_tree(texts[1])
