"""Forks and snapshots: somebody's weights on the board of the day, and a board as it stood."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.evaluation.dynaboards.board import Board
from palaver.storage.evaluation.boards import SavedBoard, save_board

LONGEST_NAME = 80
SORT = {"field": "dynascore", "direction": "desc"}


@dataclass(frozen=True, slots=True)
class SavedWeights:
    """What a fork or snapshot says of weights, by name of metric and of data set."""

    metrics: dict[str, float]
    datasets: dict[str, float]


def save_fork(
    connection: Connection,
    task_id: int,
    name: str,
    board: Board,
    *,
    about: str = "",
    created_by: str = "",
    now: float,
) -> SavedBoard:
    """Keep the weights of a board; whoever opens the fork sees the scores of that day."""
    return save_board(
        connection,
        task_id=task_id,
        name=_checked(name),
        kind="fork",
        weights=weights_json(board),
        about=about,
        created_by=created_by,
        now=now,
    )


def save_snapshot(
    connection: Connection,
    task_id: int,
    name: str,
    board: Board,
    *,
    sort: Mapping[str, str] | None = None,
    about: str = "",
    created_by: str = "",
    now: float,
) -> SavedBoard:
    """Keep a board as it stands: scores, intervals, weights and the order it was sorted in.

    It can be seen by everybody, so it must be one that was read for the public.
    """
    if not board.public:
        raise ValueError("a snapshot is made of a board that was read with public=True")
    return save_board(
        connection,
        task_id=task_id,
        name=_checked(name),
        kind="snapshot",
        weights=weights_json(board),
        content={**board.as_json(), "sort": dict(sort or SORT), "frozen": now},
        about=about,
        created_by=created_by,
        now=now,
    )


def weights_json(board: Board) -> dict[str, Any]:
    """The weights of a board by name."""
    return {
        "metrics": {each.column.key: each.weight for each in board.columns},
        "datasets": {each.scored.name: each.weight for each in board.sets},
    }


def saved_weights(saved: SavedBoard, scoring_sets: Collection[str]) -> SavedWeights:
    """The weights of a fork for the board of today; data sets that are gone do not count."""
    return SavedWeights(
        metrics=dict(saved.weights["metrics"]),
        datasets={
            name: weight
            for name, weight in saved.weights["datasets"].items()
            if name in scoring_sets
        },
    )


def _checked(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"The name of a saved board has 1 to {LONGEST_NAME} letters; got '{name}'."
        )
    return name
