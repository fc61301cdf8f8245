"""The researcher's desk: every route below /desk, and what an error looks like there."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from palaver.core.errors import AccessError
from palaver.web.desk.frame import RefusalPage, shell
from palaver.web.rendering import show
from palaver.web.routes.desk import (
    dialogues,
    links,
    questions,
    raters,
    results,
    settings,
    signing_in,
    studies,
    task_models,
    task_runs,
    task_settings,
    tasks,
)

routes: list[BaseRoute] = [
    *signing_in.routes,
    *studies.routes,
    *links.routes,
    *dialogues.routes,
    *questions.routes,
    *raters.routes,
    *results.routes,
    *tasks.routes,
    *task_runs.routes,
    *task_models.routes,
    *task_settings.routes,
    *settings.routes,
]


def refuse(request: Request, error: AccessError) -> Response:
    """Somebody who is signed in may not do this."""
    return explain(request, 403, "You do not have access to this", str(error))


def explain(request: Request, status: int, heading: str, detail: str) -> Response:
    """A page of the desk that says what happened instead of what was asked for."""
    page = RefusalPage(
        shell=shell(request, None, heading),
        heading=heading,
        detail=detail,
        back_url=f"{request.app.state.renderer.root}/desk",
    )
    return show(request, page, status=status)
