"""Attacks on the door: invented ids, somebody else's ids, forged signatures, guessed codes."""

import base64
import hashlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.crowds.signed_parameters import sign_parameters
from support.databases import Postgres
from support.flow_studies import TIMELESS, system
from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio

SECRET = "what the panel and we know"
PANEL = {"kind": "parameters", "participant": "who", "assignment": "task"}
STUDIES = {
    "panel": system(crowd=PANEL),
    "again": system(crowd={**PANEL, "repeats": True}),
    "unasked": system(crowd=PANEL, consent=None, instructions=None),
    "signed": system(crowd={**PANEL, "secret_from": "PALAVER_TEST_PANEL_SECRET"}),
    "prolific": system(crowd={"kind": "prolific", "signed": True, "keys": "keys.json"}),
    "talk": system(turns={"at_least": 2}, limits=TIMELESS, crowd=PANEL),
}


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """The studies under attack, served by one process."""
    folder: Path = tmp_path_factory.mktemp(f"door-{request.param}")
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    built = House.build(folder, STUDIES, url)
    (folder / "studies" / "prolific" / "keys.json").write_text(json.dumps({"keys": [JWK]}))
    built.serve(environment={"PALAVER_TEST_PANEL_SECRET": SECRET})
    yield built
    built.close()


def came(house: House, study: str, query: str) -> Participant:
    """A browser of its own that opens the study with these parameters."""
    return Participant(f"{house.server.base}/s/{study}?{query}")


def return_code(person: Participant) -> str:
    """The return code on the page."""
    found = re.search(r'class="code return-code"[^>]*>([^<]+)<', person.page)
    assert found is not None, person.heading
    return found[1]


async def type_code(person: Participant, code: str) -> None:
    """Send the form that asks for the return code."""
    form = {**person.hidden(), "return_code": code}
    async with person.session.post(person.link, data=form) as response:
        await person._arrive(response)


async def test_invented_sessions_give_one_visit_and_one_code(house: House) -> None:
    codes = set()
    async with came(house, "panel", "who=greedy&task=1") as ann:
        await ann.begin()
        await (await ann.chat("Hello", "Bye")).ends()
        await ann.reload()
        codes.add(ann.code)
        for task in ("2", "3"):
            await ann.open(f"{house.server.base}/s/panel?who=greedy&task={task}")
            codes.add(ann.code)
    async with came(house, "panel", "who=greedy&task=4") as elsewhere:
        assert elsewhere.heading == "Welcome back"
        assert elsewhere.code is None
    assert len(codes) == 1
    assert None not in codes
    visits = house.rows(
        "SELECT a.id FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = 'greedy'"
    )
    assert len(visits) == 1


async def test_repeats_allow_one_visit_for_each_piece_of_work(house: House) -> None:
    paths = set()
    for task in ("1", "2", "2"):
        async with came(house, "again", f"who=regular&task={task}") as ann:
            paths.add(ann.path)
    # The second arrival for task 2 found the same visit, of which nothing had been done.
    assert len(paths) == 3
    visits = house.rows(
        "SELECT a.external_id FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = 'regular' ORDER BY a.id"
    )
    assert [visit.external_id for visit in visits] == ["1", "2"]


async def test_knowing_somebodys_ids_opens_nothing_and_their_code_does(house: House) -> None:
    async with came(house, "talk", "who=vera&task=1") as vera:
        code = return_code(vera)
        await vera.begin()
        await vera.chat("My secret hobby is heraldry")
        async with came(house, "talk", "who=vera&task=1") as thief:
            assert thief.heading == "Welcome back"
            await type_code(thief, "22222-22222")
            assert thief.status == 422
            assert "not the return code" in thief.page
            async with thief.session.get(vera.path) as stolen:
                assert stolen.status == 403
            assert not any("heraldry" in sent for sent in thief.received)
            assert not any(vera.path.rpartition("/")[2] in sent for sent in thief.received)
        async with came(house, "talk", "who=vera&task=1") as phone:
            await type_code(phone, f" {code.lower().replace('-', ' ')} ")
            assert phone.path == vera.path
            await phone.chat()
            assert phone.status == 200
    assert code.replace("-", "") not in house.everything()


async def test_codes_cannot_be_guessed_at_will(house: House) -> None:
    async with came(house, "unasked", "who=gus&task=1") as gus:
        code = return_code(gus)
        await gus.send("start")
    async with came(house, "unasked", "who=gus&task=1") as thief:
        for n in range(5):
            await type_code(thief, f"BBBBB-BBBB{n + 2}")
            assert "not the return code" in thief.page
        for guess in ("BBBBB-BBBBB", code):
            await type_code(thief, guess)
            assert "one try too many" in thief.page


async def test_whoever_comes_first_with_others_ids_does_not_stay_in(house: House) -> None:
    """A scanner, or a thief, opened the address before the person did."""
    async with came(house, "panel", "who=late&task=1") as thief:
        stolen = thief.path
        async with came(house, "panel", "who=late&task=1") as late:
            assert "Do you agree?" in late.page
            await late.begin()
            await thief.open(stolen)
            assert thief.status == 404
            await thief.open(thief.link)
            assert thief.heading == "Welcome back"
            assert late.path != stolen


