"""A bargain in a live room: the study that one starts from, with a person who meets the bot."""

import html
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.games.craigslist_bargain.game import GAME
from support.houses import House
from support.participants import Participant, Room

pytestmark = pytest.mark.asyncio

PEOPLE = "        - {people: true, needed: 20}\n"
PRACTICE = re.compile(r"  # A round with the bot.*?(?=  - chat:\n      arrangement)", re.DOTALL)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The starter without practice, people and the bot's pauses; the person sells."""
    folder: Path = tmp_path_factory.mktemp("house")
    built = House.build(folder, {}, f"sqlite:///{folder / 'home' / 'palaver.db'}")
    shutil.copytree(GAME.material, built.studies / "bargain")
    study = built.studies / "bargain" / "study.yaml"
    text = PRACTICE.sub("", study.read_text("utf-8"))
    assert PEOPLE in text
    text = text.replace(PEOPLE, "").replace("arrangement: people", "pace: null")
    text = re.sub(r" +(?:partner_leaves|nobody_comes): \w+\n", "", text)
    study.write_text(text.replace("scenarios.json\n", "scenarios.json\n        role: seller\n"))
    _mark_targets(built.studies / "bargain" / "scenarios.json")
    built.serve()
    yield built
    built.close()


def _mark_targets(file: Path) -> None:
    """Make what buyers are after a number that stands nowhere else."""
    scenarios = json.loads(file.read_bytes())
    for scenario in scenarios:
        scenario["kbs"][0]["personal"]["Target"] += 0.37
    file.write_text(json.dumps(scenarios))


def targets(house: House) -> dict[str, float]:
    """What the buyers of the study's scenarios are after, by title and list price."""
    scenarios = json.loads((house.studies / "bargain" / "scenarios.json").read_bytes())
    return {s["kbs"][0]["item"]["Title"]: s["kbs"][0]["personal"]["Target"] for s in scenarios}


def reached(person: Participant, secret: float) -> bool:
    """Whether a number came to the browser in a page, header or frame, but for what the bot said.

    The bot may come to name the price that it is after.
    """
    told = "\n".join(each for each in person.received if not said_by_bot(each))
    return str(secret) in told


def said_by_bot(received: str) -> bool:
    return received.startswith("{") and json.loads(received).get("seat") == 1


def offered(room: Room) -> list[dict[str, Any]]:
    return [event for event in room.events if event["action"] == "offer"]


async def bot_acts(room: Room, since: int) -> None:
    """Wait until the bot has said or offered something more."""
    await room.until(
        lambda r: any(
            e["seq"] > since and e["seat"] == 1 for e in r.events if e["action"] != "join"
        )
    )


async def test_a_person_sells_to_the_bot(house: House) -> None:
    async with house.visitor("bargain") as person:
        await person.begin()
        assert "You are the seller" in person.page
        title = re.search(r'<h3 dir="auto">(.*?)</h3>', person.page).group(1)
        price = re.search(r'data-price="([\d.]+)"', person.page).group(1)
        assert "data-target" not in person.page
        room = await person.room()
        refused = await room.answer_to(await room.post("offer", {"price": "free"}))
        assert (refused["type"], refused["code"]) == ("error", "bad_price")
        lines = (
            "Hello, it is still here and in very good shape, as you can see.",
            f"I would like to get ${float(price):.0f} for it.",
            "I could come down a little. What would you say?",
            "Okay, I agree to your price. Deal.",
        )
        for n in range(14):
            if offered(room):
                break
            since = room.position
            await room.say(lines[min(n, 3)])
            await bot_acts(room, since)
        [offer] = offered(room)
        assert re.fullmatch(r"Your partner offered \$[\d,.]+\.", offer["words"])
        closed = await room.say("One more thing")
        assert closed["code"] == "closed"
        await room.post("accept", {})
        assert await room.ends() == "complete"
        assert not reached(person, targets(house)[html.unescape(title)])
        await person.reload()
        assert "Did your partner behave like a reasonable person would?" in person.page
    [record] = house.dialogues("bargain")
    outcome = record.dialogue().outcome
    assert outcome["agreed"] is True
    assert outcome["offer"]["price"] == offer["data"]["price"]
    assert set(outcome["reward"]) == {"0", "1"}
