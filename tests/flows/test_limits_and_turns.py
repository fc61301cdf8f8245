"""How long a conversation may take, how long it must be, and who begins."""

import asyncio

import pytest

from support.houses import House
from support.participants import PATIENCE, Participant

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("study", "reason"), [("idle", "idle"), ("slow-message", "message_timeout")]
)
async def test_somebody_who_says_nothing_loses_the_conversation_and_may_start_again(
    house: House, study: str, reason: str
) -> None:
    async with house.visitor(study, f"slow-{study}") as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        assert await room.ends() == reason
        await ann.reload()
        assert "There was no message from you for a while" in ann.page
        await ann.send("again")
        second = await ann.chat("I am back")
        assert second.said() == ["I am back", "tern one"]


async def test_a_dialogue_that_reaches_its_time_counts(house: House) -> None:
    async with house.visitor("short-dialogue") as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        ready = next(frame for frame in room.frames if frame["type"] == "ready")
        assert 0 < ready["remaining"] <= 2.0
        assert await room.ends() == "time_up"
        await ann.reload()
        assert ann.heading == "Thank you. You have finished."


async def test_an_exact_length_cannot_be_cut_short_or_passed(house: House) -> None:
    async with house.visitor("exact") as ann:
        await ann.begin()
        room = await ann.chat("one")
        refused = await room.answer_to(await room.post("finish"))
        assert refused["code"] == "too_early"
        await room.say("two")
        assert await room.ends() == "complete"
        late = await room.say("three")
        assert (late["type"], late["code"]) == ("error", "over")
        assert room.said() == ["one", "tern one", "two", "tern two"]


async def test_a_minimum_length_may_be_passed_and_is_finished_by_hand(house: House) -> None:
    async with house.visitor("minimum") as ann:
        await ann.begin()
        room = await ann.chat("one")
        assert (await room.answer_to(await room.post("finish")))["code"] == "too_early"
        for count, text in enumerate(("two", "three"), start=2):
            await room.say(text)
            await room.hears(count=count)
        await room.post("finish")
        assert await room.ends() == "complete"
        assert len(room.said()) == 6


async def test_the_system_may_open(house: House) -> None:
    async with house.visitor("system-opens") as ann:
        await ann.begin()
        room = await ann.room()
        await room.hears("tern one")
        await room.say("Hello")
        assert await room.ends() == "complete"
        assert room.said() == ["tern one", "Hello", "tern two"]


async def test_seeds_stand_there_before_anybody_speaks_and_count(house: House) -> None:
    async with house.visitor("seeded") as ann:
        await ann.begin()
        room = await ann.room()
        assert room.said() == ["Good day", "Same to you"]
        await room.say("Nice")
        assert await room.ends() == "complete"
        assert len(room.said()) == 4


async def test_a_quota_holds_when_many_come_at_once(house: House) -> None:
    people = [house.visitor("quota", f"q{n}") for n in range(12)]
    try:
        await asyncio.gather(*(p.open(p.link) for p in people))
        await asyncio.gather(*(p.begin() for p in people))
        seated = [p for p in people if p.sockets()]
        assert len(seated) == 5
        assert house.places("quota") == {"held": 5}
        assert all(p.heading == "All places are taken right now" for p in people if not p.sockets())

        leaver, *finishers = seated
        room = await leaver.room()
        await room.post("quit")
        await room.ends()
        await leaver.reload()
        waiting = next(p for p in people if p not in seated)
        await waiting.reload()
        assert waiting.sockets()

        for person in [*finishers, waiting]:
            await (await person.chat("Hello", "Bye")).ends()
            await person.reload()
            assert person.code
        assert house.places("quota") == {"done": 5}
        late = next(p for p in people if not p.code and p is not leaver)
        await late.reload()
        assert late.heading == "This study has all the answers it needs"
    finally:
        for person in people:
            await person.__aexit__()


async def test_blind_replies_take_their_time_and_show_no_drafts(house: House) -> None:
    async with house.visitor("blind") as ann:
        await ann.begin()
        room = await ann.room()
        sent = await room.say("Hello")
        await room.hears(count=1)
        reply = next(e for e in room.events if e["id"] is None and e["action"] == "message")
        assert reply["time"] - sent["time"] >= 0.85
        assert {"typing"} <= {frame["type"] for frame in room.frames}
        assert "draft" not in {frame["type"] for frame in room.frames}


async def test_two_tabs_of_one_person(house: House) -> None:
    async with house.visitor("free") as ann:
        await ann.begin()
        older = await ann.chat("from the first tab")
        async with Participant(ann.link) as same:
            newer = await same.room()
            await asyncio.wait_for(older.closed.wait(), PATIENCE)
            assert older.socket.close_code == 4002
            assert {"type": "replaced"} in older.frames
            assert newer.said() == ["from the first tab", "tern one"]
            assert (await newer.say("from the second tab"))["type"] == "event"
            await newer.hears(count=2)

            await older.connect()  # "continue here"
            await asyncio.wait_for(newer.closed.wait(), PATIENCE)
            assert (await older.say("back in the first tab"))["type"] == "event"
            await older.hears(count=3)
        assert older.said()[::2] == [
            "from the first tab",
            "from the second tab",
            "back in the first tab",
        ]
