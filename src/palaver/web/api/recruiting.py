"""Operations on recruiting: offers, recruitments at a panel, decisions, payments, hooks.

What the desk does, with the same actions. No answer holds a code of the study or a secret.
"""

import asyncio
from typing import Annotated

from fastapi import Path, Query, Request
from sqlalchemy import Connection

from palaver.core.money import read_money
from palaver.core.recruiting.payments import PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.records import TestRun
from palaver.studies.recruiting.access import KnownAccount, PanelAccess, read_access, try_token
from palaver.studies.recruiting.books import (
    PaymentBooks,
    intend_due,
    read_payments,
    read_reconciliation,
    read_suggestions,
)
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money.due_payments import choose_due, take_back_named
from palaver.studies.recruiting.money.top_ups import intend_adjustment
from palaver.studies.recruiting.offering.filters import (
    EligiblePeople,
    FilterList,
    count_eligible,
    find_filters,
)
from palaver.studies.recruiting.offering.offers import Offer, make_offer
from palaver.studies.recruiting.offering.trials import try_out
from palaver.studies.recruiting.overview import (
    RecruitmentList,
    RecruitmentSheet,
    order_of,
    payments_without_ids,
    read_recruitments,
    read_sheet,
    recruitment_of,
    without_panel_ids,
)
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.moves import OWNERS, make_move, move_order
from palaver.studies.recruiting.submissions.decisions import (
    Ruled,
    Ruling,
    rule,
    write_to_submissions,
)
from palaver.studies.recruiting.submissions.hooks import HookState, read_hooks, set_up_hooks
from palaver.studies.recruiting.submissions.reconciliation import Reconciliation
from palaver.studies.recruiting.submissions.suggestions import SuggestionList
from palaver.web.api import recruiting_models as models
from palaver.web.api.access import (
    Auditor,
    Here,
    Owner,
    Reviewer,
    StudyName,
    StudyOwner,
    StudyReviewer,
    StudyViewer,
    known_study,
    served_study,
)
from palaver.web.api.errors import ANSWERS, CONFLICT, FORBIDDEN, MISSING, PANEL, UNREADABLE
from palaver.web.api.records import RecordRouter
from palaver.web.desk.accounts import actor_of, check_writable, require
from palaver.web.security import public_base

RecruitmentKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
OrderKey = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

ASKS = {**MISSING, **FORBIDDEN, **PANEL}
CHANGES = {**ASKS, **CONFLICT, **UNREADABLE}
NOTES = {**MISSING, **FORBIDDEN, **UNREADABLE}

router = RecordRouter(responses=ANSWERS, tags=["recruiting"])
ALL = "/studies/{name}/recruiting"
ONE = ALL + "/{recruitment}"


async def _found(deployment: Here, name: str, key: str) -> Recruitment:
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: recruitment_of(c, study.id, key))


def _base(request: Request) -> str:
    return public_base(request, request.app.state.public_url)


@router.get(ALL, responses=MISSING)
async def study_recruitments(
    deployment: Here, person: StudyViewer, name: StudyName
) -> RecruitmentList:
    """The recruitments of a study, oldest first."""
    study = await known_study(deployment, name)
    return await deployment.store.read(lambda c: read_recruitments(c, study.id))


