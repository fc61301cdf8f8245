"""Payments at the desk: what is due, orders of it, paying them once, and what became of each."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, MissingError
from palaver.core.money import read_money
from palaver.core.numbers import whole_number
from palaver.core.recruiting.payments import Payment, PayOrder
from palaver.core.words import counted
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.studies.recruiting.books import (
    PaymentBooks,
    intend_due,
    read_payments,
    read_reconciliation,
)
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money.due_payments import take_back
from palaver.studies.recruiting.money.top_ups import TopUp, intend_adjustment, read_top_ups
from palaver.studies.recruiting.overview import order_of, payments_of
from palaver.studies.recruiting.places.moves import move_order
from palaver.studies.recruiting.tables import payments_csv
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import study_shell
from palaver.web.desk.parts import plain
from palaver.web.desk.recruiting import view
from palaver.web.desk.recruiting.request import (
    FAILURES,
    RECRUITMENT,
    AskedRecruitment,
    asked_recruitment,
)
from palaver.web.desk.recruiting.submission_routes import csv_file
from palaver.web.formatting import with_query
from palaver.web.rendering import show

ORDER = RECRUITMENT + "/orders/{order}"
FIELDS = ("amount", "words")
DONE = {
    "set-up": "The panel knows the order and says what it costs. Nothing is paid yet.",
    "pay": "Paid: the panel took the order.",
    "was-paid": "Noted: it was paid.",
    "nothing-paid": "Noted: nothing was paid. Its payments can be ordered again.",
    "drop": "The order is given up. Its payments can be ordered again.",
}
NO_ANSWER = "The order was sent and no answer came. It is not sent again: look at the panel."


@for_role("viewer")
async def payments(request: Request, person: Person) -> Response:
    return await _show(request, person, await asked_recruitment(request))


async def _show(
    request: Request,
    person: Person,
    asked: AskedRecruitment,
    *,
    done: str = "",
    error: str = "",
    given: Mapping[str, str] | None = None,
) -> Response:
    deployment, mine = deployment_of(request), asked.recruitment
    now, shows_panel = deployment.clock.now(), person.may("reviewer", asked.study.name)

    def read(c: Connection) -> tuple[PaymentBooks, dict[str, str], Sequence[TopUp]]:
        lines = read_top_ups(c, mine, now=now)
        return read_payments(c, mine), _names(c, asked, now), lines

    books, names, lines = await deployment.store.read(read)
    page = view.PaymentsPage(
        shell=await study_shell(
            request, person, asked.study, f"Payments for {asked.study.title}", "Recruiting"
        ),
        address=asked.address,
        recruitment=mine,
        books=books,
        names=names,
        people=sorted(names.items(), key=lambda each: each[1]) if shows_panel else (),
        top_ups=lines,
        shows_panel=shows_panel,
        may_intend=shows_panel and not deployment.store.read_only,
        may_own=person.may("owner", asked.study.name) and not deployment.store.read_only,
        done=done,
        error=error,
        given={name: (given or {}).get(name, "") for name in FIELDS},
    )
    return show(request, page, status=422 if error else 200)


def _names(c: Connection, asked: AskedRecruitment, now: float) -> dict[str, str]:
    """Ours by the panel's submission."""
    reconciled = read_reconciliation(c, asked.recruitment, now=now)
    return {
        row.submission.panel_id: row.visit.name
        for row in reconciled.rows
        if row.submission is not None and row.submission.panel_id and row.visit is not None
    }


@for_role("reviewer", changes=True)
async def intend(request: Request, person: Person) -> Response:
    """Add to what is due: by the rules, by hand, or to correct the pay of all."""
    asked, form = await asked_recruitment(request), await request.form()
    deployment, mine = deployment_of(request), asked.recruitment
    actor, now = actor_of(request, person), deployment.clock.now()
    how = plain(request.path_params["how"], most=40)
    given = {name: plain(str(form.get(name, "")), most=1000) for name in FIELDS}
    try:
        if how == "due":
            definition = deployment.study(asked.study.name).definition
            number = await deployment.store.write(
                lambda c: intend_due(c, definition, mine, now=now)
            )
        elif how == "adjust":
            line = plain(str(form.get("line", "")), most=40)
            number = await deployment.store.write(
                lambda c: intend_adjustment(c, mine, line, actor=actor, now=now)  # type: ignore[arg-type]
            )
        elif how == "by-hand":
            pieces = [plain(str(each)) for each in form.getlist("piece")]
            if not pieces:
                raise InputError("Choose at least one person. Nothing was added.")
            amount = read_money(given["amount"], mine.currency)
            number = await deployment.store.write(
                lambda c: orders.intend_by_hand(
                    c,
                    mine,
                    dict.fromkeys(pieces, amount),
                    words=given["words"],
                    subject=given["words"],
                    actor=actor,
                    now=now,
                )
            )
        elif how == "take-back":
            payment = whole_number(plain(str(form.get("payment", "")))) or 0
            await deployment.store.write(lambda c: take_back(c, mine, payment))
            return await _show(request, person, asked, done="The payment is taken back.")
        else:
            raise MissingError(f"Nothing is called '{how}' that one could do here.")
    except MissingError:
        raise
    except FAILURES as error:
        return await _show(request, person, asked, error=str(error), given=given)
    nothing = "Nothing is due that was not noted before."
    done = f"{counted(number, 'payment')} added. Nothing is paid yet." if number else nothing
    return await _show(request, person, asked, done=done)


