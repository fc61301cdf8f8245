"""Who came to a study."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.storage.listed_visits import ListedVisit, list_visits
from palaver.storage.listings import Slice, Window
from palaver.storage.participants import ACTIVE, FINISHED
from palaver.studies.terms import Pay
from palaver.web.desk import pages
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import find_study, served_study, shell, show
from palaver.web.desk.words import amount_due, reason_words
from palaver.web.formatting import minutes, moment, with_query
from palaver.web.pages import Choice
from palaver.web.participant.wording import money

PAGE = 100


@for_role("viewer")
async def list_participants(request: Request, person: Person) -> Response:
    """A page of the visits to a study."""
    deployment, root = deployment_of(request), root_of(request)
    study = await find_study(request)
    served = served_study(request, study.name)
    newest_first = request.query_params.get("sort") != "oldest"
    window = Window(
        size=PAGE,
        after=_number(request.query_params.get("after")),
        before=_number(request.query_params.get("before")),
        newest_first=newest_first,
    )
    found = await deployment.store.read(lambda c: list_visits(c, study.id, window))
    address = f"{root}/desk/studies/{study.name}"
    pay = served.definition.pay if served else None
    page = pages.Participants(
        shell=shell(request, person, f"Participants of {study.title}", "studies"),
        title=study.title,
        state=f"{study.visits:,} came, {study.finished:,} finished",
        study_url=address,
        rows=tuple(
            _row(visit, pay=pay, root=root, shows_panel=person.may("reviewer"))
            for visit in found.rows
        ),
        pager=_pager(found, f"{address}/participants", newest_first),
        shows_panel=person.may("reviewer"),
        newest_first=newest_first,
        sort=Choice(
            label="Came",
            url=with_query(f"{address}/participants", sort="oldest" if newest_first else None),
        ),
    )
    return show(request, page)


def _number(given: str | None) -> int | None:
    return int(given) if given is not None and given.isdecimal() and len(given) < 16 else None


def _pager(found: Slice[ListedVisit], path: str, newest_first: bool) -> pages.Pager:
    sort = None if newest_first else "oldest"
    if not found.rows:
        return pages.Pager()
    first, last = found.rows[0].id, found.rows[-1].id
    return pages.Pager(
        previous_url=with_query(path, sort=sort, before=first) if found.has_previous else "",
        next_url=with_query(path, sort=sort, after=last) if found.has_next else "",
    )


def _row(visit: ListedVisit, *, pay: Pay | None, root: str, shows_panel: bool) -> pages.VisitRow:
    due = (
        None
        if pay is None
        else amount_due(pay, state=visit.state, reason=visit.reason, waited=visit.waited)
    )
    panel_id = "erased" if visit.erased else (visit.panel_id or "–")
    return pages.VisitRow(
        alias=visit.alias,
        panel_id=panel_id if shows_panel else "",
        crowd=visit.crowd,
        state=_state(visit),
        good=visit.state == FINISHED and visit.reason == "complete",
        condition=", ".join(dict.fromkeys(condition for _, condition in visit.dialogues)) or "–",
        came=moment(visit.created),
        minutes=minutes(None if visit.finished is None else visit.finished - visit.created),
        waited=minutes(visit.waited) if visit.waited else "–",
        pay="–" if pay is None or not due else money(due, pay.currency),
        dialogues=tuple(
            Choice(label=str(n), url=f"{root}/desk/dialogues/{key}")
            for n, (key, _) in enumerate(visit.dialogues, start=1)
        ),
    )


def _state(visit: ListedVisit) -> str:
    if visit.state == ACTIVE:
        stage = visit.step.removeprefix("stage:")
        return f"at stage {int(stage) + 1}" if stage.isdecimal() else f"at {visit.step}"
    if visit.state == FINISHED:
        return "finished" if visit.reason == "complete" else reason_words(visit.reason)
    return reason_words(visit.state)


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/participants", list_participants, methods=["GET"]),
]
