"""The results of rounds that were closed, byte by byte as they were kept; their addresses stay.

They are served whether or not the study itself is: whoever might see its board sees them, and of a
round whose board was not public a stranger learns nothing.
"""

import asyncio
from pathlib import PurePosixPath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from palaver.core.errors import AccessError, InputError
from palaver.evaluation.challenges.judged_studies import withheld_studies
from palaver.studies.advice.kept_rounds import (
    ClosedAdviceRound,
    closed_round,
    closed_rounds,
    round_file,
)
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.accounts import Person, deployment_of, reader, root_of
from palaver.web.desk.parts import plain
from palaver.web.kept_files import PAGE, kept_response

ADDRESS = "/boards/{study}/results"


async def show_result(request: Request) -> Response:
    """The page of the results, or a file of them."""
    closed = await readable_round(request)
    path = plain(request.path_params.get("path", "")) or PAGE
    home = deployment_of(request).evaluation
    content = await asyncio.to_thread(round_file, home, closed.study, path)
    if not path.endswith("/") and not PurePosixPath(path).suffix:
        return RedirectResponse(f"{results_url(request, closed.study)}{quote(path)}/", 308)
    return kept_response(content, path, owner=closed.study)


async def lead_to_results(request: Request) -> Response:
    """The address without its slash."""
    closed = await readable_round(request)
    return RedirectResponse(results_url(request, closed.study), status_code=308)


def results_url(request: Request, study: str) -> str:
    """Where the results of a round are for good."""
    return f"{root_of(request)}/boards/{study}/results/"


async def readable_round(request: Request) -> ClosedAdviceRound:
    """The closed round that is asked for, if whoever asks may read it."""
    name, person = request.path_params["study"], await reader(request)
    found = await deployment_of(request).store.read(lambda c: closed_round(c, name))
    held = await withheld(deployment_of(request))
    deployment = deployment_of(request)
    may_read = found is not None and may_read_round(deployment, found, person, held)
    if found is None or (person is not None and not may_read):
        raise InputError(f"No results of a round '{name[:80]}' are kept here.")
    if not may_read:
        raise AccessError(
            "These results are for the researchers of the study. Sign in to see them."
        )
    return found


async def readable_rounds(request: Request) -> list[ClosedAdviceRound]:
    """The closed rounds that whoever asks may read, the newest first."""
    person = await reader(request)
    deployment = deployment_of(request)
    every, held = await deployment.store.read(closed_rounds), await withheld(deployment)
    return [found for found in every if may_read_round(deployment, found, person, held)]


async def withheld(deployment: Deployment) -> frozenset[str]:
    """The studies whose boards strangers may not see before the date of a challenge."""
    now = deployment.clock.now()
    return await deployment.store.read(lambda c: withheld_studies(c, now=now))


def may_read_round(
    deployment: Deployment, found: ClosedAdviceRound, person: Person | None, held: frozenset[str]
) -> bool:
    """Whether somebody may read the results of a closed round; a stranger is None."""
    served = deployment.studies.get(found.study)
    public = found.public if served is None else served.definition.board.public
    return _may_read(deployment, found.study, person, public=public, held=held)


def may_read_board(
    deployment: Deployment, study: str, person: Person | None, held: frozenset[str]
) -> bool:
    """Whether somebody may see the board of a study that is served; a stranger is None."""
    public = deployment.studies[study].definition.board.public
    return _may_read(deployment, study, person, public=public, held=held)


def _may_read(
    deployment: Deployment,
    study: str,
    person: Person | None,
    *,
    public: bool,
    held: frozenset[str],
) -> bool:
    is_open = open_to_all(deployment, study, public=public, held=held)
    return is_open or (person is not None and person.sees(study))


def open_to_all(deployment: Deployment, study: str, *, public: bool, held: frozenset[str]) -> bool:
    """Whether strangers may see how a study stands: its board, or its results once it is closed.

    A bundle is open to whoever opened it; the date of a challenge holds wherever its scores stand.
    """
    return (public or deployment.store.read_only) and study not in held
