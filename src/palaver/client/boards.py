"""Boards: under any weights, saved ones, and dynascores of a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.client.bodies import json_body
from palaver.client.calls import Calls
from palaver.client.connection import quoted
from palaver.core.evaluation.boards import Board, Dynascores, SavedBoard


class BoardCalls(Calls):
    """The methods of a client about boards."""

    def board(
        self,
        task: str,
        *,
        metrics: Mapping[str, float] | None = None,
        datasets: Mapping[str, float] | None = None,
    ) -> Board:
        """The board of a task, under weights by name of metric and of data set."""
        query = {"metric_weight": _pairs(metrics), "dataset_weight": _pairs(datasets)}
        return self._get(quoted("tasks", task, "board"), Board, query)

    def fork(self, task: str, name: str, **weights: Mapping[str, float]) -> SavedBoard:
        """Save weights under a name: `metric_weights`, `dataset_weights`."""
        path = quoted("tasks", task, "forks")
        return self._send("POST", path, SavedBoard, json_body({"name": name, **weights}))

    def snapshot(self, task: str, name: str, **weights: Mapping[str, float]) -> SavedBoard:
        """Freeze the board under a name, as the public sees it."""
        path = quoted("tasks", task, "snapshots")
        return self._send("POST", path, SavedBoard, json_body({"name": name, **weights}))

    def saved(self, task: str) -> list[SavedBoard]:
        """The forks and snapshots of a task."""
        return self._get(quoted("tasks", task, "saved"), list[SavedBoard], part="boards")

    def dynascore(
        self, table: Sequence[Mapping[str, Any]], **options: Mapping[str, float]
    ) -> Dynascores:
        """Dynascores of a table: `model`, the performance, then other metrics, a row per model.

        Options are `weights`, `directions` and `offsets` by metric.
        """
        given = json_body({"table": [dict(row) for row in table], **options})
        return self._send("POST", "/dynascore", Dynascores, given)


def _pairs(weights: Mapping[str, float] | None) -> list[str]:
    return [f"{name}={weight}" for name, weight in (weights or {}).items()]
