"""Whoever judges what was written is warned of it, as its writers are, and may leave it out."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from support.houses import House, study
from support.loops import Writer, loop_house, loop_study
from support.participants import Participant

pytestmark = pytest.mark.asyncio

WARNING = "may be hateful and hurtful to read"
TRUTH = {
    "kind": "choice",
    "text": "Is the statement hateful?",
    "options": [
        {"id": "hateful", "text": "Hateful"},
        {"id": "not-hateful", "text": "Not hateful"},
        {"id": "flagged", "text": "Something is wrong with it"},
    ],
}
CHAT = {"chat": {"pace": None, "turns": {"exactly": 2}, "conditions": [{"systems": ["tern"]}]}}


def hateful(question: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": question["uid"],
        "label": "hateful",
        "prob": {"hateful": 0.9, "not-hateful": 0.1},
    }


def judging(*more: dict[str, Any]) -> dict[str, Any]:
    asked = {"rate": {"ask": ["truth"], "from": "loop", "per_visit": 5}}
    return study({}, questions={"truth": TRUTH}, stages=[asked, *more])


STUDIES = {
    "loop": loop_study(task="hs", sessions=9, per_visit=1),
    "alone": judging(),
    "among": judging(CHAT),
}
del STUDIES["loop"]["stages"][0]["write"]["contexts"]


@pytest.fixture(scope="module")
def house(light_ground: Any) -> Iterator[House]:
    with loop_house(light_ground.folder, light_ground.database_url, STUDIES, answers=hateful) as (
        built,
        _,
    ):
        built.serve()
        asyncio.run(write(built, "ann", "ben"))
        # What was written is taken in when a process starts.
        built.servers.pop().stop()
        built.serve()
        yield built


async def write(house: House, *people: str) -> None:
    """Each fools the model once."""
    for person in people:
        async with house.visitor("loop", person) as visitor:
            writer = await Writer.begin(visitor)
            values = {"statement": f"{person} likes rain.", "label": "not-hateful"}
            await writer.does("try", values=values)
            await writer.room.until(lambda _, w=writer: w.answers)
            await writer.keeps(why="So do I.")


def held(house: House, name: str) -> int:
    """How many sheets of a study anybody was handed."""
    rows = house.rows(
        "SELECT slots.id FROM slots JOIN studies ON studies.id = slots.study_id "
        "WHERE studies.name = :study AND slots.state <> 'free'",
        study=name,
    )
    return len(rows)


async def sends(person: Participant, path: str, **form: str) -> None:
    """Send a form by hand, with the token that another page of the visit has."""
    await person.open(f"{person.path}/problem")
    await person.send(path, **form)


async def test_the_first_sheet_comes_after_the_warning_and_the_next_ones_without(
    house: House,
) -> None:
    async with house.visitor("among") as person:
        await person.begin()
        assert person.heading == "Before you read on"
        assert WARNING in person.page
        assert "likes rain" not in person.page
        before = held(house, "among")
        # Neither a reload nor a form that was never shown leads past it.
        await person.reload()
        await sends(person, "rate", **{"answer-truth": "hateful"})
        assert person.heading == "Before you read on"
        assert held(house, "among") == before

        await person.reload()
        await person.send("warned", go="yes")
        assert "likes rain" in person.page
        await sends(person, "warned", go="no")
        assert "likes rain" in person.page
        await person.send("rate", **{"answer-truth": "not-hateful"})
        assert person.status == 200
        assert "likes rain" in person.page


async def test_whoever_would_rather_not_read_on_goes_on_with_the_rest(house: House) -> None:
    async with house.visitor("among") as person:
        await person.begin()
        before = held(house, "among")
        await person.send("warned", go="no")
        assert person.sockets()
        assert held(house, "among") == before


async def test_where_there_is_no_rest_it_is_as_if_they_had_not_agreed(house: House) -> None:
    async with house.visitor("alone", "cem") as person:
        await person.begin()
        before = held(house, "alone")
        await person.send("warned", go="no")
        assert "not taking part" in person.heading
        assert held(house, "alone") == before
    async with house.visitor("alone", "cem") as person:
        await person.begin()
        assert person.heading == "Before you read on"
        await person.send("warned", go="yes")
        assert "likes rain" in person.page
    # A visit that has begun goes on where it was.
    async with house.visitor("alone", "cem") as person:
        assert "likes rain" in person.page


async def test_nobody_is_warned_of_what_is_not_there_for_them(house: House) -> None:
    """Of two examples a writer may judge the other one alone."""
    async with house.visitor("alone", "ann") as person:
        await person.begin()
        await person.send("warned", go="yes")
        assert "ben likes rain" in person.page
        await person.send("rate", **{"answer-truth": "not-hateful"})
        assert "Before you read on" not in person.page
    async with house.visitor("alone", "ann", assignment="2") as person:
        await person.begin()
        assert "Before you read on" not in person.page
        assert "likes rain" not in person.page
