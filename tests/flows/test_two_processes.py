"""PostgreSQL with two web processes: one deployment, wherever a page happens to be."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.databases import Postgres
from support.flow_studies import people, system
from support.houses import House
from support.judging_studies import build_judging_house
from support.participants import PATIENCE, Participant, Room

pytestmark = [pytest.mark.asyncio, pytest.mark.postgres]


@pytest.fixture(scope="module")
def pair(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Two processes on one new database."""
    folder: Path = tmp_path_factory.mktemp("two-processes")
    definitions = {
        "long": system(turns={"exactly": 400}),
        "people": people(limits={}, turns={"exactly": 40}),
        "people-gone": people(limits={"disconnect": 1}, turns={"exactly": 40}),
        "quota": system(conditions="tern:5"),
    }
    house = House.build(folder, definitions, postgres.new_database())
    house.serve()
    house.serve()
    yield house
    house.close()


async def meet(one: Participant, other: Participant) -> tuple[Room, Room]:
    for person in (one, other):
        await person.begin()
    waiting = [p for p in (one, other) if "/waiting/" in p.page]
    outcomes = await asyncio.gather(*(p.wait_for_partner() for p in waiting))
    assert set(outcomes) <= {"seated"}
    return await one.room(), await other.room()


async def test_two_people_on_different_processes_chat(pair: House) -> None:
    first, second = pair.servers[:2]
    async with (
        pair.visitor("people", server=first) as ann,
        pair.visitor("people", server=second) as ben,
    ):
        hers, his = await meet(ann, ben)
        await hers.socket.send_json({"type": "typing", "on": True})
        await his.until(lambda r: any(f["type"] == "typing" and f["on"] for f in r.frames))
        for n in range(5):
            await asyncio.gather(hers.say(f"ann {n}"), his.say(f"ben {n}"))
        for room in (hers, his):
            await room.until(lambda r: len(r.said()) == 10)
        assert hers.said() == his.said()
        assert sorted(hers.said()) == sorted(
            f"{who} {n}" for who in ("ann", "ben") for n in range(5)
        )


