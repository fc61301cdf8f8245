"""`palaver crowd`: what people get on top: worked out, ordered, paid once, settled."""

from pathlib import Path

import click
from sqlalchemy import Connection

from palaver.cli import options
from palaver.cli.options import HOME, JSON, STUDY_PATH
from palaver.cli.output import print_json, table_text
from palaver.cli.study.crowd_home import (
    ACTOR,
    RECRUITMENT,
    YES,
    CrowdHome,
    ask_first,
    at_study,
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

STUDY = options.study()
KEY = click.argument("key")


@click.command("due")
@STUDY_PATH
@RECRUITMENT
@STUDY
@HOME
@JSON
def due(
    path: Path, recruitment: str | None, study: str | None, home: Path | None, as_json: bool
) -> None:
    """Work out what people of the study at PATH are due on top by its rules, and list it."""

    async def work(at: CrowdHome) -> tuple[PaymentBooks, list[str]]:
        mine, definition, now = await at.recruitment(recruitment), at.study.definition, at.now

        def note(c: Connection) -> PaymentBooks:
            intend_due(c, definition, mine, now=now)
            return read_payments(c, mine)

        books = await at.deployment.store.write(note)
        lines = await at.deployment.store.read(lambda c: read_top_ups(c, mine, now=now))
        return books, [each.words for each in lines]

    books, lines = at_study(path, home, study, work)
    if as_json:
        print_json(books)
        return
    _say_books(books)
    for words in lines:
        click.echo(f"The study took longer than was said. {words} See: palaver crowd top-up")


@click.command("top-up")
@STUDY_PATH
@click.argument("line", type=click.Choice(LINES))
@RECRUITMENT
@STUDY
@HOME
@JSON
def top_up(
    path: Path,
    line: Line,
    recruitment: str | None,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Note for everybody who did the work what brings the median hour to LINE; order it to pay it."""

    async def work(at: CrowdHome) -> PaymentBooks:
        mine, now = await at.recruitment(recruitment), at.now

        def note(c: Connection) -> PaymentBooks:
            intend_adjustment(c, mine, line, actor=ACTOR, now=now)
            return read_payments(c, mine)

        return await at.deployment.store.write(note)

    _say_noted(at_study(path, home, study, work), as_json)


@click.command("bonus")
@STUDY_PATH
@click.argument("amount")
@click.argument("who", nargs=-1, required=True)
@click.option(
    "--for",
    "words",
    required=True,
    metavar="WORDS",
    help="What it is for; the same person gets it once for the same words.",
)
@RECRUITMENT
@STUDY
@HOME
@JSON
def bonus(
    path: Path,
    amount: str,
    who: tuple[str, ...],
    words: str,
    recruitment: str | None,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Note a bonus of AMOUNT (such as 0.50) for each of WHO; order it to pay it."""

    async def work(at: CrowdHome) -> PaymentBooks:
        mine, now = await at.recruitment(recruitment), at.now
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

    _say_noted(at_study(path, home, study, work), as_json)


@click.command("order")
@STUDY_PATH
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME",
    help="Only payments under this rule; repeatable.",
)
@RECRUITMENT
@STUDY
@HOME
@JSON
def order(
    path: Path,
    rules: tuple[str, ...],
    recruitment: str | None,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Order what is due and have the panel say what it costs; nothing is paid by that."""

    async def work(at: CrowdHome) -> list[PayOrder]:
        mine, now = await at.recruitment(recruitment), at.now

        def make(c: Connection) -> list[PayOrder]:
            chosen = choose_due(c, mine, rules=rules)
            return orders.make_orders(c, mine, [p.id for p in chosen], actor=ACTOR, now=now)

        made = await at.deployment.store.write(make)
        return [await move_order(at.deployment, each, "set_up", actor=ACTOR) for each in made]

    made = at_study(path, home, study, work)
    if as_json:
        print_json({"orders": made})
        return
    _say_orders(made)
    click.echo("Nothing is paid yet. Pay each with 'palaver crowd pay'.")


@click.command("orders")
@STUDY_PATH
@RECRUITMENT
@STUDY
@HOME
@JSON
def orders_(
    path: Path, recruitment: str | None, study: str | None, home: Path | None, as_json: bool
) -> None:
    """List the orders to pay people of the study at PATH, and what became of each."""

    async def work(at: CrowdHome) -> PaymentBooks:
        mine = await at.recruitment(recruitment)
        return await at.deployment.store.read(lambda c: read_payments(c, mine))

    books = at_study(path, home, study, work)
    if as_json:
        print_json({"orders": books.orders})
    elif books.orders:
        _say_orders(books.orders)
    else:
        click.echo("No order was made yet.")


@click.command("pay")
@STUDY_PATH
@KEY
@RECRUITMENT
@YES
@STUDY
@HOME
@JSON
def pay(
    path: Path,
    key: str,
    recruitment: str | None,
    yes: bool,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Pay the order KEY: it is sent to the panel once, whatever comes of it."""

    async def work(at: CrowdHome) -> PayOrder:
        mine = await at.recruitment(recruitment)
        known = await at.deployment.store.read(lambda c: order_of(c, mine, key))
        if known.state == "intended":
            known = await move_order(at.deployment, known, "set_up", actor=ACTOR)
        if known.state != "set_up":
            raise InputError(f"This order is {known.words}. Nothing was sent.")
        ask_first(
            f"Pay {money(known.amount, known.currency)}, which costs "
            f"{money(known.total, known.currency)} with fees? It is not taken back.",
            yes=yes,
            as_json=as_json,
        )
        return await move_order(at.deployment, known, "pay", actor=ACTOR)

    paid = at_study(path, home, study, work)
    _say_order(paid, as_json)
    if paid.state != "paid":
        raise click.exceptions.Exit(1)


@click.command("settle")
@STUDY_PATH
@KEY
@click.option("--was-paid", is_flag=True, help="It was paid, as the panel shows.")
@click.option("--nothing-paid", is_flag=True, help="Nothing was paid, as the panel shows.")
@click.option("--drop", "drops", is_flag=True, help="Give up an order of which nothing was sent.")
@RECRUITMENT
@YES
@STUDY
@HOME
@JSON
def settle(
    path: Path,
    key: str,
    was_paid: bool,
    nothing_paid: bool,
    drops: bool,
    recruitment: str | None,
    yes: bool,
    study: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Say what became of the order KEY of which no answer came, or give up one that was not sent."""
    if was_paid + nothing_paid + drops != 1:
        raise click.UsageError("Say one of --was-paid, --nothing-paid and --drop.")
    move = "drop" if drops else "was_paid" if was_paid else "nothing_paid"

    async def work(at: CrowdHome) -> PayOrder:
        mine = await at.recruitment(recruitment)
        known = await at.deployment.store.read(lambda c: order_of(c, mine, key))
        if move == "nothing_paid":
            ask_first(
                "Did you look at the panel, and nothing was paid? Otherwise people may be paid twice.",
                yes=yes,
                as_json=as_json,
            )
        return await move_order(at.deployment, known, move, actor=ACTOR)

    _say_order(at_study(path, home, study, work), as_json)


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
