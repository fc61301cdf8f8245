"""Submitting a model to a task: a team's token, the terms, the form, and what came of it."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.submissions import Submission, Team
from palaver.evaluation import submissions
from palaver.web.desk.accounts import check_writable, deployment_of, root_of
from palaver.web.desk.parts import plain
from palaver.web.endpoint_forms import read_options
from palaver.web.rendering import show
from palaver.web.security import check_csrf, check_token
from palaver.web.tasks.access import TaskVisit, for_readers, for_teams, visit
from palaver.web.tasks.submissions.teams import holds_token, need_team
from palaver.web.tasks.submissions.view import (
    TYPED,
    UNTYPED,
    answerable,
    live_submission,
    question_lines,
    submissions_page,
    submit_page,
)
from palaver.web.teams import forget, remember
from palaver.web.uploads import MEGABYTE, SentForm, sent_form

UNKNOWN = (
    "This is not a valid token for this task, or it was revoked. Ask the people who run the task "
    "for one."
)
# The name of a form's file is this and the data set's name.
FILE = "file:"
LONGEST_TEXT = 5000


@for_readers
@for_teams
async def show_form(request: Request) -> Response:
    """What is expected, and the forms for a team that gave its token."""
    found = await visit(request, for_teams=True)
    return show(request, await submit_page(found, found.team))


@for_readers
async def give_token(request: Request) -> Response:
    """Keep a team's token in this browser; the way in to a task that is not public, too."""
    check_writable(deployment_of(request))
    await check_csrf(request)
    name = plain(request.path_params["task"])
    secret = plain(str((await request.form()).get("token", "")))
    if not await holds_token(request, name, secret):
        found = await visit(request, for_teams=True)
        page = await submit_page(found, found.team, error=UNKNOWN)
        return show(request, page, status=403)
    response = RedirectResponse(f"{root_of(request)}/tasks/{name}/submit#form", status_code=303)
    remember(request, response, secret)
    return response


@for_readers
async def leave_team(request: Request) -> Response:
    """Forget the token."""
    found = await _changing(request)
    response = RedirectResponse(f"{found.url}/submit", status_code=303)
    forget(request, response)
    return response


@for_readers
async def accept_terms(request: Request) -> Response:
    """Record that the team accepts the terms as it read them."""
    found = await _changing(request)
    team = need_team(found)
    form = await request.form()
    digest, now = str(form.get("terms", "")), found.now
    try:
        if form.get("accept") != "yes":
            raise InputError("Tick the box to accept the terms.")
        await deployment_of(request).store.write(
            lambda c: submissions.accept_terms(c, team, found.row, digest=digest, now=now)
        )
    except InputError as error:
        page = await submit_page(found, team, error=str(error))
        return show(request, page, status=422)
    return RedirectResponse(f"{found.url}/submit#form", status_code=303)


@for_readers
async def submit(request: Request) -> Response:
    """Check and register what the form brings; the same page with the reason where it will not do."""
    found = await visit(request, for_teams=True)
    check_writable(deployment_of(request))
    # Before anything is read: only teams may send files.
    team = need_team(found)
    typed = UNTYPED
    try:
        async with sent_form(request, most=found.home.settings.upload_megabytes * MEGABYTE) as sent:
            check_token(request, sent.word("csrf"))
            typed = {name: plain(sent.word(name), most=LONGEST_TEXT) for name in TYPED}
            await asyncio.to_thread(_register, found, team, typed, sent)
    except (InputError, AccessError) as error:
        page = await submit_page(found, team, form=typed, error=str(error))
        return show(request, page, status=422)
    return RedirectResponse(f"{found.url}/submissions", status_code=303)


@for_readers
@for_teams
async def questions(request: Request) -> Response:
    """What a model is asked of a data set, for a team that has accepted the terms."""
    found = await visit(request, for_teams=True)
    submissions.check_terms(need_team(found), found.row)
    name = plain(request.path_params["dataset"])
    version = await deployment_of(request).store.read(lambda c: answerable(c, found, name))
    disposition = f"attachment; filename*=UTF-8''{quote(f'{name}-questions.jsonl')}"
    return StreamingResponse(
        await asyncio.to_thread(question_lines, found.home, found.task, version),
        media_type="application/x-ndjson",
        headers={"content-disposition": disposition},
    )


