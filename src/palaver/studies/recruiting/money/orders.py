"""Paying bonuses, each exactly once.

What somebody is to get is intended once, under its rule and for its thing (`entitlements`, or by hand).
A person orders some of it; an order holds each person once, however many payments that adds up. Then,
step by step, each committed before the next:

    intended   written down, and spoken for in the budget
    set up     the panel knows it and says what it costs; nothing is paid
    sending    written down before the one request that pays
    paid       the panel said so
    unknown    no answer came, or the process ended: nobody knows, and nothing is sent again
    refused    the panel said no; its payments can be ordered again

A person who looked at the panel says what became of an unknown order. Two who send one order at the same
time: one of them gets to `sending`, the other is told so.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, PanelError, PanelUnknownError
from palaver.core.money import Money
from palaver.core.recruiting.payments import OrderState, Payment, PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.bodies import MOST_BONUSES
from palaver.storage.audit.entries import record
from palaver.storage.engine.holders import is_gone, new_holder
from palaver.storage.recruiting import payments as rows
from palaver.storage.recruiting import recruitments, submissions
from palaver.storage.recruiting.payments import Intent
from palaver.storage.recruiting.spends import free_spend
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.recruiting.money.budget import check_currency, speak_for
from palaver.studies.recruiting.money.entitlements import BY_HAND
from palaver.studies.run.deployment import Deployment

# A bonus of more than this many rewards is most likely a slip of the point.
MOST_REWARDS = 50
LONGEST_WORDS = 300
# Longer than a request takes: whoever was sending for so long, on whatever host, has ended.
LONGEST_SENDING = 600.0
NOTHING_SENT = "Nothing was paid."


def intend_by_hand(
    connection: Connection,
    recruitment: Recruitment,
    amounts: Mapping[str, Money],
    *,
    words: str,
    subject: str,
    actor: Actor,
    now: float,
) -> int:
    """Intend bonuses that a person chose, by submission; how many are new.

    `subject` names the occasion: the same amount for the same occasion is intended once.
    """
    if not subject.strip() or len(words) > LONGEST_WORDS:
        raise InputError("Say what the bonus is for, in at most 300 characters. " + NOTHING_SENT)
    intents = []
    for piece, amount in amounts.items():
        known = submissions.find_submission(connection, recruitment.id, piece)
        _check_amount(recruitment, amount)
        intents.append(
            Intent(
                submission_id=known.id,
                rule=BY_HAND,
                subject=f"{subject.strip()}/{known.id}",
                amount=amount.minor,
                words=words.strip(),
            )
        )
    return rows.intend(
        connection,
        recruitment.id,
        intents,
        currency=recruitment.currency,
        account=actor.name,
        now=now,
    )


def _check_amount(recruitment: Recruitment, amount: Money) -> None:
    reward = Money(recruitment.reward, recruitment.currency)
    if amount.currency != recruitment.currency:
        raise InputError(
            f"The panel pays this study in {recruitment.currency}; got {amount}. {NOTHING_SENT}"
        )
    if amount.minor < 1:
        raise InputError(f"A bonus is more than nothing; got {amount}. {NOTHING_SENT}")
    if amount.minor > MOST_REWARDS * reward.minor:
        raise InputError(
            f"A bonus of {amount} is more than {MOST_REWARDS} times the reward of {reward}. Bonuses "
            f"are in pounds, dollars or the like, not in pence or cents. {NOTHING_SENT}"
        )


def make_orders(
    connection: Connection,
    recruitment: Recruitment,
    payment_ids: Collection[int],
    *,
    actor: Actor,
    now: float,
) -> list[PayOrder]:
    """Orders of these payments, each of as many people as the panel pays at once."""
    known = {each.id: each for each in rows.unordered(connection, recruitment.id)}
    wanted = [known[each] for each in dict.fromkeys(payment_ids) if each in known]
    if len(wanted) != len(set(payment_ids)) or not wanted:
        raise InputError(
            "Some of these payments were ordered meanwhile, or are not of this recruitment. "
            f"Reload the page to see what is left. {NOTHING_SENT}"
        )
    orders = []
    for part in _parts(wanted):
        order = rows.make_order(
            connection,
            recruitment.id,
            [each.id for each in part],
            currency=recruitment.currency,
            account=actor.name,
            now=now,
        )
        told = {"people": len({each.submission for each in part}), "amount": order.amount}
        record(
            connection,
            "recruiting.order",
            by=actor,
            now=now,
            subject=order.key,
            study_id=recruitment.study_id,
            detail=told | {"currency": order.currency},
        )
        orders.append(order)
    return orders


def _parts(payments: Sequence[Payment]) -> list[list[Payment]]:
    """Payments in parts of as many people as one order takes; a person is in one part alone."""
    people = list(dict.fromkeys(each.submission_id for each in payments))
    part_of = {person: number // MOST_BONUSES for number, person in enumerate(people)}
    parts: list[list[Payment]] = [[] for _ in range(-(-len(people) // MOST_BONUSES))]
    for each in payments:
        parts[part_of[each.submission_id]].append(each)
    return parts


async def set_up(deployment: Deployment, order: PayOrder, *, actor: Actor) -> PayOrder:
    """Tell the panel of an order; what it costs is known afterwards, and nothing is paid.

    A set-up of which no answer came is set up again: the panel pays none that nobody asks it to.
    """
    recruitment, payments = await _read(deployment, order)
    if order.state not in ("intended", "set_up"):
        raise InputError(f"This order is {order.words}.")
    study, now = deployment.study(recruitment.study), deployment.clock.now()
    check_currency(study.definition, order.currency)
    await deployment.store.write(
        lambda c: speak_for(
            c,
            study.id,
            study.definition,
            kind="bonus",
            subject=order.key,
            amount=Money(recruitment.with_fee(order.amount), order.currency),
            what="This order",
            now=now,
        )
    )
    amounts: dict[str, Money] = {}
    for each in payments:
        if each.submission is None:
            raise InputError(
                "Somebody in this order was erased, and the panel's id with them. Give the order up "
                f"and order the others again. {NOTHING_SENT}"
            )
        before = amounts.get(each.submission, Money(0, order.currency))
        amounts[each.submission] = before + Money(each.amount, each.currency)
    client = await PanelClients.of(deployment).prolific()
    made = await client.bonuses.set_up(recruitment.panel_id or "", amounts)
    if made.amount.minor != order.amount or made.amount.currency != order.currency:
        raise InputError(
            f"The panel understood {made.amount} where {Money(order.amount, order.currency)} was "
            f"meant. {NOTHING_SENT} Report this: it must not happen."
        )

    def note(connection: Connection) -> PayOrder:
        speak_for(
            connection,
            study.id,
            study.definition,
            kind="bonus",
            subject=order.key,
            amount=Money(made.total.minor, order.currency),
            what="This order",
            now=now,
        )
        return rows.move_order(
            connection,
            order,
            "set_up",
            before=["intended", "set_up"],
            panel_id=made.id,
            total=made.total.minor,
        )

    return await deployment.store.write(note)


async def pay(deployment: Deployment, order: PayOrder, *, actor: Actor) -> PayOrder:
    """Pay an order that is set up: asked of the panel once, and never again by itself."""
    recruitment, _ = await _read(deployment, order)
    if order.state != "set_up" or order.panel_id is None:
        raise InputError(f"This order is {order.words}.")
    now = deployment.clock.now()
    client = await PanelClients.of(deployment).prolific()

    def begin(connection: Connection) -> PayOrder:
        moved = rows.move_order(
            connection, order, "sending", before=["set_up"], sent=now, holder=new_holder()
        )
        _record(connection, moved, recruitment, "recruiting.pay", actor, now)
        return moved

    sending = await deployment.store.write(begin)
    try:
        await client.bonuses.pay(order.panel_id)
    except PanelUnknownError as error:
        return await _settled(deployment, sending, "unknown", str(error))
    except PanelError as error:
        await _settled(deployment, sending, "refused", str(error))
        raise
    except BaseException:
        # Told to stop in the middle: whether the request went out is not known.
        await _settled(deployment, sending, "unknown", "the server was stopped while it was sent")
        raise
    return await _settled(deployment, sending, "paid")


async def _settled(
    deployment: Deployment, order: PayOrder, state: OrderState, reason: str = ""
) -> PayOrder:
    now = deployment.clock.now()

    def note(connection: Connection) -> PayOrder:
        values = {"reason": reason[:1000], "settled": now}
        moved = rows.move_order(connection, order, state, before=["sending"], **values)
        if state == "refused":
            _release(connection, moved)
        return moved

    return await deployment.store.write(note)


def settle_left_behind(connection: Connection, *, now: float) -> list[PayOrder]:
    """Orders that a process was sending when it ended are unknown from now on; which they are."""
    left = [
        each
        for each in rows.list_orders(connection, states=["sending"])
        if is_gone(each.holder) or now - (each.sent or 0.0) > LONGEST_SENDING
    ]
    why = "the server ended while it was sent"
    return [
        rows.move_order(connection, each, "unknown", before=["sending"], reason=why, settled=now)
        for each in left
    ]


def settle_by_hand(
    connection: Connection, order: PayOrder, *, was_paid: bool, actor: Actor, now: float
) -> PayOrder:
    """Say what was found at the panel of an unknown order; what was not paid can be ordered anew."""
    recruitment = recruitments.recruitment_by_id(connection, order.recruitment_id)
    state = "paid" if was_paid else "refused"
    reason = "looked up at the panel: " + ("it was paid" if was_paid else "nothing was paid")
    moved = rows.move_order(
        connection,
        order,
        "paid" if was_paid else "refused",
        before=["unknown"],
        reason=reason,
        settled=now,
    )
    if not was_paid:
        _release(connection, moved)
    _record(connection, moved, recruitment, "recruiting.settle", actor, now, state=state)
    return moved


def drop(connection: Connection, order: PayOrder, *, actor: Actor, now: float) -> PayOrder:
    """Give up an order of which nothing was sent; its payments can be ordered again."""
    recruitment = recruitments.recruitment_by_id(connection, order.recruitment_id)
    moved = rows.move_order(
        connection, order, "dropped", before=["intended", "set_up"], settled=now
    )
    _release(connection, moved)
    _record(connection, moved, recruitment, "recruiting.drop", actor, now)
    return moved


def _release(connection: Connection, order: PayOrder) -> None:
    """Let the payments of an order go, and what was spoken for with it."""
    rows.release_payments(connection, order)
    recruitment = recruitments.recruitment_by_id(connection, order.recruitment_id)
    free_spend(connection, recruitment.study_id, kind="bonus", subject=order.key)


def _record(
    connection: Connection,
    order: PayOrder,
    recruitment: Recruitment,
    act: str,
    actor: Actor,
    now: float,
    **detail: object,
) -> None:
    record(
        connection,
        act,
        by=actor,
        now=now,
        subject=order.key,
        study_id=recruitment.study_id,
        detail={"amount": order.amount, "currency": order.currency, **detail},
    )


async def _read(deployment: Deployment, order: PayOrder) -> tuple[Recruitment, list[Payment]]:
    def read(connection: Connection) -> tuple[Recruitment, list[Payment]]:
        found = recruitments.recruitment_by_id(connection, order.recruitment_id)
        return found, rows.payments_in(connection, order)

    return await deployment.store.read(read)


async def mark_left_behind(deployment: Deployment) -> list[PayOrder]:
    """Mark what processes left behind that were killed while they sent."""
    now = deployment.clock.now()
    return await deployment.store.write(partial(settle_left_behind, now=now))


def paid_on_top(payments: Sequence[Payment]) -> dict[int, int]:
    """What was surely paid on top, by submission, in the smallest unit."""
    paid: dict[int, int] = {}
    for each in payments:
        if each.state == "paid":
            paid[each.submission_id] = paid.get(each.submission_id, 0) + each.amount
    return paid
