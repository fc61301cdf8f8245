"""`palaver crowd`: what people get on top: worked out, ordered, paid once, settled."""

import click
from sqlalchemy import Connection

from palaver.cli.output import print_json, table_text
from palaver.cli.study.crowd_home import (
    ACTOR,
    Asked,
    CrowdHome,
    crowd_command,
    money,
    pieces_of,
)
from palaver.core.errors import InputError
from palaver.core.money import read_money
from palaver.core.recruiting.payments import PayOrder
from palaver.core.words import counted
from palaver.studies.recruiting.books import PaymentBooks, intend_due, read_payments
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money.due_payments import choose_due
from palaver.studies.recruiting.money.top_ups import LINES, Line, intend_adjustment, read_top_ups
from palaver.studies.recruiting.overview import order_of
from palaver.studies.recruiting.places.moves import move_order

KEY = click.argument("key")


@crowd_command("due")
def due(asked: Asked) -> None:
    """Work out what people of the study at PATH are due on top by its rules, and list it."""

    async def work(at: CrowdHome) -> tuple[PaymentBooks, list[str]]:
        mine, definition, now = await at.recruitment(), at.study.definition, at.now

        def note(c: Connection) -> PaymentBooks:
            intend_due(c, definition, mine, now=now)
            return read_payments(c, mine)

        books = await at.deployment.store.write(note)
        lines = await at.deployment.store.read(lambda c: read_top_ups(c, mine, now=now))
        return books, [each.words for each in lines]

    books, lines = asked.at_study(work)
    if asked.as_json:
        print_json(books)
        return
    _say_books(books)
    for words in lines:
        click.echo(f"The study took longer than was said. {words} See: palaver crowd top-up")


@crowd_command("top-up", click.argument("line", type=click.Choice(LINES)))
def top_up(asked: Asked, line: Line) -> None:
    """Note for everybody who did the work what brings the median hour to LINE; order it to pay it."""

    async def work(at: CrowdHome) -> PaymentBooks:
        mine, now = await at.recruitment(), at.now

        def note(c: Connection) -> PaymentBooks:
            intend_adjustment(c, mine, line, actor=ACTOR, now=now)
            return read_payments(c, mine)

        return await at.deployment.store.write(note)

    _say_noted(asked.at_study(work), asked.as_json)


@crowd_command(
    "bonus",
    click.argument("amount"),
    click.argument("who", nargs=-1, required=True),
    click.option(
        "--for",
        "words",
        required=True,
        metavar="WORDS",
        help="What it is for; the same person gets it once for the same words.",
    ),
)
def bonus(asked: Asked, amount: str, who: tuple[str, ...], words: str) -> None:
    """Note a bonus of AMOUNT (such as 0.50) for each of WHO; order it to pay it."""

    async def work(at: CrowdHome) -> PaymentBooks:
        mine, now = await at.recruitment(), at.now
        pieces = pieces_of(who, await at.reconciled(mine))
        each = read_money(amount, mine.currency)

        def note(c: Connection) -> PaymentBooks:
            orders.intend_by_hand(
                c,
                mine,
                dict.fromkeys(pieces, each),
                words=words,
                subject=words,
                actor=ACTOR,
                now=now,
            )
            return read_payments(c, mine)

        return await at.deployment.store.write(note)

    _say_noted(asked.at_study(work), asked.as_json)


@crowd_command(
    "order",
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME",
        help="Only payments under this rule; repeatable.",
    ),
)
def order(asked: Asked, rules: tuple[str, ...]) -> None:
    """Order what is due and have the panel say what it costs; nothing is paid by that."""

    async def work(at: CrowdHome) -> list[PayOrder]:
        mine, now = await at.recruitment(), at.now

        def make(c: Connection) -> list[PayOrder]:
            chosen = choose_due(c, mine, rules=rules)
            return orders.make_orders(c, mine, [p.id for p in chosen], actor=ACTOR, now=now)

        made = await at.deployment.store.write(make)
        return [await move_order(at.deployment, each, "set_up", actor=ACTOR) for each in made]

    made = asked.at_study(work)
    if asked.as_json:
        print_json({"orders": made})
        return
    _say_orders(made)
    click.echo("Nothing is paid yet. Pay each with 'palaver crowd pay'.")


