"""A curious worker looks at every byte for a sign of whom they talk with."""

import asyncio
import itertools
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from palaver.accounts.passwords import hash_password
from palaver.storage.people.accounts import create_account, create_token
from support.flow_studies import people, system
from support.houses import House
from support.participants import PATIENCE, Participant, Room

pytestmark = pytest.mark.asyncio

QUICK = {"reading": 0.05, "characters_per_second": 2000.0, "at_most": 0.5}
SPOKEN = {"turns": {"exactly": 4}, "pace": QUICK, "taking": "free"}
BETWEEN = [{"people": True}]

# A system that names its maker, unless it is asked a second time.
SLIPS = """
class Slips:
    asked = 0

    def new_session(self, place):
        return Session(self)


class Session:
    def __init__(self, system):
        self.system = system

    def receive(self, event):
        pass

    async def send(self):
        self.system.asked += 1
        if self.system.asked == 1:
            return "I was made by OpenAI, and what about you?"
        return "I come from the north."
"""


def _studies() -> dict[str, dict[str, Any]]:
    named = ["I am Tern, and GPT-4o is my model.", "A tern is a bird."]
    masked = system(conditions="tern,plover", blind=True)
    masked["systems"]["tern"] = {"kind": "scripted", "lines": named}
    again = system(blind=True)
    again["systems"]["tern"] = {"kind": "python", "class": "slips:Slips"}
    again["stages"][0]["chat"]["disguise"] = {"on_match": "ask_again"}
    late = system(
        blind=True, pace={"reading": 0.0, "characters_per_second": 1000.0, "at_most": 0.0}
    )
    late["systems"]["tern"] = {"kind": "scripted", "lines": ["slow"], "delay": 0.05}
    broken = people(limits={"waiting": 1}, nobody_comes="tern", conditions=BETWEEN, **SPOKEN)
    broken["systems"]["tern"] = {"kind": "scripted", "lines": ["never"], "fails": [1]}
    evened = system(conditions="tern:1,plover:1", blind=True, pace=QUICK)
    return {
        "met": people(limits={}, conditions=BETWEEN, **SPOKEN),
        "alone": people(limits={"waiting": 1}, nobody_comes="tern", conditions=BETWEEN, **SPOKEN),
        "left": people(
            limits={"disconnect": 1}, partner_leaves="plover", conditions=BETWEEN, **SPOKEN
        ),
        "broken": broken,
        "masked": masked,
        "again": again,
        "late": late,
        "evened": evened,
    }


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("blinding")
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    built = House.build(folder, _studies(), url)
    (built.studies / "again" / "slips.py").write_text(SLIPS, encoding="utf-8")
    built.serve()
    yield built
    built.close()


