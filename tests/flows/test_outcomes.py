"""Every outcome by a panel in a real server: its code, its way back, its pay, and nobody else's code."""

import html
import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.errors import ConflictError
from palaver.core.studies.life import LifeMove
from palaver.core.studies.outcomes import OUTCOMES
from palaver.core.studies.visits import ACTIVE
from palaver.storage.people.participants import Assignment, find_visits
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.run.freeing import Gone, free_visit
from palaver.studies.run.life import change_life
from support.flow_studies import TIMELESS, people, system
from support.houses import House, write_study
from support.judging_studies import FILES, READS, rating, training
from support.participants import Participant

from .conftest import Ground

pytestmark = pytest.mark.asyncio

CODES = {outcome: f"C0DE-{outcome.upper()}" for outcome in OUTCOMES}
PAY = {"amount": 2.0, "currency": "GBP", "early": 0.5, "practice": 0.3, "over_quota": 0.2}
CROWD: dict[str, Any] = {
    "kind": "parameters",
    "participant": "who",
    "assignment": "task",
    "study": "wave",
    "codes": CODES,
    "returns": {
        outcome: f"https://panel.example/{outcome}?cc={{code}}&id={{participant}}"
        "&task={session}&wave={study}"
        for outcome in OUTCOMES
    },
}
GIVEN: dict[str, Any] = {"crowd": CROWD, "pay": PAY}
# Two people talk, and whoever comes first may wait in vain.
MEETING = {**people(limits={"waiting": 1}), **GIVEN}
STUDIES = {
    "talk": system(conditions="tern:1", **GIVEN),
    "free": system(**GIVEN),
    "meet": MEETING,
    "leave": {**people(limits={}), **GIVEN},
    "attentive": rating(
        "many.jsonl", attention={"ask": ["reads"], "after": 1, "on_fail": "bar"}, order="file"
    )
    | {"questions": {"reads": READS}, **GIVEN},
    "screened": {
        **rating("many.jsonl"),
        "stages": [
            {"screen": {"training": "training.json", "ask": "empathy"}},
            {"rate": {"ask": ["empathy"], "data": "many.jsonl", "per_visit": 1, "raters": 9}},
        ],
        **GIVEN,
    },
    "bare": system(conditions="tern:1", crowd={**CROWD, "codes": {}, "returns": {}}),
    "held": system(conditions="tern:1", **GIVEN),
    "halted": system(**GIVEN),
    "stale": system(conditions="tern:1", **GIVEN),
    "open-door": system(crowd={**CROWD, "rejoin": "open"}),
    "limits": system(limits={**TIMELESS, "idle": 2}, **GIVEN),
    "worked": system(crowd={"kind": "microworkers"}),
}


@pytest.fixture(scope="module")
def panel_house(ground: Ground) -> Iterator[House]:
    """Every study of these stories, served by one process."""
    for name, definition in STUDIES.items():
        here = write_study(ground.folder / "studies" / name, definition)
        for file, lines in FILES.items():
            (here / file).write_text("".join(json.dumps(each) + "\n" for each in lines))
        (here / "training.json").write_text(json.dumps(training()))
    built = House(ground.folder / "studies", ground.folder / "home", ground.database_url)
    built.serve()
    yield built
    built.close()


def came(house: House, study: str, who: str, task: str = "t/1") -> Participant:
    """A browser of its own, sent by the panel."""
    return Participant(f"{house.server.base}/s/{study}?who={who}&task={task}&wave=w%261")


def back(person: Participant) -> str | None:
    """Where the button of the end leads."""
    found = re.search(r'<a class="button primary" href="([^"]+)"', person.page)
    return html.unescape(found[1]) if found else None


def freed(house: House, study: Study, visit: Assignment, outcome: Gone) -> bool:
    """Whether the visit was ended; tried again where the room said something at that moment."""
    free = partial(free_visit, study=study, visit=visit, outcome=outcome, now=visit.created + 1)
    while True:
        with suppress(ConflictError):
            return house.store.write_now(free)


