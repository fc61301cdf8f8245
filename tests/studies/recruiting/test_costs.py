"""What a study cost: the books here and the panel's own come to the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from palaver.core.money import Money
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import FUNDS, StandIn
from palaver.reports.report.contents import report_of
from palaver.reports.report.costs import costs_part
from palaver.reports.report.study_subject import of_study
from palaver.reports.report.subject import ReportSettings
from palaver.reports.target import OpenStudy
from palaver.storage import Store
from palaver.storage.recruiting.payments import unordered
from palaver.storage.recruiting.submissions import list_submissions
from palaver.storage.studies.studies import list_studies
from palaver.studies.recruiting import books
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money import wages as meter
from palaver.studies.recruiting.money.costs import StudyCosts, read_costs
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.submissions.decisions import Ruling, rule
from support.noticing import noticing
from support.recruiting import ADA, Recruiting, prolific_in_reach, recruiting
from support.seeding import Seeder

pytestmark = pytest.mark.asyncio
# So that a third, and a fifth of that, are whole pence.
PAY = {
    "amount": 3.0,
    "currency": "GBP",
    "waiting_per_minute": 0.15,
    "early": 0.6,
    "budget": 200,
}


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def costs_of(home: Recruiting) -> StudyCosts:
    study = home.study
    found = await home.deployment.store.read(lambda c: read_costs(c, study.id, study.definition))
    assert found is not None
    return found


async def spent_there(home: Recruiting) -> int:
    """What left the account over there, by the panel's own books."""
    client = await PanelClients.of(home.deployment).prolific()
    balance = (await client.account.me()).balance
    assert balance is not None
    return FUNDS - balance.minor


async def test_the_costs_are_those_of_the_panels_books(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in, pay=PAY) as home:
        made = await home.published()
        ann, ben, cora, dan = await home.come(made, 4)
        for visit in (ann, ben, cora):
            await home.finish(visit)
        # Dan stops: his code pays a part of the reward at once.
        await home.finish(dan, "quit")
        await news.read_all(home.deployment, made)
        before = await costs_of(home)
        assert (before.rewards, before.parts, before.open) == (0, 60, 3 * 420)
        assert before.total == await spent_there(home) == 84

        done = (ann.external_id or "", ben.external_id or "")
        await rule(home.deployment, made, Ruling(decision="approve", submissions=done), actor=ADA)
        await pay_bonus(home, made, {done[0]: Money(150, "GBP"), done[1]: Money(75, "GBP")})
        await news.read_all(home.deployment, made)
        after = await costs_of(home)
        assert (after.rewards, after.parts, after.bonuses) == (600, 60, 225)
        assert after.fees == (600 + 60 + 225) * 2 // 5
        assert after.total == await spent_there(home) == 1239
        assert (after.open, after.unknown, after.finished) == (420, 0, 3)
        assert after.per_finished == pytest.approx((1239 + 420) / 3)
        assert after.budget is not None
        assert after.budget.spoken_for >= after.total
        assert after.words == (
            "12.39 GBP was paid, 3.54 GBP of it fees; 4.20 GBP may still come. That makes 5.53 GBP "
            "for each of 3 people who finished."
        )


async def pay_bonus(
    home: Recruiting, made: Recruitment, amounts: dict[str, Money], *, comes_to: str = "paid"
) -> None:
    now = home.deployment.clock.now()

    def intend(c: Connection) -> int:
        return orders.intend_by_hand(
            c,
            made,
            amounts,
            words="for a long talk",
            subject="long",
            actor=ADA,
            now=now,
        )

    store = home.deployment.store
    assert await store.write(intend) == len(amounts)
    due = [each.id for each in await store.read(lambda c: unordered(c, made.id))]
    (order,) = await store.write(lambda c: orders.make_orders(c, made, due, actor=ADA, now=now))
    ready = await orders.set_up(home.deployment, order, actor=ADA)
    assert (await orders.pay(home.deployment, ready, actor=ADA)).state == comes_to


async def test_an_order_nobody_knows_of_is_counted_beside_and_said(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in, pay=PAY) as home:
        made = await home.published()
        (ann,) = await home.come(made)
        await home.finish(ann)
        await news.read_all(home.deployment, made)
        (piece,) = await home.deployment.store.read(lambda c: list_submissions(c, made.id))
        stand_in.switches.break_next(how="drop", when="after", on="bulk-bonus-payments")
        lost = {piece.panel_id or "": Money(300, "GBP")}
        await pay_bonus(home, made, lost, comes_to="unknown")
        costs = await costs_of(home)
        assert (costs.bonuses, costs.unknown) == (0, 420)
        assert "nobody here knows whether it was paid" in costs.warnings[0]


async def test_a_report_says_what_it_cost(
    tmp_path: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    # People of a test take no half a minute.
    monkeypatch.setattr(meter, "SHORTEST", 0.0)
    async with recruiting(tmp_path, stand_in, pay=PAY) as home:
        made = await home.published()
        for visit in await home.come(made, 3):
            await home.finish(visit)
        await books_read(home, made)
        store = home.deployment.store
        (stored,) = store.read_now(list_studies)
        opened = OpenStudy(store, stored, home.study.definition, tmp_path)
        report = report_of(of_study(opened), ReportSettings())
        part = next(each for each in report.parts if each.anchor == "costs")
        table = {row["item"]: row["amount"] for row in part.tables[0].rows}
        assert table["Still to be decided or paid"] == pytest.approx(12.6)
        assert table["Budget"] == 200
        (wages,) = part.tables[1].rows
        assert (wages["promised"], wages["minimum"], wages["recommended"]) == (18.0, 6.0, 9.0)
        assert wages["n"] == 3


async def books_read(home: Recruiting, made: Recruitment) -> None:
    await news.read_all(home.deployment, made)
    now = home.deployment.clock.now()
    found = await home.deployment.store.read(lambda c: books.read_reconciliation(c, made, now=now))
    assert found.mismatches == ()


async def test_without_a_recruitment_it_is_what_the_file_promises(
    store: Store, tmp_path: Path
) -> None:
    async with noticing(store, tmp_path, pay=PAY) as home:
        seeder: Seeder = home.seeder
        seeder.visit("ann", minutes=6, waited=120)
        seeder.visit("ben", minutes=12)
        seeder.visit("cora", minutes=2, reason="quit")
        seeder.visit("dan", reason="declined", minutes=1)
        study = home.study
        costs = store.read_now(lambda c: read_costs(c, study.id, study.definition))
        assert costs is not None
        assert (costs.source, costs.rewards, costs.parts, costs.waiting) == (
            "promises",
            600,
            60,
            30,
        )
        assert (costs.total, costs.fees, costs.finished) == (690, 0, 2)
        (meter,) = costs.meters
        # Nine minutes at the median, for 3.00.
        assert meter.hourly.value == pytest.approx(2000.0)
        assert costs.words == (
            "6.90 GBP is owed by what the study promises. That makes 3.45 GBP for each of 2 people "
            "who finished."
        )
        (stored,) = store.read_now(list_studies)
        subject = of_study(OpenStudy(store, stored, study.definition, tmp_path))
        part = costs_part(subject)
        assert part is not None
        assert "Nobody was recruited from here" in part.tables[0].note
