"""Runs: planning them, waiting for them, and what was answered."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from palaver.client import results
from palaver.client.bodies import json_body
from palaver.client.calls import Calls, given
from palaver.client.connection import quoted
from palaver.client.errors import WaitError

POLL_SECONDS = 1.0
PAGE = 500


class RunCalls(Calls):
    """The methods of a client about runs."""

    def evaluate(
        self, task: str, *, model: str | None = None, dataset: str | None = None
    ) -> list[results.Run]:
        """Plan what is due; every run of what was asked for, old and new."""
        wanted = json_body(given({"model": model, "dataset": dataset}))
        found = self._connection.json("POST", quoted("tasks", task, "evaluate"), body=wanted)
        return msgspec.convert(found["runs"], list[results.Run])

    def runs(
        self,
        task: str | None = None,
        *,
        state: results.RunState | None = None,
        model: str | None = None,
        dataset: str | None = None,
    ) -> list[results.Run]:
        """The runs, oldest first."""
        query: dict[str, Any] = {"task": task, "state": state, "model": model, "dataset": dataset}
        found: list[results.Run] = []
        after: str | None = None
        while True:
            page = self._connection.json(
                "GET", "/runs", query={**query, "limit": PAGE, "after": after}
            )
            found += msgspec.convert(page["runs"], list[results.Run])
            after = page["next"]
            if after is None:
                return found

    def run(self, key: str) -> results.RunSheet:
        """A run with every attempt that failed and the first refused answers."""
        return self._get(quoted("runs", key), results.RunSheet)

    def cancel(self, key: str) -> results.Run:
        """Cancel a run that is not over yet; its answers are kept."""
        return self._send("POST", quoted("runs", key, "cancel"), results.Run)

    def retry(self, key: str) -> results.Run:
        """Let a run that failed or was cancelled go on."""
        return self._send("POST", quoted("runs", key, "retry"), results.Run)

    def wait(
        self,
        runs: Iterable[results.Run | str],
        *,
        timeout: float | None = None,
        every: float = POLL_SECONDS,
        progress: Callable[[list[results.Run]], None] = lambda runs: None,
    ) -> list[results.Run]:
        """The runs once all of them are over, in the same order; WaitError after `timeout` seconds.

        `progress` is called with the runs after each look at them.
        """
        keys = [each if isinstance(each, str) else each.key for each in runs]
        known: dict[str, results.Run] = {key: self.run(key) for key in keys}
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            found = [known[key] for key in keys]
            progress(found)
            still = [each for each in found if not each.is_over]
            if not still:
                return found
            if end is not None and time.monotonic() >= end:
                raise WaitError(f"{len(still)} of {len(keys)} runs are not over yet; they go on.")
            time.sleep(every)
            # One question per task, however many runs are waited for.
            for task in {each.task for each in still}:
                known |= {each.key: each for each in self.runs(task) if each.key in known}

    def predictions(self, key: str) -> Iterator[results.Prediction]:
        """What a model answered in a run, in the order of the data set, as it comes."""
        decode = msgspec.json.Decoder(results.Prediction).decode
        for line in self._connection.lines(quoted("runs", key, "predictions")):
            yield decode(line)
