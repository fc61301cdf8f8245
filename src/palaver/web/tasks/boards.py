"""Boards for the pages: read under the weights of an address, kept between requests."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Board, SavedBoard
from palaver.core.serial import plain
from palaver.evaluation.dynaboards import Boards, parse_weights
from palaver.web.desk.accounts import deployment_of
from palaver.web.formatting import weight
from palaver.web.tasks.access import Visit

METRICS = "m"
DATASETS = "d"


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
            )

        board = weighed({}, {})
        try:
            metrics = _asked(params, METRICS, [each.key for each in board.metrics])
            datasets = _asked(params, DATASETS, [each.name for each in board.datasets])
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
        models=tuple(replace(each, scores={}) for each in board.models),
        not_ranked=tuple(replace(each, scores={}) for each in board.not_ranked),
    )
    document: dict[str, Any] = plain(bare)
    for each in (*document["models"], *document["not_ranked"]):
        del each["scores"]
    return document


def cells_json(board: Board) -> str:
    """What the script computes scores from: the cells of every model, and the metrics' directions."""
    # In the order in which they came, which decides between models that are equal.
    models = sorted(board.everybody, key=lambda each: each.id)
    return msgspec.json.encode(
        {
            "metrics": [[each.direction, each.offset] for each in board.metrics],
            "keys": [each.key for each in models],
            "cells": [
                [[cell.value for cell in each.scores[one.name].values()] for one in board.datasets]
                for each in models
            ],
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
