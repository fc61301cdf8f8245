"""People can leave: what they said and who they are is erased, that they were there is not."""

import asyncio

import pytest

from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio

WORDS = ("aardvark", "zucchini")


def anywhere(house: House, word: str) -> list[str]:
    """Where a word stands: rows of tables and, on SQLite, files of the home."""
    rows = [line for line in house.everything().splitlines() if word in line]
    files = house.home.glob("palaver.db*")
    return rows + [str(file) for file in files if word.encode() in file.read_bytes()]


async def withdraw(person: Participant) -> None:
    await person.open(f"{person.path}/withdraw")
    await person.send("withdraw", confirm="yes")
    assert person.heading == "You have withdrawn"


async def test_withdrawing_erases_words_and_identity_and_keeps_the_numbers(house: House) -> None:
    async with house.visitor("erasable", "erase-me-please") as ann:
        await ann.begin()
        room = await ann.chat(f"My {WORDS[0]}")
        await ann.open(f"{ann.path}/problem")
        await ann.send("problem", text=f"My {WORDS[1]}")
        assert anywhere(house, WORDS[0])

        await ann.open(f"{ann.path}/withdraw")
        await ann.send("withdraw")
        assert ann.status == 422
        assert anywhere(house, WORDS[0])
        await withdraw(ann)
        assert await room.ends() == "withdrawn"

        again = await Participant(ann.link).__aenter__()
        assert "Do you agree?" in again.page  # a stranger now
        await again.__aexit__()
    for gone in WORDS:
        assert not anywhere(house, gone)
    record = next(d for d in house.dialogues("erasable") if d.reason == "withdrawn")
    assert [event.seq for event in record.events] == list(range(1, len(record.events) + 1))
    assert [e.data for e in record.events if e.seat == 0] == [None, None]  # a join, a message
    assert [e.text for e in record.events if e.seat == 1] == ["tern one"]
    erase = record.events[-1]
    assert (erase.action, erase.data["seat"], erase.data["events"]) == ("erase", 0, 1)
    assert house.places("erasable").get("held") is None


async def test_identity_is_gone_when_nobody_comes_back(house: House) -> None:
    async with house.visitor("erasable", "never-heard-of-xenia") as ann:
        await ann.begin()
        await withdraw(ann)
        await ann.open(f"{ann.path}/withdraw")
        await ann.send("withdraw", confirm="yes")  # twice does no harm
        assert ann.heading == "You have withdrawn"
    assert not anywhere(house, "never-heard-of-xenia")


async def test_a_finished_visit_can_be_withdrawn_with_its_answers(house: House) -> None:
    async with house.visitor("in-turn", "regretful") as ann:
        await ann.begin()
        for _ in range(2):
            await (await ann.chat("my quokka", "Bye")).ends()
            await ann.reload()
        await ann.send("rate", **{"answer-better": "b"})
        assert ann.code
        await withdraw(ann)
        await ann.reload()
        assert ann.heading == "You have withdrawn"
    assert not anywhere(house, "quokka")
    erased = house.rows(
        "SELECT l.* FROM labels l JOIN assignments a ON a.id = l.assignment_id "
        "WHERE a.state = 'withdrawn'"
    )
    assert [(label.value, label.shown_order) for label in erased] == [(None, None)]


async def test_the_partner_of_somebody_who_withdraws_is_paid_and_keeps_their_own_words(
    house: House,
) -> None:
    async with house.visitor("people", "wa") as ann, house.visitor("people", "wb") as ben:
        for person in (ann, ben):
            await person.begin()
        await asyncio.gather(*(p.wait_for_partner() for p in (ann, ben) if "/waiting/" in p.page))
        hers, his = await ann.room(), await ben.room()
        await hers.say("my wombat")
        await his.say("my numbat")
        await withdraw(ann)
        assert await his.ends() == "withdrawn"
        await ben.reload()
        assert ben.heading == "Your partner has left"
        assert ben.code
    assert not anywhere(house, "wombat")
    assert anywhere(house, "numbat")
