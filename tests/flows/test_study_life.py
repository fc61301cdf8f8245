"""A study is paused, changed and closed while people are in it: they finish, and nobody new begins."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.audit import COMMAND
from palaver.core.studies.life import LifeMove
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.edits import ConditionPlaces, StudyEdit
from palaver.studies.run.life import change_life
from palaver.studies.run.versions import StudyInStore, edit_stored, study_in_store
from support.databases import Postgres
from support.flow_studies import people, system
from support.houses import House

pytestmark = pytest.mark.asyncio
NOW = 1_795_000_000.0
RATE = {"rate": {"ask": ["good"]}}
GOOD = {"good": {"kind": "likert", "text": "Was it good?"}}


def rated() -> dict[str, object]:
    built = system(conditions="tern:1", questions=GOOD)
    built["stages"].append(RATE)
    return built


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    url = f"sqlite:///{tmp_path / 'home' / 'palaver.db'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    definitions = {
        "rated": rated(),
        "few": system(conditions="tern:1"),
        "people": people(limits={}),
    }
    built = House.build(tmp_path, definitions, url)
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
    assert {row.version for row in house.rows("SELECT version FROM assignments")} == {1}


async def test_a_closed_study_says_that_it_has_ended(house: House) -> None:
    move(house, "few", "close")
    async with house.visitor("few") as ann:
        assert ann.heading == "This study has ended"
        move(house, "few", "reopen")
        await ann.reload()
        assert "Do you agree?" in ann.page


async def test_more_places_let_in_whoever_came_to_a_full_study(house: House) -> None:
    async with house.visitor("few") as ann, house.visitor("few") as ben:
        await ann.begin()
        await ann.chat("Hello")
        await ben.reload()
        assert ben.heading == "All places are taken right now"

        places = (ConditionPlaces(stage=0, condition="tern", needed=2),)
        await edit(house, "few", StudyEdit(places=places))

        async with asyncio.timeout(60):
            while ben.heading == "All places are taken right now":
                await asyncio.sleep(0.2)
                await ben.reload()
        await ben.begin()
        room = await ben.chat("Hello")
        assert room.said()[0] == "Hello"
    assert "tern:2" in (house.studies / "few" / "study.yaml").read_text()


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


@pytest.mark.postgres
async def test_a_pause_holds_on_every_process(postgres: Postgres, tmp_path: Path) -> None:
    house = House.build(tmp_path, {"few": system(conditions="tern:4")}, postgres.new_database())
    first, second = house.serve(), house.serve()
    try:
        async with house.visitor("few", server=first) as ann:
            await ann.begin()
            room = await ann.chat("Hello")
            move(house, "few", "pause")
            for server in (first, second):
                async with house.visitor("few", server=server) as other:
                    assert other.heading == "This study is taking a break"
            await room.say("Bye")
            assert await room.ends() == "complete"
    finally:
        house.close()
