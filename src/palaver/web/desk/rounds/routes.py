"""Rounds of a task at the desk: the list, the page of one, stopping, resuming, opening and closing."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError, UnknownNameError
from palaver.core.evaluation.round_sheets import RoundSheet
from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.core.numbers import whole_number
from palaver.evaluation.rounds.closing import ClosingOptions, close_round, plan_closing
from palaver.evaluation.rounds.contexts import contexts_of_round
from palaver.evaluation.rounds.examples import read_examples, read_written
from palaver.evaluation.rounds.exchange import SHAPES, export_examples
from palaver.evaluation.rounds.opening import label_changes, resume_round, stop_round
from palaver.evaluation.rounds.rates import error_rate
from palaver.evaluation.rounds.selection import left_out_words
from palaver.evaluation.rounds.sheets import round_sheet
from palaver.storage.evaluation.rounds import count_erased, find_round, list_rounds
from palaver.storage.people.participants import short_names
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.round_bonuses import bonuses_csv, round_bonuses
from palaver.studies.run.rounds import open_study_round
from palaver.studies.stages import RateStage
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import shell
from palaver.web.desk.parts import plain
from palaver.web.desk.rounds import view
from palaver.web.desk.tasks.request import TASKS, AskedTask, asked_task
from palaver.web.formatting import with_query
from palaver.web.rendering import show

ROUNDS = TASKS + "/{task}/rounds"
ROUND = ROUNDS + "/{round}"
DONE = {
    "stop": "The round is stopped: nobody more is seated. Whoever writes now finishes.",
    "resume": "The round is open again.",
    "open": "The round is open.",
    "close": "The round is closed. Every model is evaluated on its data sets.",
}
Change = Callable[..., Round]


@dataclass(frozen=True, slots=True)
class AskedRound:
    """The round of an address, and where its pages are."""

    task: AskedTask
    round: Round

    @property
    def address(self) -> str:
        return f"{self.task.address}/rounds/{self.round.number}"

    @property
    def title(self) -> str:
        return f"Round {self.round.number} of {self.task.title}"


async def asked_round(request: Request) -> AskedRound:
    """The round that the address names; UnknownNameError if there is none."""
    asked = await asked_task(request)
    number = whole_number(plain(request.path_params["round"]))
    if number is None:
        raise UnknownNameError("A round is named by its number.")
    found = await deployment_of(request).store.read(lambda c: find_round(c, asked.row.id, number))
    return AskedRound(asked, found)


@for_role("viewer")
async def list_all(request: Request, person: Person) -> Response:
    """The rounds of a task, newest first."""
    asked = await asked_task(request)

    def read(connection: Connection) -> list[view.ListedRound]:
        return [
            view.ListedRound(
                round=each,
                overall=error_rate("all", read_examples(connection, each)),
                url=f"{asked.address}/rounds/{each.number}",
            )
            for each in reversed(list_rounds(connection, asked.row.id))
        ]

    rounds = tuple(await deployment_of(request).store.read(read))
    page = view.RoundsPage(
        shell=shell(request, person, f"Rounds of {asked.title}", "tasks"),
        asked=asked,
        rounds=rounds,
    )
    return show(request, page)


@for_role("viewer")
async def show_one(request: Request, person: Person) -> Response:
    return await _show(request, person, await asked_round(request))


async def _show(
    request: Request, person: Person, asked: AskedRound, *, error: str = ""
) -> Response:
    deployment, root = deployment_of(request), root_of(request)

    def read(connection: Connection) -> tuple[RoundSheet, Sequence[WrittenExample], dict[str, str]]:
        written = read_written(connection, asked.round)
        sheet = round_sheet(deployment.evaluation, connection, written)
        people = [each.name for each in sheet.rates.writers]
        people += [each.rater for each in sheet.validators]
        return sheet, written.examples, short_names(connection, people)

    sheet, examples, names = await deployment.store.read(read)
    study = f"{root}/desk/studies/{asked.round.study}"
    is_served = asked.round.study in deployment.studies
    page = view.RoundPage(
        shell=shell(request, person, f"{asked.title}: {sheet.state}", "tasks"),
        asked=asked.task,
        address=asked.address,
        sheet=sheet,
        answer=view.answer_of(sheet),
        next=view.next_step(
            sheet,
            address=asked.address,
            study_url=f"{study}/links" if is_served else study,
            judging=judging_studies(deployment, asked.round.study, root),
        ),
        groups=view.rate_groups(sheet),
        writers=view.writer_rows(sheet, examples, names),
        validators=tuple(sorted(sheet.validators, key=lambda each: not each.notes)),
        names=names,
        may_stop=person.may("reviewer") and not deployment.store.read_only,
        may_own=person.may("owner") and not deployment.store.read_only,
        may_read=person.may("reviewer"),
        is_served=is_served,
        done=DONE.get(request.query_params.get("done", ""), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def judging_studies(deployment: Deployment, study: str, root: str) -> list[tuple[str, str]]:
    """The studies that are served and judge what people write in another, with their links."""
    return [
        (each.definition.title, f"{root}/desk/studies/{name}/links")
        for name, each in deployment.studies.items()
        if any(isinstance(s, RateStage) and s.source == study for s in each.definition.stages)
    ]


@for_role("reviewer", changes=True)
async def stop(request: Request, person: Person) -> Response:
    """Seat nobody more."""
    return await _change(request, person, stop_round, "stop")


@for_role("reviewer", changes=True)
async def resume(request: Request, person: Person) -> Response:
    """Open a stopped round again."""
    return await _change(request, person, resume_round, "resume")


async def _change(request: Request, person: Person, change: Change, done: str) -> Response:
    asked, deployment = await asked_round(request), deployment_of(request)
    actor, now = actor_of(request, person), deployment.clock.now()
    try:
        await deployment.store.write(lambda c: change(c, asked.round, by=actor, now=now))
    except InputError as error:
        return await _show(request, person, asked, error=str(error))
    return RedirectResponse(with_query(asked.address, done=done), status_code=303)


@for_role("owner", changes=True)
async def open_next(request: Request, person: Person) -> Response:
    """Open the next round of the study that held this one, as its file says now."""
    asked, deployment = await asked_round(request), deployment_of(request)
    running = deployment.studies.get(asked.round.study)
    if running is None:
        told = f"The study '{asked.round.study}' is not served here, so it has no file to open by."
        return await _show(request, person, asked, error=told)
    actor, now = actor_of(request, person), deployment.clock.now()
    try:
        made = await asyncio.to_thread(
            open_study_round,
            deployment.evaluation,
            running.definition,
            study_id=running.id,
            now=now,
            by=actor,
        )
    except (InputError, ConflictError) as error:
        return await _show(request, person, asked, error=str(error))
    address = f"{asked.task.address}/rounds/{made.number}"
    return RedirectResponse(with_query(address, done="open"), status_code=303)


@for_role("owner")
async def show_close(request: Request, person: Person) -> Response:
    """What closing a round will do."""
    return await _show_close(request, person, await asked_round(request))


async def _show_close(
    request: Request, person: Person, asked: AskedRound, *, error: str = ""
) -> Response:
    if asked.round.state == "closed":
        return RedirectResponse(asked.address, status_code=303)
    task = asked.task.task

    def read(connection: Connection) -> tuple[Sequence[WrittenExample], int, str]:
        changes = label_changes(connection, asked.round, task)
        erased = count_erased(connection, asked.round)
        return read_examples(connection, asked.round), erased, changes

    examples, erased, changes = await deployment_of(request).store.read(read)
    options = ClosingOptions(anyway=True)
    plan = plan_closing(asked.round, examples, task, options, erased=erased, changes=changes)
    page = view.CloseRoundPage(
        shell=shell(request, person, f"Close round {asked.round.number}", "tasks"),
        asked=asked.task,
        round=asked.round,
        round_url=asked.address,
        plan=plan.result,
        prefix=f"{asked.task.row.name}-r{asked.round.number}",
        waiting=plan.result.left_out.get("waiting", 0),
        left_out=tuple(left_out_words(plan.result.left_out)),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


@for_role("owner", changes=True)
async def close(request: Request, person: Person) -> Response:
    """Close a round and make its data sets."""
    asked, form = await asked_round(request), await request.form()
    options = ClosingOptions(
        anyway=form.get("anyway") == "yes",
        contexts_apart=form.get("contexts_apart") == "yes",
        right=form.get("right") == "yes",
    )
    actor = actor_of(request, person)
    try:
        await asyncio.to_thread(_close, deployment_of(request), asked, options, actor)
    except (InputError, ConflictError) as error:
        return await _show_close(request, person, asked, error=str(error))
    return RedirectResponse(with_query(asked.address, done="close"), status_code=303)


def _close(deployment: Deployment, asked: AskedRound, options: ClosingOptions, by: Actor) -> None:
    now = deployment.clock.now()
    home, row = deployment.evaluation, asked.task.row
    close_round(home, row, asked.round, options=options, by=by, now=now)


@for_role("reviewer")
async def examples_file(request: Request, person: Person) -> Response:
    """Every example of a round, in our own shape or in that of Dynabench's exports; nobody is named."""
    asked, home = await asked_round(request), deployment_of(request).evaluation
    shape = next((each for each in SHAPES if each == request.path_params["shape"]), None)
    if shape is None:
        raise UnknownNameError(f"Examples come in the shapes {', '.join(SHAPES)}.")
    examples = await home.store.read(lambda c: read_examples(c, asked.round))
    content = await asyncio.to_thread(
        lambda: export_examples(
            asked.round, examples, contexts_of_round(home, asked.round), shape=shape
        )
    )
    ending = "jsonl" if shape == "palaver" else "json"
    name = f"{asked.task.row.name}-r{asked.round.number}-{shape}.{ending}"
    return _file(content, name, "application/x-ndjson" if ending == "jsonl" else "application/json")


@for_role("reviewer")
async def bonuses_file(request: Request, person: Person) -> Response:
    """What people are owed beside their pay, as a table."""
    asked = await asked_round(request)
    found = await deployment_of(request).store.read(
        lambda c: round_bonuses(c, asked.round, ids=True)
    )
    name = f"{asked.task.row.name}-r{asked.round.number}-bonuses.csv"
    return _file(bonuses_csv(found).encode(), name, "text/csv")


def _file(content: bytes, name: str, media_type: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)


routes: list[BaseRoute] = [
    Route(ROUNDS, list_all, methods=["GET"]),
    Route(ROUND, show_one, methods=["GET"]),
    Route(ROUND + "/stop", stop, methods=["POST"]),
    Route(ROUND + "/resume", resume, methods=["POST"]),
    Route(ROUND + "/next", open_next, methods=["POST"]),
    Route(ROUND + "/close", show_close, methods=["GET"]),
    Route(ROUND + "/close", close, methods=["POST"]),
    Route(ROUND + "/files/{shape}", examples_file, methods=["GET"]),
    Route(ROUND + "/bonuses.csv", bonuses_file, methods=["GET"]),
]
