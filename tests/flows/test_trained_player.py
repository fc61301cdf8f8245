"""A model that was trained here at a seat: in a study with a person, in self-play, in the terminal."""

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
from support.deal_lines import ANSWERS, write_made_lines
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
    """A checkpoint of a network that learnt from forty dialogues."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "recipe.yaml").write_text(RECIPE)
    data = write_made_lines(folder / "deals.txt", dialogues=40)
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


async def listens(room: Room) -> None:
    """Wait until it is this side's turn, because the model has written or marked a deal."""
    await room.until(lambda each: each.movers == [each.seat])


async def replayed(record: DialogueRecord, model: Path) -> list[tuple[int, list[Move]]]:
    """What the model says when it is told the dialogue again up to each of its moves."""
    (seat,) = [each.index for each in record.seats if each.kind == "system"]
    system = build_system("trained", {**TRAINED, "checkpoint": str(model)}, folder=Path())
    found = []
    for event in record.events:
        if event.seat != seat or not event.is_turn:
            continue
        scenario = record.scenario.seen_by(seat)
        place = Place(record.id, seat, scenario, VirtualClock(), random.Random())
        session = system.new_session(place)
        for before in record.events:
            seen = before.seen_by(seat) if before.seq < event.seq else None
            if seen is not None:
                session.receive(seen)
        found.append((event.seq, list(await session.send())))
    await system.close()
    return found


@pytest.mark.asyncio
async def test_it_plays_with_a_person_and_goes_on_after_the_server_was_killed(
    house: House, model: Path
) -> None:
    async with house.visitor("deal", "ann") as ann:
        await ann.begin()
        room = await ann.room()
        await room.say("may i have the books please ?")
        await listens(room)
        # Killed while the model may be at work: what was said is kept, and what it answers.
        await room.say("i want the hats .")
        restart(house)
        await room.connect()
        await listens(room)
        restart(house)
        await room.connect()
        await room.post("select", {"take": {"book": 3, "hat": 0, "ball": 0}})
        assert await room.ends() == "complete"

    [record] = house.dialogues("deal")
    made = [event for event in record.events if event.seat != room.seat and event.is_turn]
    assert len(made) >= 2
    assert made[0].action == MESSAGE
    assert record.events[-1].data["outcome"]["agreed"] is True
    assert await replayed(record, model) == [
        (event.seq, [Move(action=event.action, data=event.data)]) for event in made
    ]


def test_it_plays_a_rule_bot_and_the_same_seed_plays_it_again(model: Path, tmp_path: Path) -> None:
    play = ("selfplay", "deal_or_no_deal", "--count", 2, "--seed", 3)
    players = ("--systems", f"checkpoint:{model}#device=cpu", "rule")

    for name in ("one", "two"):
        told = run(*play, *players, "-o", tmp_path / name)
        assert "2 dialogues between" in told
        assert "failures of systems" not in told

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with (tmp_path / "one").open("rb") as stream:
        records = list(read_dialogues(stream))
    assert {record.reason for record in records} <= {"complete", "quit"}


def test_it_answers_in_the_terminal(model: Path) -> None:
    talk = ("chat", "deal_or_no_deal", "--with", f"checkpoint:{model}#device=cpu,temperature=0")

    told = run(*talk, "--seed", 2, said="may i have the books please ?\n")

    [answer] = [line for line in told.splitlines() if line.startswith(str(model))]
    # It has learnt of no other answer than to agree.
    assert answer.partition(": ")[2] in ANSWERS
