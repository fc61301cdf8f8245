"""Scores: of a run, of a task, and under another metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.client.bodies import json_body
from palaver.client.calls import Calls
from palaver.client.connection import quoted
from palaver.core.evaluation.runs import Rescored, ScoreRow, ScoreSheet
from palaver.core.serial import convert


class ScoreCalls(Calls):
    """The methods of a client about scores."""

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
    ) -> list[ScoreRow]:
        """The scores of a task's finished runs as rows."""
        query = {"metric": metric, "model": model, "dataset": dataset}
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
