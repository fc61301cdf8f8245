"""Submissions at the desk: ours beside theirs, decisions with a look first, messages, a table."""

from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy import Connection
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.money import Money, read_money
from palaver.core.numbers import whole_number
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import Decision
from palaver.core.words import counted
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.crowds.prolific.checks import LEAST_REJECTION_WORDS
from palaver.studies.recruiting.books import read_reconciliation, read_suggestions
from palaver.studies.recruiting.overview import without_panel_ids
from palaver.studies.recruiting.submissions.decisions import (
    MOST_AT_ONCE,
    OPEN,
    Ruling,
    check_ruling,
    rule,
    write_to_submissions,
)
from palaver.studies.recruiting.submissions.foreseen import RETURN_REASON, VERBS, foreseen_decision
from palaver.studies.recruiting.submissions.reconciliation import Reconciliation
from palaver.studies.recruiting.submissions.suggestions import Suggestion
from palaver.studies.recruiting.tables import submissions_csv
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import study_shell
from palaver.web.desk.parts import Pager, asked_for, options, plain
from palaver.web.desk.recruiting import view
from palaver.web.desk.recruiting.request import (
    FAILURES,
    RECRUITMENT,
    AskedRecruitment,
    asked_recruitment,
)
from palaver.web.formatting import with_query
from palaver.web.rendering import show

PAGE = 100
MESSAGE = "message"
ONLY = {"mismatch": "what does not fit", "waiting": "what waits for you"}
# What a form says beside the submissions it is about.
FIELDS = ("message", "category", "reason", "pay", "percent", "text")
MOST_TEXT = 10_000


@for_role("viewer")
async def submissions(request: Request, person: Person) -> Response:
    return await _show(request, person, await asked_recruitment(request))


