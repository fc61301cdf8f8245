"""Ways out: what each is paid, with which code, and that no code shows before it is due."""

import pytest

from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio

ALL, PART, BACK = "C0DEALL99", "C0DEPART99", "C0DEBACK99"


def arrive(house: House, person: str) -> Participant:
    """Somebody from the panel with three codes, whose study has one place."""
    query = f"PROLIFIC_PID={person}&SESSION_ID=s-{person}"
    return Participant(f"{house.server.base}/s/three-codes?{query}")


async def test_one_place_and_five_people(house: House) -> None:
    async with arrive(house, "ben-reads") as ben, arrive(house, "dora-declines") as dora:
        assert "Do you agree?" in ben.page
        for told in ("2.50 GBP", "You stop before the end", "0.50 GBP"):
            assert told in ben.page
        await dora.send("consent", consent="decline")
        assert (dora.heading, dora.code) == ("You are not taking part", BACK)
        assert "Pay is for those who take part." in dora.page

        async with arrive(house, "quinn-quits") as quinn:
            await quinn.begin()
            # The place is held: who reads on is told as soon as they agree.
            await ben.send("consent", consent="agree")
            assert (ben.heading, ben.code) == ("All places are taken right now", None)
            assert "I would rather stop here" in ben.page
            room = await quinn.chat("Hello")
            await room.post("quit")
            await room.ends()
            await quinn.reload()
            assert (quinn.heading, quinn.code) == ("You ended the conversation early", PART)
            assert "0.50 GBP" in quinn.page

        async with arrive(house, "ann-stays") as ann:
            await ann.begin()
            async with arrive(house, "cleo-late") as cleo:
                assert cleo.heading == "All places are taken right now"
                assert "Do you agree?" not in cleo.page
                await (await ann.chat("Hello", "Bye")).ends()
                assert not any(ALL in sent for sent in ann.received)
                await ann.reload()
                assert ann.code == ALL
                await cleo.reload()
                assert (cleo.heading, cleo.code) == (
                    "This study has all the answers it needs",
                    BACK,
                )
                assert "Nothing was asked of you this time." in cleo.page
            # What was earned stays earned.
            await ann.open(f"{ann.path}/withdraw")
            assert "You still get 2.50 GBP" in ann.page
            await ann.send("withdraw", confirm="yes")
            assert (ann.heading, ann.code) == ("You have withdrawn", ALL)
            assert "2.50 GBP" in ann.page

        for other in (ben, dora, quinn, cleo):
            assert not any(ALL in sent for sent in other.received)


async def test_withdrawing_in_the_middle_is_stopping_early(house: House) -> None:
    async with house.visitor("part-idle", "wanda") as wanda:
        await wanda.begin()
        await wanda.open(f"{wanda.path}/withdraw")
        assert "You still get 0.75 EUR for what you did so far." in wanda.page
        await wanda.send("withdraw", confirm="yes")
        assert "0.75 EUR" in wanda.page
        assert wanda.code
    async with house.visitor("part-idle", "early-wanda") as wanda:
        await wanda.open(f"{wanda.path}/withdraw")
        assert "This visit is then not paid." in wanda.page
        await wanda.send("withdraw", confirm="yes")
        assert wanda.code is None


async def test_whoever_lost_a_conversation_may_stop_there(house: House) -> None:
    async with house.visitor("part-idle", "slow-sam") as sam:
        await sam.begin()
        assert await (await sam.chat("Hello")).ends() == "idle"
        await sam.reload()
        assert "this visit is paid 0.75 EUR" in sam.page
        await sam.send("again", stop="yes")
        assert sam.heading == "You ended the conversation early"
        assert "0.75 EUR" in sam.page
        assert sam.code


async def test_forged_ways_out_end_nothing(house: House) -> None:
    async with house.visitor("part-idle", "forger-of-ends") as ann:
        await ann.send("again", stop="yes")
        await ann.send("leave")
        await ann.send("start")
        assert "Do you agree?" in ann.page
        await ann.send("consent", consent="agree")
        # Replayed, and turned round: what was agreed stays agreed.
        await ann.send("consent", consent="agree")
        await ann.send("consent", consent="decline")
        assert ann.heading == "What to do"
        csrf = ann.hidden()["csrf"]
        await ann.send("start")
        claims = {"stop": "yes", "consent": "decline", "reason": "complete", "code": ALL}
        for form in ("again", "leave", "start", "consent"):
            await ann.send(form, csrf=csrf, **claims)
            assert ann.sockets(), form
        assert ann.code is None
