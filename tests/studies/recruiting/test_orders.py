"""Bonuses are paid exactly once, whatever the panel answers, and whoever sends at the same time."""

import asyncio
from pathlib import Path

import pytest

from palaver.core.errors import ConflictError, InputError, PanelRefusedError
from palaver.core.money import Money
from palaver.core.recruiting.payments import PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.people.participants import add_waiting_time, get_assignment
from palaver.storage.recruiting import payments as rows
from palaver.studies.recruiting.books import intend_due, read_payments
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money.budget import read_budget
from palaver.studies.recruiting.submissions import news
from support.recruiting import ADA, Recruiting, recruiting

pytestmark = pytest.mark.asyncio


async def somebody(home: Recruiting, n: int = 1) -> tuple[Recruitment, list[str]]:
    """A recruitment in which some people have done all steps; their submissions."""
    made = await home.published()
    pieces = []
    for visit in await home.come(made, n):
        await home.finish(visit)
        assert visit.external_id
        pieces.append(visit.external_id)
    await news.read_all(home.deployment, made)
    return made, pieces


async def by_hand(
    home: Recruiting, made: Recruitment, amounts: dict[str, Money], subject: str = "thanks"
) -> int:
    return await home.deployment.store.write(
        lambda c: orders.intend_by_hand(
            c, made, amounts, words="with thanks", subject=subject, actor=ADA, now=1.0
        )
    )


async def ordered(home: Recruiting, made: Recruitment) -> list[PayOrder]:
    """Orders of everything that nobody has ordered."""
    store = home.deployment.store
    left = await store.read(lambda c: rows.unordered(c, made.id))
    chosen = [each.id for each in left]
    return await store.write(lambda c: orders.make_orders(c, made, chosen, actor=ADA, now=2.0))


async def one_order(home: Recruiting, minor: int = 30) -> PayOrder:
    """An order of one bonus that is set up over there."""
    made, (piece,) = await somebody(home)
    await by_hand(home, made, {piece: Money(minor, "GBP")})
    (order,) = await ordered(home, made)
    return await orders.set_up(home.deployment, order, actor=ADA)