async def _show(
    request: Request,
    person: Person,
    asked: AskedRecruitment,
    *,
    done: str = "",
    error: str = "",
) -> Response:
    shows_panel = person.may("reviewer", asked.study.name)
    reconciled, suggestions = await _read(request, asked.recruitment)
    told = {each.submission.id: each for each in suggestions}
    waiting = len(suggestions)
    shown = reconciled if shows_panel else without_panel_ids(reconciled)
    state, only = (asked_for(request.query_params, name) for name in ("state", "only"))
    rows = [
        view.ShownRow(
            row=row,
            suggestion=told.get(row.submission.id) if row.submission and shows_panel else None,
        )
        for row in shown.rows
    ]
    rows = sorted((row for row in rows if _is_wanted(row, state, only)), key=_order)
    number = max(1, whole_number(request.query_params.get("page", "")) or 1)
    part = rows[(number - 1) * PAGE : number * PAGE]
    address = f"{asked.address}/submissions"

    def at(page: int) -> str:
        return with_query(address, state=state, only=only, page=page if page > 1 else None)

    states = sorted({row.submission.state for row in shown.rows if row.submission is not None})
    counts: dict[str, int] = {}
    for each in suggestions:
        counts[each.suggested] = counts.get(each.suggested, 0) + 1
    page = view.PanelSubmissionsPage(
        shell=await study_shell(
            request, person, asked.study, f"Submissions for {asked.study.title}", "Recruiting"
        ),
        address=asked.address,
        panel=PROLIFIC,
        recruitment=asked.recruitment,
        rows=part,
        total=len(rows),
        mismatches=len(reconciled.mismatches),
        waiting=waiting,
        suggested=counts,
        state_options=options({name: view.STATES.get(name, name) for name in states}, state),
        only_options=options(ONLY, only),
        pager=Pager(
            previous_url=at(number - 1) if number > 1 and rows else "",
            next_url=at(number + 1) if len(rows) > number * PAGE else "",
        ),
        shows_panel=shows_panel,
        may_decide=shows_panel and not deployment_of(request).store.read_only,
        done=done,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


async def _read(
    request: Request, recruitment: Recruitment
) -> tuple[Reconciliation, Sequence[Suggestion]]:
    deployment = deployment_of(request)
    definition, now = deployment.definition(recruitment.study), deployment.clock.now()

    def read(c: Connection) -> tuple[Reconciliation, Sequence[Suggestion]]:
        return (
            read_reconciliation(c, recruitment, now=now),
            read_suggestions(c, recruitment, definition, now=now),
        )

    return await deployment.store.read(read)


def _is_wanted(shown: view.ShownRow, state: str | None, only: str | None) -> bool:
    known = shown.row.submission
    if state is not None and (known is None or known.state != state):
        return False
    if only == "mismatch":
        return bool(shown.row.mismatches)
    return only != "waiting" or (known is not None and known.state == "awaiting_review")


def _order(shown: view.ShownRow) -> tuple[bool, bool]:
    """What does not fit comes first, then what waits; the rest as it came."""
    known = shown.row.submission
    waits = known is not None and known.state == "awaiting_review"
    return (not shown.row.mismatches, not waits)


@for_role("reviewer", changes=True)
async def look_first(request: Request, person: Person) -> Response:
    """What would be done to those who were ticked, or to all of whom it is suggested."""
    asked, form = await asked_recruitment(request), await request.form()
    decision = plain(str(form.get("decision", "")), most=40)
    if form.get("which") == "everybody":
        decision = MESSAGE
    pieces = _pieces(form)
    _, suggestions = await _read(request, asked.recruitment)
    try:
        _check_decision(decision)
        if form.get("which") == "suggested":
            pieces = [
                each.submission.panel_id
                for each in suggestions
                if each.suggested == decision and each.submission.panel_id
            ][:MOST_AT_ONCE]
        elif form.get("which") == "everybody":
            pieces = await _everybody(request, asked.recruitment)
        if not pieces:
            raise InputError("Tick at least one submission first. Nothing was done.")
    except InputError as error:
        return await _show(request, person, asked, error=str(error))
    return await _look(
        request,
        person,
        asked,
        decision,
        pieces,
        given=_usual(asked.recruitment, pieces, suggestions),
    )


def _usual(
    recruitment: Recruitment, pieces: Sequence[str], suggestions: Sequence[Suggestion]
) -> dict[str, str]:
    """What a form says at first: the usual reason, and the pay where all are to get the same."""
    pays = {each.pay for each in suggestions if each.submission.panel_id in pieces}
    (pay,) = pays if len(pays) == 1 else (0,)
    told = Money(pay, recruitment.currency).major if pay else ""
    return {"reason": RETURN_REASON, "pay": told}


async def _everybody(request: Request, recruitment: Recruitment) -> list[str]:
    reconciled, _ = await _read(request, recruitment)
    known = [row.submission for row in reconciled.rows if row.submission is not None]
    return [each.panel_id for each in known if each.panel_id and each.participant]


def _check_decision(decision: str) -> None:
    if decision not in (*OPEN, MESSAGE):
        raise InputError(f"There is no decision '{decision}'. Nothing was done.")


async def _look(
    request: Request,
    person: Person,
    asked: AskedRecruitment,
    decision: str,
    pieces: Sequence[str],
    *,
    given: Mapping[str, str],
    error: str = "",
) -> Response:
    reconciled, suggestions = await _read(request, asked.recruitment)
    told = {each.submission.id: each for each in suggestions}
    wanted = set(pieces)
    rows = [
        view.ShownRow(row=row, suggestion=told.get(row.submission.id))
        for row in reconciled.rows
        if row.submission is not None and row.submission.panel_id in wanted
    ]
    if decision == MESSAGE:
        verb = "Send the message"
        people = counted(len(rows), "person", "people")
        foreseen = f"{people} read this message at the panel, and can answer you there."
    else:
        known = cast(Decision, decision)
        percent = None if error else whole_number(given.get("percent", ""))
        verb = VERBS[known]
        foreseen = foreseen_decision(known, len(rows), asked.recruitment, percent=percent)
    page = view.LookPage(
        shell=await study_shell(
            request, person, asked.study, f"{verb}: {asked.study.title}", "Recruiting"
        ),
        address=asked.address,
        recruitment=asked.recruitment,
        decision=decision,
        verb=verb,
        foreseen=foreseen,
        rows=rows,
        least=LEAST_REJECTION_WORDS,
        given={name: given.get(name, "") for name in FIELDS},
        error=error,
    )
    return show(request, page, status=422 if error else 200)


@for_role("reviewer", changes=True)
async def decide(request: Request, person: Person) -> Response:
    """Do what was looked at, and say what became of it; or only say again what it would do."""
    asked, form = await asked_recruitment(request), await request.form()
    decision, pieces = plain(str(form.get("decision", "")), most=40), _pieces(form)
    given = {name: str(form.get(name, ""))[:MOST_TEXT].replace("\0", "") for name in FIELDS}
    deployment, actor = deployment_of(request), actor_of(request, person)
    try:
        _check_decision(decision)
        if decision == MESSAGE:
            sent = await write_to_submissions(
                deployment, asked.recruitment, pieces, given["text"], actor=actor
            )
            done = f"The message went to {counted(sent, 'person', 'people')}."
        else:
            ruling = _ruling(asked.recruitment, cast(Decision, decision), pieces, given)
            if form.get("again"):
                check_ruling(ruling, asked.recruitment)
                return await _look(request, person, asked, decision, pieces, given=given)
            done = (await rule(deployment, asked.recruitment, ruling, actor=actor)).words
    except FAILURES as error:
        if decision not in (*OPEN, MESSAGE) or not pieces:
            return await _show(request, person, asked, error=str(error))
        return await _look(request, person, asked, decision, pieces, given=given, error=str(error))
    return await _show(request, person, asked, done=done)


def _ruling(
    recruitment: Recruitment, decision: Decision, pieces: Sequence[str], given: Mapping[str, str]
) -> Ruling:
    pay = None
    if decision == "screen_out":
        pay = read_money(given["pay"], recruitment.currency).minor
    return Ruling(
        decision=decision,
        submissions=tuple(pieces),
        message=given["message"] if decision in ("reject", "pay_part") else "",
        category=given["category"] if decision == "reject" else "",
        reason=given["reason"] if decision == "ask_return" else "",
        pay=pay,
        percent=whole_number(given["percent"]) if decision == "pay_part" else None,
    )


def _pieces(form: FormData) -> list[str]:
    return list(dict.fromkeys(plain(str(each)) for each in form.getlist("piece")))


@for_role("reviewer")
async def table(request: Request, person: Person) -> Response:
    """Ours beside theirs as CSV."""
    asked = await asked_recruitment(request)
    reconciled, _ = await _read(request, asked.recruitment)
    return csv_file(
        submissions_csv(asked.recruitment, reconciled), f"{asked.study.name}-submissions.csv"
    )


def csv_file(text: str, name: str) -> Response:
    """A table as a download."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv", headers=headers)


routes: list[BaseRoute] = [
    Route(RECRUITMENT + "/submissions", submissions, methods=["GET"]),
    Route(RECRUITMENT + "/submissions", look_first, methods=["POST"]),
    Route(RECRUITMENT + "/submissions.csv", table, methods=["GET"]),
    Route(RECRUITMENT + "/decide", decide, methods=["POST"]),
]
