"""Boards for the pages: read under the weights of an address, kept between requests."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request

from palaver.core.errors import InputError
from palaver.evaluation.dynaboards import Board, Boards, parse_weights, saved_weights
from palaver.storage.evaluation.boards import SavedBoard
from palaver.web.desk.accounts import deployment_of
from palaver.web.tasks.access import Visit
from palaver.web.tasks.words import weight

# Why a run failed may name addresses of whoever submitted it; only they and the desk read it.
_FAILED = re.compile(r" failed \(.*\)", re.DOTALL)
METRICS = "m"
DATASETS = "d"


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """A board and its JSON as whoever asks may see it; `note` says what the address got wrong."""

    board: Board
    document: dict[str, Any]
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
        def with_weights(metrics: Mapping[str, float], datasets: Mapping[str, float]) -> Board:
            return boards.read(
                connection,
                found.row,
                found.task,
                metric_weights=metrics,
                dataset_weights=datasets,
                public=shown_public,
            )

        board = with_weights({}, {})
        names = {each.scored.name for each in board.sets}
        metrics, datasets = _forked(fork, names)
        note = ""
        try:
            metrics |= _asked(params, METRICS, [each.column.key for each in board.columns])
            datasets |= _asked(params, DATASETS, [each.scored.name for each in board.sets])
            if metrics or datasets:
                board = with_weights(metrics, datasets)
        except InputError as error:
            if strict:
                raise
            note = f"The weights in the address were not used. {error}"
        return ReadBoard(board, document_of(board), note)

    return await deployment_of(found.request).store.read(read)


async def read_weighed(found: Visit, *, metrics: str | None, datasets: str | None) -> Board:
    """The board of the dynaboard API: both weights are mandatory there, so they are here."""
    boards = boards_of(found.request)
    names = ("ordered_metric_weights", "ordered_scoring_dataset_weights")

    def read(connection: Connection) -> Board:
        board = boards.read(connection, found.row, found.task, public=found.is_public)
        keys = [each.column.key for each in board.columns]
        sets = [each.scored.name for each in board.sets]
        return boards.read(
            connection,
            found.row,
            found.task,
            metric_weights=parse_weights((metrics or "")[:2000], keys, what=names[0]),
            dataset_weights=parse_weights((datasets or "")[:2000], sets, what=names[1]),
            public=found.is_public,
        )

    return await deployment_of(found.request).store.read(read)


def document_of(board: Board) -> dict[str, Any]:
    """The board as JSON, without what strangers must not read."""
    document = board.as_json()
    return for_strangers(document) if board.public else document


def for_strangers(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the reasons of failed runs, also of a snapshot that has them."""
    not_ranked = [
        {**each, "reasons": [_FAILED.sub(" failed", reason) for reason in each["reasons"]]}
        for each in document["not_ranked"]
    ]
    return {**document, "not_ranked": not_ranked}


def brief(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without the scores on single data sets, which do not depend on weights."""
    return {
        **document,
        **{
            part: [
                {name: value for name, value in each.items() if name != "scores"}
                for each in document[part]
            ]
            for part in ("models", "not_ranked")
        },
    }


def address_weights(document: Mapping[str, Any]) -> tuple[str, str]:
    """The weights of a board as an address has them: of metrics, and of data sets."""
    metrics = "|".join(weight(each["weight"]) for each in document["metrics"])
    datasets = "|".join(weight(each["weight"]) for each in document["datasets"])
    return metrics, datasets


def _asked(params: QueryParams, name: str, names: list[str]) -> dict[str, float]:
    """The weights of a parameter: 4|1|1, or the parameter once per weight, as forms send it."""
    given = "|".join(each for each in params.getlist(name) if each)
    return parse_weights(given[:2000], names, what=name) if given else {}


def _forked(
    fork: SavedBoard | None, names: Collection[str]
) -> tuple[dict[str, float], dict[str, float]]:
    if fork is None:
        return {}, {}
    weights = saved_weights(fork, names)
    return dict(weights.metrics), dict(weights.datasets)
