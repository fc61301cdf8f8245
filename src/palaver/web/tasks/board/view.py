"""Boards for the pages: read under the weights of an address, kept between requests.

As files they are CSV with every cell, LaTeX for a paper, or JSON with everything.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, get_args
from urllib.parse import quote, urlencode

import msgspec
from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.boards import (
    Board,
    BoardMetric,
    RankedModel,
    SavedBoard,
    UnrankedModel,
)
from palaver.core.numbers import whole_number
from palaver.core.serial import encode, plain
from palaver.core.tasks import Task
from palaver.evaluation.datasets.registration import MOST_ROUND, round_error
from palaver.evaluation.dynaboards import (
    DYNASCORE,
    Boards,
    ScoresByRound,
    average_rows,
    board_caption,
    cell_rows,
    parse_weights,
)
from palaver.evaluation.dynaboards.leaders import Leaders
from palaver.formats.spreadsheets import escaped_row
from palaver.reports.latex import latex_table
from palaver.reports.tables import csv_table
from palaver.web.desk.accounts import deployment_of
from palaver.web.formatting import weight
from palaver.web.tasks.access import TaskShell, TaskVisit

# Boards with more cells than this leave those of single data sets to the models' cards.
MOST_CELLS = 12_000
# Free space at either end of a drawn scale, as a share of it, and how many colours heat has above none.
MARGIN = 0.04
HEAT = 8
METRICS = "m"
DATASETS = "d"
ROUND = "round"
# What ranks; and before the key of a metric beyond the usual ones, what it weighs.
RANKS = "metric"
MORE = "m."
MOST_KEY = 200
Format = Literal["csv", "tex", "json"]
MEDIA: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "json": "application/json",
}


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale that the rows of a column share: from its lowest to its highest number."""

    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Self:
        known = [value for value in values if value is not None]
        return cls(min(known), max(known)) if known else cls()

    @property
    def has_ends(self) -> bool:
        """Whether there is anything between its two ends."""
        return self.high > self.low

    def place(self, value: float) -> float:
        """Where a number stands, in percent of the width."""
        inside = (value - self.low) / (self.high - self.low) if self.has_ends else 0.5
        return round(100 * (MARGIN + (1 - 2 * MARGIN) * inside), 2)

    def heat(self, value: float | None, direction: int = 1) -> str:
        """The colour of a cell, from h0 for the worst number of its column to h8 for the best."""
        if value is None or not self.has_ends:
            return "h0"
        far = value - self.low if direction > 0 else self.high - value
        return f"h{round(HEAT * far / (self.high - self.low))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker:
    """What a board can be ranked by: a metric, or the Dynascore of several."""

    key: str
    title: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """The board of a task under some weights, or a fork or snapshot of it, which is `shown`.

    `models` are those with the `tag`, or all. Its files are at `file_url`, with their endings. `cells`
    is JSON for the script: what each model has on each data set. `weights` are those in use as an
    address has them, and what ranks in their place. `is_weighed` says whether the task's own board
    weighs anything. `name` and `text` are what a form said that was refused.
    """

    template: ClassVar[str] = "tasks/board/board.html"
    shell: TaskShell
    title: str
    about: str
    board: Board
    models: tuple[RankedModel | UnrankedModel, ...]
    url: str
    current_url: str
    file_url: str
    cells: str
    tags: tuple[str, ...] = ()
    tag: str = ""
    weights: Mapping[str, str] = field(default_factory=dict)
    is_weighed: bool = True
    saved: tuple[SavedBoard, ...] = ()
    shown: SavedBoard | None = None
    may_save: bool = False
    notice: str = ""
    error: str = ""
    name: str = ""
    text: str = ""

    @property
    def of_round(self) -> dict[str, str]:
        """What an address says of the round that the board is of, if it is of one."""
        return {ROUND: self.weights[ROUND]} if ROUND in self.weights and not self.frozen else {}

    @property
    def query(self) -> str:
        """What an address of this very board ends with."""
        return "" if self.frozen else self._ending()

    def tagged(self, tag: str) -> str:
        """The address of the models with a tag, or of all, on this board."""
        return self.url + self._ending(**{"tag": tag} if tag else {})

    def _ending(self, **more: str) -> str:
        asked = {**({} if self.frozen else self.weights), **more}
        return f"?{urlencode(asked)}" if asked else ""

    @property
    def frozen(self) -> bool:
        return self.shown is not None and self.shown.kind == "snapshot"

    @property
    def rankers(self) -> tuple[Ranker, ...]:
        """What a reader may rank by, the task's own way first."""
        board = self.board
        by_sum = board.ranking == "dynascore"
        sums = [Ranker(key=DYNASCORE, title="Dynascore, weighed below", is_chosen=by_sum)]
        metrics = [
            Ranker(key=each.key, title=each.title, is_chosen=not by_sum and not n)
            for n, each in enumerate(board.metrics)
        ]
        return (*(sums if self.is_weighed else ()), *metrics)

    @property
    def sum_is_shown(self) -> bool:
        """Whether a Dynascore ranks."""
        return self.board.ranking == "dynascore"

    @property
    def usual_metrics(self) -> tuple[BoardMetric, ...]:
        return tuple(each for each in self.board.metrics if each.is_usual)

    @property
    def more_metrics(self) -> tuple[BoardMetric, ...]:
        """Those that have no weight unless somebody gives them one."""
        return tuple(each for each in self.board.metrics if not each.is_usual)

    @property
    def more_is_open(self) -> bool:
        """Whether one of the further metrics has a weight."""
        return any(each.weight for each in self.more_metrics)

    @property
    def scale(self) -> Scale:
        scores = [found for each in self.board.models if (found := self.board.standing(each))]
        return Scale.of(end for one in scores for end in (one.value, *(one.interval or ())))

    @property
    def metric_scales(self) -> dict[str, Scale]:
        shown = [model.averages for model in self.board.everybody if model.averages]
        return {
            metric.key: Scale.of(averages[metric.key].value for averages in shown)
            for metric in self.board.metrics
        }

    @property
    def set_scales(self) -> dict[str, Scale]:
        """Of the performance on each data set; none where the cells would be too many."""
        board = self.board
        if not board.metrics or len(board.everybody) * len(board.datasets) > MOST_CELLS:
            return {}
        first, scores = board.metrics[0].key, [model.scores for model in board.everybody]
        return {
            one.name: Scale.of(each[one.name][first].value for each in scores)
            for one in board.datasets
        }


