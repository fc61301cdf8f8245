"""Attacks by leaving: a barred rater begins anew, a paid one is paid twice, an old link opens more."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from itsdangerous import TimestampSigner, URLSafeTimedSerializer

from palaver.storage.people import rater_work
from palaver.storage.people.participants import find_visits
from support.databases import Postgres
from support.flow_studies import system
from support.houses import House
from support.judging_studies import build_judging_house
from support.participants import Participant

pytestmark = pytest.mark.asyncio

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
PANEL = {"kind": "parameters", "participant": "who", "assignment": "task"}


@pytest.fixture(scope="module", params=DATABASES)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """Studies that chat and studies that judge, served by one process."""
    folder: Path = tmp_path_factory.mktemp(f"leaving-{request.param}")
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    House.build(folder, {"chat": system(), "panel": system(crowd=PANEL)}, url)
    built = build_judging_house(folder, url)
    built.serve()
    yield built
    built.close()


async def withdraw(person: Participant) -> None:
    await person.open(f"{person.path}/withdraw")
    await person.send("withdraw", confirm="yes")
    assert person.heading == "You have withdrawn"


def bar(house: House, study: str, person: str) -> None:
    """Bar somebody as a failed check does."""

    def work(connection) -> None:  # type: ignore[no-untyped-def]
        [row] = [each for each in house_studies(house) if each.name == study]
        [visit] = find_visits(connection, row.id, person)
        rater_work.record(
            connection,
            participant_id=visit.participant_id,
            name=f"{study}:0",
            state="barred",
            study_id=row.id,
            reason="gold",
            now=time.time(),
        )

    house.store.write_now(work)


def house_studies(house: House) -> list:  # type: ignore[type-arg]
    return house.rows("SELECT id, name FROM studies")


async def test_a_barred_rater_who_withdraws_is_still_barred(house: House) -> None:
    async with house.visitor("golden", "barred-bella") as bella:
        await bella.begin()
        bar(house, "golden", "barred-bella")
        await withdraw(bella)
    assert "barred-bella" not in house.everything()
    for _ in range(2):  # and again, under the name that came back
        async with house.visitor("golden", "barred-bella") as again:
            assert again.heading == "This study is looking for other people this time"
            await withdraw(again)
    assert "barred-bella" not in house.everything()


async def test_declining_is_no_way_out_of_a_bar_either(house: House) -> None:
    async with house.visitor("golden", "declining-dan") as dan:
        bar(house, "golden", "declining-dan")
        await dan.send("consent", consent="decline")
    async with house.visitor("golden", "declining-dan") as again:
        assert again.heading == "This study is looking for other people this time"


async def test_whoever_completed_and_withdrew_is_not_paid_again(house: House) -> None:
    async with house.visitor("chat", "twice-paid-tim") as tim:
        await tim.begin()
        await (await tim.chat("Hello", "Bye")).ends()
        await tim.reload()
        code = tim.code
        assert code
        await withdraw(tim)
        assert tim.code == code
        async with house.visitor("chat", "twice-paid-tim") as again:
            assert (again.status, again.heading) == (403, "You have taken part before")
            assert again.code is None
    # The hash stands for nothing else that is stored.
    stones = house.rows("SELECT fingerprint, name, state FROM tombstones WHERE state = 'completed'")
    assert [(len(stone.fingerprint), stone.name) for stone in stones] == [(64, "")]


async def test_whoever_withdrew_in_good_standing_may_begin_anew(house: House) -> None:
    query = f"{house.server.base}/s/panel?who=good-gina&task=1"
    async with Participant(query) as gina:
        await gina.begin()
        await gina.chat("My zebra")
        await withdraw(gina)
        await gina.open(query)
        assert "Do you agree?" in gina.page
        await gina.begin()
        await (await gina.chat("Hello", "Bye")).ends()
        await gina.reload()
        assert gina.code
    assert "zebra" not in house.everything()


def old_link(house: House, person: str) -> str:
    """The link of somebody, signed a hundred hours ago."""

    class Old(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(time.time() - 100 * 3600)

    signer = URLSafeTimedSerializer(house.store.secret(), salt="palaver.link", signer=Old)
    return f"{house.server.base}/s/chat?link={signer.dumps(['chat', person, '1'])}"


async def test_an_expired_link_leads_to_the_withdrawal_and_nowhere_else(house: House) -> None:
    async with house.visitor("chat", "old-olga") as olga:
        await olga.begin()
        await olga.chat("My quetzal")
        visit = olga.path
    async with Participant(old_link(house, "old-olga")) as late:
        assert (late.status, late.heading) == (403, "This link has expired")
        assert "Withdraw and erase what I gave" in late.page
        assert not late.session.cookie_jar
        await late.open(visit)
        assert late.status == 403
        address = late.link.replace("/s/chat?", "/s/chat/withdraw?")
        await late.open(address)
        assert late.heading == "Withdraw from this study"
        assert "quetzal" not in late.page
        # Without the tick, or from another site, nothing happens.
        for form, status in (({}, 422), ({"confirm": "yes", "csrf": "0"}, 403)):
            async with late.session.post(address, data={**late.hidden(), **form}) as refused:
                assert refused.status == status
        assert "quetzal" in house.everything()
        async with late.session.post(address, data={**late.hidden(), "confirm": "yes"}) as done:
            assert "You have withdrawn" in await done.text()
        await late.open(address)
        assert late.status == 403
        assert "nothing to withdraw" in late.page
    assert "quetzal" not in house.everything()
    assert "old-olga" not in house.everything()


async def test_only_the_holder_of_a_link_withdraws_with_it(house: House) -> None:
    async with house.visitor("chat", "careful-carl") as carl:
        await carl.begin()
        await carl.chat("My ocelot")
    forged = URLSafeTimedSerializer("guess", salt="palaver.link").dumps(
        ["chat", "careful-carl", "1"]
    )
    for query in ("", "link=", f"link={forged}", "who=careful-carl"):
        async with Participant(f"{house.server.base}/s/chat/withdraw?{query}") as thief:
            assert thief.status == 403
    assert "ocelot" in house.everything()