def ends_as(person: Participant, outcome: str, who: str) -> None:
    """They have the code and the way back of this outcome, and never saw another code."""
    assert person.code == CODES[outcome]
    assert back(person) == (
        f"https://panel.example/{outcome}?cc={CODES[outcome]}&id={who}&task=t%2F1&wave=w%261"
    )
    others = [code for each, code in CODES.items() if each != outcome]
    assert not any(code in sent for code in others for sent in person.received)
    # Its own stands on no page before the last.
    assert not any(CODES[outcome] in sent for sent in person.received[:-2])


async def test_done_and_over_quota(panel_house: House) -> None:
    async with came(panel_house, "talk", "ann") as ann:
        await ann.begin()
        await (await ann.chat("Hello", "Bye")).ends()
        await ann.reload()
        ends_as(ann, "completed", "ann")
    seen = set()
    for _ in range(3):
        # The same end in this browser and in others, and never the start.
        async with came(panel_house, "talk", "late") as late:
            assert late.heading == "This study has all the answers it needs"
            assert "0.20 GBP" in late.page
            ends_as(late, "over_quota", "late")
            await late.open(late.link)
            assert late.code == CODES["over_quota"]
            seen.add(late.code)
    assert len(seen) == 1
    visits = panel_house.rows(
        "SELECT a.state, a.reason FROM assignments a JOIN participants p "
        "ON p.id = a.participant_id WHERE p.external_id = 'late'"
    )
    assert [tuple(visit) for visit in visits] == [("finished", "full")]


async def test_whoever_declines_or_withdraws_is_forgotten_and_still_finds_back(
    panel_house: House,
) -> None:
    async with came(panel_house, "free", "dora") as dora:
        await dora.send("consent", consent="decline")
        ends_as(dora, "no_consent", "dora")
    async with came(panel_house, "free", "will") as will:
        await will.begin()
        await will.chat("Hello")
        await will.open(f"{will.path}/withdraw")
        await will.send("withdraw", confirm="yes")
        ends_as(will, "withdrew", "will")
        assert "0.50 GBP" in will.page
    for gone in ("dora", "will"):
        assert f"'{gone}'" not in panel_house.everything("participants", "assignments")


async def test_stopping_in_the_middle(panel_house: House) -> None:
    async with came(panel_house, "free", "quinn") as quinn:
        await quinn.begin()
        room = await quinn.chat("Hello")
        await room.post("quit")
        await room.ends()
        await quinn.reload()
        ends_as(quinn, "stopped", "quinn")


async def test_waiting_in_vain(panel_house: House) -> None:
    async with came(panel_house, "meet", "lone") as lone:
        await lone.begin()
        assert await lone.wait_for_partner() == "over"
        ends_as(lone, "waited", "lone")


async def test_a_partner_who_leaves_or_returns_the_place(panel_house: House) -> None:
    async with came(panel_house, "leave", "stays") as stays:
        async with came(panel_house, "leave", "goes") as goes:
            await stays.begin()
            await goes.begin()
            await stays.reload()
            hers, his = await stays.room(), await goes.room()
            await his.post("quit")
            assert await hers.ends() == "quit"
        await stays.reload()
        ends_as(stays, "partner_left", "stays")


async def test_a_check_that_was_failed(panel_house: House) -> None:
    async with came(panel_house, "attentive", "asleep") as asleep:
        await asleep.begin()
        for _ in range(2):
            names = set(re.findall(r'name="(answer-empathy-\d+:empathy)"', asleep.page))
            answers = dict.fromkeys(names, "empathetic")
            if 'name="answer-reads"' in asleep.page:
                answers["answer-reads"] = "2"
            await asleep.send("rate", **answers)
        assert asleep.heading == "Thank you. We stop here."
        ends_as(asleep, "attention_failed", "asleep")


