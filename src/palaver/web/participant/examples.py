"""One's own list: what somebody wrote against models, what became of it, and taking one back.

It stays open after the visit. It reads the evaluation server, which a process that nobody asks for it
does not load.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.studies.run.own_examples import OwnExample, find_own, own_examples, take_back
from palaver.web.participant.steps import is_known, shell
from palaver.web.participant.visit import Visit, visit_of
from palaver.web.shell import FormPage, Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplesPage:
    """What somebody kept; each that still stands leads to the question whether to take it back."""

    template: ClassVar[str] = "participant/examples.html"
    shell: Shell
    examples: tuple[OwnExample, ...]
    url: str
    back_url: str

    @property
    def right(self) -> int:
        """How many of them others found right."""
        return sum(each.standing == "correct" and not each.retracted for each in self.examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBackPage(FormPage):
    """Asks whether an example is really to be taken back; posts `uid` to `action`."""

    template: ClassVar[str] = "participant/take_back.html"
    example: OwnExample
    back_url: str


def create(_: None) -> ASGIApp:
    """The application behind `/take/{assignment}/examples`."""
    route = Route("/take/{assignment}/examples", examples, methods=["GET", "POST"])

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await route.app(scope, receive, send)

    return app


async def examples(request: Request) -> Response:
    """The list; with `?back=` the question; a POST takes back."""
    visit = await visit_of(request, changing=request.method == "POST")
    if not is_known(visit.assignment):
        raise AccessError("What you wrote here was erased, so there is nothing to show.")
    url = f"{visit.path}/examples"
    if request.method == "POST":
        uid = str((await request.form()).get("uid", ""))
        back = partial(take_back, assignment=visit.assignment, uid=uid, now=visit.now)
        try:
            await visit.write(back)
        except UnknownNameError:
            raise
        except InputError as error:
            visit.notice = str(error)
        else:
            return RedirectResponse(f"{url}?taken", status_code=303)
    found = await visit.deployment.store.read(partial(own_examples, assignment=visit.assignment))
    asked = find_own(found, request.query_params.get("back", ""))
    if asked is not None and not asked.is_closed:
        return visit.show(TakeBackPage(shell=shell(visit), action=url, example=asked, back_url=url))
    return visit.show(_list(visit, found, url, taken="taken" in request.query_params))


def _list(visit: Visit, found: tuple[OwnExample, ...], url: str, *, taken: bool) -> ExamplesPage:
    if taken:
        visit.notice = "It is taken back."
    return ExamplesPage(shell=shell(visit), examples=found, url=url, back_url=visit.path)
