"""Runs and what comes of them: answers, scores, boards under any weights, saved ones."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from palaver.client.bodies import json_body
from palaver.client.connection import Calls, WaitError, given, quoted
from palaver.core.evaluation.boards import Board, Dynascores, SavedBoard
from palaver.core.evaluation.runs import (
    Prediction,
    Rescored,
    Run,
    RunList,
    RunSheet,
    RunSlice,
    RunState,
    ScoreRow,
    ScoreSheet,
)
from palaver.core.serial import convert

POLL_SECONDS = 1.0
PAGE = 500


class RunCalls(Calls):
    """The methods of a client about runs, scores and boards."""

    def evaluate(
        self, task: str, *, model: str | None = None, dataset: str | None = None
    ) -> list[Run]:
        """Plan what is due; returns every run of what was asked for, old and new."""
        wanted = json_body(given({"model": model, "dataset": dataset}))
        return list(self._send("POST", quoted("tasks", task, "evaluate"), RunList, wanted).runs)

    def runs(
        self,
        task: str | None = None,
        *,
        state: RunState | None = None,
        model: str | None = None,
        dataset: str | None = None,
    ) -> list[Run]:
        """The runs, oldest first."""
        query: dict[str, Any] = {"task": task, "state": state, "model": model, "dataset": dataset}
        found: list[Run] = []
        after: str | None = None
        while True:
            page = self._get("/runs", RunSlice, {**query, "limit": PAGE, "after": after})
            found += page.runs
            after = page.next
            if after is None:
                return found

    def run(self, key: str) -> RunSheet:
        """A run with every attempt that failed and the first refused answers."""
        return self._get(quoted("runs", key), RunSheet)

    def cancel(self, key: str) -> Run:
        """Cancel a run that is not over yet; its answers are kept."""
        return self._send("POST", quoted("runs", key, "cancel"), Run)

    def retry(self, key: str) -> Run:
        """Continue a run that failed or was cancelled."""
        return self._send("POST", quoted("runs", key, "retry"), Run)

    def wait(
        self,
        runs: Iterable[Run | str],
        *,
        timeout: float | None = None,
        every: float = POLL_SECONDS,
        progress: Callable[[list[Run]], None] = lambda runs: None,
    ) -> list[Run]:
        """The runs once all of them are over, in the same order; WaitError after `timeout` seconds.

        `progress` is called with the runs each time they are read.
        """
        keys = [run if isinstance(run, str) else run.key for run in runs]
        known: dict[str, Run] = {key: self.run(key) for key in keys}
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            found = [known[key] for key in keys]
            progress(found)
            still = [each for each in found if not each.is_over]
            if not still:
                return found
            if end is not None and time.monotonic() >= end:
                raise WaitError(
                    f"{len(still)} of {len(keys)} runs are not over yet; they continue on the server."
                )
            time.sleep(every)
            # One question per task, however many runs are waited for.
            for task in {each.task for each in still}:
                known |= {each.key: each for each in self.runs(task) if each.key in known}

    def predictions(self, key: str) -> Iterator[Prediction]:
        """What a model answered in a run, in the order of the data set, as it comes."""
        decode = msgspec.json.Decoder(Prediction).decode
        for line in self._connection.lines(quoted("runs", key, "predictions")):
            yield decode(line)

    def scores(self, key: str) -> list[ScoreSheet]:
        """The scores of a run with all their parts."""
        return self._get(quoted("runs", key, "scores"), list[ScoreSheet], part="scores")

    def score_table(
        self,
        task: str,
        *,
        metric: str | None = None,
        model: str | None = None,
        dataset: str | None = None,
        round: int | None = None,
    ) -> list[ScoreRow]:
        """The scores of a task's finished runs as rows."""
        query = {"metric": metric, "model": model, "dataset": dataset, "round": round}
        path = quoted("tasks", task, "scores")
        return self._get(path, list[ScoreRow], query, part="scores")

    def rescore(
        self,
        task: str,
        metric: str,
        *,
        models: Sequence[str] = (),
        datasets: Sequence[str] = (),
        fields: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
    ) -> list[Rescored]:
        """A metric on the kept answers of old runs; no model is asked."""
        wanted = {
            "metric": metric,
            "models": list(models),
            "datasets": list(datasets),
            "fields": list(fields),
            "options": dict(options or {}),
        }
        path = quoted("tasks", task, "rescore")
        found = self._connection.json("POST", path, body=json_body(wanted))
        return convert(found["runs"], list[Rescored])

    def board(
        self,
        task: str,
        *,
        metric: str | None = None,
        metrics: Mapping[str, float] | None = None,
        datasets: Mapping[str, float] | None = None,
        round: int | None = None,
    ) -> Board:
        """The board of a task, or of one round, ranked by one metric or under weights by name.

        Any metric with stored scores may rank (`metric`) or be weighed (`metrics`).
        """
        query: dict[str, Any] = {
            "metric": metric,
            "metric_weight": _pairs(metrics),
            "dataset_weight": _pairs(datasets),
            "round": round,
        }
        return self._get(quoted("tasks", task, "board"), Board, query)

    def fork(
        self,
        task: str,
        name: str,
        *,
        round: int | None = None,
        **weights: str | Mapping[str, float],
    ) -> SavedBoard:
        """Save weights under a name: `metric_weights` or a `metric` that ranks, `dataset_weights`.

        They are of one round, or of all.
        """
        path = quoted("tasks", task, "forks")
        wanted = {"name": name, "round": round, **weights}
        return self._send("POST", path, SavedBoard, json_body(given(wanted)))

    def snapshot(
        self,
        task: str,
        name: str,
        *,
        round: int | None = None,
        **weights: str | Mapping[str, float],
    ) -> SavedBoard:
        """Freeze the board, or that of a round, as the public sees it; weights as of a fork."""
        path = quoted("tasks", task, "snapshots")
        wanted = {"name": name, "round": round, **weights}
        return self._send("POST", path, SavedBoard, json_body(given(wanted)))

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