@router.get(ALL + "/offer", responses=ASKS)
async def study_offer(
    request: Request,
    deployment: Here,
    person: StudyOwner,
    name: StudyName,
    places: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Offer:
    """What would be created at the panel, and what it costs; nothing is made."""
    study = served_study(deployment, name)
    return await make_offer(deployment, study, base=_base(request), places=places)


@router.post(ALL, status_code=201, responses=CHANGES)
async def new_recruitment(
    request: Request,
    deployment: Here,
    person: StudyOwner,
    name: StudyName,
    wanted: models.NewRecruitment,
) -> Recruitment:
    """Create a draft at the panel, at the cost that the offer told; nobody sees it yet."""
    check_writable(deployment)
    served_study(deployment, name)
    return await recruit.create(
        deployment,
        name,
        base=_base(request),
        actor=actor_of(request, person, "api"),
        places=wanted.places,
        cost=wanted.cost,
    )


@router.get(ONE, responses=MISSING)
async def show_recruitment(
    deployment: Here, person: StudyViewer, name: StudyName, recruitment: RecruitmentKey
) -> RecruitmentSheet:
    """A recruitment with what it came to: places, waiting decisions, cost, pay by the hour."""
    found = await _found(deployment, name, recruitment)
    definition, now = deployment.definition(name), deployment.clock.now()
    return await deployment.store.read(lambda c: read_sheet(c, found, definition, now=now))


@router.post(ONE + "/moves", responses=CHANGES)
async def move_recruitment(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.RecruitmentMove,
) -> Recruitment:
    """Publish, pause, resume, stop or delete it, read its list, or look for it at the panel.

    Reviewers may pause and read; the rest is an owner's.
    """
    check_writable(deployment)
    if wanted.move in OWNERS:
        require(person, "owner", name)
    found, actor = await _found(deployment, name, recruitment), actor_of(request, person, "api")
    return await make_move(deployment, found, wanted.move, actor=actor)


@router.put(ONE + "/places", responses=CHANGES)
async def change_places(
    request: Request,
    deployment: Here,
    person: StudyOwner,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.WantedPlaces,
) -> Recruitment:
    """Offer so many places in all; a published study takes no fewer than it has."""
    check_writable(deployment)
    found, actor = await _found(deployment, name, recruitment), actor_of(request, person, "api")
    return await recruit.set_places(deployment, found, wanted.places, actor=actor)


@router.post(ONE + "/trial", responses=CHANGES)
async def open_trial(
    request: Request,
    deployment: Here,
    person: StudyOwner,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NewTrial,
) -> TestRun:
    """Open a draft to test participants."""
    check_writable(deployment)
    found, actor = await _found(deployment, name, recruitment), actor_of(request, person, "api")
    return await try_out(deployment, found, actor=actor, email=wanted.email)


@router.get(ONE + "/submissions", responses=MISSING)
async def recruitment_submissions(
    deployment: Here, person: StudyViewer, name: StudyName, recruitment: RecruitmentKey
) -> Reconciliation:
    """Every visit beside its submission, and what does not fit.

    The panel's names for people and pieces of work are for reviewers and null for others.
    """
    found, now = await _found(deployment, name, recruitment), deployment.clock.now()
    reconciled = await deployment.store.read(lambda c: read_reconciliation(c, found, now=now))
    return reconciled if person.may("reviewer", name) else without_panel_ids(reconciled)


@router.get(ONE + "/suggestions", responses={**MISSING, **FORBIDDEN})
async def recruitment_suggestions(
    deployment: Here, person: StudyReviewer, name: StudyName, recruitment: RecruitmentKey
) -> SuggestionList:
    """What might be decided of each submission that waits, with its evidence."""
    found, now = await _found(deployment, name, recruitment), deployment.clock.now()
    definition = deployment.definition(name)
    told = await deployment.store.read(lambda c: read_suggestions(c, found, definition, now=now))
    return SuggestionList(suggestions=told)


@router.post(ONE + "/decisions", responses=CHANGES)
async def decide(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NewRuling,
) -> Ruled:
    """Do the same to some submissions: approve, pay a part, reject, ask for the return, screen out…"""
    check_writable(deployment)
    found, actor = await _found(deployment, name, recruitment), actor_of(request, person, "api")
    ruling = Ruling(
        decision=wanted.decision,
        submissions=tuple(wanted.submissions),
        message=wanted.message,
        category=wanted.category,
        reason=wanted.reason,
        pay=None if wanted.pay is None else read_money(wanted.pay, found.currency).minor,
        percent=wanted.percent,
    )
    return await rule(deployment, found, ruling, actor=actor)


@router.post(ONE + "/messages", responses=CHANGES)
async def write_message(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NewMessage,
) -> models.SentMessage:
    """Write to people of a recruitment through the panel."""
    check_writable(deployment)
    found, actor = await _found(deployment, name, recruitment), actor_of(request, person, "api")
    people = await write_to_submissions(
        deployment, found, wanted.submissions, wanted.text, actor=actor
    )
    return models.SentMessage(people)


@router.get(ONE + "/payments", responses=MISSING)
async def recruitment_payments(
    deployment: Here, person: StudyViewer, name: StudyName, recruitment: RecruitmentKey
) -> PaymentBooks:
    """What people get on top: due, ordered, paid; the panel's names are null except for reviewers."""
    found = await _found(deployment, name, recruitment)
    books = await deployment.store.read(lambda c: read_payments(c, found))
    return books if person.may("reviewer", name) else payments_without_ids(books)


@router.post(ONE + "/payments/due", responses=NOTES)
async def work_out_due(
    deployment: Here, person: StudyReviewer, name: StudyName, recruitment: RecruitmentKey
) -> PaymentBooks:
    """Note everything that the study's rules give by now; asking again adds what has come since."""
    check_writable(deployment)
    found, now = await _found(deployment, name, recruitment), deployment.clock.now()
    definition = served_study(deployment, name).definition

    def work(c: Connection) -> PaymentBooks:
        intend_due(c, definition, found, now=now)
        return read_payments(c, found)

    return await deployment.store.write(work)


@router.post(ONE + "/payments/adjustment", responses=NOTES)
async def adjust(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NewAdjustment,
) -> PaymentBooks:
    """Note what brings the median hour to a line, the same for all who did the work."""
    check_writable(deployment)
    found, now = await _found(deployment, name, recruitment), deployment.clock.now()
    actor = actor_of(request, person, "api")

    def work(c: Connection) -> PaymentBooks:
        intend_adjustment(c, found, wanted.line, actor=actor, now=now)
        return read_payments(c, found)

    return await deployment.store.write(work)


@router.post(ONE + "/payments/by-hand", responses=NOTES)
async def give_bonus(
    request: Request,
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NewBonus,
) -> PaymentBooks:
    """Note a bonus that somebody decided on; the same person gets it once for the same words."""
    check_writable(deployment)
    found, now = await _found(deployment, name, recruitment), deployment.clock.now()
    actor, amount = actor_of(request, person, "api"), read_money(wanted.amount, found.currency)

    def work(c: Connection) -> PaymentBooks:
        orders.intend_by_hand(
            c,
            found,
            dict.fromkeys(wanted.submissions, amount),
            words=wanted.words,
            subject=wanted.words,
            actor=actor,
            now=now,
        )
        return read_payments(c, found)

    return await deployment.store.write(work)


@router.post(ONE + "/payments/take-back", responses=NOTES)
async def take_payment_back(
    deployment: Here,
    person: StudyReviewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NamedPayment,
) -> PaymentBooks:
    """Take back a payment that nobody has ordered."""
    check_writable(deployment)
    found = await _found(deployment, name, recruitment)

    def work(c: Connection) -> PaymentBooks:
        take_back_named(c, found, rule=wanted.rule, subject=wanted.subject)
        return read_payments(c, found)

    return await deployment.store.write(work)


@router.post(ONE + "/orders", status_code=201, responses={**NOTES, **CONFLICT})
async def new_orders(
    request: Request,
    deployment: Here,
    person: StudyOwner,
    name: StudyName,
    recruitment: RecruitmentKey,
    wanted: models.NewOrders,
) -> models.OrderList:
    """Order payments that are due; nothing is paid by that."""
    check_writable(deployment)
    found, now = await _found(deployment, name, recruitment), deployment.clock.now()
    actor = actor_of(request, person, "api")

    def work(c: Connection) -> list[PayOrder]:
        due = choose_due(c, found, rules=wanted.rules, submissions=wanted.submissions)
        return orders.make_orders(c, found, [each.id for each in due], actor=actor, now=now)

    return models.OrderList(await deployment.store.write(work))


@router.get(ONE + "/orders/{order}", responses=MISSING)
async def show_order(
    deployment: Here,
    person: StudyViewer,
    name: StudyName,
    recruitment: RecruitmentKey,
    order: OrderKey,
) -> PayOrder:
    """An order to pay, and what became of it."""
    found = await _found(deployment, name, recruitment)
    return await deployment.store.read(lambda c: order_of(c, found, order))


@router.post(ONE + "/orders/{order}/moves", responses=CHANGES)
async def change_order(
    request: Request,
    deployment: Here,
    person: StudyOwner,
    name: StudyName,
    recruitment: RecruitmentKey,
    order: OrderKey,
    wanted: models.NewOrderMove,
) -> PayOrder:
    """Set an order up, pay it once, give it up, or say what was found of one without an answer."""
    check_writable(deployment)
    found = await _found(deployment, name, recruitment)
    known = await deployment.store.read(lambda c: order_of(c, found, order))
    actor = actor_of(request, person, "api")
    return await move_order(deployment, known, wanted.move, actor=actor)


@router.get("/recruiting/access", responses=FORBIDDEN)
async def panel_access(person: Auditor) -> PanelAccess:
    """Whether the secrets of Prolific are set, and where; never what they are. For owners."""
    return await asyncio.to_thread(read_access)


@router.get("/recruiting/account", responses={**FORBIDDEN, **PANEL})
async def panel_account(deployment: Here, person: Auditor) -> KnownAccount:
    """Whose token is set, and what there is to spend. For owners."""
    return await try_token(deployment)


@router.get("/recruiting/filters", responses={**FORBIDDEN, **PANEL})
async def panel_filters(
    deployment: Here,
    person: Reviewer,
    search: Annotated[str, Query(pattern=r"^[^\x00]*$", max_length=100)] = "",
) -> FilterList:
    """The panel's catalogue of filters, or what of it has these words."""
    return await find_filters(deployment, search)


@router.post("/recruiting/filters/count", responses={**FORBIDDEN, **PANEL, **UNREADABLE})
async def count_people(
    deployment: Here, person: Reviewer, wanted: models.NewFilters
) -> EligiblePeople:
    """How many people at the panel pass all of some filters; 0 stands for fewer than 25."""
    told = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in wanted.filters.items()
    }
    return await count_eligible(deployment, told)


@router.get("/recruiting/hooks", responses={**FORBIDDEN, **PANEL})
async def panel_hooks(request: Request, deployment: Here, person: Auditor) -> HookState:
    """Whether the panel tells this server of what happens. For owners."""
    return await read_hooks(deployment, base=_base(request))


@router.post("/recruiting/hooks", responses={**FORBIDDEN, **PANEL})
async def new_hooks(request: Request, deployment: Here, person: Owner) -> HookState:
    """Have the panel tell this server of what happens. For owners."""
    actor = actor_of(request, person, "api")
    return await set_up_hooks(deployment, base=_base(request), actor=actor)