@crowd_command("orders")
def orders_(asked: Asked) -> None:
    """List the orders to pay people of the study at PATH, and what became of each."""

    async def work(at: CrowdHome) -> PaymentBooks:
        mine = await at.recruitment()
        return await at.deployment.store.read(lambda c: read_payments(c, mine))

    books = asked.at_study(work)
    if asked.as_json:
        print_json({"orders": books.orders})
    elif books.orders:
        _say_orders(books.orders)
    else:
        click.echo("No order was made yet.")


@crowd_command("pay", KEY, asks=True)
def pay(asked: Asked, key: str) -> None:
    """Pay the order KEY: it is sent to the panel once, whatever comes of it."""

    async def work(at: CrowdHome) -> PayOrder:
        mine = await at.recruitment()
        known = await at.deployment.store.read(lambda c: order_of(c, mine, key))
        if known.state == "intended":
            known = await move_order(at.deployment, known, "set_up", actor=ACTOR)
        if known.state != "set_up":
            raise InputError(f"This order is {known.words}. Nothing was sent.")
        asked.ask_first(
            f"Pay {money(known.amount, known.currency)}, which costs "
            f"{money(known.total, known.currency)} with fees? It is not taken back."
        )
        return await move_order(at.deployment, known, "pay", actor=ACTOR)

    paid = asked.at_study(work)
    _say_order(paid, asked.as_json)
    if paid.state != "paid":
        raise click.exceptions.Exit(1)


@crowd_command(
    "settle",
    KEY,
    click.option("--was-paid", is_flag=True, help="It was paid, as the panel shows."),
    click.option("--nothing-paid", is_flag=True, help="Nothing was paid, as the panel shows."),
    click.option(
        "--drop", "drops", is_flag=True, help="Give up an order of which nothing was sent."
    ),
    asks=True,
)
def settle(asked: Asked, key: str, was_paid: bool, nothing_paid: bool, drops: bool) -> None:
    """Say what became of the order KEY of which no answer came, or give up one that was not sent."""
    if was_paid + nothing_paid + drops != 1:
        raise click.UsageError("Say one of --was-paid, --nothing-paid and --drop.")
    move = "drop" if drops else "was_paid" if was_paid else "nothing_paid"

    async def work(at: CrowdHome) -> PayOrder:
        mine = await at.recruitment()
        known = await at.deployment.store.read(lambda c: order_of(c, mine, key))
        if move == "nothing_paid":
            asked.ask_first(
                "Did you look at the panel, and nothing was paid? Otherwise people may be paid twice."
            )
        return await move_order(at.deployment, known, move, actor=ACTOR)

    _say_order(asked.at_study(work), asked.as_json)


def _say_books(books: PaymentBooks) -> None:
    currency = books.currency
    left = [each for each in books.payments if each.order is None]
    if left:
        rows = [("submission", "rule", "for", "amount")]
        rows += [
            (p.submission or "erased", p.rule, p.words, money(p.amount, currency)) for p in left
        ]
        click.echo(table_text(rows, whole=(0,)))
    click.echo(
        f"Due: {money(books.due, currency)}. Ordered: {money(books.ordered, currency)}. "
        f"Paid: {money(books.paid, currency)}."
    )


def _say_noted(books: PaymentBooks, as_json: bool) -> None:
    if as_json:
        print_json(books)
        return
    _say_books(books)
    waiting = sum(each.order is None for each in books.payments)
    if waiting:
        click.echo(f"{counted(waiting, 'payment')} due. Order them with 'palaver crowd order'.")


def _say_orders(made: tuple[PayOrder, ...] | list[PayOrder]) -> None:
    rows = [("order", "state", "amount", "with fees", "why")]
    rows += [
        (o.key, o.words, money(o.amount, o.currency), money(o.total, o.currency), o.reason)
        for o in made
    ]
    click.echo(table_text(rows, whole=(0,)))


def _say_order(known: PayOrder, as_json: bool) -> None:
    if as_json:
        print_json(known)
    else:
        click.echo(f"{known.key}, {money(known.amount, known.currency)}: {known.words}.")


COMMANDS = (due, top_up, bonus, order, orders_, pay, settle)
