"""Boards of tasks: with intervals, as files, and in the JSON of Dynabench's clients."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Board, TagCount
from palaver.evaluation.dynaboards import MEMORY_OFFSET, dynaboard
from palaver.evaluation.dynaboards.dynabench_format import Dynaboard, TopTags, top_tags
from palaver.web.api.errors import ANSWERS, MISSING
from palaver.web.api.evaluation.request import OPEN, Asked, OpenTask
from palaver.web.api.records import RecordRouter
from palaver.web.tasks.boards import boards_of
from palaver.web.tasks.downloads import as_file

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


@dataclass(frozen=True, slots=True)
class TagList:
    """The tags of the models on a board."""

    tags: tuple[TagCount, ...]


@router.get("/tasks/{task}/board", responses=MISSING, openapi_extra=OPEN)
async def show_board(
    request: Request,
    asked: OpenTask,
    *,
    metric_weight: Weights,
    dataset_weight: Weights,
    memory: Memory = MEMORY_OFFSET,
) -> Board:
    """The board of a task under these weights, with intervals for every cell and rank."""
    return await read_weighed(request, asked, metric_weight, dataset_weight, memory)


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
    metric_weight: Weights,
    dataset_weight: Weights,
    memory: Memory = MEMORY_OFFSET,
) -> Response:
    """The board as a file: CSV with every cell, LaTeX for a paper."""
    board = await read_weighed(request, asked, metric_weight, dataset_weight, memory)
    return as_file(board, format, name=f"{asked.row.name}-board")


@router.get("/tasks/{task}/tags", responses=MISSING, openapi_extra=OPEN)
async def board_tags(request: Request, asked: OpenTask) -> TagList:
    """The tags of the models on the board, the most frequent first."""
    board = await read_weighed(request, asked, [], [], MEMORY_OFFSET)
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
    the defaults apply. Variances are real here, and weights of data sets need not add up to 1.
    """
    boards = boards_of(request)
    board = await asked.read(
        lambda c: boards.read_positional(
            c,
            asked.row,
            asked.task,
            metrics=ordered_metric_weights or None,
            datasets=ordered_scoring_dataset_weights or None,
            public=True,
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
    request: Request, asked: Asked, metrics: list[str], datasets: list[str], memory: float
) -> Board:
    """The board under named weights, as whoever asks may see it."""
    boards = boards_of(request)
    metric_weights, dataset_weights = _pairs(metrics), _pairs(datasets)
    return await asked.read(
        lambda c: boards.read(
            c,
            asked.row,
            asked.task,
            metric_weights=metric_weights,
            dataset_weights=dataset_weights,
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
