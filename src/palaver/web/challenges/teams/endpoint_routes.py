"""A team's endpoint on the page of a challenge: tested at once, or registered."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.challenge_entries import (
    ChallengeTeam,
    EndpointCard,
)
from palaver.core.evaluation.models import ProbedEndpoint
from palaver.core.numbers import whole_number
from palaver.evaluation.challenges.endpoint_cards import read_parameters
from palaver.evaluation.challenges.endpoint_entries import (
    ProbeError,
    TeamEndpoint,
    probe_for_track,
    submit_endpoint,
)
from palaver.evaluation.challenges.entry_place import current_team
from palaver.evaluation.submissions.endpoints import endpoint_options
from palaver.web.challenges.access import ChallengeVisit, changing, for_readers, need_team, visit
from palaver.web.challenges.probe_places import probe_places
from palaver.web.challenges.teams.view import ENDPOINT, hand_in_page
from palaver.web.desk.accounts import deployment_of
from palaver.web.desk.parts import plain
from palaver.web.endpoint_forms import ASKED, read_options
from palaver.web.formatting import with_query
from palaver.web.rendering import show

LONGEST_TEXT = 5000
LONGEST = {"url": 2000, "key": 500, "prompt": LONGEST_TEXT, "options": LONGEST_TEXT}


@for_readers
async def endpoint(request: Request) -> Response:
    """Test an endpoint, or register it; the same page with what came of it."""
    found = await changing(request)
    team, form = need_team(found), await request.form()
    typed = {name: plain(str(form.get(name, "")), most=LONGEST.get(name, 500)) for name in ENDPOINT}
    probed: ProbedEndpoint | None = None
    error = ""
    try:
        probed = await _try(found, team, typed, is_test=form.get("act") == "test")
    except ProbeError as failed:
        probed, error = failed.probed, "The endpoint was not registered; see below."
    except (InputError, AccessError) as refused:
        error = str(refused)
    if probed is None and not error:
        address = with_query(f"{found.url}/submit", done="registered")
        return RedirectResponse(f"{address}#entries-head", status_code=303)
    page = await hand_in_page(found, endpoint=typed, probed=probed, error=error)
    fine = not error and probed is not None and probed.answers
    return show(request, page, status=200 if fine else 422)


@for_readers
async def show_form(request: Request) -> Response:
    """The form is on the page 'Submit'."""
    found = await visit(request)
    return RedirectResponse(f"{found.url}/submit", status_code=303)


async def _try(
    found: ChallengeVisit, team: ChallengeTeam, typed: Mapping[str, str], *, is_test: bool
) -> ProbedEndpoint | None:
    """What a test found; None where the endpoint was registered."""
    await deployment_of(found.request).store.read(lambda c: current_team(c, found.row, team))
    wanted = _endpoint(typed)
    with probe_places(found.request).place(team.id, now=found.now):
        if is_test:
            return await probe_for_track(
                found.home, found.row, typed["track"], wanted, now=found.now
            )
        await submit_endpoint(
            found.home,
            found.row,
            team,
            wanted,
            track=typed["track"],
            run=_run(typed["run"]),
            now=found.now,
        )
    return None


def _endpoint(typed: Mapping[str, str]) -> TeamEndpoint:
    if not typed["url"]:
        raise InputError("Give the address of your model, such as https://example.org/.")
    options = endpoint_options(
        typed["kind"],
        typed["url"],
        model=typed["model"],
        prompt=typed["prompt"],
        key=typed["key"],
        **read_options(typed["options"], asked=ASKED),
    )
    card = EndpointCard(
        title=typed["title"],
        parameters=read_parameters(typed["parameters"]),
        link=typed["link"],
        about=typed["about"],
    )
    return TeamEndpoint(kind=typed["kind"], options=options, card=card)


def _run(typed: str) -> int | None:
    number = whole_number(typed, most=10**6) if typed else None
    if typed and number is None:
        raise InputError(f"The number of a run is a whole number; got '{typed[:20]}'.")
    return number


routes: list[BaseRoute] = [
    Route("/challenges/{challenge}/endpoint", show_form, methods=["GET"]),
    Route("/challenges/{challenge}/endpoint", endpoint, methods=["POST"]),
]