@dataclass(frozen=True, slots=True)
class _AskedWeights:
    """Weights by name, as an address asks for them."""

    metrics: Mapping[str, float] = field(default_factory=dict)
    datasets: Mapping[str, float] = field(default_factory=dict)


NO_WEIGHTS = _AskedWeights()


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """A board as whoever asks may see it; `note` says what the address got wrong."""

    board: Board
    note: str = ""


def leaders_of(request: Request) -> Leaders:
    """What the boards of this process say first, for lists of them."""
    kept: dict[type, Any] = request.app.state.deployment.kept
    if Leaders not in kept:
        kept[Leaders] = Leaders(boards_of(request))
    leaders: Leaders = kept[Leaders]
    return leaders


def boards_of(request: Request) -> Boards:
    """The boards of this process, made when they are first asked for.

    They are kept between requests, because reading one draws a thousand samples; the pages and the
    API share them.
    """
    kept: dict[type, Any] = request.app.state.deployment.kept
    if Boards not in kept:
        kept[Boards] = Boards()
    found: Boards = kept[Boards]
    return found


def scores_by_round(request: Request) -> ScoresByRound:
    """The scores by round of this process, made when they are first asked for."""
    kept: dict[type, Any] = request.app.state.deployment.kept
    if ScoresByRound not in kept:
        kept[ScoresByRound] = ScoresByRound(boards_of(request))
    found: ScoresByRound = kept[ScoresByRound]
    return found


async def read_asked(
    found: TaskVisit,
    *,
    fork: SavedBoard | None = None,
    public: bool | None = None,
    given: QueryParams | None = None,
    strict: bool = False,
) -> ReadBoard:
    """The board under the weights and of the round of the address, above those of a fork.

    An address with weights for another number of metrics or data sets is older than the board: the
    page then shows the defaults and says so, while with `strict` it is an InputError.
    """
    boards = boards_of(found.request)
    shown_public = found.is_public if public is None else public
    # What is kept for everybody to see is read as a stranger sees it.
    team = found.team.id if found.team and public is None else None
    params = found.request.query_params if given is None else given

    def read(connection: Connection) -> ReadBoard:
        def weighed(metric: str, weights: _AskedWeights, round: int | None) -> Board:
            return boards.read(
                connection,
                found.row,
                found.task,
                metric=metric,
                metric_weights=weights.metrics,
                dataset_weights=weights.datasets,
                fork=fork,
                round=round,
                public=shown_public,
                team=team,
            )

        try:
            round = _asked_round(params)
            board = weighed("", NO_WEIGHTS, round)
        except InputError as error:
            if strict or ROUND not in params:
                raise
            whole = weighed("", NO_WEIGHTS, None)
            return ReadBoard(whole, f"This is the board of all data sets. {error}")
        metric = params.get(RANKS, "")[:MOST_KEY]
        try:
            if metric:
                board = weighed(metric, NO_WEIGHTS, round)
            weights = _asked_weights(params, board, found.task)
            if weights != NO_WEIGHTS:
                board = weighed(metric, weights, round)
        except InputError as error:
            if strict:
                raise
            return ReadBoard(board, f"The weights in the address were not used. {error}")
        return ReadBoard(board)

    return await deployment_of(found.request).store.read(read)


