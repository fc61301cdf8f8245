"""Ways in: signed links, panels with URL parameters, and previews that store nothing."""

import asyncio
import re
import time

import pytest
from itsdangerous import TimestampSigner, URLSafeTimedSerializer

from palaver.crowds.links import sign_link
from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio


async def open_page(house: House, path: str) -> Participant:
    visitor = Participant(house.server.base + path)
    try:
        await visitor.open(visitor.link)
    finally:
        await visitor.session.close()
    return visitor


@pytest.mark.parametrize(
    ("study", "query"),
    [
        ("prolific", "PROLIFIC_PID=preview-p1&SESSION_ID=preview-s1&STUDY_ID=x"),
        ("chateval", "worker_id=preview-p2&assignment_id=preview-s2"),
        ("panel", "who=preview-p3&task=preview-s3"),
    ],
)
async def test_a_panels_parameters_let_somebody_in_once(
    house: House, study: str, query: str
) -> None:
    async with Participant(f"{house.server.base}/s/{study}?{query}") as first:
        assert "Do you agree?" in first.page
        path = first.path
        await first.open(f"{first.link}&utm_source=mail")
        assert first.path == path
    person = query.split("&")[0].partition("=")[2]
    [visit] = house.rows(
        "SELECT crowd, p.external_id AS person, a.external_id AS task FROM assignments a "
        "JOIN participants p ON p.id = a.participant_id WHERE p.external_id = :person",
        person=person,
    )
    assert (visit.person, visit.task) == (person, person.replace("-p", "-s"))


@pytest.mark.parametrize(
    ("study", "query"),
    [
        ("chat", ""),
        ("prolific", "PROLIFIC_PID=only-person"),
        ("prolific", "SESSION_ID=only-session"),
        ("prolific", "PROLIFIC_PID={{%25PROLIFIC_PID%25}}&SESSION_ID={{%25SESSION_ID%25}}"),
        ("chateval", "worker_id=w&assignment_id=ASSIGNMENT_ID_NOT_AVAILABLE"),
        ("panel", "worker_id=w&assignment_id=a"),
        ("panel", f"who={'w' * 201}&task=t"),
        ("panel", "who=w%00&task=t"),
        ("panel", "who=%ED%A0%80%0A&task=%0A"),
    ],
)
async def test_without_all_parameters_there_is_a_preview_and_nothing_is_stored(
    house: House, study: str, query: str
) -> None:
    before = house.rows("SELECT external_id FROM participants ORDER BY id")

    for step in ("", "consent", "instructions", "done", "nonsense"):
        seen = await open_page(house, f"/s/{study}?{query}&step={step}")
        assert seen.status == 200
        assert "/take/" not in seen.url
        assert "review" in seen.page
        assert "data-socket" not in seen.page

    assert house.rows("SELECT external_id FROM participants ORDER BY id") == before


async def test_many_arrivals_of_one_person_at_once_make_one_visit(house: House) -> None:
    path = "/s/panel?who=eager&task="
    seen = await asyncio.gather(*(open_page(house, f"{path}{n}") for n in range(8)))

    visits = house.rows(
        "SELECT a.key FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = :person",
        person="eager",
    )
    # Nothing was done yet: the visit is that of the browser that came last.
    assert len(visits) == 1
    [last] = [page for page in seen if page.path.endswith(visits[0].key)]
    assert (last.status, {page.status for page in seen} <= {200, 404}) == (200, True)


async def test_forged_links_are_refused_in_words(house: House) -> None:
    good = house.link("chat", "forged-fred")
    guessed = URLSafeTimedSerializer("guess", salt="palaver.link")
    forger = guessed.dumps(["chat", "fred-the-forger", "1"])
    other = sign_link(house.store.secret(), study="exact", person="fred-the-forger")

    for link in (
        f"{good[:-12]}not-the-same",
        f"/s/chat?link={forger}",
        "/s/chat?link=",
        "/s/chat?link=%00",
    ):
        seen = await open_page(house, link.removeprefix(house.server.base))
        assert (seen.status, seen.heading) == (403, "This link does not work")
    elsewhere = await open_page(house, f"/s/chat?link={other}")
    assert elsewhere.status == 403
    assert "another study" in elsewhere.page
    # Names that are longer than what the keys in the tables hold by chance.
    stored = house.everything()
    assert "forged-fred" not in stored
    assert "fred-the-forger" not in stored


async def test_an_expired_link_says_so(house: House) -> None:
    seen = await open_page(house, dated_link(house, "too-late-tom", hours=-73))

    assert (seen.status, seen.heading) == (403, "This link has expired")
    assert "was good for 72 hours" in seen.page
    assert "Withdraw" not in seen.page  # nobody came with it in time


async def test_clocks_may_differ_by_minutes(house: House) -> None:
    """A machine whose clock is fast makes links from the future."""
    assert (await open_page(house, dated_link(house, "fast-fay", hours=4 / 60))).status == 200

    seen = await open_page(house, dated_link(house, "faster-fred", hours=1))
    assert seen.status == 403
    assert re.search(r"was made \d+ minutes in the future. The clock", seen.page)
    assert "expired" not in seen.page


def dated_link(house: House, person: str, *, hours: float) -> str:
    """A link that was signed by a clock that goes so many hours before or after ours."""

    class Dated(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(time.time() + hours * 3600)

    signer = URLSafeTimedSerializer(house.store.secret(), salt="palaver.link", signer=Dated)
    return f"/s/chat?link={signer.dumps(['chat', person, '1'])}"


async def test_an_unknown_study_names_the_near_ones(house: House) -> None:
    seen = await open_page(house, "/s/chatt")

    assert seen.status == 404
    assert "chat" in seen.page


async def test_the_panels_own_code_and_way_back_stand_at_the_end(house: House) -> None:
    link = house.server.base + "/s/prolific?PROLIFIC_PID=payee&SESSION_ID=1"
    async with Participant(link) as ann:
        await ann.begin()
        await (await ann.chat("Hello", "Bye")).ends()
        await ann.reload()
        assert ann.code == "C0DE1234"
        assert "https://app.prolific.com/submissions/complete?cc=C0DE1234" in ann.page


async def test_a_person_gets_the_condition_they_did_least_then_the_one_most_needed(
    house: House,
) -> None:
    met = []
    for task in ("1", "2", "3"):
        link = f"{house.server.base}/s/panel-again?who=faithful&task={task}"
        async with Participant(link) as ann:
            await ann.begin()
            room = await ann.chat("Hello", "Bye")
            await room.ends()
            await ann.reload()
            met.append(room.heard()[0])
    # Four of tern and three of plover are needed.
    assert met == ["tern one", "plover one", "tern one"]
