"""People write against a model: sessions, places, a model that fails, a round that is stopped."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from palaver.core.audit import SERVER
from palaver.evaluation.rounds.opening import resume_round, stop_round
from palaver.games.model_in_the_loop.writing import fold_writing
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.evaluation.rounds import find_round
from support.endpoints import Endpoint
from support.houses import House, study
from support.loops import Writer, loop_house, loop_study, neutral

pytestmark = pytest.mark.asyncio

STUDIES = {
    "loop": loop_study(tries=2, per_visit=2, goals=["entailed", "neutral"], skips=1),
    "talk": study(
        {},
        systems={"fickle": {"kind": "scripted", "lines": ["Ada.", "My name is Bob."]}},
        stages=[
            {
                "write": {
                    "task": "turn-faults",
                    "talk": "fickle",
                    "sessions": 3,
                    "goals": ["contradicts", "rude"],
                }
            }
        ],
    ),
}


@pytest.fixture(scope="module")
def served(light_ground: Any) -> Iterator[tuple[House, Endpoint]]:
    with loop_house(light_ground.folder, light_ground.database_url, STUDIES) as (house, endpoint):
        house.serve()
        yield house, endpoint


@pytest.fixture
def house(served: tuple[House, Endpoint]) -> House:
    return served[0]


@pytest.fixture
def endpoint(served: tuple[House, Endpoint]) -> Iterator[Endpoint]:
    yield served[1]
    served[1].answers = neutral


def asked(house: House, writer: Writer) -> Any:
    key = writer.room.url.rpartition("/")[2]
    return fold_writing(house.store.read_now(lambda c: load_dialogue(c, key)).dialogue)


async def fools(house: House, writer: Writer, text: str) -> None:
    """Write what the model gets wrong if the goal allows it, and go on."""
    label = asked(house, writer).asked.goal["label"]
    for n in range(2):
        said = await writer.tries(f"{text} {n}", label)
        if said["wrong"]:
            return await writer.keeps(why="It says so.")
    await writer.room.ends()
    return None


async def test_a_visit_holds_its_sessions_and_each_counts_as_it_ends(house: House) -> None:
    before = house.places("loop").get("done", 0)
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        first = asked(house, writer)
        await fools(house, writer, "Somebody slept too long.")
        await writer.next()
        second = asked(house, writer)
        assert first.asked.name != second.asked.name
        assert house.places("loop")["done"] == before + 1
        await fools(house, writer, "It was cold in there.")
        await person.reload()
        assert person.code
    assert house.places("loop")["done"] == before + 2


async def test_what_came_of_a_session_is_folded_from_its_events(house: House) -> None:
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        label = asked(house, writer).asked.goal["label"]
        said = await writer.tries("Two sentences that say nothing.", label)
        assert said["wrong"] is (label != "neutral")
        assert said["values"]["prob"]["neutral"] == 0.7
        folded = asked(house, writer)
        assert (folded.tries_left, len(folded.answered)) == (1, 1)


async def test_no_answer_costs_no_try(house: House, endpoint: Endpoint) -> None:
    endpoint.answers = lambda question: {"id": question["uid"], "label": "perhaps"}
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        label = asked(house, writer).asked.goal["label"]
        said = await writer.tries("This is nonsense to it.", label)
        assert (said["kind"], asked(house, writer).tries_left) == ("garbage", 2)
        endpoint.answers = neutral
        await writer.tries("This is nonsense to it.", label)
        assert asked(house, writer).tries_left == 1


async def test_moves_that_are_not_theirs_are_refused(house: House) -> None:
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        label = asked(house, writer).asked.goal["label"]
        other = "entailed" if label != "entailed" else "neutral"
        forged = {"values": {"label": other}, "wrong": True}
        assert (await writer.does("answer", **forged))["code"] == "unknown_action"
        assert (await writer.does("keep"))["code"] == "waiting"
        refused = await writer.does("try", values={"hypothesis": "x", "label": other})
        assert refused["code"] == "bad_goal"
        refused = await writer.does("try", values={"hypothesis": " ", "label": label})
        assert refused["code"] == "empty"
        refused = await writer.does("try", values={"hypothesis": "x"})
        assert refused["code"] == "bad_try"


async def test_a_text_that_was_skipped_goes_back_and_does_not_come_again(house: House) -> None:
    free = house.places("loop")["free"]
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        first = asked(house, writer).asked.name
        await writer.does("skip")
        assert await writer.room.ends() == "skipped"
        await writer.next()
        assert asked(house, writer).asked.name != first
        assert house.places("loop")["free"] == free - 1


async def test_who_comes_while_a_round_is_stopped_is_not_seated(house: House) -> None:
    store = house.store
    [row] = house.rows("SELECT id FROM tasks WHERE name = 'nli'")
    async with house.visitor("loop") as inside:
        writer = await Writer.begin(inside)
        found = store.read_now(lambda c: find_round(c, row.id))
        store.write_now(lambda c: stop_round(c, found, by=SERVER, now=1.0))
        async with house.visitor("loop") as late:
            while house.places("loop").get("free"):
                await asyncio.sleep(0.05)
            await late.begin()
            assert not late.sockets()
        await fools(house, writer, "Who is inside goes on.")
        store.write_now(lambda c: resume_round(c, found, by=SERVER, now=2.0))
        while not house.places("loop").get("free"):
            await asyncio.sleep(0.05)
        async with house.visitor("loop") as later:
            await Writer.begin(later)


async def test_one_talks_with_a_system_until_it_goes_wrong(house: House) -> None:
    async with house.visitor("talk") as person:
        await person.begin()
        await person.send("warned", go="yes")
        room = await person.chat("What is your name?", "Are you sure?")
        refused = await room.answer_to(await room.post("keep", {"number": 2, "label": "sound"}))
        assert refused["code"] == "bad_label"
        await room.post("keep", {"number": 2, "label": "contradicts", "why": "It was Ada."})
        await room.ends()
        key = room.url.rpartition("/")[2]
    folded = fold_writing(house.store.read_now(lambda c: load_dialogue(c, key)).dialogue)
    kept = folded.last
    assert kept is not None
    assert kept.seq == folded.kept
    assert kept.values["fault"] == "contradicts"
    assert [turn["text"] for turn in kept.values["dialogue"]] == [
        "What is your name?",
        "Ada.",
        "Are you sure?",
        "My name is Bob.",
    ]
