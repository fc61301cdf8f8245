"""Boards of tasks: with intervals, as files, and in the JSON of Dynabench's clients."""

from typing import Annotated, Any, Literal

import msgspec
from fastapi import Query, Request
from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import Response

from palaver.core.errors import InputError
from palaver.evaluation.dynaboards import (
    MEMORY_OFFSET,
    Board,
    dynaboard_json,
    parse_weights,
)
from palaver.evaluation.dynaboards.top_tags import top_tags
from palaver.web.api.errors import ANSWERS, MISSING
from palaver.web.api.evaluation.asking import OPEN, Asked, OpenTask
from palaver.web.api.models import Model
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
    float, Query(ge=0, le=1e6, allow_inf_nan=False, description="GiB that memory is left of.")
]
Ends = Annotated[list[float | None], Field(min_length=2, max_length=2)]


class MeasuredState(Model):
    """A number with its interval; null where it is undefined, and `reason` says why."""

    value: float | None
    interval: Ends | None
    variance: float | None
    n: int | None = None
    reason: str | None = None


class BoardMetric(Model):
    """A metric as the board weighs it; `set_aside` says why one has no rate."""

    key: str
    title: str
    unit: str
    direction: int
    offset: float
    weight: float
    share: float
    amrs: float | None
    amrs_interval: Ends | None
    set_aside: str | None = None


class BoardDataset(Model):
    """A data set as the board weighs it."""

    id: int
    name: str
    version: int
    items: int
    weight: float
    share: float


class BoardModel(Model):
    """A model of the board: `scores` by data set and metric; without a rank `reasons` say why."""

    id: int
    key: str
    name: str
    team: str | None
    published: bool
    tags: list[str]
    link: str
    scores: dict[str, dict[str, MeasuredState]]
    rank: int | None = None
    rank_interval: list[int] | None = None
    dynascore: MeasuredState | None = None
    averages: dict[str, MeasuredState] | None = None
    reasons: list[str] | None = None


class BoardDocument(Model):
    """A board: models in their order, AMRS and pairs behind it, who is not ranked and why."""

    task: str
    title: str
    answer: str
    metrics: list[BoardMetric]
    datasets: list[BoardDataset]
    models: list[BoardModel]
    not_ranked: list[BoardModel]
    tied_sets: list[list[str]]
    pairs: int
    draws: int
    seed: int
    confidence: float
    method: str
    warnings: list[str]


class DynaboardDataset(Model):
    """A model's scores on a data set, in the order of the task's metrics."""

    id: int
    name: str
    scores: list[float | None]
    variances: list[float | None]


class DynaboardModel(Model):
    """A row of the dynaboard; names are null where a model is unpublished."""

    model_id: int
    model_name: str | None
    uid: int | None
    username: str | None
    averaged_scores: list[float | None]
    averaged_variances: list[float | None]
    dynascore: float | None
    dynavariance: float | None
    datasets: list[DynaboardDataset]


class Dynaboard(Model):
    """How many models are ranked, and some of them."""

    count: int
    data: list[DynaboardModel]


class TopModel(Model):
    """The best model on a tag; names are null where it is unpublished."""

    model_id: int
    model_name: str | None
    uid: int | None
    username: str | None
    perf: float


class TopTag(Model):
    """A tag of a data set and who does best on its items."""

    tag: str
    n: int
    top_perf_info: TopModel


class TopTags(Model):
    """How many tags of a data set have a performance, and some of them, best first."""

    count: int
    data: list[TopTag]


class TagCount(Model):
    """A tag of models, and how many have it."""

    tag: str
    models: int


class TagList(Model):
    """The tags of the models on a board."""

    tags: list[TagCount]


@router.get(
    "/tasks/{task}/board", responses=MISSING, response_model=BoardDocument, openapi_extra=OPEN
)
async def show_board(
    request: Request,
    asked: OpenTask,
    *,
    metric_weight: Weights,
    dataset_weight: Weights,
    memory: Memory = MEMORY_OFFSET,
) -> Response:
    """The board of a task under these weights, with intervals on every cell and rank."""
    board = await read_weighed(request, asked, metric_weight, dataset_weight, memory)
    return Response(msgspec.json.encode(board.as_json()), media_type="application/json")


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
    return as_file(board.as_json(), format, name=f"{asked.row.name}-board")


@router.get("/tasks/{task}/tags", responses=MISSING, openapi_extra=OPEN)
async def board_tags(request: Request, asked: OpenTask) -> TagList:
    """The tags of the models on the board, the most frequent first."""
    board = await read_weighed(request, asked, [], [], MEMORY_OFFSET)
    counts: dict[str, int] = {}
    entrants = [each.entrant for each in board.standings]
    entrants += [each.entrant for each in board.not_ranked]
    for entrant in entrants:
        for tag in entrant.tags:
            counts[tag] = counts.get(tag, 0) + 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return TagList(tags=[TagCount(tag=tag, models=models) for tag, models in ordered])


@router.get(
    "/tasks/{task}/models/dynaboard", responses=MISSING, tags=["as Dynabench"], openapi_extra=OPEN
)
async def dynaboard(
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

    Their order is that of `ordered_metrics` and `ordered_scoring_datasets` of the task; without them
    the defaults hold. Variances are real here, and weights of data sets need not add up to 1.
    """
    boards = boards_of(request)

    def read(connection: Connection) -> Board:
        board = boards.read(connection, asked.row, asked.task, public=True)
        keys = [each.column.key for each in board.columns]
        sets = [each.scored.name for each in board.sets]
        metrics = _positional(ordered_metric_weights, keys, "ordered_metric_weights")
        datasets = _positional(
            ordered_scoring_dataset_weights, sets, "ordered_scoring_dataset_weights"
        )
        if metrics is None and datasets is None:
            return board
        return boards.read(
            connection,
            asked.row,
            asked.task,
            metric_weights=metrics,
            dataset_weights=datasets,
            public=True,
        )

    board = await asked.read(read)
    return Dynaboard.model_validate(
        dynaboard_json(
            board, limit=limit, offset=offset, sort_by=sort_by, sort_direction=sort_direction
        )
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
    """For every scoring data set the tags of its items, each with the model that does best on it."""
    found = await asked.read(lambda c: top_tags(c, asked.row, asked.task, tag=specific_tag))
    return {
        dataset: TopTags.model_validate(
            {
                "count": len(tags),
                "data": [each.as_json() for each in tags[offset : offset + limit]],
            }
        )
        for dataset, tags in found.items()
    }


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


def _positional(text: str, names: list[str], what: str) -> dict[str, float] | None:
    return parse_weights(text, names, what=what) if text else None


def _pairs(given: list[str]) -> dict[str, float]:
    found: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.rpartition("=")
        try:
            found[name] = float(text)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise InputError(f"A weight is given as NAME=NUMBER; got '{each[:80]}'.")
    return found