async def test_exactly_one_process_answers(pair: House) -> None:
    async with pair.visitor("long", server=pair.servers[0]) as ann:
        await ann.begin()
        room = await ann.room()
        for n in range(20):
            await room.say(f"message {n}")
            await room.hears(count=n + 1)
            if n % 4 == 3:
                await room.close()
                await room.connect(pair.servers[n // 4 % 2].base)
                room.participant.base = room.url.partition("/take/")[0]
        assert len(room.heard()) == 20
        assert room.said()[::2] == [f"message {n}" for n in range(20)]
    record = next(d for d in pair.dialogues("long") if len(d.events) > 30)
    replied_to = [e.reply_to for e in record.events if e.seat == 1 and e.action == "message"]
    assert len(set(replied_to)) == len(replied_to) == 20


async def test_the_dialogue_goes_on_when_the_process_that_drives_it_is_killed(pair: House) -> None:
    doomed, survivor = pair.serve(), pair.servers[0]
    async with pair.visitor("long", server=doomed) as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        await room.close()
        await room.connect(survivor.base)
        assert room.said() == ["Hello", "tern one"]
        doomed.kill()
        await room.say("Are you there?")
        await room.hears("tern two")
        assert room.said() == ["Hello", "tern one", "Are you there?", "tern two"]


async def test_a_page_that_moved_to_another_process_has_not_left(pair: House) -> None:
    first, second = pair.servers[:2]
    async with (
        pair.visitor("people-gone", server=first) as ann,
        pair.visitor("people-gone", server=second) as ben,
    ):
        hers, his = await meet(ann, ben)
        await hers.say("Hello")
        await hers.close()
        await hers.connect(second.base)
        # The first process notes the page's absence after three seconds.
        await his.until(
            lambda r: (
                [e["action"] for e in r.events if e["action"] in ("join", "leave")][-2:]
                == ["leave", "join"]
            )
        )
        with pytest.raises(TimeoutError):
            await his.ends(seconds=3)
        await hers.say("Still here")
        await his.until(lambda r: r.said()[-1] == "Still here")


async def test_an_older_tab_on_another_process_gives_way(pair: House) -> None:
    first, second = pair.servers[:2]
    async with pair.visitor("long", server=first) as ann:
        await ann.begin()
        older = await ann.chat("Hello")
        newer = Room(ann, older.url)
        await newer.connect(second.base)
        await asyncio.wait_for(older.closed.wait(), PATIENCE)
        assert {"type": "replaced"} in older.frames
        await newer.say("Here now")
        await newer.hears("tern two")
        await newer.close()


async def test_a_quota_holds_over_both_processes(pair: House) -> None:
    people = [pair.visitor("quota", server=pair.servers[n % 2]) for n in range(12)]
    try:
        await asyncio.gather(*(p.open(p.link) for p in people))
        await asyncio.gather(*(p.begin() for p in people))
        assert sum(bool(p.sockets()) for p in people) == 5
        assert pair.places("quota") == {"held": 5}
    finally:
        for person in people:
            await person.session.close()


async def test_many_on_an_open_condition_all_find_a_seat(pair: House) -> None:
    people = [pair.visitor("long", server=pair.servers[n % 2]) for n in range(16)]
    try:
        await asyncio.gather(*(p.open(p.link) for p in people))
        await asyncio.gather(*(p.begin() for p in people))
        assert [p.status for p in people] == [200] * 16
        assert all(p.sockets() for p in people)
    finally:
        for person in people:
            await person.session.close()


async def test_many_people_on_both_processes_are_paired_once_each(pair: House) -> None:
    people = [pair.visitor("people", f"both-{n}", server=pair.servers[n % 2]) for n in range(10)]
    try:
        await asyncio.gather(*(p.open(p.link) for p in people))
        await asyncio.gather(*(p.begin() for p in people))
        await asyncio.gather(*(p.wait_for_partner() for p in people if "/waiting/" in p.page))
        assert all("/room/" in p.sockets()[0] for p in people)
    finally:
        for person in people:
            await person.session.close()
    seated = pair.rows(
        "SELECT s.dialogue_id, p.external_id FROM seats s "
        "JOIN assignments a ON a.id = s.assignment_id "
        "JOIN participants p ON p.id = a.participant_id WHERE p.external_id LIKE 'both-%'"
    )
    assert sorted(row.external_id for row in seated) == [f"both-{n}" for n in range(10)]
    assert len({row.dialogue_id for row in seated}) == 5


@pytest.fixture(scope="module")
def judges(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Two processes on one new database, for studies in which people judge."""
    folder: Path = tmp_path_factory.mktemp("two-judging-processes")
    house = build_judging_house(folder, postgres.new_database())
    house.serve()
    house.serve()
    yield house
    house.close()


async def _keep(ann: Participant, base: str, number: int, answers: dict[str, str]) -> bool:
    """Save answers of the page through a process, as its script would; whether they are kept."""
    address = base + ann.path.removeprefix(ann.base) + "/keep"
    names = {name.partition(":")[0] for name in answers}
    data = [*{"kept": "0", **ann.hidden(), "number": str(number)}.items()]
    data += [*answers.items(), *(("changed", name) for name in names)]
    async with ann.session.post(address, data=data) as response:
        assert response.status == 200
        return bool((await response.json())["kept"])


async def test_saves_on_one_process_do_not_outlive_the_sending_on_another(judges: House) -> None:
    first, second = judges.servers[:2]
    async with judges.visitor("two-questions", "ann", server=first) as ann:
        await ann.begin()
        turn = ann.page.partition('name="answer-empathy-')[2].partition(":")[0]
        screens = [
            {f"answer-empathy-{turn}:empathy": "empathetic"},
            {"answer-quality_likert": "4", "answer-grammatical_likert": "5"},
        ]
        for answers in screens:
            assert await _keep(ann, second.base, 1, answers)
            # Each is kept before the sending, or is told that it came too late.
            await asyncio.gather(
                *(_keep(ann, second.base, number, answers) for number in (2, 3, 4)),
                ann.send("rate", **answers),
            )
            kept = judges.rows("SELECT content FROM drafts")
            assert not any("fields" in content for (content,) in kept)
        assert ann.code
    assert judges.rows("SELECT content FROM drafts") == []
    assert [label.question for label in judges.labels("two-questions")] == [
        "empathy",
        "quality_likert",
        "grammatical_likert",
    ]