async def test_practice_that_was_not_passed(panel_house: House) -> None:
    async with came(panel_house, "screened", "bob") as bob:
        await bob.begin()
        await bob.send("practice")
        for answers in (("empathetic", "not_empathetic"),) * 2 + (("not_empathetic",) * 2,):
            names = dict.fromkeys(re.findall(r'name="(answer-empathy-\d+:empathy)"', bob.page))
            await bob.send("rate", **dict(zip(names, answers, strict=True)))
        assert bob.heading == "Thank you for practising"
        ends_as(bob, "screened_out", "bob")
        assert "0.30 GBP" in bob.page


async def test_whoever_finds_all_places_taken_may_stop(panel_house: House) -> None:
    async with came(panel_house, "held", "holder") as holder:
        await holder.begin()
        await holder.room()
        async with came(panel_house, "held", "second") as second:
            assert second.heading == "All places are taken right now"
            assert second.code is None
            assert "I would rather stop here" in second.page
            await second.send("stop", csrf="0" * 32)
            assert second.status == 403
            await second.reload()
            assert second.heading == "All places are taken right now"
            await second.send("stop")
            assert second.heading == "We stop here"
            ends_as(second, "over_quota", "second")
        # Whoever has a place is not let out by that door.
        await holder.open(f"{holder.path}/problem")
        await holder.send("stop")
        assert "data-socket" in holder.page
    async with came(panel_house, "held", "second") as again:
        assert again.heading == "We stop here"
        assert again.code == CODES["over_quota"]


async def test_a_place_that_was_returned_is_free_for_the_next_person(panel_house: House) -> None:
    study = load_study(panel_house.studies / "stale")
    async with came(panel_house, "stale", "first") as first:
        await first.begin()
        await first.room()
        [visit] = panel_house.store.read_now(
            lambda c: find_visits(c, _study_id(panel_house, "stale"), "first")
        )
        assert visit.state == ACTIVE
        assert [freed(panel_house, study, visit, "returned") for _ in range(2)] == [True, False]
        async with came(panel_house, "stale", "next") as following:
            assert "Do you agree?" in following.page
        await first.reload()
        assert first.heading == "You gave your place back"
        assert first.code is None
    assert panel_house.places("stale") == {"free": 1}


async def test_a_sheet_that_was_held_is_free_and_what_was_judged_stays(panel_house: House) -> None:
    study = load_study(panel_house.studies / "attentive")
    number = _study_id(panel_house, "attentive")
    async with came(panel_house, "attentive", "judge") as judge:
        await judge.begin()
        [field] = set(re.findall(r'name="(answer-empathy-\d+:empathy)"', judge.page))
        await judge.send("rate", **{field: "empathetic"})
        [visit] = panel_house.store.read_now(lambda c: find_visits(c, number, "judge"))

        def held() -> int:
            states = panel_house.rows(
                "SELECT state FROM slots WHERE assignment_id = :visit", visit=visit.id
            )
            return [row.state for row in states].count("held")

        assert held() == 1
        assert (freed(panel_house, study, visit, "timed_out"), held()) == (True, 0)
        await judge.reload()
        assert judge.heading == "The time for this visit is over"
    kept = panel_house.rows("SELECT id FROM labels WHERE assignment_id = :visit", visit=visit.id)
    assert len(kept) == 1


async def test_a_place_of_somebody_long_gone_is_free_at_the_next_arrival(
    panel_house: House,
) -> None:
    async with came(panel_house, "bare", "sleeper") as sleeper:
        await sleeper.begin()
        assert panel_house.places("bare") == {"held": 1}
        ago = "UPDATE {} SET {} = {} - 7200 WHERE {}"
        mine = "study_id IN (SELECT id FROM studies WHERE name = 'bare')"
        for table, column, where in (
            ("places", "since", mine),
            ("events", "time", f"dialogue_id IN (SELECT id FROM dialogues WHERE {mine})"),
        ):
            statement = ago.format(table, column, column, where)
            panel_house.store.write_now(lambda c, s=statement: c.exec_driver_sql(s))  # type: ignore[misc]
        async with came(panel_house, "bare", "heir") as heir:
            assert "Do you agree?" in heir.page
            await heir.begin()
            assert "data-socket" in heir.page


