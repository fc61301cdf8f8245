"""Boards: what the votes say so far, as a page and as JSON; and the results of closed rounds."""

import asyncio
from dataclasses import dataclass
from functools import wraps
from typing import ClassVar, cast, get_args

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from palaver.core.errors import AccessError, InputError, MissingError
from palaver.core.serial import encode
from palaver.evaluation.boards import Raters, VoteBoard
from palaver.studies.advice.kept_board import judges_advice
from palaver.studies.advice.kept_rounds import (
    BOARD_FILE,
    ClosedAdviceRound,
    closed_round,
    round_file,
)
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.boards.advice import advice_page
from palaver.web.boards.advice_shelf import advice_boards
from palaver.web.boards.results import ADDRESS as RESULTS
from palaver.web.boards.results import (
    lead_to_results,
    may_read_board,
    readable_round,
    readable_rounds,
    results_url,
    show_result,
    withheld,
)
from palaver.web.desk.accounts import Endpoint, deployment_of, reader, root_of, sign_in_url
from palaver.web.desk.vote_boards import study_boards
from palaver.web.rendering import show
from palaver.web.shell import ChoiceLink, Shell

# How long whoever asks for a board as JSON waits for it.
JSON_PATIENCE = 30.0
CHOICES: dict[Raters, str] = {
    "all": "All raters",
    "people": "People",
    "simulated": "Simulated raters",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBoardPage:
    """The public board; `data_url` answers with the board as JSON."""

    template: ClassVar[str] = "boards/board.html"
    shell: Shell
    board: VoteBoard
    data_url: str | None = None
    choices: tuple[ChoiceLink, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundListPage:
    """Rounds that were closed, each with what it found."""

    template: ClassVar[str] = "boards/rounds.html"
    shell: Shell
    rounds: tuple[ClosedAdviceRound, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRefusal:
    """One message instead of a board, with where to go from here."""

    template: ClassVar[str] = "boards/refusal.html"
    shell: Shell
    heading: str
    detail: str
    sign_in_url: str | None = None
    # The study's page at the desk, for whoever is signed in.
    study_url: str | None = None
    desk_url: str | None = None


def for_public(endpoint: Endpoint) -> Endpoint:
    """Answer with a page that says why a board, or results, cannot be seen."""

    @wraps(endpoint)
    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except AccessError as error:
            return await _refuse(request, 403, "This board is not public", str(error))
        except MissingError as error:
            return await _refuse(request, 404, "This study has no board", str(error))
        except InputError as error:
            return await _refuse(request, 404, "There is nothing at this address", str(error))

    return answered


@for_public
async def show_board(request: Request) -> Response:
    """The board of a study, which keeps itself up to date; of a closed round, its results."""
    if await _is_closed(request):
        await readable_round(request)
        url = results_url(request, request.path_params["study"])
        return RedirectResponse(url, status_code=303)
    study, raters = await _asked(request)
    path = f"{root_of(request)}{study.definition.board_path}"
    choices = tuple(
        ChoiceLink(label=label, url=f"{path}?raters={kind}", current=kind == raters)
        for kind, label in CHOICES.items()
    )
    deployment = deployment_of(request)
    if judges_advice(study.definition):
        found = await advice_boards(deployment).get(study, raters)
        return show(request, advice_page(study, found, raters, path=path, choices=choices))
    board = await board_of(deployment, study, raters)
    page = VoteBoardPage(
        shell=Shell(
            title=board.title, lang=study.definition.language, dir=study.definition.direction
        ),
        board=board,
        data_url=f"{path}.json?raters={raters}",
        choices=choices,
    )
    return show(request, page)


async def list_of_boards(request: Request) -> Response:
    """Rounds that were closed, for everybody; the boards of studies are listed at the desk."""
    rounds = await readable_rounds(request)
    if not rounds or await reader(request) is not None:
        return RedirectResponse(f"{root_of(request)}/desk/boards", status_code=303)
    return show(request, RoundListPage(shell=Shell(title="Rounds"), rounds=tuple(rounds)))


async def board_json(request: Request) -> Response:
    """The board as JSON; of a closed round, as it was kept."""
    deployment = deployment_of(request)
    if await _is_closed(request):
        closed = await readable_round(request)
        content = await asyncio.to_thread(
            round_file, deployment.evaluation, closed.study, BOARD_FILE
        )
        return Response(content, media_type="application/json")
    study, raters = await _asked(request)
    if not judges_advice(study.definition):
        board = await board_of(deployment, study, raters)
        return Response(encode(board), media_type="application/json")
    found = await advice_boards(deployment).get(study, raters, patience=JSON_PATIENCE)
    if found.board is None:
        raise MissingError(found.failure or "The board is being computed. Ask again in a moment.")
    return Response(encode(found.board), media_type="application/json")


async def _is_closed(request: Request) -> bool:
    name = request.path_params["study"]
    found = await deployment_of(request).store.read(lambda c: closed_round(c, name))
    return found is not None


async def board_of(deployment: Deployment, study: RunningStudy, raters: Raters) -> VoteBoard:
    """The board of a study as the votes stand now."""
    now = deployment.clock.now()
    return await study_boards(deployment).get(study.definition, raters, now=now)


async def _asked(request: Request) -> tuple[RunningStudy, Raters]:
    deployment: Deployment = request.app.state.deployment
    name = request.path_params["study"]
    study, person = deployment.studies.get(name), await reader(request)
    held = await withheld(deployment)
    may_read = study is not None and may_read_board(deployment, name, person, held)
    if study is None or (person is not None and not may_read):
        raise InputError(f"No study '{name}' is served here.")
    if not may_read:
        raise AccessError("This board is for the researchers of the study. Sign in to see it.")
    raters = request.query_params.get("raters", "all")
    if raters not in get_args(Raters):
        raise InputError(f"'raters' is one of {', '.join(get_args(Raters))}; got '{raters[:40]}'.")
    return study, cast(Raters, raters)


async def _refuse(request: Request, status: int, heading: str, detail: str) -> Response:
    root, name = root_of(request), request.path_params["study"]
    person = await reader(request)
    is_reader = person is not None
    known = person is not None and person.sees(name) and name in deployment_of(request).studies
    page = BoardRefusal(
        shell=Shell(title="Board"),
        heading=heading,
        detail=detail,
        sign_in_url=None if is_reader else sign_in_url(request),
        study_url=f"{root}/desk/studies/{name}" if known else None,
        desk_url=f"{root}/desk/boards" if is_reader else None,
    )
    return show(request, page, status)


routes = [
    Route("/boards", list_of_boards),
    Route("/boards/{study}.json", board_json),
    Route("/boards/{study}", show_board),
    Route(RESULTS, for_public(lead_to_results)),
    Route(RESULTS + "/", for_public(show_result)),
    Route(RESULTS + "/{path:path}", for_public(show_result)),
]
