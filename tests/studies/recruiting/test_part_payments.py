"""Paying a part of the reward: to whom, what it costs, and that the books say what was paid."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import KeptSubmission
from palaver.crowds.prolific.stand_in.service import FUNDS, StandIn
from palaver.storage.recruiting.payments import list_payments
from palaver.storage.recruiting.submissions import list_submissions
from palaver.studies.recruiting.books import intend_due, read_meter, read_reconciliation
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money.budget import read_budget
from palaver.studies.recruiting.money.costs import paid_for, read_costs
from palaver.studies.recruiting.offering.codes import FROM_HERE
from palaver.studies.recruiting.overview import read_sheet
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.submissions.decisions import Ruled, Ruling, rule
from palaver.studies.recruiting.submissions.foreseen import foreseen_decision
from palaver.studies.recruiting.tables import submissions_csv
from support.recruiting import ADA, TERMS, Recruiting, recruiting

pytestmark = pytest.mark.asyncio
# So that a third, and a fifth of that, are whole pence.
PAY = {"amount": 3.0, "currency": "GBP", "early": 0.6, "budget": 200}


@asynccontextmanager
async def paying_parts(folder: Path, stand_in: StandIn) -> AsyncIterator[Recruiting]:
    """A study that may pay parts."""
    terms = {**TERMS["recruit"], "part_payments": True}
    async with recruiting(folder, stand_in, pay=PAY, recruit=terms) as home:
        yield home


async def pay(
    home: Recruiting, made: Recruitment, *pieces: str, percent: int | None, message: str = ""
) -> Ruled:
    ruling = Ruling(decision="pay_part", submissions=pieces, percent=percent, message=message)
    return await rule(home.deployment, made, ruling, actor=ADA)


async def known(home: Recruiting, made: Recruitment) -> dict[str, KeptSubmission]:
    """What the panel's list says, by the submission."""
    await news.read_all(home.deployment, made)
    found = await home.deployment.store.read(lambda c: list_submissions(c, made.id))
    return {each.panel_id or "": each for each in found}


async def test_a_part_is_paid_and_every_book_says_so(tmp_path: Path, stand_in: StandIn) -> None:
    async with paying_parts(tmp_path, stand_in) as home:
        made = await home.published()
        visits = await home.come(made, 3)
        ann, ben, cora = (each.external_id or "" for each in visits)
        await home.end(visits[0])
        stand_in.time_out(ben)
        await home.finish(visits[2])
        await known(home, made)
        store, study, now = home.deployment.store, home.study, home.deployment.clock.now()
        spoken = (await store.read(lambda c: read_budget(c, study.id, study.definition))).spoken_for

        done = await pay(home, made, ann, ben, cora, percent=40, message="For half of the talk.")
        assert done.words == (
            f"2 submissions paid in part. Not done: {cora}: The panel says 'awaiting review': it "
            "cannot be paid in part."
        )
        assert [each.paid for each in stand_in.submissions] == [120, 120, None]
        assert {each.body for each in stand_in.messages} == {"For half of the talk."}
        # Ann's place was spoken for with the whole reward, Ben's is somebody else's by now.
        budget = await store.read(lambda c: read_budget(c, study.id, study.definition))
        assert budget.spoken_for == spoken + 120 * 7 // 5

        told = await known(home, made)
        assert (told[ann].state, told[ann].reward) == ("partially_approved", 120)
        assert told[ann].detail["percent"] == 40
        costs = await store.read(lambda c: read_costs(c, study.id, study.definition))
        assert costs is not None
        assert (costs.rewards, costs.parts, costs.fees, costs.warnings) == (0, 240, 96, ())
        client = await PanelClients.of(home.deployment).prolific()
        balance = (await client.account.me()).balance
        assert balance is not None
        assert costs.total == FUNDS - balance.minor == 336
        sheet = await store.read(lambda c: read_sheet(c, made, study.definition, now=now))
        assert sheet.spent == 336
        assert (await store.read(lambda c: read_meter(c, made))).hourly.n == 0
        found = await store.read(lambda c: read_reconciliation(c, made, now=now))
        assert found.mismatches == ()
        assert "partially_approved" in submissions_csv(made, found)
        assert ",1.20," in submissions_csv(made, found)
        again = await pay(home, made, ann, percent=40)
        assert "It is partially approved already." in again.words


async def test_a_percent_out_of_range_no_answer_and_a_bonus_for_the_same(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with paying_parts(tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        piece = visit.external_id or ""
        calls = len(stand_in.calls)
        for percent, given in ((None, "nothing"), (7, "7"), (100, "100")):
            with pytest.raises(InputError, match=rf"8 to 99 percent .* got {given}\. Nothing was"):
                await pay(home, made, piece, percent=percent)
        with pytest.raises(InputError, match="at most 3,000 characters; got 3,001"):
            await pay(home, made, piece, percent=50, message="x" * 3001)
        earlier = replace(made, codes={FROM_HERE: made.codes[FROM_HERE]})
        with pytest.raises(
            InputError, match=r"created without a code for paying parts\. Say 'recr"
        ):
            await pay(home, earlier, piece, percent=50)
        assert len(stand_in.calls) == calls

        await home.end(visit, "quit")
        stand_in.time_out(piece)
        await known(home, made)
        store, now = home.deployment.store, home.deployment.clock.now()
        definition = home.study.definition
        stand_in.switches.break_next(how="500", when="after", on="transition")
        assert (await pay(home, made, piece, percent=50)).unknown == 1
        # Nobody knows yet whether the panel pays it, so that no bonus is due beside it.
        assert await store.write(lambda c: intend_due(c, definition, made, now=now)) == 0
        told = (await known(home, made))[piece]
        assert (told.state, told.decision_state) == ("partially_approved", "done")

        (other,) = await home.come(made)
        await home.end(other, "quit")
        stand_in.time_out(other.external_id or "")
        await known(home, made)
        await store.write(lambda c: intend_due(c, definition, made, now=now))
        (bonus,) = await store.read(lambda c: list_payments(c, made.id))
        assert (bonus.rule, bonus.amount) == ("work", 60)
        refused = await pay(home, made, other.external_id or "", percent=50)
        assert "they would be paid twice" in refused.words


async def test_the_panels_figure_counts_over_ours() -> None:
    made = Recruitment(
        key="r", study="birds", panel="prolific", title="Birds", state="active", wanted="running",
        places=1, taken=1, reward=305, currency="GBP", minutes=10, place_cost=0, fee=122, created=0,
    )  # fmt: skip
    part = KeptSubmission(
        panel_id="s", participant="p", state="partially_approved", state_time=0, seen=0,
        decision="pay_part", detail={"percent": 50},
    )  # fmt: skip
    # Half up, as long as the panel's list says nothing else.
    assert [paid_for(made, replace(part, reward=told), None) for told in (None, 305, 152)] == [
        153,
        153,
        152,
    ]
    # Decided over there: the whole reward, until the list says more.
    assert paid_for(made, replace(part, decision=""), None) == 305
    words = foreseen_decision("pay_part", 2, made, percent=50)
    assert "Each gets 50 %, which is 1.53 GBP; with fees that is 4.30 GBP in all." in words
