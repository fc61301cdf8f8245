"""Credit at SONA: given once for each visit that earned it, whatever happens to either server."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.flow_studies import system
from support.houses import House
from support.participants import Participant
from support.serving import free_port
from support.sona import TOKEN, Sona, credit_at, sona_server

from .conftest import Ground

pytestmark = pytest.mark.asyncio


def built(busy_ground: Ground, folder: Path, credit: str, *, private: bool = True) -> House:
    """A home with a study whose people are credited at this address."""
    url = busy_ground.database_url
    if url.startswith("sqlite"):
        url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    definition = system(crowd={"kind": "sona", "credit": credit}, pay=None)
    house = House.build(folder, {"course": definition}, url)
    house.home.mkdir(parents=True, exist_ok=True)
    if private:
        (house.home / "palaver.yaml").write_text("private_endpoints: true\n")
    return house


async def take_part(house: House, code: str) -> Participant:
    """Somebody who does all steps; their last page."""
    async with Participant(f"{house.server.base}/s/course?survey_code={code}") as person:
        await person.begin()
        await (await person.chat("Hello", "Bye")).ends()
        await person.reload()
        assert person.heading == "Thank you. You have finished."
    return person


async def credit_when(house: House, state: str, attempts: int = 0) -> Any:
    """The newest credit of the store, once it is in a state and was tried so often."""
    async with asyncio.timeout(60):
        while True:
            row = house.rows("SELECT * FROM credits ORDER BY id DESC")[0]
            if row.state == state and row.attempts >= attempts:
                return row
            await asyncio.sleep(0.05)


async def test_every_visit_is_credited_once_whatever_happens_to_either_server(
    busy_ground: Ground, tmp_path: Path
) -> None:
    port = free_port()
    house = built(busy_ground, tmp_path, credit_at(f"http://127.0.0.1:{port}"))
    house.serve()
    try:
        # While SONA is away a credit waits, and the next server sends what was committed.
        await take_part(house, "44")
        row = await credit_when(house, "waiting", attempts=1)
        assert "could not be reached" in row.reason
        assert TOKEN not in row.reason
        house.server.kill()
        with sona_server(port) as sona:
            sona.failures = 1
            make_due(house)
            house.serve()
            row = await credit_when(house, "waiting", attempts=2)
            assert row.reason == "SONA answered with status 503."
            make_due(house)
            await credit_when(house, "sent", attempts=3)
            assert sona.credited == ["44"]
            await is_credited_and_forgotten(house, sona)
            await is_credited_once_by_two_servers(house, sona)
    finally:
        house.close()
    assert TOKEN not in house.server.output()


def make_due(house: House) -> None:
    """Let what waits be tried at once."""
    house.store.write_now(lambda c: c.exec_driver_sql("UPDATE credits SET due = 0"))


async def is_credited_and_forgotten(house: House, sona: Sona) -> None:
    """Who does all steps is credited, and their code is not kept; who gives up earns nothing."""
    person = await take_part(house, "0042")
    row = await credit_when(house, "sent")
    assert (sona.credited, row.reason, row.sent_values) == (["44", "0042"], "", "")
    # The token of the credit is the server's business.
    assert not any(TOKEN in sent for sent in person.received)
    earned = len(house.rows("SELECT id FROM credits"))
    async with Participant(f"{house.server.base}/s/course?survey_code=77") as quitter:
        await quitter.begin()
        room = await quitter.room()
        await room.post("quit")
        await room.ends()
    assert len(house.rows("SELECT id FROM credits")) == earned


async def is_credited_once_by_two_servers(house: House, sona: Sona) -> None:
    """A server that is killed while SONA answers does not know: the next one asks again."""
    sona.silent = True
    await take_part(house, "43")
    await asyncio.to_thread(sona.wait_given, "43")
    house.server.kill()
    sona.silent = False
    assert (await credit_when(house, "waiting")).attempts == 0
    house.serve()
    row = await credit_when(house, "sent")
    assert row.reason == "had the credit already"
    assert (sona.credited, sona.asked["43"]) == (["44", "0042", "43"], 2)


async def test_an_address_inside_the_network_is_not_called_unless_the_home_allows_it(
    tmp_path: Path,
) -> None:
    # Whatever the database is: nothing of this is kept in it but the refusal.
    busy_ground = Ground(tmp_path, "sqlite:")
    with sona_server() as sona:
        house = built(busy_ground, tmp_path, sona.credit, private=False)
        house.serve()
        try:
            await take_part(house, "45")
            row = await credit_when(house, "failed")
            assert "private_endpoints" in row.reason
            assert not sona.asked
        finally:
            house.close()
