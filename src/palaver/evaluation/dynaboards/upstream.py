"""Boards in the JSON that clients of the dynaboard API read, with variances that are real."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.serial import plain
from palaver.evaluation.dynaboards.board import Board, Measured, Standing
from palaver.evaluation.dynaboards.weights import DATASET_WEIGHT
from palaver.storage.evaluation.tasks import StoredTask

SortDirection = Literal["asc", "desc"]
DIRECTIONS = ("asc", "desc")
LIMIT = 5


def dynaboard_json(
    board: Board,
    *,
    limit: int = LIMIT,
    offset: int = 0,
    sort_by: str = "dynascore",
    sort_direction: str = "desc",
) -> dict[str, Any]:
    """The ranked models from row `offset` on; `sort_by` may name a metric's title or `model_name`.

    Names are null where a model is unpublished, its team also where it is anonymous.
    """
    if limit < 0 or offset < 0:
        raise InputError(f"limit and offset are 0 or more; got {limit} and {offset}.")
    ordered = _sorted(board, sort_by, sort_direction)
    return {
        "count": len(ordered),
        "data": [_model(board, each) for each in ordered[offset : offset + limit]],
    }


def task_json(
    board: Board, task_row: StoredTask, *, current_round: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A task as clients of the dynaboard API read it, with its metrics and scoring data sets."""
    return {
        "id": task_row.id,
        "task_code": task_row.name,
        "name": task_row.title,
        "ordered_metrics": [
            {
                "name": each.column.key,
                "field_name": each.column.field,
                "default_weight": each.column.weight,
                "unit": each.column.unit,
                "pretty_name": each.column.title,
                "utility_direction": each.column.direction,
                "offset": each.column.offset,
            }
            for each in board.columns
        ],
        "ordered_scoring_datasets": [
            {
                "id": each.scored.dataset_id,
                "name": each.scored.name,
                "default_weight": DATASET_WEIGHT,
            }
            for each in board.sets
        ],
        "perf_metric_field_name": board.columns[0].column.field,
        "round": current_round,
    }


def _sorted(board: Board, sort_by: str, direction: str) -> list[Standing]:
    if direction not in DIRECTIONS:
        raise InputError(f"sort_direction is asc or desc; got '{direction}'.")
    keys: dict[str, Callable[[Standing], Any]] = {
        "dynascore": lambda each: each.dynascore.value,
        "model_name": lambda each: each.entrant.name.casefold(),
    }
    for c, column in enumerate(board.columns):
        keys[column.column.title] = lambda each, c=c: each.averages[c].value  # type: ignore[misc]
    if sort_by not in keys:
        raise InputError(
            f"A board has no column '{sort_by}' to sort by.{near(sort_by, keys)} "
            f"It has: {', '.join(keys)}."
        )
    key = keys[sort_by]
    without = [each for each in board.standings if _unknown(each, sort_by, key)]
    rest = [each for each in board.standings if not _unknown(each, sort_by, key)]
    # What cannot be sorted by stands last in both directions.
    return [*sorted(rest, key=key, reverse=direction == "desc"), *without]


def _unknown(each: Standing, sort_by: str, key: Callable[[Standing], Any]) -> bool:
    if sort_by == "model_name":
        # The order of hidden names would give them away.
        return not each.entrant.published
    return plain(key(each)) is None


def _model(board: Board, each: Standing) -> dict[str, Any]:
    entrant = each.entrant
    known = entrant.published and not entrant.anonymous
    return {
        "model_id": entrant.model_id,
        "model_name": entrant.name if entrant.published else None,
        "uid": entrant.submitter_id if known else None,
        "username": (entrant.team or None) if known else None,
        "averaged_scores": _values(each.averages),
        "averaged_variances": _variances(each.averages),
        "dynascore": plain(each.dynascore.value),
        "dynavariance": plain(each.dynascore.variance),
        "datasets": [_dataset(board, each.place, s) for s in range(len(board.sets))],
    }


def _dataset(board: Board, place: int, one: int) -> dict[str, Any]:
    cells = [board.cell(place, one, c) for c in range(len(board.columns))]
    return {
        "id": board.sets[one].scored.dataset_id,
        "name": board.sets[one].scored.name,
        "scores": _values(cells),
        "variances": _variances(cells),
    }


def _values(measured: Sequence[Measured]) -> list[float | None]:
    return [plain(each.value) for each in measured]


def _variances(measured: Sequence[Measured]) -> list[float | None]:
    return [plain(each.variance) for each in measured]
