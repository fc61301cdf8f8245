"""Submitting a model to a task: a team's token, the terms, the form, and what came of it."""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import AccessError, InputError
from palaver.evaluation import submissions
from palaver.storage.evaluation.submitters import Submitter, accept_terms
from palaver.web.desk.accounts import check_writable, deployment_of
from palaver.web.desk.words import plain
from palaver.web.security import check_csrf
from palaver.web.tasks.access import Visit, for_readers, show, visit
from palaver.web.tasks.pages import SubmitForm
from palaver.web.tasks.submit_page import (
    submission_json,
    submissions_of,
    submissions_page,
    submit_page,
)
from palaver.web.tasks.teams import find_team, forget, need_team, remember, team_of

UNKNOWN = (
    "This is no token for this task, or it was revoked. Ask the people who run the task for one."
)
# The name of a form's file is this and the data set's name.
FILE = "file:"
LONGEST_TEXT = 5000
MOST_FILES = 200


@for_readers
async def show_form(request: Request) -> Response:
    """What is expected, and the forms for a team that gave its token."""
    found = await visit(request)
    return show(request, await submit_page(found, await team_of(found)))


@for_readers
async def give_token(request: Request) -> Response:
    """Keep a team's token in this browser."""
    found = await _changing(request)
    secret = plain(str((await request.form()).get("token", "")))
    if await find_team(found, secret) is None:
        return show(request, await submit_page(found, None, error=UNKNOWN), status=403)
    response = RedirectResponse(f"{found.url}/submit#form", status_code=303)
    remember(found, response, secret)
    return response


@for_readers
async def leave_team(request: Request) -> Response:
    """Forget the token."""
    found = await _changing(request)
    response = RedirectResponse(f"{found.url}/submit", status_code=303)
    forget(found, response)
    return response


@for_readers
async def submit(request: Request) -> Response:
    """Check and register what the form brings; the same page with the reason where it will not do."""
    found = await _changing(request)
    submitter = await need_team(found)
    sent = await request.form()
    form = _typed(sent)
    try:
        submitter = await _accepted(found, submitter, sent)
        await asyncio.to_thread(_register, found, submitter, form, sent)
    except (InputError, AccessError) as error:
        page = await submit_page(found, submitter, form=form, error=str(error))
        return show(request, page, status=422)
    return RedirectResponse(f"{found.url}/submissions", status_code=303)


@for_readers
async def show_submissions(request: Request) -> Response:
    """What the team submitted."""
    found = await visit(request)
    submitter = await team_of(found)
    if submitter is None:
        return RedirectResponse(f"{found.url}/submit", status_code=303)
    store = deployment_of(request).store
    return show(request, await store.read(lambda c: submissions_page(c, found, submitter)))


@for_readers
async def submissions_json(request: Request) -> Response:
    """How far the team's submissions are."""
    found = await visit(request)
    submitter = await need_team(found)
    store = deployment_of(request).store
    known = await store.read(lambda c: submissions_of(c, found, submitter))
    return JSONResponse({"submissions": [submission_json(each) for each in known]})


async def _changing(request: Request) -> Visit:
    """The task, for a form of one of our pages."""
    found = await visit(request)
    check_writable(deployment_of(request))
    # Read once, with room for a file per data set; whoever asks later gets the same form.
    await request.form(max_files=MOST_FILES)
    await check_csrf(request)
    return found


async def _accepted(found: Visit, submitter: Submitter, sent: FormData) -> Submitter:
    """The team after the box under the terms was read."""
    terms = found.row.terms.strip()
    if not terms or sent.get("accept") != "yes":
        return submitter
    digest, now = submissions.terms_digest(terms), found.now
    if sent.get("terms") != digest:
        raise InputError("The terms have changed since this page was opened. Read them again.")
    await deployment_of(found.request).store.write(
        lambda c: accept_terms(c, submitter.id, digest=digest, now=now)
    )
    return await need_team(found)


def _register(found: Visit, submitter: Submitter, form: SubmitForm, sent: FormData) -> None:
    """Hand over predictions where there is a file, else the endpoint."""
    told: dict[str, Any] = {
        "name": form.name,
        "about": form.about,
        "link": form.link,
        "tags": tuple(tag for each in form.tags.split(",") if (tag := each.strip())),
        "now": found.now,
    }
    files = {
        name.removeprefix(FILE): value
        for name, value in sent.multi_items()
        if name.startswith(FILE) and isinstance(value, UploadFile) and value.filename
    }
    if files and form.url:
        raise InputError("Give predictions or an endpoint, not both: which of them is the model?")
    if not files and not form.url:
        raise InputError("Nothing was submitted: choose a file for each data set, or an endpoint.")
    if form.url:
        options = {**_options(form.options), "url": form.url}
        submissions.submit_endpoint(
            found.home, submitter, found.row, found.task, kind=form.kind, options=options, **told
        )
        return
    with tempfile.TemporaryDirectory(prefix="palaver-") as folder:
        kept = {dataset: _keep(Path(folder), dataset, file) for dataset, file in files.items()}
        submissions.submit_predictions(
            found.home, submitter, found.row, found.task, files=kept, **told
        )


def _keep(folder: Path, dataset: str, file: UploadFile) -> Path:
    """The uploaded file under a name that its faults can be told by."""
    place = folder / str(len(list(folder.iterdir())))
    place.mkdir()
    path = place / Path(file.filename or dataset).name
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target)
    return path


def _options(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"The further options are no JSON object ({error}).") from error
    if not isinstance(found, dict):
        raise InputError('The further options are a JSON object, such as {"batch": 8}.')
    return found


def _typed(sent: FormData) -> SubmitForm:
    def text(name: str) -> str:
        return plain(str(sent.get(name, "")), most=LONGEST_TEXT)

    names = ("name", "about", "link", "tags", "kind", "url", "options")
    return SubmitForm(**{name: text(name) for name in names})


routes: list[BaseRoute] = [
    Route("/tasks/{task}/submit", show_form, methods=["GET"]),
    Route("/tasks/{task}/submit", submit, methods=["POST"]),
    Route("/tasks/{task}/team", give_token, methods=["POST"]),
    Route("/tasks/{task}/team/leave", leave_team, methods=["POST"]),
    Route("/tasks/{task}/submissions", show_submissions, methods=["GET"]),
    Route("/tasks/{task}/submissions.json", submissions_json, methods=["GET"]),
]
