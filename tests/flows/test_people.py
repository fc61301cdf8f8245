"""Two people: the waiting room, the conversation, and what happens when one of them goes."""

import asyncio
import re

import pytest

from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio


async def bring_together(ann: Participant, ben: Participant) -> None:
    for person in (ann, ben):
        await person.begin()
    outcomes = await asyncio.gather(
        *(p.wait_for_partner() for p in (ann, ben) if "/waiting/" in p.page)
    )
    assert set(outcomes) == {"seated"}


def visit(house: House, person: str):
    [row] = house.rows(
        "SELECT a.* FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = :person",
        person=person,
    )
    return row


async def test_two_people_meet_and_both_see_the_same(house: House) -> None:
    async with house.visitor("people", "pa") as ann, house.visitor("people", "pb") as ben:
        await bring_together(ann, ben)
        hers, his = await ann.room(), await ben.room()
        for n in range(3):
            await hers.say(f"ann {n}")
            await his.say(f"ben {n}")
        assert await hers.ends() == await his.ends() == "complete"

        assert hers.said() == his.said()
        assert hers.said() == ["ann 0", "ben 0", "ann 1", "ben 1", "ann 2", "ben 2"]
        await asyncio.gather(ann.reload(), ben.reload())
        assert ann.code
        assert ben.code
    [record] = [d for d in house.dialogues("people") if len(d.events) and "ann 0" in str(d.events)]
    assert sorted(seat.kind for seat in record.seats) == ["person", "person"]
    assert record.condition == "people"
    assert visit(house, "pa").waited > 0


async def test_nobody_is_paired_with_themselves_nor_twice(house: House) -> None:
    names = [f"crowd-{n}" for n in range(6)]
    people = [house.visitor("people", name) for name in names]
    try:
        for person in people:
            await person.open(person.link)
            await person.begin()
        twin = Participant(people[-1].link)
        await twin.open(twin.link)
        people.append(twin)
        await asyncio.gather(*(p.wait_for_partner() for p in people if "/waiting/" in p.page))
        assert all(len(p.sockets()) == 1 and "/room/" in p.sockets()[0] for p in people)
    finally:
        for person in people:
            await person.session.close()
    seated = house.rows(
        "SELECT s.dialogue_id, p.external_id FROM seats s "
        "JOIN assignments a ON a.id = s.assignment_id "
        "JOIN participants p ON p.id = a.participant_id WHERE p.external_id LIKE 'crowd-%'"
    )
    assert sorted(row.external_id for row in seated) == names
    assert len({row.dialogue_id for row in seated}) == 3
    left = house.rows(
        "SELECT w.* FROM waiting w JOIN studies s ON s.id = w.study_id WHERE s.name = 'people'"
    )
    assert left == []


async def test_a_person_who_waits_alone_is_paid_for_the_wait(house: House) -> None:
    async with house.visitor("alone-paid", "lonely") as ann:
        await ann.begin()
        assert "We cannot say yet how long it will take" in ann.page
        assert await ann.wait_for_partner() == "over"
        assert ann.heading == "Nobody came this time"
        assert ann.code
    row = visit(house, "lonely")
    assert (row.state, row.reason) == ("finished", "waited")
    assert row.waited >= 1.0


async def test_a_person_may_stop_waiting(house: House) -> None:
    async with house.visitor("people", "leaver") as ann:
        await ann.begin()
        await ann.open(f"{ann.path}/leave")
        await ann.send("leave")
        assert ann.heading == "Nobody came this time"
        assert ann.code


async def test_a_stand_in_takes_the_seat_of_nobody(house: House) -> None:
    async with house.visitor("alone-stand-in", "stood-up") as ann:
        await ann.begin()
        assert await ann.wait_for_partner() in {"over", "seated"}
        room = await ann.chat("Hello")
        assert room.heard() == ["tern one"]
        # As a word of its own: keys are drawn, and one in many thousand holds these letters.
        told = "".join(ann.received).replace("tern one", "")
        assert re.search(r"(?<![\w-])tern(?![\w-])", told) is None
    [record] = house.dialogues("alone-stand-in")
    assert record.condition == "people"
    assert {(seat.kind, seat.from_seq) for seat in record.seats} == {("person", 1), ("system", 1)}


async def test_whoever_stays_is_paid_and_whoever_left_may_start_again(house: House) -> None:
    async with house.visitor("leaver-paid", "stays") as ann:
        async with house.visitor("leaver-paid", "goes") as ben:
            await bring_together(ann, ben)
            hers, his = await ann.room(), await ben.room()
            await hers.say("Hello")
            await his.say("Hi")
        assert await hers.ends() == "disconnected"
        await ann.reload()
        assert ann.heading == "Your partner has left"
        assert "2.5" in ann.page
        assert ann.code
        async with Participant(ben.link) as back:
            assert back.heading == "Your conversation has ended"
            await back.send("again")
            assert "/waiting/" in back.page
    assert [d.reason for d in house.dialogues("leaver-paid")] == ["disconnected"]


@pytest.mark.parametrize("study", ["leaver-replaced", "sleeper-replaced"])
async def test_a_system_takes_the_seat_of_whoever_left(house: House, study: str) -> None:
    async with house.visitor(study, f"{study}-a") as ann, house.visitor(study, f"{study}-b") as ben:
        await bring_together(ann, ben)
        rooms = {0: None, 1: None}
        for person in (ann, ben):
            room = await person.room()
            seat = int(re.search(r'data-seat="(\d)"', person.page).group(1))
            rooms[seat] = (person, room)
        (stayer, hers), (leaver, his) = rooms[0], rooms[1]
        await hers.say("Hello")
        await his.until(lambda room: room.said() == ["Hello"])
        if study == "leaver-replaced":
            await his.close()
        await hers.hears("plover one")
        await hers.say("Still there?")
        await hers.hears("plover two")
        assert "plover" not in re.sub("plover (one|two)", "", "".join(stayer.received))

        if study == "sleeper-replaced":
            await his.closed.wait()
            assert his.socket.close_code == 4001
        await leaver.reload()
        assert leaver.heading == "The conversation went on without you"
    [record] = house.dialogues(study)
    takeover = next(event for event in record.events if event.action == "takeover")
    assert (takeover.seat, takeover.data["system"], takeover.audience) == (1, "plover", ())
    assert [(s.index, s.kind, s.from_seq) for s in record.seats] == [
        (0, "person", 1),
        (1, "person", 1),
        (1, "system", takeover.seq),
    ]
    assert all(event["action"] != "takeover" for event in hers.events)


async def test_each_person_sees_their_own_persona_only(house: House) -> None:
    async with house.visitor("personas") as ann, house.visitor("personas") as ben:
        await bring_together(ann, ben)
        await ann.room()
        await ben.room()
        seen = {
            re.search(r'data-seat="(\d)"', person.page).group(1): "".join(person.received)
            for person in (ann, ben)
        }
    assert "You love mountains" in seen["0"]
    assert "You fear heights" not in seen["0"]
    assert "You fear heights" in seen["1"]
    assert "You love mountains" not in seen["1"]
