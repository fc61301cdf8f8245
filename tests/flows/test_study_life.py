"""A study is paused, changed and closed while people are in it: they finish, and nobody new begins."""

import asyncio
from collections.abc import Iterator

import pytest

from palaver.core.audit import COMMAND
from palaver.core.studies.life import LifeMove
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.edits import ConditionPlaces, StudyEdit
from palaver.studies.run.life import change_life
from palaver.studies.run.versions import StudyInStore, edit_stored, study_in_store
from support.flow_studies import people, system
from support.houses import House

from .conftest import Ground

pytestmark = pytest.mark.asyncio
NOW = 1_795_000_000.0
RATE = {"rate": {"ask": ["good"]}}
GOOD = {"good": {"kind": "likert", "text": "Was it good?"}}


def rated() -> dict[str, object]:
    built = system(conditions="tern:1", questions=GOOD)
    built["stages"].append(RATE)
    return built


@pytest.fixture(scope="module")
def house(ground: Ground) -> Iterator[House]:
    """A study for each story; on PostgreSQL two processes serve them."""
    definitions = {
        "rated": rated(),
        "closing": system(conditions="tern:1"),
        "growing": system(conditions="tern:1"),
        "people": people(limits={}),
        "shared": system(conditions="tern:4"),
    }
    built = House.build(ground.folder, definitions, ground.database_url)
    for _ in range(1 if ground.database_url.startswith("sqlite") else 2):
        built.serve()
    yield built
    built.close()


def found(house: House, name: str) -> StudyInStore:
    ids = {each.name: each.id for each in house.store.read_now(list_studies)}
    file = house.studies / name / "study.yaml"
    return study_in_store(house.store, ids[name], file, {})


def move(house: House, name: str, how: LifeMove) -> None:
    """What `palaver study` does beside a server."""
    study = found(house, name)
    house.store.write_now(
        lambda c: change_life(c, study.id, name, study.definition, how, actor=COMMAND, now=NOW)
    )


async def edit(house: House, name: str, wanted: StudyEdit) -> None:
    """What `palaver study places` does beside a server."""
    study = found(house, name)
    await asyncio.to_thread(edit_stored, study, wanted, actor=COMMAND, now=NOW)


async def test_whoever_is_inside_finishes_and_nobody_new_begins(house: House) -> None:
    async with house.visitor("rated", "ann") as ann, house.visitor("rated", "ben") as ben:
        await ann.begin()
        room = await ann.chat("Hello")
        move(house, "rated", "pause")

        # Ben has read the consent and agrees now; Cem only comes.
        await ben.send("consent", consent="agree")
        assert ben.heading == "This study is taking a break"
        async with house.visitor("rated", "cem") as cem:
            assert cem.heading == "This study is taking a break"

        await room.say("Still here")
        assert await room.ends() == "complete"
        await ann.reload()
        assert "Was it good?" in ann.page
        # Rejoining from another browser works, too.
        async with house.visitor("rated", "ann") as again:
            assert "Was it good?" in again.page
            await again.send("rate", **{"answer-good": "4"})
            assert again.heading == "Thank you. You have finished."
        assert house.places("rated") == {"done": 1}

        move(house, "rated", "resume")
        await ben.reload()
        assert (
            "Do you agree?" in ben.page or ben.heading == "This study has all the answers it needs"
        )
    [label] = house.labels("rated")
    assert label.study_version == 1
    visits = house.rows(
        "SELECT a.version FROM assignments a JOIN studies s ON s.id = a.study_id "
        "WHERE s.name = 'rated'"
    )
    assert {row.version for row in visits} == {1}


async def test_a_closed_study_says_that_it_has_ended(house: House) -> None:
    move(house, "closing", "close")
    async with house.visitor("closing") as ann:
        assert ann.heading == "This study has ended"
        move(house, "closing", "reopen")
        await ann.reload()
        assert "Do you agree?" in ann.page


async def test_more_places_let_in_whoever_came_to_a_full_study(house: House) -> None:
    async with house.visitor("growing") as ann, house.visitor("growing") as ben:
        await ann.begin()
        await ann.chat("Hello")
        await ben.reload()
        assert ben.heading == "All places are taken right now"

        places = (ConditionPlaces(stage=0, condition="tern", needed=2),)
        await edit(house, "growing", StudyEdit(places=places))

        async with asyncio.timeout(60):
            while ben.heading == "All places are taken right now":
                await asyncio.sleep(0.2)
                await ben.reload()
        await ben.begin()
        room = await ben.chat("Hello")
        assert room.said()[0] == "Hello"
    assert "tern:2" in (house.studies / "growing" / "study.yaml").read_text()


async def test_whoever_waits_for_a_partner_stays_in_the_waiting_room(house: House) -> None:
    async with house.visitor("people") as ann, house.visitor("people") as ben:
        await ann.begin()
        await ben.send("consent", consent="agree")
        places = (ConditionPlaces(stage=0, condition="people", needed=4),)
        await edit(house, "people", StudyEdit(places=places))
        await ben.send("start")
        waiting = [each for each in (ann, ben) if "/waiting/" in each.page]
        outcomes = await asyncio.gather(*(each.wait_for_partner() for each in waiting))
        assert set(outcomes) == {"seated"}
        hers, his = await ann.room(), await ben.room()
        await hers.say("Hello")
        await his.until(lambda r: r.said() == ["Hello"])


async def test_a_pause_holds_on_every_process(house: House) -> None:
    async with house.visitor("shared", server=house.servers[0]) as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        move(house, "shared", "pause")
        for server in house.servers:
            async with house.visitor("shared", server=server) as other:
                assert other.heading == "This study is taking a break"
        await room.say("Bye")
        assert await room.ends() == "complete"
