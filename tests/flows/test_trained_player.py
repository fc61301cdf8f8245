"""A model that was trained here at a seat: in a study with a person, in self-play, in the terminal."""

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.clock import VirtualClock
from palaver.core.events import MESSAGE, Move
from palaver.core.protocols import Place
from palaver.core.records import DialogueRecord
from palaver.formats.palaver import read_dialogues
from palaver.systems.build import build_system
from support.deals import deal_file
from support.flow_studies import TIMELESS
from support.houses import House, study
from support.participants import Room
from support.serving import Server

RECIPE = """\
model: deal-talk
data: {least: 1}
network: {embedding: 16, hidden: 24, context: 8}
selection: {hidden: 8, attention: 8, layer: 16}
training: {epochs: 6, rate: 0.02, batch: 16}
"""
COUNTS = {"book": 3, "hat": 2, "ball": 1}
VALUES = ({"book": 2, "hat": 1, "ball": 2}, {"book": 1, "hat": 3, "ball": 1})
SCENARIO = {
    "uuid": "S_deal",
    "kbs": [
        [{"Name": item, "Count": COUNTS[item], "Value": side[item]} for item in COUNTS]
        for side in VALUES
    ],
}
TRAINED = {"kind": "checkpoint", "checkpoint": "model", "device": "cpu"}
DEAL = study(
    {
        "game": {"name": "deal_or_no_deal", "scenario_file": "scenarios.json", "least_messages": 0},
        "conditions": [{"systems": ["trained"], "needed": 9}],
        "limits": TIMELESS,
    },
    systems={"trained": TRAINED},
)
DEAL["stages"].append({"rate": {}})


def run(*arguments: object, said: str | None = None) -> str:
    """What a command prints to standard output."""
    done = CliRunner().invoke(palaver, [str(each) for each in arguments], input=said)
    assert done.exit_code == 0, f"{done.output}{done.exception!r}"
    return done.stdout


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a network that learnt from sixty dialogues."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "recipe.yaml").write_text(RECIPE)
    data = deal_file(folder / "deals.txt", dialogues=60)
    run("train", folder / "recipe.yaml", "--data", data, "-o", folder / "model", "--device", "cpu")
    return folder / "model"


@pytest.fixture(scope="module")
def house(light_ground: Any, model: Path) -> Iterator[House]:
    """A study in which people play with the model; the checkpoint lies in the study's folder."""
    built = House.build(light_ground.folder, {"deal": DEAL}, light_ground.database_url)
    (built.studies / "deal" / "scenarios.json").write_text(json.dumps([SCENARIO]))
    model.rename(built.studies / "deal" / "model")
    (model.parent / "model").symlink_to(built.studies / "deal" / "model")
    built.serve()
    yield built
    built.close()


def restart(house: House) -> Server:
    """Kill the server and start another on the same port."""
    port = int(house.server.base.rpartition(":")[2])
    house.server.kill()
    return house.serve(port=port)


async def moved(room: Room, count: int) -> None:
    """Wait until the partner has made so many moves that this side can see, or the end has come."""
    await room.until(lambda each: len(each.heard()) >= count or each.ending or _is_closed(each))


def _is_closed(room: Room) -> bool:
    """Whether the partner has marked a deal, after which nothing can be written."""
    return room.movers == [room.seat] and len(room.said()) > len(room.heard()) * 2


@pytest.mark.asyncio
async def test_look(house: House) -> None:
    async with house.visitor("deal", "ann") as ann:
        await ann.begin()
        room = await ann.room()
        print("seat", room.seat, room.movers, room.frames[-3:], room.events)
        for text in ("may i have the books please ?", "i want the hats .", "ok , deal"):
            print(await room.say(text))
            await asyncio.sleep(2)
            print(room.movers, room.events[-3:], room.frames[-3:])
            restart(house)
            await asyncio.sleep(1)
            await room.connect()
            print(room.movers, room.frames[-3:])
