"""One person, one system: from the link to the completion code."""

import asyncio

import pytest

from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio


async def test_a_visit_from_consent_to_code(house: House) -> None:
    async with house.visitor("chat", "ann") as ann:
        assert "Do you agree?" in ann.page
        await ann.send("consent", consent="agree")
        await ann.send("start")
        room = await ann.chat("Hello", "How are you?")
        assert await room.ends() == "complete"
        await ann.reload()

        assert ann.heading == "Thank you. You have finished."
        code = ann.code
        assert code
        assert len(code) == 10
        await ann.reload()
        assert ann.code == code

    assert room.said() == ["Hello", "tern one", "How are you?", "tern two"]
    [visit] = house.rows(
        "SELECT a.* FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = 'ann' AND crowd = 'link'"
    )
    assert (visit.state, visit.reason, visit.code) == ("finished", "complete", code)
    assert visit.consent_version == "2026-01"
    assert visit.created <= visit.consented <= visit.finished


async def test_the_same_link_later_says_that_it_is_finished(house: House) -> None:
    async with house.visitor("chat") as first:
        await first.begin()
        await (await first.chat("Hello", "Bye")).ends()
        await first.reload()
        code = first.code
    async with Participant(first.link) as later:
        assert later.heading == "Thank you. You have finished."
        assert later.code == code
        assert later.sockets() == []


async def test_the_same_link_resumes_where_it_was(house: House) -> None:
    async with house.visitor("chat") as phone:
        await phone.begin()
        await phone.chat("Hello")
    async with Participant(phone.link) as laptop:
        assert laptop.path == phone.path
        room = await laptop.room()
        assert room.said() == ["Hello", "tern one"]
        await room.say("Still me")
        assert await room.ends() == "complete"


async def test_declining_keeps_nothing_of_the_person_and_can_be_reconsidered(house: House) -> None:
    async with house.visitor("chat", "declining-dan") as dan:
        await dan.send("consent", consent="decline")
        assert dan.heading == "You are not taking part"
        assert dan.code is None
    assert "declining-dan" not in house.everything()

    async with Participant(dan.link) as again:
        assert "Do you agree?" in again.page


async def test_a_page_of_somebody_else_is_refused(house: House) -> None:
    async with house.visitor("chat") as ann, house.visitor("chat") as ben:
        await ben.open(ann.path)
        assert (ben.status, ben.heading) == (403, "This link does not work")
        await ben.open(f"{ann.path}/withdraw")
        assert ben.status == 403


async def test_a_form_without_its_token_is_refused(house: House) -> None:
    async with house.visitor("chat") as ann:
        await ann.send("consent", consent="agree", csrf="0" * 64)
        assert ann.status == 403
        await ann.open(ann.link)
        assert "Do you agree?" in ann.page


async def test_a_problem_report_is_kept(house: House) -> None:
    async with house.visitor("chat", "reporter") as ann:
        await ann.open(f"{ann.path}/problem")
        await ann.send("problem", text="The button is too small")
        assert ann.heading == "Thank you for telling us"
        await ann.open(f"{ann.path}/problem")
        await ann.send("problem", text="   ")
        assert ann.status == 422
    reports = house.rows(
        "SELECT text FROM problems JOIN assignments a ON a.id = assignment_id "
        "JOIN participants p ON p.id = a.participant_id WHERE p.external_id = 'reporter'"
    )
    assert [report.text.replace("\x00", "") for report in reports] == ["The button is too small"]


async def test_a_person_who_quits_gets_a_code_and_gives_the_place_back(house: House) -> None:
    async with house.visitor("idle") as ann:
        await ann.begin()
        room = await ann.room()
        await room.post("quit")
        assert await room.ends() == "quit"
        await ann.reload()
        assert ann.heading == "You ended the conversation early"
        assert ann.code
    assert "held" not in house.places("idle")


async def test_a_hurried_double_click_on_start_seats_once(house: House) -> None:
    async with house.visitor("chat", "double-click") as ann:
        await ann.send("consent", consent="agree")
        others = [Participant(ann.link) for _ in range(5)]
        for other in others:
            await other.open(ann.link)
        await asyncio.gather(ann.send("start"), *(other.send("start") for other in others))
        for other in others:
            await other.session.close()
    seated = house.rows(
        "SELECT DISTINCT group_key FROM dialogues d JOIN seats s ON s.dialogue_id = d.id "
        "JOIN assignments a ON a.id = s.assignment_id "
        "JOIN participants p ON p.id = a.participant_id WHERE p.external_id = 'double-click'"
    )
    assert len(seated) == 1