def brief(board: Board) -> dict[str, Any]:
    """The board's JSON without the scores on single data sets, which do not depend on weights."""
    bare = replace(
        board,
        models=tuple(replace(model, scores={}) for model in board.models),
        not_ranked=tuple(replace(each, scores={}) for each in board.not_ranked),
    )
    document: dict[str, Any] = plain(bare)
    for each in (*document["models"], *document["not_ranked"]):
        del each["scores"]
    return document


def cells_json(board: Board) -> str:
    """What the script computes scores from, and which models cannot be told apart."""
    # In the order in which they came, which decides between models that are equal.
    models = sorted(board.everybody, key=lambda each: each.arrival)
    return msgspec.json.encode(
        {
            "metrics": [[each.direction, each.offset, each.digits] for each in board.metrics],
            "keys": [model.key for model in models],
            "cells": [
                [[cell.value for cell in model.scores[one.name].values()] for one in board.datasets]
                for model in models
            ],
            "weights": [[each.weight for each in both] for both in (board.metrics, board.datasets)],
            "ties": board.ties,
            "ranking": board.ranking,
        }
    ).decode()


def address_weights(board: Board, *, fork: SavedBoard | None = None) -> dict[str, str]:
    """What an address says of a board: weights, or the key of the metric that ranks; and the round.

    Where a fork has a metric of its own, it is said that none ranks alone.
    """
    of_round = {ROUND: str(board.round)} if board.round else {}
    told: dict[str, str] = {}
    if board.ranking == "dynascore":
        if fork is not None and fork.weights.metric:
            told[RANKS] = DYNASCORE
        usual = [each for each in board.metrics if each.is_usual]
        more = [each for each in board.metrics if not each.is_usual]
        told[METRICS] = "|".join(weight(each.weight) for each in usual)
        told |= {f"{MORE}{each.key}": weight(each.weight) for each in more if each.weight}
    elif board.metric:
        told[RANKS] = board.metric
    else:
        return of_round  # a board of one measure has no weights
    datasets = "|".join(weight(each.weight) for each in board.datasets)
    return {**told, DATASETS: datasets, **of_round}


def _asked_weights(params: QueryParams, board: Board, task: Task) -> _AskedWeights:
    """The weights of an address; where a metric was chosen, those of metrics wait for another day."""
    usual = [metric.key for metric in board.metrics if metric.is_usual]
    sets = [dataset.name for dataset in board.datasets]
    datasets = _asked(params, DATASETS, sets)
    if board.ranking == "measure" and task.ranking == "dynascore":
        return _AskedWeights({}, datasets)
    metrics = _asked(params, METRICS, usual)
    for name in params:
        if name.startswith(MORE) and params[name]:
            key = name.removeprefix(MORE)[:MOST_KEY]
            metrics |= parse_weights(params[name][:MOST_KEY], [key], what=name[:MOST_KEY])
    return _AskedWeights(metrics, datasets)


def _asked(params: QueryParams, name: str, names: list[str]) -> dict[str, float]:
    """The weights of a parameter: 4|1|1, or the parameter once per weight, as forms send it."""
    given = "|".join(each for each in params.getlist(name) if each)
    return parse_weights(given[:2000], names, what=name) if given else {}


def _asked_round(params: QueryParams) -> int | None:
    given = params.get(ROUND, "")
    if not given:
        return None
    number = whole_number(given, most=MOST_ROUND)
    if not number:
        raise round_error(given)
    return number


def as_file(board: Board, format: str, *, name: str, raw: bool = False) -> Response:
    """The board as a file to download; JSON is shown.

    No cell of it can be taken for a formula, unless `raw` says that it is not for people.
    """
    if format not in get_args(Format):
        raise UnknownNameError(f"A board is available as csv, tex or json; got '{format[:20]}'.")
    if format == "json":
        return Response(encode(board), media_type=MEDIA["json"])
    content = _csv(board, raw=raw) if format == "csv" else _latex(board)
    # A file that is opened elsewhere: never in this page's place.
    disposition = f"attachment; filename*=UTF-8''{quote(f'{name}.{format}')}"
    return Response(
        content,
        headers={"content-disposition": disposition},
        media_type=MEDIA["csv" if format == "csv" else "tex"],
    )


def _csv(board: Board, *, raw: bool) -> str:
    stream = io.StringIO()
    rows = cell_rows(board)
    if not raw:
        rows = [dict(zip(row, escaped_row(row.values()), strict=True)) for row in rows]
    csv_table(rows, stream)
    return stream.getvalue()


def _latex(board: Board) -> str:
    rows = average_rows(board)
    columns = {name: name for name in rows[0] if name != "team"} if rows else None
    caption = board_caption(board)
    return latex_table(rows, columns=columns, caption=caption, digits=board.digits)