async def test_a_panel_that_signs_is_believed_and_nobody_else(house: House) -> None:
    signature = sign_parameters(SECRET, study="signed", person="sue", assignment="1")
    past = sign_parameters(SECRET, study="signed", person="sue", assignment="1", expires="1000")
    soon = str(int(time.time()) - 30)  # within what clocks may differ
    skewed = sign_parameters(SECRET, study="signed", person="sky", assignment="1", expires=soon)
    ids = "who=sue&task=1"
    for query in (
        ids,
        f"{ids}&signature=",
        f"{ids}&signature={'0' * 64}",
        f"who=eve&task=1&signature={signature}",
        f"who=sue&task=2&signature={signature}",
        f"{ids}&expires=1000&signature={past}",
        f"{ids}&expires=9999999999&signature={past}",
        f"{ids}&expires=9999999999&signature={signature}",
    ):
        async with came(house, "signed", query) as forger:
            assert forger.status == 403, query
            assert "/take/" not in forger.url
    assert "sue" not in {
        row.external_id for row in house.rows("SELECT external_id FROM participants")
    }

    async with came(house, "signed", f"{ids}&signature={signature}") as sue:
        await sue.begin()
        # A signature resumes anywhere.
        async with came(house, "signed", f"{ids}&signature={signature}") as phone:
            assert phone.path == sue.path
    async with came(house, "signed", f"who=sky&task=1&expires={soon}&signature={skewed}") as sky:
        assert "Do you agree?" in sky.page
    async with came(house, "signed", "") as preview:
        assert "review" in preview.page


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _prime(seed: str, step: int) -> int:
    """The prime of 1024 bits that is so many odd numbers after one made of a seed."""
    number = int.from_bytes(
        b"".join(hashlib.sha256(f"{seed}{n}".encode()).digest() for n in range(4)), "big"
    )
    return (number | (1 << 1023) | (1 << 1022) | 1) + 2 * step


# The steps are known: searching for primes takes seconds, in every process of a test run.
FIRST, SECOND, EXPONENT = _prime("palaver one", 184), _prime("palaver two", 503), 65537
MODULUS = FIRST * SECOND
PRIVATE = pow(EXPONENT, -1, (FIRST - 1) * (SECOND - 1))
JWK = {
    "kty": "RSA",
    "kid": "k1",
    "alg": "RS256",
    "n": _encoded(MODULUS.to_bytes(256, "big")),
    "e": _encoded(EXPONENT.to_bytes(3, "big")),
}


def token(claims: dict[str, Any], *, alg: str = "RS256", kid: str = "k1", good: bool = True) -> str:
    """A token as Prolific signs one."""
    head = _encoded(json.dumps({"alg": alg, "kid": kid}).encode())
    body = _encoded(json.dumps(claims).encode())
    digest = hashlib.sha256(f"{head}.{body}".encode()).digest()
    info = bytes.fromhex("3031300d060960864801650304020105000420") + digest
    padded = b"\x00\x01" + b"\xff" * (256 - len(info) - 3) + b"\x00" + info
    signed = pow(int.from_bytes(padded, "big"), PRIVATE, MODULUS) ^ (0 if good else 1)
    return f"{head}.{body}.{_encoded(signed.to_bytes(256, 'big'))}"


def claims(person: str, **changed: Any) -> dict[str, Any]:
    """What Prolific says of somebody who comes to the study."""
    named = {"PROLIFIC_PID": person, "SESSION_ID": f"s-{person}", "workspace_id": "w"}
    return {"exp": time.time() + 600, "aud": "http://127.0.0.1", "prolific": named, **changed}


async def test_prolifics_tokens_are_verified(house: House) -> None:
    ids = "PROLIFIC_PID=pia&SESSION_ID=s-pia"
    body = _encoded(json.dumps(claims("pia")).encode())
    unsigned = ".".join([_encoded(json.dumps({"alg": "none"}).encode()), body, ""])
    for forged in (
        "",
        "x",
        "a.b.c",
        unsigned,
        token(claims("pia"), good=False),
        token(claims("pia"), alg="HS256"),
        token(claims("pia"), kid="k2"),
        token(claims("pia", exp=time.time() - 3600)),
        token(claims("pia", aud="https://elsewhere.example")),
        token(claims("pia", aud="http://127.0.0.1/s/another")),
        token(claims("pia", prolific="pia")),
    ):
        async with came(house, "prolific", f"{ids}&prolific_token={forged}") as forger:
            assert forger.status == 403, forged
            assert "/take/" not in forger.url
    # Who comes is what the token says, whatever stands beside it.
    good = token(claims("pia", aud="http://127.0.0.1:1/s/prolific?PROLIFIC_PID=pia"))
    async with came(
        house, "prolific", f"PROLIFIC_PID=eve&SESSION_ID=1&prolific_token={good}"
    ) as pia:
        await pia.begin()
        async with came(house, "prolific", f"prolific_token={good}") as phone:
            assert phone.path == pia.path
    people = {row.external_id for row in house.rows("SELECT external_id FROM participants")}
    assert "pia" in people
    assert "eve" not in people


async def test_previews_store_nothing_and_show_no_code(house: House) -> None:
    # Not what the server writes by itself meanwhile, such as checkpoints.
    of_people = ("participants", "assignments", "raters", "tombstones", "waiting", "audit_entries")
    before = house.everything(*of_people)
    async with came(house, "panel", "who={{%25ID%25}}&task=1") as preview:
        assert "review" in preview.page
        assert "return-code" not in preview.page
        await type_code(preview, "BBBBB-BBBBB")
        assert "/take/" not in preview.url
    assert house.everything(*of_people) == before
