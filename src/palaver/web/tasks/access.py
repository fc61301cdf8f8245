"""Whose page it is: the task that an address names, and whether whoever asks may see it.

Also what stands around every public page of a task, and the page for a refusal.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from palaver.core.errors import AccessError, InputError, MissingError, UnknownNameError
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.submissions import Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.submissions import holder_of
from palaver.evaluation.tasks import find_public_task, find_task, stored_task
from palaver.web.desk import accounts
from palaver.web.desk.accounts import Person, deployment_of, root_of, sign_in_url, signed_in
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.security import csrf_token
from palaver.web.shell import ChoiceLink, Direction
from palaver.web.teams import kept_token

TOKEN_HEADING = "There is nothing public at this address"

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
    tabs: tuple[ChoiceLink, ...] = ()
    tasks_url: str = "/tasks"
    challenges_url: str = "/challenges"
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
    # What there is to see instead: tasks or challenges.
    others: str
    others_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPage:
    """What strangers see in the place of a task that is not public, or not there: where a token goes."""

    template: ClassVar[str] = "tasks/token.html"
    shell: TaskShell
    heading: str
    detail: str
    # Where the form leads; empty where nothing can be changed.
    url: str


@dataclass(frozen=True, slots=True)
class TaskVisit:
    """A request for a page of a task that whoever asks may see; `person` is None for strangers.

    `team` is the team whose token the browser holds, if it is one for this task.
    """

    request: Request
    row: StoredTask
    task: Task
    person: Person | None
    # Whoever is signed in, whatever they may see.
    visitor: Person | None
    team: Team | None = None

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


async def visit(request: Request, *, for_teams: bool = False) -> TaskVisit:
    """The task of the address; UnknownNameError if it is not open to whoever asks.

    A task that is not public has pages for its teams (`for_teams`): whoever holds a token is let in
    there. Strangers are told the same of a task that is not public and of one that does not exist.
    """
    name, person = plain(request.path_params["task"]), await reader(request)
    store, secret = deployment_of(request).store, kept_token(request)

    def read(connection: Connection) -> tuple[StoredTask, Team | None]:
        team = holder_of(connection, secret) if secret else None
        if person is None and for_teams and team is not None and team.task_id is not None:
            own = find_task(connection, str(team.task_id))
            if name in (own.name, str(own.id)):
                return own, team
        find = find_task if person is not None else find_public_task
        row = find(connection, name)
        return row, team if team is not None and team.task_id == row.id else None

    row, team = await store.read(read)
    return TaskVisit(request, row, stored_task(row), person, await signed_in(request), team)


def is_open_to(listed: StoredTask | StoredChallenge, person: Person | None) -> bool:
    """Whether a task or a challenge is shown in lists to a `reader`, or to strangers."""
    return listed.public or person is not None


async def reader(request: Request) -> Person | None:
    """Whoever may see what is not public; None for strangers, and for members of single studies."""
    person = await accounts.reader(request)
    return person if person is not None and person.may("viewer") else None


def answering(others: str) -> Callable[[Endpoint], Endpoint]:
    """Answer what is refused or wrong with a page that leads to `others`, or with JSON."""

    def decorate(endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def guarded(request: Request) -> Response:
            try:
                return await endpoint(request)
            except AccessError as error:
                told = 403, "You do not have access to this", str(error)
            except (UnknownNameError, MissingError) as error:
                told = 404, "There is nothing at this address", str(error)
            except InputError as error:
                told = 400, "This address cannot be read", str(error)
            return await _refuse(request, *told, others=others)

        return guarded

    return decorate


for_readers = answering("tasks")


def shell_of(request: Request, person: Person | None, title: str) -> TaskShell:
    """The frame of a page that belongs to no task."""
    root = root_of(request)
    return TaskShell(
        title=title,
        csrf=csrf_token(request),
        tasks_url=f"{root}/tasks",
        challenges_url=f"{root}/challenges",
        desk_url=f"{root}/desk" if person else None,
        **signing(request, person),
    )


def task_shell(found: TaskVisit, title: str, current: str = "") -> TaskShell:
    """The frame of a task's page; `current` is the word of its tab."""
    root = root_of(found.request)
    tabs = {"Board": "", "Data": "/data", "Submit": "/submit"}
    if found.is_public and not found.row.public:
        del tabs["Board"]  # a team's pages of a task whose board is not open
    return TaskShell(
        title=title,
        csrf=csrf_token(found.request),
        heading=found.row.title,
        is_public=found.row.public,
        tabs=tuple(
            ChoiceLink(label=label, url=found.url + path, current=label == current)
            for label, path in tabs.items()
        ),
        tasks_url=f"{root}/tasks",
        challenges_url=f"{root}/challenges",
        desk_url=_desk_url(found),
        **signing(found.request, found.visitor),
    )


def _desk_url(found: TaskVisit) -> str | None:
    """The task's page at the desk, or the desk for whoever sees other things there."""
    desk = f"{root_of(found.request)}/desk"
    if found.person is not None:
        return f"{desk}/tasks/{found.row.name}"
    return desk if found.visitor is not None else None


def signing(request: Request, person: Person | None) -> dict[str, Any]:
    """Who is signed in and where to sign out; where to sign in, if nobody is."""
    is_copy = deployment_of(request).store.read_only
    return {
        "person": person.name if person else "",
        "sign_in_url": None if person else sign_in_url(request),
        "sign_out_url": f"{root_of(request)}/desk/sign-out" if person and not is_copy else None,
    }


def for_teams(endpoint: Endpoint) -> Endpoint:
    """Let those who hold no token give one, where a task is not open to them."""

    @wraps(endpoint)
    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except UnknownNameError as error:
            if request.method != "GET" or request.url.path.endswith(".json"):
                raise
            name, read_only = (
                plain(request.path_params["task"]),
                deployment_of(request).store.read_only,
            )
            page = TokenPage(
                shell=shell_of(request, await signed_in(request), TOKEN_HEADING),
                heading=TOKEN_HEADING,
                detail=str(error),
                url="" if read_only else f"{root_of(request)}/tasks/{quote(name)}/team",
            )
            return show(request, page, 404)

    return guarded


async def _refuse(
    request: Request, status: int, heading: str, detail: str, *, others: str
) -> Response:
    if request.url.path.endswith((".json", "/dynaboard")):
        code = {403: "refused", 404: "missing"}.get(status, "wrong")
        return JSONResponse({"error": {"code": code, "message": detail}}, status)
    page = TaskRefusal(
        shell=shell_of(request, await signed_in(request), heading),
        heading=heading,
        detail=detail,
        others=others,
        others_url=f"{root_of(request)}/{others}",
    )
    return show(request, page, status)
