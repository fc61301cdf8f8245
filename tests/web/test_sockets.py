"""The chat socket under bad input: a clear error, nothing lost, and the connection stays usable."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from support.databases import Postgres
from support.flow_studies import system
from support.houses import House
from support.participants import Participant, Room
from support.raw_socket import BINARY, CLOSE, MORE, PING, PONG, TEXT, RawSocket, frame

pytestmark = pytest.mark.asyncio


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """A study in which a system answers every message."""
    folder: Path = tmp_path_factory.mktemp("sockets")
    if request.param == "sqlite":
        url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    built = House.build(
        folder,
        {"chat": system(turns={"at_least": 2}), "short": system(turns={"exactly": 2})},
        url,
    )
    built.serve(environment={"PALAVER_MOVES_PER_SECOND": "15"})
    yield built
    built.close()


@pytest_asyncio.fixture
async def ann(house: House) -> AsyncIterator[Participant]:
    async with house.visitor("chat") as person:
        await person.begin()
        yield person


def stored(house: House, person: Participant) -> list[Any]:
    """The messages of this person's dialogue, as the store has them."""
    key = person.sockets()[0].rpartition("/")[2]
    record = next(d for d in house.dialogues("chat") if d.id == key)
    return [event.data["text"] for event in record.events if event.action == "message"]


async def still_works(room: Room) -> None:
    """A message goes through and is answered."""
    count = len(room.heard())
    answer = await room.say("still here")
    assert answer["type"] == "event"
    await room.hears(count=count + 1)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("{", "not_json"),
        ("", "not_json"),
        ("hello", "not_json"),
        ('{"type":"move","id":"x","action":"message","data":{"text":"\\ud800"}}', "not_json"),
        ('{"type":"move","id":"\\udfff","action":"message"}', "not_json"),
        ("[" * 30_000, "bad_frame"),
        ('{"type":"move","id":"x","action":"message","data":{"a":' + "[" * 30_000, "not_json"),
        ("null", "bad_frame"),
        ("[]", "bad_frame"),
        ('"hello"', "bad_frame"),
        ("{}", "bad_frame"),
        ('{"type":"shout"}', "bad_frame"),
        ('{"type":"hello","after":"1"}', "bad_frame"),
        ('{"type":"hello","after":null}', "bad_frame"),
        ('{"type":"move"}', "bad_frame"),
        ('{"type":"move","id":7,"action":"message"}', "bad_frame"),
        ('{"type":"move","id":"x","action":"message","data":"text"}', "bad_frame"),
        ('{"type":"move","id":"x","action":"message","data":[1]}', "bad_frame"),
        ('{"type":"typing","on":"yes"}', "bad_frame"),
        (json.dumps({"type": "move", "id": "x", "action": "a" * 70_000}), "too_long"),
    ],
    ids=lambda given: given[:40],
)
async def test_what_is_no_frame_is_named(
    house: House, ann: Participant, sent: str, code: str
) -> None:
    room = await ann.room()
    await room.socket.send_str(sent)

    error = await room.errs()

    assert error["code"] == code
    assert error["message"]
    await still_works(room)
    assert stored(house, ann) == room.said() == ["still here", "tern one"]


@pytest.mark.parametrize(
    ("action", "data", "code"),
    [
        ("message", {"text": ""}, "empty"),
        ("message", {"text": " \n\t "}, "empty"),
        ("message", {"text": None}, "empty"),
        ("message", {"text": 7}, "empty"),
        ("message", {"text": ["a"]}, "empty"),
        ("message", {}, "empty"),
        ("message", None, "empty"),
        ("message", {"text": "x" * 2001}, "too_long"),
        ("sing", None, "unknown_action"),
        ("si\x00ng", None, "unknown_action"),
        ("", None, "unknown_action"),
        ("finish", None, "too_early"),
        *[
            (action, {"seat": 1, "reason": "complete", "system": "tern"}, "unknown_action")
            for action in ("join", "leave", "end", "erase", "failure", "notice", "takeover")
        ],
    ],
)
async def test_a_move_that_is_not_allowed_is_refused_with_its_id(
    house: House, ann: Participant, action: str, data: Any, code: str
) -> None:
    room = await ann.room()

    error = await room.answer_to(await room.post(action, data))

    assert (error["type"], error["code"]) == ("error", code)
    await still_works(room)
    assert stored(house, ann) == room.said() == ["still here", "tern one"]


@pytest.mark.parametrize("bad_id", ["", "x" * 65, "a\x00b", "a\nb"])
async def test_an_id_that_no_database_keeps_is_refused(
    house: House, ann: Participant, bad_id: str
) -> None:
    room = await ann.room()
    await room.socket.send_json(
        {"type": "move", "id": bad_id, "action": "message", "data": {"text": "hi"}}
    )
    await room.until(lambda r: any(f["type"] == "error" for f in r.frames))
    assert [f["code"] for f in room.frames if f["type"] == "error"] == ["bad_frame"]
    await still_works(room)


