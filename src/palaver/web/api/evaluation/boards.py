"""Boards of tasks: with intervals, as files, and in the JSON of Dynabench's clients.

Forks are weights of one's own, snapshots are boards as they stood; both have permanent keys.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Body, Query, Request
from pydantic import Field
from starlette.responses import Response

from palaver.core.errors import InputError, MissingError
from palaver.core.evaluation.boards import Board, SavedBoard, SavedKind, SavedSheet, TagCount
from palaver.evaluation.dynaboards import (
    MEMORY_OFFSET,
    dynaboard,
    list_saved,
    read_saved,
    save_fork,
    save_snapshot,
)
from palaver.evaluation.dynaboards.dynabench_format import Dynaboard, TopTags, top_tags
from palaver.evaluation.dynaboards.saved_boards import LONGEST_ABOUT, LONGEST_NAME
from palaver.web.api.access import Anybody, Editor, Here, unauthorized
from palaver.web.api.errors import (
    ANSWERS,
    CONFLICT,
    FORBIDDEN,
    MISSING,
    UNREADABLE,
)
from palaver.web.api.evaluation.request import OPEN, Key, OpenTask, TaskRequest, ViewedTask, missing
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter
from palaver.web.tasks.board.view import as_file, boards_of

router = RecordRouter(responses=ANSWERS, tags=["boards"])

Pair = Annotated[str, Field(max_length=200)]
Weights = Annotated[
    list[Pair],
    Query(
        default_factory=list,
        max_length=200,
        description="NAME=WEIGHT; may be given several times.",
    ),
]
Memory = Annotated[
    float,
    Query(ge=0, le=1e6, allow_inf_nan=False, description="The GiB that memory is subtracted from."),
]
Round = Annotated[
    int | None, Query(ge=1, description="Only the data sets of this round of the task.")
]
Ranks = Annotated[
    str,
    Query(
        max_length=200,
        description="The metric that ranks alone: any with stored scores, or `dynascore`.",
    ),
]
Weight = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
CHANGED = {**FORBIDDEN, **MISSING, **UNREADABLE, **CONFLICT}


@dataclass(frozen=True, slots=True)
class TagList:
    """The tags of the models on a board."""

    tags: tuple[TagCount, ...]


@router.get("/tasks/{task}/board", responses=MISSING, openapi_extra=OPEN)
async def show_board(
    request: Request,
    asked: OpenTask,
    *,
    metric: Ranks = "",
    metric_weight: Weights,
    dataset_weight: Weights,
    round: Round = None,
    memory: Memory = MEMORY_OFFSET,
) -> Board:
    """The board of a task by one metric or under these weights, with intervals for cells and ranks."""
    return await read_weighed(request, asked, metric, metric_weight, dataset_weight, memory, round)


@router.get(
    "/tasks/{task}/board/{format}",
    responses={
        **MISSING,
        200: {"content": {"text/csv": {}, "application/x-tex": {}}, "description": "The file."},
    },
    response_class=Response,
    openapi_extra=OPEN,
)
async def board_file(
    request: Request,
    asked: OpenTask,
    format: Literal["csv", "tex"],
    *,
    metric: Ranks = "",
    metric_weight: Weights,
    dataset_weight: Weights,
    round: Round = None,
    memory: Memory = MEMORY_OFFSET,
) -> Response:
    """The board as a file: CSV with every cell, LaTeX for a paper."""
    board = await read_weighed(request, asked, metric, metric_weight, dataset_weight, memory, round)
    return as_file(board, format, name=f"{asked.row.name}-board", raw=True)


@router.get("/tasks/{task}/tags", responses=MISSING, openapi_extra=OPEN)
async def board_tags(request: Request, asked: OpenTask) -> TagList:
    """The tags of the models on the board, the most frequent first."""
    board = await read_weighed(request, asked, "", [], [], MEMORY_OFFSET)
    return TagList(board.tags)


@router.get(
    "/tasks/{task}/models/dynaboard", responses=MISSING, tags=["as Dynabench"], openapi_extra=OPEN
)
async def show_dynaboard(
    request: Request,
    asked: OpenTask,
    limit: Annotated[int, Query(ge=0, le=10_000)] = 5,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    sort_by: Annotated[str, Query(max_length=100)] = "dynascore",
    sort_direction: Literal["asc", "desc"] = "desc",
    ordered_metric_weights: Annotated[str, Query(max_length=2000)] = "",
    ordered_scoring_dataset_weights: Annotated[str, Query(max_length=4000)] = "",
) -> Dynaboard:
    """The board as Dynabench's server answers it; weights are positional: `4|1|1`.

    Their order is that of `ordered_metrics` and `ordered_scoring_datasets` of the task; without them,
    the defaults apply, and metrics beyond the usual columns may be left out. Variances are real here,
    and weights of data sets need not add up to 1.
    """
    boards = boards_of(request)
    board = await asked.read(
        lambda c: boards.read_positional(
            c,
            asked.row,
            asked.task,
            metrics=ordered_metric_weights or None,
            datasets=ordered_scoring_dataset_weights or None,
            public=asked.person is None,
        )
    )
    return dynaboard(
        board, limit=limit, offset=offset, sort_by=sort_by, sort_direction=sort_direction
    )


@router.get(
    "/tasks/{task}/models/topleaderboardtags",
    responses=MISSING,
    tags=["as Dynabench"],
    openapi_extra=OPEN,
)
async def top_leaderboard_tags(
    asked: OpenTask,
    limit: Annotated[int, Query(ge=0, le=10_000)] = 5,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    specific_tag: Annotated[str | None, Query(max_length=300)] = None,
) -> dict[str, TopTags]:
    """The tags of the items of every scoring data set, each with the model that does best on it."""
    return await asked.read(
        lambda c: top_tags(c, asked.row, asked.task, tag=specific_tag, limit=limit, offset=offset)
    )


async def read_weighed(
    request: Request,
    asked: TaskRequest,
    metric: str,
    metrics: list[str],
    datasets: list[str],
    memory: float,
    round: int | None = None,
) -> Board:
    """The board by a metric or under named weights, as whoever asks may see it; of one round, or all."""
    boards = boards_of(request)
    metric_weights, dataset_weights = _pairs(metrics), _pairs(datasets)
    return await asked.read(
        lambda c: boards.read(
            c,
            asked.row,
            asked.task,
            metric=metric,
            metric_weights=metric_weights,
            dataset_weights=dataset_weights,
            round=round,
            memory_offset=memory,
            public=asked.person is None,
        )
    )


def _pairs(given: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in given:
        name, equals, text = each.rpartition("=")
        try:
            found[name] = float(text)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise InputError(f"A weight is given as NAME=NUMBER; got '{each[:80]}'.")
    return found


@dataclass(frozen=True, slots=True)
class SavedList:
    """The forks and snapshots of a task, oldest first."""

    boards: list[SavedBoard]


class NewSaved(Given):
    """A board to save: its name, and the weights that differ from the task's own.

    With a `metric` that one ranks in place of the weights of metrics.
    """

    # How long they may be is said, and checked, by what saves them.
    name: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": LONGEST_NAME})]
    about: Annotated[str, Field(json_schema_extra={"maxLength": LONGEST_ABOUT})] = ""
    metric: Annotated[str, Field(max_length=200)] = ""
    metric_weights: dict[str, Weight] = Field(default_factory=dict)
    dataset_weights: dict[str, Weight] = Field(default_factory=dict)
    round: Annotated[int, Field(ge=1)] | None = None


@router.get("/tasks/{task}/saved", responses=MISSING, openapi_extra=OPEN)
async def list_saved_boards(asked: OpenTask, kind: SavedKind | None = None) -> SavedList:
    """The forks and snapshots of a task, oldest first."""
    return SavedList(await asked.read(lambda c: list_saved(c, asked.row.id, kind)))


@router.post("/tasks/{task}/forks", status_code=201, responses=CHANGED)
async def new_fork(
    request: Request, asked: ViewedTask, person: Editor, wanted: Annotated[NewSaved, Body()]
) -> SavedBoard:
    """Save weights under a name; whoever opens the fork sees the scores of that day."""
    return await _save(request, asked, wanted, "fork")


@router.post("/tasks/{task}/snapshots", status_code=201, responses=CHANGED)
async def new_snapshot(
    request: Request, asked: ViewedTask, person: Editor, wanted: Annotated[NewSaved, Body()]
) -> SavedBoard:
    """Freeze the board under a name, as the public sees it; it never changes again."""
    return await _save(request, asked, wanted, "snapshot")


@router.get("/saved/{key}", responses=MISSING, openapi_extra=OPEN)
async def show_saved(request: Request, deployment: Here, person: Anybody, key: Key) -> SavedSheet:
    """A fork with today's board, or a snapshot as it was frozen."""
    boards = boards_of(request)
    try:
        with missing():
            return await deployment.store.read(
                lambda c: read_saved(c, boards, key, public=person is None)
            )
    except MissingError:
        # Strangers are not told which keys there are.
        if person is not None:
            raise
        raise unauthorized(
            "No public board has this key. Send a valid token as 'Authorization: Bearer …' to ask "
            "for others."
        ) from None


async def _save(
    request: Request, asked: TaskRequest, wanted: NewSaved, kind: SavedKind
) -> SavedBoard:
    boards = boards_of(request)
    board = await asked.read(
        lambda c: boards.read(
            c,
            asked.row,
            asked.task,
            metric=wanted.metric,
            metric_weights=wanted.metric_weights,
            dataset_weights=wanted.dataset_weights,
            round=wanted.round,
            public=True,
        )
    )
    save = save_fork if kind == "fork" else save_snapshot
    return await asked.write(
        lambda c: save(
            c,
            asked.row.id,
            wanted.name,
            board,
            about=wanted.about,
            created_by=asked.person.name if asked.person else "",
            now=asked.now,
        )
    )