async def test_thirty_pence_are_not_thirty_pounds(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        order = await one_order(home, 30)
        assert (order.state, order.amount) == ("set_up", 30)
        assert stand_in.payments == []
        paid = await orders.pay(home.deployment, order, actor=ADA)
    assert paid.state == "paid"
    assert [each.amount for each in stand_in.payments] == [30]


async def test_the_same_thing_is_intended_once(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, (piece,) = await somebody(home)
        assert await by_hand(home, made, {piece: Money(30, "GBP")}) == 1
        assert await by_hand(home, made, {piece: Money(99, "GBP")}) == 0
        assert await by_hand(home, made, {piece: Money(99, "GBP")}, "another occasion") == 1


async def test_two_who_send_at_the_same_time_pay_once(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        order = await one_order(home)
        ended = await asyncio.gather(
            *(orders.pay(home.deployment, order, actor=ADA) for _ in range(5)),
            return_exceptions=True,
        )
    assert len(stand_in.payments) == 1
    assert sum(isinstance(each, ConflictError) for each in ended) == 4


@pytest.mark.parametrize("how", ["500", "drop"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_without_an_answer_it_is_unknown_and_never_sent_again(
    tmp_path: Path, stand_in: StandIn, how: str, when: str
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        order = await one_order(home)
        stand_in.switches.break_next(how=how, when=when, on="pay")  # type: ignore[arg-type]
        sent = await orders.pay(home.deployment, order, actor=ADA)
        assert sent.state == "unknown"
        assert "look at the panel" in sent.words
        with pytest.raises(InputError, match="look at the panel"):
            await orders.pay(home.deployment, sent, actor=ADA)
        with pytest.raises(ConflictError):
            await orders.pay(home.deployment, order, actor=ADA)
        assert len(stand_in.payments) == (when == "after")

        def settle(c):  # type: ignore[no-untyped-def]
            return orders.settle_by_hand(c, sent, was_paid=when == "after", actor=ADA, now=9.0)

        settled = await home.deployment.store.write(settle)
        made = await home.deployment.store.read(
            lambda c: orders.recruitments.recruitment_by_id(c, order.recruitment_id)
        )
        left = await home.deployment.store.read(lambda c: rows.unordered(c, made.id))
        if when == "after":
            assert (settled.state, left) == ("paid", [])
            return
        # Nothing was paid: the same bonus can be ordered again, and is paid once.
        (again,) = await ordered(home, made)
        again = await orders.set_up(home.deployment, again, actor=ADA)
        assert (await orders.pay(home.deployment, again, actor=ADA)).state == "paid"
        assert len(stand_in.payments) == 1


async def test_a_server_that_was_killed_while_it_sent_leaves_an_unknown_order(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        order = await one_order(home)
        store = home.deployment.store
        gone = "nowhere:1:dead"
        await store.write(
            lambda c: rows.move_order(c, order, "sending", before=["set_up"], sent=1.0, holder=gone)
        )
        (left,) = await orders.mark_left_behind(home.deployment)
        assert (left.state, left.reason) == ("unknown", "the server ended while it was sent")
        with pytest.raises(InputError, match="look at the panel"):
            await orders.pay(home.deployment, left, actor=ADA)
    assert stand_in.payments == []


async def test_an_order_that_is_being_sent_here_is_left_alone(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        order = await one_order(home)
        now = home.deployment.clock.now()
        await home.deployment.store.write(
            lambda c: rows.move_order(
                c, order, "sending", before=["set_up"], sent=now, holder=orders.new_holder()
            )
        )
        assert await orders.mark_left_behind(home.deployment) == []


async def test_a_set_up_without_an_answer_is_set_up_again(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, (piece,) = await somebody(home)
        await by_hand(home, made, {piece: Money(50, "GBP")})
        (order,) = await ordered(home, made)
        stand_in.switches.break_next(how="500", when="after", on="bonus-payments")
        with pytest.raises(Exception, match="not known"):
            await orders.set_up(home.deployment, order, actor=ADA)
        order = await orders.set_up(home.deployment, order, actor=ADA)
        await orders.pay(home.deployment, order, actor=ADA)
    assert [each.amount for each in stand_in.payments] == [50]


async def test_what_the_panel_refuses_can_be_ordered_again(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        order = await one_order(home)
        stand_in.switches.refuse_next(on="pay")
        with pytest.raises(PanelRefusedError):
            await orders.pay(home.deployment, order, actor=ADA)
        made = await home.deployment.store.read(
            lambda c: orders.recruitments.recruitment_by_id(c, order.recruitment_id)
        )
        (again,) = await ordered(home, made)
        again = await orders.set_up(home.deployment, again, actor=ADA)
        await orders.pay(home.deployment, again, actor=ADA)
    assert len(stand_in.payments) == 1


async def test_one_person_is_paid_one_sum_for_several_things(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, (one, two) = await somebody(home, 2)
        await by_hand(home, made, {one: Money(30, "GBP"), two: Money(5, "GBP")})
        await by_hand(home, made, {one: Money(12, "GBP")}, "another")
        (order,) = await ordered(home, made)
        order = await orders.set_up(home.deployment, order, actor=ADA)
        await orders.pay(home.deployment, order, actor=ADA)
        assert {each.who: each.amount for each in stand_in.payments} == {one: 42, two: 5}
        books = await home.deployment.store.read(lambda c: read_payments(c, made))
    assert (books.due, books.ordered, books.paid) == (0, 0, 47)


async def test_waiting_is_due_by_itself_and_once(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        await home.deployment.store.write(lambda c: add_waiting_time(c, visit.id, 300.0))
        visit = await home.deployment.store.read(lambda c: get_assignment(c, visit.key))
        await home.finish(visit)
        await news.read_all(home.deployment, made)
        definition = home.study.definition
        for expected in (1, 0):
            new = await home.deployment.store.write(
                lambda c: intend_due(c, definition, made, now=3.0)
            )
            assert new == expected
        (due,) = await home.deployment.store.read(lambda c: rows.unordered(c, made.id))
    assert (due.rule, due.amount, due.words) == ("waiting", 50, "for 5 minutes of waiting")


async def test_a_slip_of_the_point_and_another_currency_are_refused(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, (piece,) = await somebody(home)
        with pytest.raises(InputError, match="more than 50 times the reward"):
            await by_hand(home, made, {piece: Money(30_000, "GBP")})
        with pytest.raises(
            InputError, match=r"pays this study in GBP; got 1\.00 USD\. Nothing was"
        ):
            await by_hand(home, made, {piece: Money(100, "USD")})


async def test_the_budget_holds_however_many_order_at_once(
    tmp_path: Path, stand_in: StandIn
) -> None:
    # 25.00 in places with all fees are 28.00 for ten; 30.00 leave less than two bonuses of 1.00.
    pay = {"amount": 2.0, "currency": "GBP", "budget": 30}
    async with recruiting(tmp_path, stand_in, pay=pay) as home:
        made, pieces = await somebody(home, 4)
        waiting = []
        for number, piece in enumerate(pieces):
            await by_hand(home, made, {piece: Money(100, "GBP")}, f"occasion {number}")
            waiting += await ordered(home, made)
        ended = await asyncio.gather(
            *(orders.set_up(home.deployment, each, actor=ADA) for each in waiting),
            return_exceptions=True,
        )
        refused = [each for each in ended if isinstance(each, InputError)]
        spent = await home.deployment.store.read(
            lambda c: read_budget(c, home.study.id, home.study.definition)
        )
    assert len(refused) == 3
    assert "of the budget of 30.00 GBP is left" in str(refused[0])
    assert spent.spoken_for == 2800 + 140