async def test_a_null_character_is_refused_alike(house: House, ann: Participant) -> None:
    room = await ann.room()
    frame = await room.say("a\x00b")
    assert (frame["type"], frame["code"]) == ("error", "null")
    assert "null character" in frame["message"]
    await still_works(room)


@pytest.mark.parametrize("text", ["\ufffe\uffff", "𝕳ello 👩‍👩‍👧", "\u202eabc", "x" * 2000, "<b>&"])
async def test_strange_text_is_kept_as_it_is(house: House, ann: Participant, text: str) -> None:
    room = await ann.room()
    assert (await room.say(text))["data"]["text"] == text
    await room.hears(count=1)
    assert stored(house, ann)[0] == text
    again = await ann.room()
    assert again.said()[0] == text


async def test_out_of_turn(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    # In one packet, so that the second is read before the system can answer the first.
    socket.send_bytes(b"".join(frame(TEXT, MESSAGE % (each, each)) for each in (b"one", b"two")))
    error = await socket.receive_json("error")
    assert (error["id"], error["code"]) == ("two", "out_of_turn")
    await socket.close()
    room = await ann.room()
    await room.hears(count=1)
    await still_works(room)
    assert "two" not in stored(house, ann)


async def test_a_replayed_id_gets_the_first_answer_and_nothing_doubles(
    house: House, ann: Participant
) -> None:
    room = await ann.room()
    first = await room.say("one", id="same")
    await room.hears(count=1)
    room.frames.clear()
    again = await room.say("another text under the same id", id="same")
    assert (again["seq"], again["data"]) == (first["seq"], {"text": "one"})

    later = await ann.room()  # also after a reconnect
    assert (await later.say("one", id="same"))["seq"] == first["seq"]
    assert stored(house, ann) == ["one", "tern one"]


async def test_after_the_end(house: House) -> None:
    async with house.visitor("short") as person:
        await person.begin()
        room = await person.chat("Hello")
        await room.ends()
        assert (await room.say("one more"))["code"] == "over"
        again = await person.room()
        assert again.ending == "complete"
        assert (await again.say("and more"))["code"] == "over"


async def test_too_fast(house: House, ann: Participant) -> None:
    room = await ann.room()
    ids = [await room.post("message", {"text": f"m{n}"}) for n in range(240)]
    answers = [await room.answer_to(each) for each in ids]
    assert answers[0]["type"] == "event"
    assert answers[-1]["code"] == "too_fast"
    assert {a["code"] for a in answers if a["type"] == "error"} == {"out_of_turn", "too_fast"}
    await room.hears(count=1)
    await asyncio.sleep(0.2)  # the allowance grows back
    await still_works(room)


async def test_a_move_before_hello_is_refused_and_hello_helps(
    house: House, ann: Participant
) -> None:
    async with ann.session.ws_connect(ann.sockets()[0]) as socket:
        await socket.send_json(
            {"type": "move", "id": "x", "action": "message", "data": {"text": "hi"}}
        )
        assert (await socket.receive_json())["type"] == "error"
        await socket.send_json({"type": "hello", "after": -5})
        assert (await socket.receive_json())["type"] == "ready"


@pytest.mark.parametrize("after", [-(10**9), 10**6, 10**25])
async def test_a_position_out_of_range_is_no_harm(
    house: House, ann: Participant, after: int
) -> None:
    room = await ann.room()
    await room.socket.send_json({"type": "hello", "after": after})
    await still_works(room)


async def test_somebody_elses_seat_is_closed(house: House, ann: Participant) -> None:
    async with house.visitor("chat") as ben:
        await ben.begin()
        hers, his = ann.sockets()[0], ben.sockets()[0]
        crossed = hers.rpartition("/")[0] + "/" + his.rpartition("/")[2]
        no_such = hers.rpartition("/")[0] + "/d_nothing"
        cases = [(ben, hers), (ann, crossed), (ann, no_such)]
        for person, url in cases:
            async with person.session.ws_connect(url) as socket:
                message = await socket.receive()
                assert (message.type, socket.close_code) == (aiohttp.WSMsgType.CLOSE, 4001)
        stranger = Participant(hers)
        async with stranger.session.ws_connect(hers) as socket:
            await socket.receive()
            assert socket.close_code == 4001
        await stranger.session.close()
        await still_works(await ann.room())


async def test_a_page_of_another_site_cannot_open_the_socket(
    house: House, ann: Participant
) -> None:
    url = ann.sockets()[0]
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await ann.session.ws_connect(url, origin=origin)
    async with ann.session.ws_connect(url, origin=ann.base) as socket:
        await socket.send_json({"type": "hello", "after": 0})
        assert (await socket.receive_json())["type"] == "ready"


# Below the library: frames built by hand, through the direct path.

MESSAGE = b'{"type":"move","id":"%s","action":"message","data":{"text":"%s"}}'


async def raw(ann: Participant) -> RawSocket:
    socket = await RawSocket.open(ann, ann.sockets()[0])
    await socket.hello()
    return socket


async def heard(socket: RawSocket, *, seat: int) -> str:
    """The next message of a seat."""
    while (event := await socket.receive_json("event"))["action"] != "message":
        assert event["action"] == "join"
    assert event["seat"] == seat
    return str(event["data"]["text"])


async def answered(socket: RawSocket, text: bytes = b"still here") -> None:
    """A message goes through and is answered by the system."""
    socket.send(TEXT, MESSAGE % (text.replace(b" ", b"-"), text))
    assert await heard(socket, seat=0) == text.decode()
    assert await heard(socket, seat=1)


async def test_a_message_in_fragments_is_one_message(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    whole = MESSAGE % (b"f1", b"in three pieces")
    socket.send(TEXT, whole[:10], final=False)
    socket.send(PING, b"between")
    socket.send(MORE, whole[10:30], final=False)
    socket.send(MORE, whole[30:])
    while (got := await socket.receive()) != (PONG, b"between"):
        assert got[0] == TEXT  # the news that one has come in may arrive first
    assert await heard(socket, seat=0) == "in three pieces"
    assert await heard(socket, seat=1) == "tern one"
    await answered(socket)
    await socket.close()


async def test_frames_may_arrive_in_any_pieces(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    message = frame(TEXT, MESSAGE % (b"slow", b"x" * 1000))
    for n in range(0, len(message), 97):
        socket.send_bytes(message[n : n + 97])
        await asyncio.sleep(0)
    socket.send_bytes(frame(PING, b"1") + frame(PING, b"2"))
    assert await heard(socket, seat=0) == "x" * 1000
    await socket.close()


async def test_several_frames_in_one_packet_are_taken_in_order(
    house: House, ann: Participant
) -> None:
    socket = await raw(ann)
    typing = frame(TEXT, b'{"type":"typing","on":true}')
    socket.send_bytes(frame(TEXT, MESSAGE % (b"p1", b"one")) + typing + frame(TEXT, b"{") + typing)
    kinds = set()
    while kinds < {"event", "error"}:
        _, payload = await socket.receive()
        kinds.add(json.loads(payload)["type"])
    await socket.close()


async def test_invalid_utf8_is_an_error_and_not_the_end(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    socket.send(TEXT, b'{"type":"move","id":"u","action":"message","data":{"text":"\xff\xfe"}}')
    assert (await socket.receive_json("error"))["code"] == "not_json"
    await answered(socket)
    await socket.close()


async def test_a_binary_frame_is_read_like_text(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    socket.send(BINARY, b"\x00\x01\x02")
    assert (await socket.receive_json("error"))["code"] == "not_json"
    await answered(socket)
    await socket.close()


async def test_ping_is_answered_and_a_stray_pong_ignored(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    socket.send(PONG, b"unasked")
    socket.send(PING, b"are you there")
    while (got := await socket.receive()) != (PONG, b"are you there"):
        assert got[0] == TEXT  # the news that one has come in may arrive first
    await answered(socket)
    await socket.close()


async def test_the_closing_handshake(house: House, ann: Participant) -> None:
    socket = await raw(ann)
    socket.send(CLOSE, (1000).to_bytes(2) + b"bye")
    while (got := await socket.receive())[0] != CLOSE:
        assert got[0] == TEXT  # the news that one has come in may arrive first
    assert int.from_bytes(got[1][:2]) == 1000
    with pytest.raises(asyncio.IncompleteReadError):
        await socket.receive()
    await socket.close()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (frame(TEXT, b"{}", masked=False), 1002),
        (frame(0x3, b"{}"), 1002),
        (bytes((0xC1, 0x80, 0, 0, 0, 0)), 1002),
        (frame(MORE, b"{}"), 1002),
        (frame(TEXT, b"x" * (300 * 1024)), 1009),
        (frame(PING, b"x" * 200), 1002),
    ],
    ids=["unmasked", "unknown opcode", "reserved bit", "stray fragment", "huge", "long ping"],
)
async def test_a_broken_frame_closes_with_its_code_and_loses_nothing(
    house: House, ann: Participant, data: bytes, code: int
) -> None:
    socket = await raw(ann)
    await answered(socket, b"before")
    socket.send_bytes(data)
    while (received := await socket.receive())[0] != CLOSE:
        pass
    assert int.from_bytes(received[1][:2]) == code
    await socket.close()
    room = await ann.room()
    assert room.said() == ["before", "tern one"]
    await still_works(room)


async def test_a_connection_that_breaks_in_the_middle_of_a_frame_loses_nothing(
    house: House, ann: Participant
) -> None:
    socket = await raw(ann)
    await answered(socket, b"before")
    socket.send_bytes(frame(TEXT, MESSAGE % (b"half", b"half"))[:-5])
    await socket.close()
    room = await ann.room()
    assert room.said() == ["before", "tern one"]
    await still_works(room)
