"""Links with names, from the desk's list to the person's browser: used, revoked, over, forgotten."""

import time

import pytest

from palaver.core.audit import COMMAND
from palaver.core.studies.links import KeptLink
from palaver.storage.people import links
from palaver.studies.run.kept_links import list_links, make_named_links, revoke_link
from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio


def study_id(house: House) -> int:
    """The study of these stories in the store."""
    [row] = house.rows("SELECT id FROM studies WHERE name = 'invited'")
    return int(row.id)


def make(house: House, *names: str, hours: float = 72.0, ago: float = 0.0) -> list[KeptLink]:
    """Links for these people."""
    made = house.store.write_now(
        lambda c: make_named_links(
            c,
            house.store.secret(),
            study_id(house),
            "invited",
            names,
            hours=hours,
            base=house.server.base,
            actor=COMMAND,
            now=time.time() - ago,
        )
    )
    return list(made.links)


def as_listed(house: House, link: KeptLink) -> KeptLink:
    """The link as it is now."""
    found = house.store.read_now(
        lambda c: list_links(
            c,
            house.store.secret(),
            study_id(house),
            "invited",
            base=house.server.base,
            now=time.time(),
        )
    )
    return next(each for each in found.links if each.id == link.id)


def revoke(house: House, link: KeptLink) -> None:
    house.store.write_now(
        lambda c: revoke_link(
            c,
            house.store.secret(),
            study_id(house),
            "invited",
            str(link.id),
            base=house.server.base,
            actor=COMMAND,
            now=time.time(),
        )
    )


async def test_a_link_says_who_used_it_and_when(house: House) -> None:
    anna, ben = make(house, "Anna", "Ben")
    assert (anna.name, anna.state, anna.used) == ("Anna", "open", None)
    async with Participant(anna.address) as person:
        assert "Do you agree?" in person.page
        assert not any("Anna" in sent for sent in person.received)
        first = as_listed(house, anna)
        assert first.state == "used"
        await person.begin()
        async with Participant(anna.address) as phone:
            assert phone.path == person.path
    assert as_listed(house, anna).used == first.used
    assert as_listed(house, ben).state == "open"


async def test_a_revoked_link_says_so_and_ends_no_visit(house: House) -> None:
    begun, unused = make(house, "Cleo", "Dora")
    async with Participant(begun.address) as cleo:
        await cleo.begin()
        for link in (begun, unused):
            revoke(house, link)
        await cleo.reload()
        assert "data-socket" in cleo.page
        async with Participant(begun.address) as phone:
            assert phone.path == cleo.path
    async with Participant(unused.address) as dora:
        assert dora.status == 403
        assert dora.heading == "This link is no longer for use"
        assert "was revoked" in dora.page
        assert "/take/" not in dora.url
    gone = as_listed(house, unused)
    assert (gone.state, gone.address, gone.used) == ("revoked", "", None)


async def test_each_link_has_its_own_hours(house: House) -> None:
    [over] = make(house, "Edda", hours=1)
    [lasting] = make(house, "Finn", hours=200, ago=100 * 3600)
    house.store.write_now(
        lambda c: c.exec_driver_sql(f"UPDATE links SET expires = made - 60 WHERE id = {over.id}")
    )
    async with Participant(over.address) as edda:
        assert edda.status == 403
        assert "has expired" in edda.page
    gone = as_listed(house, over)
    assert (gone.state, gone.address) == ("expired", "")
    async with Participant(lasting.address) as finn:
        assert "Do you agree?" in finn.page


async def test_whoever_withdraws_takes_name_and_person_along(house: House) -> None:
    [gil] = make(house, "Gil Unmistakable")
    async with Participant(gil.address) as person:
        await person.begin()
        await person.open(f"{person.path}/withdraw")
        await person.send("withdraw", confirm="yes")
    left = as_listed(house, gil)
    assert (left.name, left.state, left.address) == ("", "erased", "")
    assert left.used is not None
    assert "Unmistakable" not in house.everything()
    stored = house.store.read_now(lambda c: links.links_of(c, study_id(house), now=0.0))
    assert next(each for each in stored if each.id == gil.id).person is None


async def test_whoever_declines_does_too(house: House) -> None:
    [hal] = make(house, "Hal Unmistakable")
    async with Participant(hal.address) as person:
        await person.send("consent", consent="decline")
    assert as_listed(house, hal).state == "erased"
