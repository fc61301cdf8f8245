"""What an owner decides about a task: who may see it, terms, limits, and teams with tokens."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, TypeVar

from sqlalchemy import Connection
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.evaluation.submissions import ListedTeam, TeamToken
from palaver.core.evaluation.tasks import Policy, StoredTask
from palaver.evaluation import submissions
from palaver.evaluation.tasks import find_task, set_policy
from palaver.evaluation.tasks.stored import (
    MOST_HOURS,
    MOST_SUBMISSIONS,
    MOST_TERMS,
    hours_error,
    submissions_error,
)
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.frame import DeskShell, shell
from palaver.web.desk.parts import Secret, plain
from palaver.web.desk.tasks.request import TASKS, AskedTask, asked_number, asked_task
from palaver.web.formatting import with_query
from palaver.web.rendering import show

T = TypeVar("T")

# The fields of a team.
TEAM = ("team", "affiliation", "link")
NOTE = (
    "Pass it on now: it is not shown again. The team sends it as 'Authorization: Bearer …', or "
    "enters it on the page where models are submitted."
)
DONE = {
    "policy": "The settings are saved.",
    "revoked": "The token no longer works. What the team submitted stays.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """What the owner decides about a task; forms post to `base` and a word.

    `form` holds what the fields show: what is stored, or what was typed and refused.
    """

    template: ClassVar[str] = "desk/tasks/settings.html"
    terms_limit: ClassVar[int] = MOST_TERMS
    submissions_limit: ClassVar[int] = MOST_SUBMISSIONS
    hours_limit: ClassVar[int] = MOST_HOURS
    shell: DeskShell
    task: StoredTask
    # The addresses of the task at the desk and for readers.
    task_url: str
    public_url: str
    form: Mapping[str, str]
    teams: tuple[ListedTeam, ...]
    secret: Secret | None = None
    done: str = ""
    # Which form was wrong (policy, team), and how.
    error_in: str = ""
    error: str = ""


@for_role("owner")
async def show_settings(request: Request, person: Person) -> Response:
    return await _show(request, person, await asked_task(request))


@for_role("owner", changes=True)
async def change_policy(request: Request, person: Person) -> Response:
    """Change who may see the task, its terms and its limits."""
    asked, form = await asked_task(request), await request.form()
    try:
        given = _policy(form)
        actor, now = actor_of(request, person), deployment_of(request).clock.now()
        await deployment_of(request).store.write(
            lambda c: set_policy(c, asked.row, actor=actor, now=now, **asdict(given))
        )
    except InputError as error:
        typed = {name: str(value) for name, value in form.items()}
        return await _show(request, person, asked, error_in="policy", error=str(error), typed=typed)
    return _again(asked, "policy")


@for_role("owner", changes=True)
async def add_team(request: Request, person: Person) -> Response:
    """Add a team; its token is shown once."""
    asked, form = await asked_task(request), await request.form()
    deployment = deployment_of(request)
    now = deployment.clock.now()
    given = {name: str(form.get(name, "")) for name in TEAM}
    try:
        made = await deployment.store.write(
            lambda c: submissions.add_team(c, asked.row, **given, now=now)
        )
    except InputError as error:
        return await _show(request, person, asked, error_in="team", error=str(error), typed=given)
    return await _show(request, person, asked, secret=_secret(made))


@for_role("owner", changes=True)
async def renew_team(request: Request, person: Person) -> Response:
    """Give a team a new token in place of the old one."""
    asked, form = await asked_task(request), await request.form()
    team = asked_number(str(form.get("id", "")))
    made = await deployment_of(request).store.write(
        lambda c: submissions.renew_team(c, asked.row, team)
    )
    return await _show(request, person, asked, secret=_secret(made))


@for_role("owner", changes=True)
async def revoke_team(request: Request, person: Person) -> Response:
    """Refuse a team's token from now on."""
    asked, form = await asked_task(request), await request.form()
    team, now = asked_number(str(form.get("id", ""))), deployment_of(request).clock.now()
    await deployment_of(request).store.write(
        lambda c: submissions.revoke_team(c, asked.row, team, now=now)
    )
    return _again(asked, "revoked")


def _secret(made: TeamToken) -> Secret:
    return Secret(title=f"The token of {made.team}", value=made.token, note=NOTE)


def _policy(form: FormData) -> Policy:
    """The policy in a form; InputError where a number is not one."""
    most = plain(str(form.get("most_submissions", "")))
    hours = plain(str(form.get("submission_hours", "")))
    return Policy(
        public=form.get("public") == "yes",
        terms=str(form.get("terms", "")),
        most_submissions=_read(int, most, submissions_error),
        submission_hours=_read(float, hours.replace(",", "."), hours_error),
    )


def _read(kind: Callable[[str], T], given: str, refusal: Callable[[str], InputError]) -> T:
    try:
        return kind(given)
    except ValueError:
        raise refusal(given) from None


def _form(task: StoredTask) -> dict[str, str]:
    """What the fields show before anybody types."""
    return {
        "public": "yes" if task.public else "no",
        "terms": task.terms,
        "most_submissions": str(task.most_submissions),
        "submission_hours": _number(task.submission_hours),
        **dict.fromkeys(TEAM, ""),
    }


def _number(hours: float) -> str:
    """Hours as a form holds them: every digit, so that storing them again changes nothing."""
    return str(int(hours)) if hours == int(hours) else repr(hours)


def _again(asked: AskedTask, done: str) -> Response:
    return RedirectResponse(with_query(f"{asked.address}/settings", done=done), status_code=303)


async def _show(
    request: Request,
    person: Person,
    asked: AskedTask,
    *,
    secret: Secret | None = None,
    error_in: str = "",
    error: str = "",
    typed: dict[str, str] | None = None,
) -> Response:
    deployment = deployment_of(request)
    now = deployment.clock.now()

    def work(connection: Connection) -> tuple[StoredTask, list[ListedTeam]]:
        row = find_task(connection, asked.row.name)
        return row, submissions.list_teams(connection, row, now=now)

    row, teams = await deployment.store.read(work)
    page = TaskSettings(
        shell=shell(request, person, f"Settings · {row.title}", "tasks"),
        task=row,
        task_url=asked.address,
        public_url=asked.public_url,
        form=_form(row) | (typed or {}),
        teams=tuple(teams),
        secret=secret,
        done="" if error else DONE.get(plain(request.query_params.get("done", "")), ""),
        error_in=error_in,
        error=error,
    )
    return show(request, page, status=422 if error else 200)


SETTINGS = TASKS + "/{task}/settings"

routes: list[BaseRoute] = [
    Route(SETTINGS, show_settings, methods=["GET"]),
    Route(SETTINGS + "/policy", change_policy, methods=["POST"]),
    Route(SETTINGS + "/teams", add_team, methods=["POST"]),
    Route(SETTINGS + "/teams/renew", renew_team, methods=["POST"]),
    Route(SETTINGS + "/teams/revoke", revoke_team, methods=["POST"]),
]