@for_readers
@for_teams
async def show_submissions(request: Request) -> Response:
    found = await visit(request, for_teams=True)
    team = found.team
    if team is None:
        return RedirectResponse(f"{found.url}/submit", status_code=303)
    store = deployment_of(request).store
    return show(request, await store.read(lambda c: submissions_page(c, found, team)))


@for_readers
async def submissions_json(request: Request) -> Response:
    """How far the team's submissions are."""
    found = await visit(request, for_teams=True)
    team = need_team(found)
    store = deployment_of(request).store
    known = await store.read(lambda c: submissions.own_submissions(c, team, found.row))
    return JSONResponse({"submissions": [live_submission(found, each) for each in known]})


@for_readers
async def publish_model(request: Request) -> Response:
    """Let the board show the name of a team's model; with `anonymous` without the team's."""
    anonymous = (await request.form()).get("anonymous") == "yes"
    return await _change(request, partial(submissions.publish_submission, anonymous=anonymous))


@for_readers
async def hide_model(request: Request) -> Response:
    """Let the board show a team's model without its name."""
    return await _change(request, submissions.unpublish_submission)


@for_readers
async def withdraw_model(request: Request) -> Response:
    """Take a team's model off the board."""
    now = deployment_of(request).clock.now()
    return await _change(request, partial(submissions.withdraw_submission, now=now))


async def _change(request: Request, change: Callable[..., Submission]) -> Response:
    """Change the model of the team that a form of theirs is about."""
    found = await _changing(request)
    team, key = need_team(found), plain(request.path_params["key"])
    await deployment_of(request).store.write(lambda c: change(c, team, found.row, key))
    return RedirectResponse(f"{found.url}/submissions", status_code=303)


async def _changing(request: Request) -> TaskVisit:
    """The task, for a form of one of our pages."""
    found = await visit(request, for_teams=True)
    check_writable(deployment_of(request))
    await check_csrf(request)
    return found


def _register(found: TaskVisit, team: Team, form: Mapping[str, str], sent: SentForm) -> None:
    """Hand over predictions where there is a file, else the endpoint."""
    told: dict[str, Any] = {
        "name": form["name"],
        "about": form["about"],
        "link": form["link"],
        "tags": tuple(tag for each in form["tags"].split(",") if (tag := each.strip())),
        "now": found.now,
    }
    # A field without a file is sent as a file without a name.
    files = {
        file.field.removeprefix(FILE): file.path
        for file in sent.files
        if file.field.startswith(FILE) and file.path.stat().st_size
    }
    if files and form["url"]:
        raise InputError("Give predictions or an endpoint, not both.")
    if form["url"]:
        options = {**read_options(form["options"]), "url": form["url"]}
        submissions.submit_endpoint(
            found.home, team, found.row, found.task, kind=form["kind"], options=options, **told
        )
    elif files:
        submissions.submit_predictions(found.home, team, found.row, found.task, files=files, **told)
    else:
        raise InputError(
            "Nothing was submitted: choose a file for each data set, or give an endpoint."
        )


routes: list[BaseRoute] = [
    Route("/tasks/{task}/submit", show_form, methods=["GET"]),
    Route("/tasks/{task}/submit", submit, methods=["POST"]),
    Route("/tasks/{task}/terms", accept_terms, methods=["POST"]),
    Route("/tasks/{task}/questions/{dataset}", questions, methods=["GET"]),
    Route("/tasks/{task}/team", give_token, methods=["POST"]),
    Route("/tasks/{task}/team/leave", leave_team, methods=["POST"]),
    Route("/tasks/{task}/submissions", show_submissions, methods=["GET"]),
    Route("/tasks/{task}/submissions.json", submissions_json, methods=["GET"]),
    Route("/tasks/{task}/submissions/{key}/publish", publish_model, methods=["POST"]),
    Route("/tasks/{task}/submissions/{key}/hide", hide_model, methods=["POST"]),
    Route("/tasks/{task}/submissions/{key}/withdraw", withdraw_model, methods=["POST"]),
]
