"""Boards: what the votes say so far, as a page and as JSON."""

from dataclasses import dataclass
from typing import ClassVar, cast, get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palaver.core.errors import AccessError, InputError
from palaver.core.serial import encode
from palaver.evaluation.boards import Raters, VoteBoard
from palaver.studies.review.boards import read_study_board
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.web.desk.accounts import is_signed_in
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


async def show_board(request: Request) -> Response:
    """The board of a study; it then keeps itself up to date."""
    study, raters = await _asked(request)
    board = await board_of(request.app.state.deployment, study, raters)
    path = f"/boards/{study.name}"
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


async def board_json(request: Request) -> Response:
    study, raters = await _asked(request)
    board = await board_of(request.app.state.deployment, study, raters)
    return Response(encode(board), media_type="application/json")


async def board_of(deployment: Deployment, study: RunningStudy, raters: Raters) -> VoteBoard:
    """The board of a study as the votes stand now."""
    now = deployment.clock.now()
    return await deployment.store.read(
        lambda c: read_study_board(c, study.name, study.definition, raters, now=now)
    )


async def _asked(request: Request) -> tuple[RunningStudy, Raters]:
    deployment: Deployment = request.app.state.deployment
    study = deployment.study(request.path_params["study"])
    public = study.definition.board.public or deployment.store.read_only
    if not public and not await is_signed_in(request):
        raise AccessError("This board is for the researchers of the study. Sign in to see it.")
    raters = request.query_params.get("raters", "all")
    if raters not in get_args(Raters):
        raise InputError(f"'raters' is one of {', '.join(get_args(Raters))}; got '{raters[:40]}'.")
    return study, cast(Raters, raters)


routes = [
    Route("/boards/{study}.json", board_json),
    Route("/boards/{study}", show_board),
]
