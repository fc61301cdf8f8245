"""Boards for the pages: read under the weights of an address, kept between requests.

As files they are CSV with every cell, LaTeX for a paper, or JSON with everything.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, get_args
from urllib.parse import quote

import msgspec
from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.boards import Board, RankedModel, SavedBoard, UnrankedModel
from palaver.core.serial import encode, plain
from palaver.evaluation.dynaboards import Boards, average_rows, cell_rows, parse_weights
from palaver.formats.spreadsheets import escaped_row
from palaver.reports.latex import latex_table
from palaver.reports.tables import csv_table
from palaver.web.desk.accounts import deployment_of
from palaver.web.formatting import weight
from palaver.web.tasks.access import TaskShell, Visit

# Boards with more cells than this leave those of single data sets to the models' cards.
MOST_CELLS = 12_000
# Free space at either end of a drawn scale, as a share of it, and how many colours heat has above none.
MARGIN = 0.04
HEAT = 8
METRICS = "m"
DATASETS = "d"
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
class BoardPage:
    """The board of a task under some weights, or a fork or snapshot of it, which is `shown`.

    `models` are those with the `tag`, or all. Its files are at `file_url`, with their endings. `cells`
    is JSON for the script: what each model has on each data set. `m` and `d` are the weights as an
    address has them. `name` and `text` are what a form said that was refused.
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
    m: str = ""
    d: str = ""
    saved: tuple[SavedBoard, ...] = ()
    shown: SavedBoard | None = None
    may_save: bool = False
    notice: str = ""
    error: str = ""
    name: str = ""
    text: str = ""

    @property
    def frozen(self) -> bool:
        return self.shown is not None and self.shown.kind == "snapshot"

    @property
    def scale(self) -> Scale:
        scores = [model.dynascore for model in self.board.models]
        return Scale.of(end for one in scores for end in (one.value, *(one.interval or ())))

    @property
    def metric_scales(self) -> dict[str, Scale]:
        ranked = [model.averages for model in self.board.models]
        return {
            metric.key: Scale.of(averages[metric.key].value for averages in ranked)
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
class ReadBoard:
    """A board as whoever asks may see it; `note` says what the address got wrong."""

    board: Board
    note: str = ""


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


async def read_asked(
    found: Visit,
    *,
    fork: SavedBoard | None = None,
    public: bool | None = None,
    given: QueryParams | None = None,
    strict: bool = False,
) -> ReadBoard:
    """The board under the weights of the address, above those of a fork.

    An address with weights for another number of metrics or data sets is older than the board: the
    page then shows the defaults and says so, while with `strict` it is an InputError.
    """
    boards = boards_of(found.request)
    shown_public = found.is_public if public is None else public
    # What is kept for everybody to see is read as a stranger sees it.
    team = found.team.id if found.team and public is None else None
    params = found.request.query_params if given is None else given

    def read(connection: Connection) -> ReadBoard:
        def weighed(metrics: Mapping[str, float], datasets: Mapping[str, float]) -> Board:
            return boards.read(
                connection,
                found.row,
                found.task,
                metric_weights=metrics,
                dataset_weights=datasets,
                fork=fork,
                public=shown_public,
                team=team,
            )

        board = weighed({}, {})
        try:
            metrics = _asked(params, METRICS, [metric.key for metric in board.metrics])
            datasets = _asked(params, DATASETS, [dataset.name for dataset in board.datasets])
            if metrics or datasets:
                board = weighed(metrics, datasets)
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
            "metrics": [[metric.direction, metric.offset] for metric in board.metrics],
            "keys": [model.key for model in models],
            "cells": [
                [[cell.value for cell in model.scores[one.name].values()] for one in board.datasets]
                for model in models
            ],
            "weights": [[each.weight for each in both] for both in (board.metrics, board.datasets)],
            "ties": board.ties,
        }
    ).decode()


def address_weights(board: Board) -> tuple[str, str]:
    """The weights of a board as an address has them: of metrics, and of data sets."""
    weights = board.weights
    metrics = "|".join(map(weight, weights.metrics.values()))
    return metrics, "|".join(map(weight, weights.datasets.values()))


def _asked(params: QueryParams, name: str, names: list[str]) -> dict[str, float]:
    """The weights of a parameter: 4|1|1, or the parameter once per weight, as forms send it."""
    given = "|".join(each for each in params.getlist(name) if each)
    return parse_weights(given[:2000], names, what=name) if given else {}


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
    caption = f"Board of {board.title}"
    return latex_table(rows, columns=columns, caption=caption, digits=board.digits)
