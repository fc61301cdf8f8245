"""A page that sends signs of typing and hellos without end."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from support.flow_studies import people, system
from support.houses import House
from support.participants import PATIENCE, Participant
from support.raw_socket import CLOSE, TEXT, RawSocket, frame

pytestmark = pytest.mark.asyncio

FLOOD = 600
TOO_MANY_FRAMES = 4008


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("frames")
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    studies = {"people": people(limits={}), "chat": system(turns={"at_least": 2})}
    built = House.build(folder, studies, url)
    built.serve()
    yield built
    built.close()


async def closing(socket: RawSocket) -> tuple[int, list[dict[str, object]]]:
    """The code that the server closes with, and the frames before it."""
    frames = []
    while True:
        opcode, payload = await socket.receive()
        if opcode == CLOSE:
            return int.from_bytes(payload[:2]), frames
        if opcode == TEXT:
            frames.append(json.loads(payload))


async def seated(house: House, ann: Participant, ben: Participant) -> None:
    for person in (ann, ben):
        await person.begin()
    await asyncio.gather(*(p.wait_for_partner() for p in (ann, ben) if "/waiting/" in p.page))


async def test_a_flood_of_typing_reaches_nobody_and_is_cut_off(house: House) -> None:
    async with house.visitor("people") as ann, house.visitor("people") as ben:
        await seated(house, ann, ben)
        hers = await ann.room()
        mallory = await RawSocket.open(ben, ben.sockets()[0])
        await mallory.hello()
        typing = frame(TEXT, b'{"type":"typing","on":true}')
        mallory.send_bytes(typing * FLOOD)
        code, _ = await closing(mallory)
        await mallory.close()
        assert code == TOO_MANY_FRAMES
        # What was sent after the cut comes after every sign of typing that got through.
        back = await ben.room()
        await back.say("Hello")
        await hers.hears("Hello")
        passed = [f for f in hers.frames if f["type"] == "typing"]
        assert 0 < len(passed) < FLOOD / 4
    assert house.server.output().count("page_cut_off") == 1


async def test_a_flood_of_hellos_is_cut_off_without_answering_each(house: House) -> None:
    before = house.server.output().count("page_cut_off")
    async with house.visitor("chat") as ann:
        await ann.begin()
        mallory = await RawSocket.open(ann, ann.sockets()[0])
        mallory.send_bytes(frame(TEXT, b'{"type":"hello","after":0}') * FLOOD)
        code, frames = await closing(mallory)
        await mallory.close()
        assert code == TOO_MANY_FRAMES
        assert sum(f["type"] == "ready" for f in frames) < FLOOD / 4
        # The seat is still this person's.
        room = await ann.chat("Hello")
        assert room.heard() == ["tern one"]
    assert house.server.output().count("page_cut_off") == before + 1


async def test_an_ordinary_page_notices_nothing(house: House) -> None:
    async with house.visitor("chat") as ann:
        await ann.begin()
        room = await ann.room()
        for n in range(10):
            await room.socket.send_json({"type": "typing", "on": True})
            await room.socket.send_json({"type": "typing", "on": False})
            await room.say(f"message {n}")
            await room.hears(count=n + 1, seconds=PATIENCE)
        assert not room.closed.is_set()