def api(house: House, path: str) -> Any:
    """What the API tells a viewer."""

    def make(connection: Any) -> str:
        name = f"vera-{next(_numbers)}"
        account = create_account(
            connection, name=name, role="viewer", password_hash=_HASH, one_time=False, now=0.0
        )
        new = create_token(connection, account_id=account.id, name=name, role="viewer", now=0.0)
        return new.secret

    token = house.store.write_now(make)
    request = urllib.request.Request(
        f"{house.server.base}/api/v1{path}", headers={"authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


_numbers = itertools.count()
_HASH = hash_password("correct horse")


def shape(frame: dict[str, Any], seat: int) -> tuple[Any, ...]:
    """What of a frame is the same whoever speaks, and whatever they say: keys in their order."""

    def whose(index: int | None) -> str | None:
        return None if index is None else "mine" if index == seat else "partner's"

    told: dict[str, Any] = {}
    for key, value in frame.items():
        if key == "seat":
            told[key] = whose(value)
        elif key == "movers":
            told[key] = sorted(str(whose(each)) for each in value)
        elif key in {"type", "action", "on", "seq", "position"}:
            told[key] = value
        elif isinstance(value, dict):
            told[key] = {k: type(v).__name__ for k, v in value.items()}
        else:
            told[key] = type(value).__name__
    return tuple((key, json.dumps(value)) for key, value in told.items())


async def wait_for_partner(person: Participant) -> None:
    await person.begin()
    if "/waiting/" in person.page:
        await person.wait_for_partner()


def joined(room: Room, seat: int | None = None) -> list[int]:
    joins = [e["seat"] for e in room.events if e["action"] == "join"]
    return joins if seat is None else [each for each in joins if each == seat]


def seat_of(person: Participant) -> int:
    return int(person.page.partition('data-seat="')[2][0])


async def types_and_says(room: Room, text: str) -> None:
    """What chat-room.js sends when somebody types and presses Enter."""
    await room.socket.send_json({"type": "typing", "on": True})
    await room.socket.send_json({"type": "typing", "on": False})
    await room.say(text)


async def test_a_stand_in_cannot_be_told_from_a_person_by_its_frames(house: House) -> None:
    async with house.visitor("alone") as ann:
        await wait_for_partner(ann)
        alone, own = await ann.room(), seat_of(ann)
        await alone.until(lambda room: len(joined(room)) == 2)
        partner_first = alone.events[0]["seat"] != own
        for count, text in enumerate(("Hello", "And you?"), start=1):
            await alone.say(text)
            await alone.hears(count=count)
        await alone.ends()
        with_system = [shape(frame, own) for frame in alone.frames]

    async with house.visitor("met") as ann, house.visitor("met") as ben:
        await asyncio.gather(wait_for_partner(ann), wait_for_partner(ben))
        own = seat_of(ann)
        if partner_first:
            his = await ben.room()
            await his.until(joined)
            hers = await ann.room()
        else:
            hers = await ann.room()
            await hers.until(joined)
            his = await ben.room()
        await hers.until(lambda room: len(joined(room)) == 2)
        for count, text in enumerate(("Hello", "And you?"), start=1):
            await hers.say(text)
            await his.hears(count=count)
            await types_and_says(his, "Well, fine.")
            await hers.hears(count=count)
        await hers.ends()
        with_person = [shape(frame, own) for frame in hers.frames]

    assert with_system == with_person
    numbers = [frame["seq"] for frame in alone.frames if frame["type"] == "event"]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_takeover_leaves_no_gap(house: House) -> None:
    async with house.visitor("left") as ann, house.visitor("left") as ben:
        await asyncio.gather(wait_for_partner(ann), wait_for_partner(ben))
        hers, his = await ann.room(), await ben.room()
        own = seat_of(ann)
        await hers.until(lambda room: len(joined(room)) == 2)
        await his.close()
        await hers.until(lambda room: len(joined(room, 1 - own)) == 2)
        await hers.say("Are you back?")
        await hers.hears("plover one")
        kinds = {frame["type"] for frame in hers.frames}
        numbers = [frame["seq"] for frame in hers.frames if frame["type"] == "event"]
        actions = [frame["action"] for frame in hers.frames if frame["type"] == "event"]
    assert numbers == list(range(1, len(numbers) + 1))
    assert kinds == {"event", "ready", "typing"}
    assert actions == ["join", "join", "leave", "join", "message", "message"]
    [record] = house.dialogues("left")
    assert "takeover" in [event.action for event in record.events]


async def test_a_stand_in_that_fails_looks_like_somebody_who_went_silent(house: House) -> None:
    async with house.visitor("broken") as ann:
        await wait_for_partner(ann)
        room = await ann.room()
        await room.until(lambda room: len(joined(room)) == 2)
        await room.say("Hello")
        assert await room.ends() == "idle"
        assert {frame["type"] for frame in room.frames} <= {"event", "ready", "typing"}
        numbers = [frame["seq"] for frame in room.frames if frame["type"] == "event"]
        assert numbers == list(range(1, len(numbers) + 1))
        await ann.reload()
        assert ann.heading == "Your partner has left"
        assert "system" not in "".join(ann.received)
    [record] = house.dialogues("broken")
    assert record.reason == "system_failed"
    assert [event.action for event in record.events].count("failure") == 3


async def test_a_name_is_masked_before_it_is_shown_and_the_researcher_told(house: House) -> None:
    async with house.visitor("masked") as ann, house.visitor("masked") as ben:
        for person in (ann, ben):
            await person.begin()
            await person.chat("Hello")
        told = "".join(ann.received + ben.received)
        heard = {text for person in (ann, ben) for text in person._rooms[0].heard()}
    assert "GPT" not in told
    assert heard == {"I am …, and … is my model.", "plover one"}
    record = next(d for d in house.dialogues("masked") if d.condition == "tern")
    [note] = [event for event in record.events if event.action == "disguise"]
    assert note.audience == ()
    assert note.data == {
        "original": "I am Tern, and GPT-4o is my model.",
        "matched": ["Tern", "GPT-4o"],
        "done": "masked",
    }
    rows = {row["system"]: row for row in api(house, "/studies/masked/blinding")["systems"]}
    assert rows["tern"] == {
        "system": "tern",
        "dialogues": 1,
        "late": 0,
        "late_dialogues": 0,
        "masked": 1,
        "asked_again": 0,
        "named_dialogues": 1,
    }
    assert rows["plover"]["named_dialogues"] == 0


async def test_a_system_that_slips_is_asked_again(house: House) -> None:
    async with house.visitor("again") as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        assert room.heard() == ["I come from the north."]
        assert "OpenAI" not in "".join(ann.received)
        assert [frame["seq"] for frame in room.frames if frame["type"] == "event"] == [1, 2, 3]
    [row] = api(house, "/studies/again/blinding")["systems"]
    assert (row["asked_again"], row["masked"], row["named_dialogues"]) == (1, 0, 1)


async def test_a_late_reply_is_counted_and_shows_in_no_number(house: House) -> None:
    async with house.visitor("late") as ann:
        await ann.begin()
        room = await ann.chat("Hello", "Still there?")
        events = [frame for frame in room.frames if frame["type"] == "event"]
        assert [frame["seq"] for frame in events] == list(range(1, len(events) + 1))
    [row] = api(house, "/studies/late/blinding")["systems"]
    assert (row["late"], row["late_dialogues"], row["dialogues"]) == (2, 1, 1)
    [record] = house.dialogues("late")
    late = [event.data for event in record.events if event.action == "late"]
    assert all(each["seconds"] > each["common"] for each in late)


def kept_latencies(house: House) -> dict[str, list[float]]:
    rows = house.rows(
        "SELECT l.system, l.seconds FROM latencies l JOIN studies s ON s.id = l.study_id "
        "WHERE s.name = 'evened'"
    )
    return {row.system: json.loads(row.seconds) for row in rows}


async def test_systems_are_asked_before_the_first_visitor_and_never_again(house: House) -> None:
    async with asyncio.timeout(PATIENCE):
        while set(kept_latencies(house)) != {"tern", "plover"}:
            await asyncio.sleep(0.05)
    learnt = kept_latencies(house)
    assert [len(seconds) for seconds in learnt.values()] == [1, 1]
    assert house.rows("SELECT d.id FROM dialogues d WHERE d.key LIKE 'probe%'") == []
    assert house.server.stop() == 0
    assert house.serve().stop() == 0
    assert kept_latencies(house) == learnt
