"""Runs: planning them, waiting for them, and what was answered."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from palaver.client.bodies import json_body
from palaver.client.calls import Calls, given
from palaver.client.connection import quoted
from palaver.client.errors import WaitError
from palaver.core.evaluation.runs import Prediction, Run, RunList, RunSheet, RunSlice, RunState

POLL_SECONDS = 1.0
PAGE = 500


class RunCalls(Calls):
    """The methods of a client about runs."""

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
        keys = [each if isinstance(each, str) else each.key for each in runs]
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
