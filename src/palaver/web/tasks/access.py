"""Whose page it is: the task that an address names, and whether whoever asks may see it.

Also what stands around every public page of a task, and the page for a refusal.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import find_public_task, find_task, stored_task
from palaver.web.desk import accounts
from palaver.web.desk.accounts import Person, deployment_of, root_of, sign_in_url, signed_in
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.security import csrf_token
from palaver.web.shell import Choice, Direction

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShell:
    """What stands around every page; `tabs` are the pages of the task, where there is one."""

    title: str
    lang: str = "en"
    dir: Direction = "ltr"
    csrf: str = ""
    preview: bool = False
    heading: str = ""
    is_public: bool = True
    tabs: tuple[Choice, ...] = ()
    tasks_url: str = "/tasks"
    # Whoever is signed in.
    person: str = ""
    # Where to sign in and come back; None for whoever is signed in.
    sign_in_url: str | None = None
    sign_out_url: str | None = None
    desk_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRefusal:
    """One message instead of a page."""

    template: ClassVar[str] = "tasks/refusal.html"
    shell: TaskShell
    heading: str
    detail: str


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a page of a task that whoever asks may see; `person` is None for strangers."""

    request: Request
    row: StoredTask
    task: Task
    person: Person | None
    # Whoever is signed in, whatever they may see.
    visitor: Person | None

    @property
    def home(self) -> EvaluationHome:
        return deployment_of(self.request).evaluation

    @property
    def url(self) -> str:
        """The address of the task's board."""
        return f"{root_of(self.request)}/tasks/{self.row.name}"

    @property
    def is_public(self) -> bool:
        """Whether this is shown as strangers see it."""
        return self.person is None

    @property
    def now(self) -> float:
        return deployment_of(self.request).clock.now()


async def visit(request: Request) -> Visit:
    """The task of the address; UnknownNameError if it is not open to whoever asks.

    Strangers are told the same of a task that is not public and of one that does not exist.
    """
    name, person = plain(request.path_params["task"]), await reader(request)
    find = find_task if person is not None else find_public_task
    row = await deployment_of(request).store.read(lambda c: find(c, name))
    return Visit(request, row, stored_task(row), person, await signed_in(request))


async def reader(request: Request) -> Person | None:
    """Whoever may see what is not public; None for strangers, and for members of single studies."""
    person = await accounts.reader(request)
    return person if person is not None and person.may("viewer") else None


def for_readers(endpoint: Endpoint) -> Endpoint:
    """Answer what is refused or wrong in the manner of these pages: with a page, or with JSON."""

    @wraps(endpoint)
    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except AccessError as error:
            return await _refuse(request, 403, "You do not have access to this", str(error))
        except UnknownNameError as error:
            return await _refuse(request, 404, "There is nothing at this address", str(error))
        except InputError as error:
            return await _refuse(request, 400, "This address cannot be read", str(error))

    return guarded


def shell_of(request: Request, person: Person | None, title: str) -> TaskShell:
    """The frame of a page that belongs to no task."""
    root = root_of(request)
    return TaskShell(
        title=title,
        csrf=csrf_token(request),
        tasks_url=f"{root}/tasks",
        desk_url=f"{root}/desk" if person else None,
        **_signing(request, person),
    )


def task_shell(found: Visit, title: str, current: str = "") -> TaskShell:
    """The frame of a task's page; `current` is the word of its tab."""
    root = root_of(found.request)
    tabs = {"Board": "", "Data": "/data", "Submit": "/submit"}
    return TaskShell(
        title=title,
        csrf=csrf_token(found.request),
        heading=found.row.title,
        is_public=found.row.public,
        tabs=tuple(
            Choice(label=label, url=found.url + path, current=label == current)
            for label, path in tabs.items()
        ),
        tasks_url=f"{root}/tasks",
        desk_url=_desk_url(found),
        **_signing(found.request, found.visitor),
    )


def _desk_url(found: Visit) -> str | None:
    """The task's page at the desk, or the desk for whoever sees other things there."""
    desk = f"{root_of(found.request)}/desk"
    if found.person is not None:
        return f"{desk}/tasks/{found.row.name}"
    return desk if found.visitor is not None else None


def _signing(request: Request, person: Person | None) -> dict[str, Any]:
    """Who is signed in and where to sign out; where to sign in, if nobody is."""
    is_copy = deployment_of(request).store.read_only
    return {
        "person": person.name if person else "",
        "sign_in_url": None if person else sign_in_url(request),
        "sign_out_url": f"{root_of(request)}/desk/sign-out" if person and not is_copy else None,
    }


async def _refuse(request: Request, status: int, heading: str, detail: str) -> Response:
    if request.url.path.endswith((".json", "/dynaboard")):
        code = {403: "refused", 404: "missing"}.get(status, "wrong")
        return JSONResponse({"error": {"code": code, "message": detail}}, status)
    page = TaskRefusal(
        shell=shell_of(request, await signed_in(request), heading), heading=heading, detail=detail
    )
    return show(request, page, status)
