"""Where people come from: links for participants, or what a panel must be told, and its credits."""

import asyncio
import csv
import io
import time
from dataclasses import dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.numbers import whole_number
from palaver.core.studies.credits import CreditList
from palaver.core.studies.links import KeptLink
from palaver.core.studies.outcomes import WORDS, Outcome
from palaver.crowds.panels import Panel
from palaver.studies.file.outcomes import lost_outcomes, possible_outcomes
from palaver.studies.run.credits import credits_of, retry_failed
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.dues import OutcomeTerms, outcome_terms
from palaver.studies.run.kept_links import MOST_NAMES, list_links
from palaver.studies.run.participation import MOST_LINKS, make_links, record_links
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, study_shell
from palaver.web.rendering import show
from palaver.web.security import public_base


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSetUp:
    """What a panel must be told: our address, what to do there, and what each outcome needs."""

    panel: Panel
    address: str
    outcomes: tuple[OutcomeTerms, ...]
    # Those of them whose people end with nothing that the panel needs.
    lost: tuple[Outcome, ...] = ()
    # What the study pays in; empty where it says nothing of pay.
    currency: str = ""
    credits: CreditList | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage:
    """Links that are kept or were just made, and forms for more; for a panel, its set-up."""

    template: ClassVar[str] = "desk/studies/links.html"
    most: ClassVar[int] = MOST_LINKS
    most_names: ClassVar[int] = MOST_NAMES
    outcome_words: ClassVar[dict[Outcome, str]] = WORDS
    shell: DeskShell
    address: str
    links: tuple[str, ...]
    kept: tuple[KeptLink, ...]
    hours: float
    set_up: PanelSetUp | None = None
    error: str = ""
    names_error: str = ""
    names: str = ""


@for_role("reviewer")
async def links_page(request: Request, person: Person) -> Response:
    return show(request, await page_of(request, person))


@for_role("reviewer", changes=True)
async def new_links(request: Request, person: Person) -> Response:
    """Make links and show them, or send them as a file."""
    study, form = study_of(request), await request.form()
    given = str(form.get("count", ""))
    try:
        made = await asyncio.to_thread(
            make_links,
            deployment_of(request).secret,
            study.definition,
            count=_count(given),
            base=base_of(request),
        )
    except InputError as error:
        return show(request, await page_of(request, person, error=str(error)), status=422)
    actor, now = actor_of(request, person), deployment_of(request).clock.now()
    await deployment_of(request).store.write(
        lambda c: record_links(c, study.id, study.name, made, actor=actor, now=now)
    )
    match form.get("as"):
        case "text":
            return _file("".join(f"{link}\n" for link in made.links), f"{study.name}-links.txt")
        case "csv":
            return _file(_csv(made.links), f"{study.name}-links.csv", "text/csv")
    return show(request, await page_of(request, person, made.links))


@for_role("reviewer", changes=True)
async def retry_credits(request: Request, person: Person) -> Response:
    """Credits that failed are tried again."""
    study, now = study_of(request), deployment_of(request).clock.now()
    await deployment_of(request).store.write(lambda c: retry_failed(c, study.id, now=now))
    return RedirectResponse(f"{address_of(request, study)}#credits", status_code=303)


def study_of(request: Request) -> RunningStudy:
    return deployment_of(request).study(request.path_params["study"])


def _count(given: str) -> int:
    number = whole_number(given)
    if number is None:
        raise InputError(f"The number of links must be 1 to {MOST_LINKS:,}; got '{given[:40]}'.")
    return number


def base_of(request: Request) -> str:
    """The address people reach this server at."""
    return public_base(request, request.app.state.settings.public_url)


def address_of(request: Request, study: RunningStudy) -> str:
    """Where the links of a study are at the desk."""
    return f"{root_of(request)}/desk/studies/{study.name}/links"


async def page_of(
    request: Request,
    person: Person,
    links: tuple[str, ...] = (),
    *,
    error: str = "",
    names_error: str = "",
    names: str = "",
) -> LinksPage:
    """The page, with links that were just made or what is wrong with what was sent."""
    study, known = study_of(request), await find_study(request)
    deployment, base, now = deployment_of(request), base_of(request), time.time()
    kept = await deployment.store.read(
        lambda c: list_links(c, deployment.secret, study.id, study.name, base=base, now=now)
    )
    is_panel = study.definition.crowd.panel is not None
    heading = f"Where people come from: {known.title}" if is_panel else f"Links to {known.title}"
    return LinksPage(
        shell=await study_shell(request, person, known, heading, "Links"),
        address=address_of(request, study),
        links=links,
        kept=kept.links,
        hours=study.definition.crowd.link_hours,
        set_up=await _set_up(request, study),
        error=error,
        names_error=names_error,
        names=names,
    )


async def _set_up(request: Request, study: RunningStudy) -> PanelSetUp | None:
    panel = study.definition.crowd.panel
    if panel is None:
        return None
    credits = None
    if study.definition.crowd.credit is not None:
        credits = await deployment_of(request).store.read(lambda c: credits_of(c, study.id))
    return PanelSetUp(
        panel=panel,
        address=panel.address(base_of(request), study.name),
        outcomes=tuple(
            each
            for each in outcome_terms(study.definition)
            if each.outcome in possible_outcomes(study.definition)
        ),
        lost=tuple(lost_outcomes(study.definition)),
        currency="" if study.definition.pay is None else study.definition.pay.currency,
        credits=credits,
    )


def _csv(links: tuple[str, ...]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["number", "link"])
    writer.writerows(enumerate(links, start=1))
    return text.getvalue()


def _file(text: str, name: str, media_type: str = "text/plain") -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=media_type, headers=headers)


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/credits/retry", retry_credits, methods=["POST"]),
    Route("/desk/studies/{study}/links", links_page, methods=["GET"]),
    Route("/desk/studies/{study}/links", new_links, methods=["POST"]),
]
