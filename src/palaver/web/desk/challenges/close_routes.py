"""Closing a challenge at the desk: what will happen, doing it, publishing, and the runs as a ZIP."""

import asyncio
import tempfile
from pathlib import Path
from typing import IO

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.audit import Actor
from palaver.evaluation.challenges.closing import publish_results
from palaver.evaluation.challenges.counting import counting_entries
from palaver.evaluation.challenges.run_folders import export_runs
from palaver.reports.packaging import zip_folder
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role
from palaver.web.desk.challenges import view
from palaver.web.desk.challenges.closing import CloseTask, closing_of, start_closing
from palaver.web.desk.challenges.routes import CHALLENGE
from palaver.web.desk.challenges.view import AskedChallenge, asked_challenge
from palaver.web.desk.exports import Download, send
from palaver.web.desk.parts import plain
from palaver.web.formatting import with_query
from palaver.web.rendering import show
from palaver.web.schedules import standing_of


@for_role("owner")
async def show_close(request: Request, person: Person) -> Response:
    """What closing does; or that it is under way."""
    asked = await asked_challenge(request)
    if asked.row.frozen is not None:
        done = "closed" if asked.row.published is not None else "frozen"
        return RedirectResponse(with_query(asked.address, done=done), status_code=303)
    closing = closing_of(deployment_of(request), asked.row.name)
    return await _show(request, person, asked, error=closing.failure if closing else "")


@for_role("owner", changes=True)
async def close(request: Request, person: Person) -> Response:
    """Begin to close the challenge, if its name was typed."""
    asked, form = await asked_challenge(request), await request.form()
    deployment, actor = deployment_of(request), actor_of(request, person)
    if asked.row.frozen is None and plain(str(form.get("name", ""))) != asked.row.name:
        error = f"Type the name '{asked.row.name}' to say that you mean this challenge."
        return await _show(request, person, asked, error=error)
    start_closing(
        deployment,
        CloseTask(
            database=deployment.store.url,
            home=str(deployment.evaluation.folder),
            challenge=asked.row.name,
            publish=form.get("publish") == "yes",
            actor=actor.name,
            via=actor.via,
            address=actor.address,
            now=asked.now,
        ),
    )
    return RedirectResponse(f"{asked.address}/close", status_code=303)


@for_role("owner", changes=True)
async def publish(request: Request, person: Person) -> Response:
    """Show the results of a closed challenge to whoever may see it."""
    asked, actor = await asked_challenge(request), actor_of(request, person)
    await deployment_of(request).store.write(
        lambda c: publish_results(c, asked.row, by=actor, now=asked.now)
    )
    return RedirectResponse(with_query(asked.address, done="closed"), status_code=303)


@for_role("reviewer")
async def load_runs(request: Request, person: Person) -> Response:
    """The runs that count in the final phases, as TEAM/runN/FILE."""
    asked, actor = await asked_challenge(request), actor_of(request, person)
    packed = await asyncio.to_thread(_packed, request, asked, actor)
    return send(packed)


def _packed(request: Request, asked: AskedChallenge, actor: Actor) -> Download:
    home = deployment_of(request).evaluation
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (outlives this)
    try:
        with tempfile.TemporaryDirectory(prefix="palaver-runs-") as made:
            folder = Path(made) / "runs"
            export_runs(home, asked.row, folder, by=actor, now=asked.now)
            zip_folder(folder, file, now=asked.now)  # type: ignore[arg-type]
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return Download(file, size, f"{asked.row.name}-runs.zip", "application/zip")


async def _show(
    request: Request, person: Person, asked: AskedChallenge, *, error: str = ""
) -> Response:
    challenge = asked.challenge

    def read(connection: Connection) -> list[str]:
        return [
            entry.team
            for track in challenge.tracks
            for phase in challenge.phases
            if phase.is_final and phase.name in track.datasets
            for entry in counting_entries(connection, asked.row, track.name, phase.name)
        ]

    counted = await deployment_of(request).store.read(read)
    closing = closing_of(deployment_of(request), asked.row.name)
    page = view.CloseChallengePage(
        shell=view.challenge_shell(request, person, asked, "Overview"),
        asked=asked,
        standing=standing_of(asked.row, challenge, asked.now),
        open_phases=tuple(each for each in challenge.phases if each.takes(asked.now)),
        teams=len(set(counted)),
        runs=len(counted),
        is_under_way=closing is not None and closing.is_under_way,
        error=error,
    )
    return show(request, page, status=422 if error and request.method == "POST" else 200)


routes: list[BaseRoute] = [
    Route(CHALLENGE + "/close", show_close, methods=["GET"]),
    Route(CHALLENGE + "/close", close, methods=["POST"]),
    Route(CHALLENGE + "/publish", publish, methods=["POST"]),
    Route(CHALLENGE + "/runs.zip", load_runs, methods=["GET"]),
]
