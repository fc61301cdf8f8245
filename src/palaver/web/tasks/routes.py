"""The public pages of the evaluation server: every route below /tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.datasets import VariantCount
from palaver.core.numbers import whole_number
from palaver.core.serial import encode
from palaver.evaluation.datasets.contents import (
    OpenDataset,
    count_tags,
    count_variants,
    open_datasets,
)
from palaver.evaluation.dynaboards import dynaboard
from palaver.evaluation.dynaboards.board_reader import LedTask
from palaver.evaluation.dynaboards.dynabench_format import LIMIT
from palaver.evaluation.models.views import model_facts
from palaver.evaluation.tasks import list_tasks
from palaver.web.desk.accounts import deployment_of, signed_in
from palaver.web.desk.parts import plain
from palaver.web.rendering import show
from palaver.web.tasks.access import (
    TaskShell,
    for_readers,
    for_teams,
    is_open_to,
    reader,
    shell_of,
    task_shell,
    visit,
)
from palaver.web.tasks.board import routes as board_routes
from palaver.web.tasks.board.model_page import ModelCard, model_card
from palaver.web.tasks.board.view import boards_of, leaders_of, scores_by_round
from palaver.web.tasks.rounds import OpenRound, open_rounds_of
from palaver.web.tasks.submissions import routes as submission_routes


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskListPage:
    """The tasks that whoever asks may see; `hidden` counts those one must sign in for."""

    template: ClassVar[str] = "tasks/list.html"
    shell: TaskShell
    tasks: tuple[LedTask, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage:
    """The data sets of a task, and its rounds; `tags` holds how many items have each, by data set.

    `covers` says by perturbed set how many items it has variants of.
    """

    template: ClassVar[str] = "tasks/data.html"
    most_tags: ClassVar[int] = 40
    shell: TaskShell
    sets: tuple[OpenDataset, ...]
    tags: Mapping[str, Mapping[str, int]]
    covers: Mapping[str, VariantCount | None]
    rounds: tuple[OpenRound, ...] = ()


@for_readers
async def show_tasks(request: Request) -> Response:
    """The tasks that whoever asks may see."""
    store = deployment_of(request).store
    person = await reader(request)
    every = await store.read(list_tasks)
    seen = [each for each in every if is_open_to(each, person)]
    leaders = leaders_of(request)
    led = await store.read(lambda c: leaders.list(c, seen, public=person is None))
    shell = shell_of(request, await signed_in(request), "Tasks")
    return show(request, TaskListPage(shell=shell, tasks=led, hidden=len(every) - len(seen)))


@for_readers
async def show_model(request: Request) -> Response:
    found = await visit(request, for_teams=True)
    key = plain(request.path_params["key"])
    boards = boards_of(request)
    store = deployment_of(request).store
    team = found.team.id if found.team else None
    facts = await store.read(
        lambda c: model_facts(c, found.row, key, public=found.is_public, team=team)
    )
    if found.is_public and not found.row.public and facts.model.submitter_id != team:
        # A team sees its own models of a task whose board is not open, and no others.
        raise UnknownNameError("No published model of this task has this address.")
    by_round = scores_by_round(request)

    def read(connection: Connection) -> ModelCard:
        row, task, public = found.row, found.task, found.is_public
        board = boards.read(connection, row, task, public=public, team=team)
        on_board = board.find(key)
        others = [each for each in facts.sets if not on_board or each.name not in on_board.scores]
        beside = boards.scores_beside(connection, facts.model, others, board.metrics)
        rounds = by_round.read(connection, row, task, key, public=public, team=team)
        return model_card(found, facts, board, beside, rounds)

    return show(request, await store.read(read))


@for_readers
@for_teams
async def show_data(request: Request) -> Response:
    found, rounds = await visit(request, for_teams=True), open_rounds_of(request)

    def read(connection: Connection) -> DataPage:
        sets = open_datasets(connection, found.row.id)
        return DataPage(
            shell=task_shell(found, f"Data sets · {found.row.title}", "Data"),
            sets=sets,
            # In a thread of the store: tags are counted in the files, once per content.
            tags={each.name: count_tags(found.home, found.task, each) for each in sets},
            covers={
                one.name: count_variants(connection, found.home, one)
                for each in sets
                for one in each.variants
            },
            # What a round has shown is told where the board is open.
            rounds=rounds.read(connection, found.row.id)
            if found.row.public or not found.is_public
            else (),
        )

    return show(request, await deployment_of(request).store.read(read))


@for_readers
async def show_dynaboard(request: Request) -> Response:
    """The board in the JSON of the dynaboard API; names are those that strangers may read."""
    found = await visit(request)
    params, boards = request.query_params, boards_of(request)
    board = await deployment_of(request).store.read(
        lambda c: boards.read_positional(
            c,
            found.row,
            found.task,
            # Both are mandatory in that API, so they are here.
            metrics=params.get("ordered_metric_weights", "")[:2000],
            datasets=params.get("ordered_scoring_dataset_weights", "")[:2000],
            public=found.is_public,
        )
    )
    rows = dynaboard(
        board,
        limit=_whole(params.get("limit"), "limit", LIMIT),
        offset=_whole(params.get("offset"), "offset", 0),
        sort_by=params.get("sort_by", "dynascore"),
        sort_direction=params.get("sort_direction", "desc"),
    )
    return Response(encode(rows), media_type="application/json")


def _whole(given: str | None, name: str, default: int) -> int:
    if given is None:
        return default
    number = whole_number(given, most=999_999_999)
    if number is None:
        raise InputError(f"{name} is a whole number from 0; got '{given[:40]}'.")
    return number


routes: list[BaseRoute] = [
    Route("/tasks", show_tasks, methods=["GET"]),
    *board_routes.routes,
    *submission_routes.routes,
    # Before the models' keys, none of which reads like this.
    Route("/tasks/{task}/models/dynaboard", show_dynaboard, methods=["GET"]),
    Route("/tasks/{task}/models/{key}", show_model, methods=["GET"]),
    Route("/tasks/{task}/data", show_data, methods=["GET"]),
]
