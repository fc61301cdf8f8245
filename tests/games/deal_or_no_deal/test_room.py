"""The game in a live room: two people, their pages, their moves; and one person with the bot."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.houses import House
from support.participants import Participant, Room

pytestmark = pytest.mark.asyncio

# Values that stand nowhere else in a page.
VALUES = ({"book": 71993, "hat": 1, "ball": 0}, {"book": 1, "hat": 84521, "ball": 0})
COUNTS = {"book": 2, "hat": 1, "ball": 3}

SCENARIO = {
    "uuid": "S_deal",
    "kbs": [
        [{"Name": item, "Count": COUNTS[item], "Value": side[item]} for item in COUNTS]
        for side in VALUES
    ],
}


def definition(**chat: Any) -> dict[str, Any]:
    game = {"name": "deal_or_no_deal", "scenario_file": "scenarios.json"}
    bot = "palaver.games.deal_or_no_deal.bots:RuleDealer"
    return {
        "title": "Share",
        "consent": {"version": "1", "text": "Do you agree?"},
        "systems": {"rule": {"kind": "python", "class": bot}},
        "stages": [{"chat": {"pace": None, "game": game, **chat}}, {"rate": {}}],
        "minutes": 5,
    }


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder: Path = tmp_path_factory.mktemp("house")
    studies = {
        "people": definition(arrangement="people", conditions=[{"people": True}]),
        "bot": definition(conditions="rule"),
    }
    built = House.build(folder, studies, f"sqlite:///{folder / 'home' / 'palaver.db'}")
    for name in studies:
        (built.studies / name / "scenarios.json").write_text(json.dumps([SCENARIO]))
    built.serve()
    yield built
    built.close()


@pytest_asyncio.fixture
async def pair(house: House) -> AsyncIterator[list[Participant]]:
    """Two people who sit at seats 0 and 1."""
    async with house.visitor("people") as one, house.visitor("people") as other:
        for person in (one, other):
            await person.begin()
        await asyncio.gather(*(p.wait_for_partner() for p in (one, other) if "/waiting/" in p.page))
        yield sorted((one, other), key=lambda p: re.search(r'data-seat="(\d)"', p.page)[1])


async def act(room: Room, action: str, data: dict[str, Any]) -> dict[str, Any]:
    return await room.answer_to(await room.post(action, data))


def take(*counts: int) -> dict[str, Any]:
    return {"take": dict(zip(COUNTS, counts, strict=True))}


async def test_two_people_make_a_deal_and_neither_sees_what_is_the_others(
    house: House, pair: list[Participant]
) -> None:
    ann, ben = pair
    hers, his = await ann.room(), await ben.room()
    assert 'data-good="book" data-many="books" data-count="2" data-value="71993"' in ann.page
    assert 'data-good="hat" data-many="hats" data-count="1" data-value="84521"' in ben.page

    assert (await act(hers, "select", take(2, 0, 3)))["code"] == "too_early"
    await hers.say("I take the books, you take the rest")
    await his.until(lambda room: room.said() != [])
    await his.say("deal")
    await hers.until(lambda room: len(room.events) > 2)
    assert (await act(hers, "select", take(3, 0, 0)))["code"] == "bad_split"
    mine = await act(hers, "select", take(2, 0, 0))
    assert mine["words"] == "You marked the deal: you take 2 books."
    assert mine["composer"]["closed"].startswith("You have marked the deal.")
    # He is told that she has chosen, and not what.
    await his.until(lambda room: room.frames[-1].get("type") == "state")
    assert his.frames[-1]["composer"]["closed"].startswith("Nothing more can be written")
    assert "take" not in json.dumps(his.frames[-1])
    assert (await his.say("wait"))["code"] == "closed"

    # Coming back, both find what they had.
    await his.close()
    await ben.reload()
    his = await ben.room()
    ready = next(frame for frame in his.frames if frame["type"] == "ready")
    assert ready["composer"]["closed"].startswith("Nothing more can be written")
    assert all(event["action"] != "select" for event in his.events)

    await act(his, "select", take(0, 1, 3))
    for room, points in ((hers, 2 * 71993), (his, 84521)):
        assert await room.ends() == "complete"
        [end] = [event for event in room.events if event["action"] == "end"]
        assert end["words"] == f"It is a deal. You earned {points:,} points."
    for person, secret in ((ann, "84521"), (ben, "71993")):
        assert secret not in "\n".join(person.received)
        await person.reload()
        assert "Did your partner behave like a person?" in person.page
    await ann.send("rate", **{"answer-human_like": "4"})
    assert ann.code
    [record] = [d for d in house.dialogues("people") if d.status == "ended"]
    assert record.events[-1].data["outcome"]["reward"] == {"0": 143986, "1": 84521}


async def test_a_person_plays_with_the_bot(house: House) -> None:
    async with house.visitor("bot") as ann:
        await ann.begin()
        room = await ann.room()
        await room.say("I take the balls, you take the hat and the books.")
        await room.until(lambda r: len(r.heard()) == 1)
        # She sits at either seat, and hears of her own values alone.
        told = "\n".join(ann.received)
        assert [value for value in ("71993", "84521") if value in told] == [
            "84521" if room.seat else "71993"
        ]
        await act(room, "select", take(0, 0, 3))
        assert await room.ends() == "complete"
        [end] = [event for event in room.events if event["action"] == "end"]
        assert end["data"]["outcome"]["valid_deal"] is True
