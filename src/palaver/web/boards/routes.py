"""Boards: what the votes say so far, as a page and as JSON."""

from dataclasses import dataclass
from typing import ClassVar, cast, get_args

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from palaver.core.errors import AccessError, InputError, MissingError
from palaver.core.serial import encode
from palaver.evaluation.boards import Raters, VoteBoard
from palaver.studies.review.boards import current_board
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.desk.accounts import deployment_of, reader, root_of, sign_in_url
from palaver.web.rendering import show
from palaver.web.shell import Choice, Shell

CHOICES: dict[Raters, str] = {
    "all": "All votes",
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
    choices: tuple[Choice, ...] = ()


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


async def show_board(request: Request) -> Response:
    """The board of a study; it then keeps itself up to date."""
    try:
        study, raters = await _asked(request)
        board = await board_of(request.app.state.deployment, study, raters)
    except AccessError as error:
        return await _refuse(request, 403, "This board is not public", str(error))
    except MissingError as error:
        return await _refuse(request, 404, "This study has no board", str(error))
    except InputError as error:
        return await _refuse(request, 404, "There is nothing at this address", str(error))
    path = f"{root_of(request)}{study.definition.board_path}"
    page = VoteBoardPage(
        shell=Shell(
            title=board.title, lang=study.definition.language, dir=study.definition.direction
        ),
        board=board,
        data_url=f"{path}.json?raters={raters}",
        choices=tuple(
            Choice(label=label, url=f"{path}?raters={kind}", current=kind == raters)
            for kind, label in CHOICES.items()
        ),
    )
    return show(request, page)


async def list_of_boards(request: Request) -> Response:
    """The boards are listed at the desk."""
    return RedirectResponse(f"{root_of(request)}/desk/boards", status_code=303)


async def board_json(request: Request) -> Response:
    study, raters = await _asked(request)
    board = await board_of(request.app.state.deployment, study, raters)
    return Response(encode(board), media_type="application/json")


async def board_of(deployment: Deployment, study: RunningStudy, raters: Raters) -> VoteBoard:
    """The board of a study as the votes stand now."""
    now = deployment.clock.now()
    return await current_board(deployment.store, study.definition, raters, now=now)


async def _asked(request: Request) -> tuple[RunningStudy, Raters]:
    deployment: Deployment = request.app.state.deployment
    name = request.path_params["study"]
    study, person = deployment.studies.get(name), await reader(request)
    public = study is not None and (study.definition.board.public or deployment.store.read_only)
    hidden = not public and person is not None and not person.sees(name)
    if study is None or hidden:
        raise InputError(f"No study '{name}' is served here.")
    if not public and person is None:
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
]