@for_role("owner", changes=True)
async def order_some(request: Request, person: Person) -> Response:
    """Make orders of the payments that were ticked."""
    asked, form = await asked_recruitment(request), await request.form()
    deployment = deployment_of(request)
    actor, now = actor_of(request, person), deployment.clock.now()
    ids = [whole_number(str(each)[:20]) or 0 for each in form.getlist("payment")]
    try:
        made = await deployment.store.write(
            lambda c: orders.make_orders(c, asked.recruitment, ids, actor=actor, now=now)
        )
    except FAILURES as error:
        return await _show(request, person, asked, error=str(error))
    if len(made) == 1:
        return RedirectResponse(f"{asked.address}/orders/{made[0].key}", status_code=303)
    done = f"{counted(len(made), 'order')} made. Open each to set it up; nothing is paid yet."
    return await _show(request, person, asked, done=done)


@for_role("viewer")
async def show_order(request: Request, person: Person) -> Response:
    asked = await asked_recruitment(request)
    done = DONE.get(request.query_params.get("done", ""), "")
    return await _show_order(request, person, asked, done=done)


async def _show_order(
    request: Request,
    person: Person,
    asked: AskedRecruitment,
    *,
    done: str = "",
    error: str = "",
) -> Response:
    deployment, shows_panel = deployment_of(request), person.may("reviewer", asked.study.name)
    now = deployment.clock.now()

    def read(c: Connection) -> tuple[PayOrder, tuple[Payment, ...], dict[str, str]]:
        found = _order(c, request, asked)
        return found, payments_of(c, found), _names(c, asked, now)

    found, paid, names = await deployment.store.read(read)
    page = view.OrderPage(
        shell=await study_shell(
            request, person, asked.study, f"An order: {found.words}", "Recruiting"
        ),
        address=asked.address,
        recruitment=asked.recruitment,
        panel=PROLIFIC,
        order=found,
        payments=paid,
        names=names,
        shows_panel=shows_panel,
        may_own=person.may("owner", asked.study.name) and not deployment.store.read_only,
        done="" if error else done,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _order(c: Connection, request: Request, asked: AskedRecruitment) -> PayOrder:
    return order_of(c, asked.recruitment, plain(request.path_params["order"]))


@for_role("owner", changes=True)
async def change_order(request: Request, person: Person) -> Response:
    """Set an order up, pay it, give it up, or say what became of it."""
    asked, deployment = await asked_recruitment(request), deployment_of(request)
    actor = actor_of(request, person)
    found = await deployment.store.read(lambda c: _order(c, request, asked))
    act = plain(request.path_params["act"], most=40)
    if act not in DONE:
        raise MissingError(f"Nothing is called '{act}' that one could do here.")
    try:
        moved = await move_order(deployment, found, act.replace("-", "_"), actor=actor)
    except FAILURES as error:
        return await _show_order(request, person, asked, error=str(error))
    if moved.state == "unknown":
        return await _show_order(request, person, asked, error=NO_ANSWER)
    address = f"{asked.address}/orders/{found.key}"
    return RedirectResponse(with_query(address, done=act), status_code=303)


@for_role("reviewer")
async def table(request: Request, person: Person) -> Response:
    """What people get on top as CSV."""
    asked, deployment = await asked_recruitment(request), deployment_of(request)
    now = deployment.clock.now()

    def read(c: Connection) -> tuple[PaymentBooks, dict[str, str]]:
        return read_payments(c, asked.recruitment), _names(c, asked, now)

    books, names = await deployment.store.read(read)
    return csv_file(payments_csv(books, names), f"{asked.study.name}-payments.csv")


routes: list[BaseRoute] = [
    Route(RECRUITMENT + "/payments", payments, methods=["GET"]),
    Route(RECRUITMENT + "/payments.csv", table, methods=["GET"]),
    Route(RECRUITMENT + "/payments/{how}", intend, methods=["POST"]),
    Route(RECRUITMENT + "/orders", order_some, methods=["POST"]),
    Route(ORDER, show_order, methods=["GET"]),
    Route(ORDER + "/{act}", change_order, methods=["POST"]),
]