async def test_a_study_that_was_paused_or_closed_sends_people_back(panel_house: House) -> None:
    def move(how: LifeMove) -> None:
        number = _study_id(panel_house, "halted")
        panel_house.store.write_now(
            lambda c: change_life(c, number, "halted", None, how, actor=COMMAND, now=time.time())
        )

    move("pause")
    async with came(panel_house, "halted", "early") as early:
        assert early.heading == "This study is taking a break"
        assert early.code is None
        await early.send("stop")
        ends_as(early, "over_quota", "early")
        assert "0.20 GBP" in early.page
    move("close")
    async with came(panel_house, "halted", "later") as later:
        assert later.heading == "This study has ended"
        ends_as(later, "over_quota", "later")
    # What was given stands, whatever becomes of the study.
    move("reopen")
    for who, heading in (("early", "We stop here"), ("later", "This study has ended")):
        async with came(panel_house, "halted", who) as again:
            assert (again.heading, again.code) == (heading, CODES["over_quota"])


async def test_another_session_of_the_panel_is_the_same_visit(panel_house: House) -> None:
    async with came(panel_house, "free", "vera", "t/1") as vera:
        await vera.begin()
        path = vera.path
        await vera.open(f"{panel_house.server.base}/s/free?who=vera&task=t/2&wave=w2")
        assert vera.path == path
        async with came(panel_house, "free", "vera", "t/3") as elsewhere:
            assert elsewhere.heading == "Welcome back"
            assert "/take/" not in elsewhere.url
    async with came(panel_house, "open-door", "oleg", "t/1") as oleg:
        assert "return-code" not in oleg.page
        await oleg.begin()
        async with came(panel_house, "open-door", "oleg", "t/9") as elsewhere:
            assert elsewhere.path == oleg.path
            await oleg.reload()
            assert oleg.status == 200
    rows = panel_house.rows(
        "SELECT a.panel_study FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id IN ('vera', 'oleg')"
    )
    assert [row.panel_study for row in rows] == ["w&1", "w&1"]


async def test_a_panel_without_codes_keeps_the_place_in_line(panel_house: House) -> None:
    """Nothing was given that could be claimed: whoever comes later may still get in."""
    async with came(panel_house, "bare", "patient") as patient:
        if patient.heading == "All places are taken right now":
            assert patient.code is None
    rows = panel_house.rows(
        "SELECT a.state FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = 'patient'"
    )
    assert [row.state for row in rows] == ["active"]


async def test_ids_of_a_panel_cannot_change_where_people_are_sent(panel_house: House) -> None:
    who = "x%26id%3Dvictim%23%2F..%2F"
    async with came(panel_house, "free", who) as mallory:
        await mallory.send("consent", consent="decline")
        address = back(mallory)
        assert address is not None
        assert address.startswith("https://panel.example/no_consent?cc=")
        assert f"&id={who}&" in address


async def test_a_code_that_follows_from_worker_and_campaign(panel_house: House) -> None:
    from palaver.crowds.panels import Arrival
    from palaver.storage.engine.signing import LASTING, find_key
    from palaver.studies.run.dues import outcome_of_code

    link = f"{panel_house.server.base}/s/worked?worker=w7&campaign=c1"
    async with Participant(link) as worker:
        await worker.begin()
        await (await worker.chat("Hello", "Bye")).ends()
        await worker.reload()
        code = worker.code
    assert code
    key = panel_house.store.read_now(lambda c: find_key(c, LASTING))
    assert key is not None
    assert outcome_of_code(key, "worked", Arrival("w7", study="c1"), code.lower()) == "completed"
    for other in (Arrival("w8", study="c1"), Arrival("w7", study="c2"), Arrival("w7")):
        assert outcome_of_code(key, "worked", other, code) is None


def _study_id(house: House, name: str) -> int:
    [row] = house.rows("SELECT id FROM studies WHERE name = :name", name=name)
    return int(row.id)
