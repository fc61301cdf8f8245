"""Credit at SONA: given once for each visit that earned it, whatever happens to either server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.flow_studies import system
from support.houses import House
from support.participants import Participant
from support.serving import free_port
from support.sona import TOKEN, Sona, credit_at, sona_server

from .conftest import Ground

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(120)]


@pytest.fixture
def sona() -> Iterator[Sona]:
    """SONA, standing in."""
    with sona_server() as running:
        yield running


def built(ground: Ground, folder: Path, credit: str, *, private: bool = True) -> House:
    """A home with a study whose people are credited at this address."""
    url = ground.database_url
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


async def test_a_completed_visit_is_credited_and_its_code_forgotten(
    ground: Ground, tmp_path: Path, sona: Sona
) -> None:
    house = built(ground, tmp_path, sona.credit)
    house.serve()
    try:
        person = await take_part(house, "0042")
        row = await credit_when(house, "sent")
        assert (sona.credited, row.reason, row.sent_values) == (["0042"], "", "")
        # The token of the credit is the server's business.
        assert not any(TOKEN in sent for sent in person.received)
        earned = len(house.rows("SELECT id FROM credits"))
        # A person who gives up earns none.
        async with Participant(f"{house.server.base}/s/course?survey_code=77") as quitter:
            await quitter.begin()
            await (await quitter.room()).post("quit")
        assert len(house.rows("SELECT id FROM credits")) == earned
    finally:
        house.close()
    assert TOKEN not in house.server.output()


async def test_a_server_killed_while_sona_answers_does_not_credit_twice(
    ground: Ground, tmp_path: Path, sona: Sona
) -> None:
    sona.silent = True
    house = built(ground, tmp_path, sona.credit)
    house.serve()
    try:
        await take_part(house, "43")
        await asyncio.to_thread(sona.wait_given)
        house.server.kill()
        sona.silent = False
        assert (await credit_when(house, "waiting")).attempts == 0
        house.serve()
        row = await credit_when(house, "sent")
        assert row.reason == "had the credit already"
        assert (sona.credited, sona.asked["43"]) == (["43"], 2)
    finally:
        house.close()


async def test_what_was_committed_is_sent_by_the_next_server(
    ground: Ground, tmp_path: Path
) -> None:
    port = free_port()
    house = built(ground, tmp_path, credit_at(f"http://127.0.0.1:{port}"))
    house.serve()
    try:
        await take_part(house, "44")
        row = await credit_when(house, "waiting", attempts=1)
        assert "could not be reached" in row.reason
        assert TOKEN not in row.reason
        house.server.kill()
        with sona_server(port) as sona:
            sona.failures = 1
            house.store.write_now(lambda c: c.exec_driver_sql("UPDATE credits SET due = 0"))
            house.serve()
            row = await credit_when(house, "waiting", attempts=2)
            assert row.reason == "SONA answered with status 503."
            house.store.write_now(lambda c: c.exec_driver_sql("UPDATE credits SET due = 0"))
            await credit_when(house, "sent", attempts=3)
            assert sona.credited == ["44"]
    finally:
        house.close()


async def test_an_address_inside_the_network_is_not_called_unless_the_home_allows_it(
    ground: Ground, tmp_path: Path, sona: Sona
) -> None:
    house = built(ground, tmp_path, sona.credit, private=False)
    house.serve()
    try:
        await take_part(house, "45")
        row = await credit_when(house, "failed")
        assert "private_endpoints" in row.reason
        assert not sona.asked
    finally:
        house.close()
