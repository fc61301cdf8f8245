"""kill -9 and restart: what was acknowledged is there, once, and everybody goes on."""

import asyncio
from collections.abc import Iterator

import aiohttp
import pytest

from support.flow_studies import people, system
from support.houses import House
from support.lengths import short_and_long
from support.participants import Room
from support.serving import Server

from .conftest import Ground

pytestmark = pytest.mark.asyncio

KILLS = (1, 6)


@pytest.fixture(scope="module")
def burning_house(ground: Ground) -> Iterator[House]:
    """A house that tests may burn down, with a study for each of them."""
    definitions = {
        **{f"killed-{kills}": system(turns={"exactly": 400}) for kills in KILLS},
        "people": people(limits={}),
        "quota": system(turns={"exactly": 400}, conditions="tern:3"),
        "stopped": system(turns={"exactly": 400}),
        "refused": system(),
        "cookie": system(),
    }
    built = House.build(ground.folder, definitions, ground.database_url)
    yield built
    built.close()


@pytest.fixture
def own_house(burning_house: House) -> House:
    """The house, served, whatever the test before has left of it."""
    if not burning_house.servers or burning_house.server.process.poll() is not None:
        burning_house.serve()
    return burning_house


def restart(house: House) -> Server:
    """Kill the server and start another on the same port."""
    port = int(house.server.base.rpartition(":")[2])
    house.server.kill()
    return house.serve(port=port)


async def say_through_trouble(room: Room, text: str) -> None:
    """Say something, again under the same id until it is acknowledged, as the page does."""
    client_id = f"id-{text}"
    async with asyncio.timeout(60):
        while True:
            try:
                answer = await room.say(text, id=client_id, seconds=1)
                if answer["type"] == "event":
                    return
            except (TimeoutError, ConnectionError, aiohttp.ClientError):
                pass
            try:
                await room.connect()
            except (TimeoutError, OSError, aiohttp.ClientError):
                await asyncio.sleep(0.05)


@short_and_long("kills", *KILLS)
async def test_a_conversation_goes_on_after_the_server_was_killed(
    own_house: House, kills: int
) -> None:
    async with own_house.visitor(f"killed-{kills}") as ann:
        await ann.begin()
        room = await ann.room()
        for n in range(kills):
            for m in range(4):
                await room.say(f"{n}.{m}")
                await room.hears(count=n * 5 + m + 1)
            speaking = asyncio.create_task(say_through_trouble(room, f"{n}.x"))
            restart(own_house)
            await speaking
            await room.hears(count=n * 5 + 5)
        mine = [text for text in room.said() if not text.startswith("tern")]
        assert mine == [f"{n}.{m}" for n in range(kills) for m in (0, 1, 2, 3, "x")]
        assert len(room.heard()) == 5 * kills

        fresh = await ann.room()
        assert [(e["seq"], e["data"]) for e in fresh.events] == [
            (e["seq"], e["data"]) for e in room.events
        ]
    [record] = own_house.dialogues(f"killed-{kills}")
    assert [event.seq for event in record.events] == list(range(1, len(record.events) + 1))


async def test_two_people_lose_nothing_when_the_server_dies_under_them(own_house: House) -> None:
    async with own_house.visitor("people") as ann, own_house.visitor("people") as ben:
        for person in (ann, ben):
            await person.begin()
        await asyncio.gather(*(p.wait_for_partner() for p in (ann, ben) if "/waiting/" in p.page))
        hers, his = await ann.room(), await ben.room()
        await hers.say("before")
        sending = [
            asyncio.create_task(say_through_trouble(room, text))
            for room, text in ((hers, "during a"), (his, "during b"))
        ]
        restart(own_house)
        await asyncio.gather(*sending)
        await say_through_trouble(his, "after")
        for room in (hers, his):
            await room.until(lambda r: "after" in r.said())
        assert hers.said() == his.said()
        assert sorted(hers.said()) == ["after", "before", "during a", "during b"]


async def test_a_quota_holds_across_a_restart(own_house: House) -> None:
    first, second = own_house.visitor("quota"), own_house.visitor("quota")
    async with first, second:
        for person in (first, second):
            await person.begin()
            await person.chat("Hello")
        restart(own_house)
        late = [own_house.visitor("quota") for _ in range(4)]
        try:
            await asyncio.gather(*(person.open(person.link) for person in late))
            await asyncio.gather(*(person.begin() for person in late))
            assert sum(bool(person.sockets()) for person in late) == 1
            assert own_house.places("quota") == {"held": 3}
            await first.reload()
            assert first.sockets()
        finally:
            for person in late:
                await person.session.close()


async def test_a_stopped_server_ends_cleanly_and_hands_over_at_once(own_house: House) -> None:
    async with own_house.visitor("stopped") as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        port = int(own_house.server.base.rpartition(":")[2])
        assert own_house.server.stop() == 0
        own_house.serve(port=port)
        await say_through_trouble(room, "Back")
        await room.hears("tern two")


@pytest.mark.parametrize("ground", ["sqlite"], indirect=True)
async def test_a_second_process_on_one_file_is_refused(own_house: House) -> None:
    with pytest.raises(AssertionError, match="is being served by another process"):
        own_house.serve()
    async with own_house.visitor("refused") as ann:
        assert "Do you agree?" in ann.page


async def test_the_same_cookie_is_good_after_a_restart(own_house: House) -> None:
    async with own_house.visitor("cookie") as ann:
        await ann.begin()
        restart(own_house)
        await ann.reload()
        assert ann.status == 200
        assert ann.sockets()
