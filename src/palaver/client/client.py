"""The client: a method per thing that people ask a Palaver server for."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from palaver.client import results
from palaver.client.bodies import Body, content_of, file_body, form_body, json_body
from palaver.client.connection import Connection, Query, quoted
from palaver.client.errors import WaitError
from palaver.client.submitting import Submitting

T = TypeVar("T")
File = str | Path | bytes
POLL_SECONDS = 1.0
PAGE = 500


class Client(Submitting):
    """A Palaver server and whoever asks it: a token of an account, or the token of a team.

    `timeout` is in seconds and for each wait on the server; what only reads is tried `retries` more
    times when the connection is lost.
    """

    def __init__(
        self, url: str, token: str = "", *, timeout: float = 300.0, retries: int = 3
    ) -> None:
        self._connection = Connection(url, token, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        return f"Client('{self._connection.origin}')"

    # Tasks

    def tasks(self) -> list[results.TaskHead]:
        """The tasks: all with a token, without one those that are public."""
        return self._get("/tasks", list[results.TaskHead], part="tasks")

    def task(self, task: str) -> results.Task:
        """A task by its name or number."""
        return self._get(quoted("tasks", task), results.Task)

    def add_task(self, file: File | Mapping[str, Any]) -> results.AddedTask:
        """Store a task file (a path, or its content), or a definition as a mapping."""
        if isinstance(file, Mapping):
            body = json_body(dict(file))
        else:
            body = file_body(content_of(file), "application/yaml")
        return self._send("POST", "/tasks", results.AddedTask, body)

    def use_builtin(self, task: str) -> results.AddedTask:
        """Store a built-in task, so that data sets and models can be added to it."""
        return self._send("PUT", quoted("tasks", task, "builtin"), results.AddedTask)

    def set_policy(
        self,
        task: str,
        *,
        public: bool | None = None,
        terms: str | None = None,
        most_submissions: int | None = None,
        submission_hours: float | None = None,
    ) -> dict[str, Any]:
        """Decide who sees a task's board, what submitters accept, how much they may submit."""
        wanted = {
            "public": public,
            "terms": terms,
            "most_submissions": most_submissions,
            "submission_hours": submission_hours,
        }
        path = quoted("tasks", task, "policy")
        return self._send("PATCH", path, dict[str, Any], json_body(_given(wanted)))

    # Data sets

    def datasets(self, task: str) -> list[results.Dataset]:
        """The data sets of a task, oldest first."""
        return self._get(quoted("tasks", task, "datasets"), list[results.Dataset], part="datasets")

    def add_dataset(
        self,
        task: str,
        name: str,
        source: File,
        *,
        access: results.Access | None = None,
        about: str | None = None,
        reader: str | None = None,
        parent: str | None = None,
        kind: str | None = None,
        map: Mapping[str, str] | None = None,
        filename: str | None = None,
    ) -> results.AddedDataset:
        """Add a data set: a file, its content, or an http(s) address that the server fetches.

        `map` says which key of the file is which field of the task.
        """
        pairs = [f"{field}={key}" for field, key in (map or {}).items()]
        options = {
            "access": access,
            "about": about,
            "reader": reader,
            "parent": parent,
            "kind": kind,
            "map": pairs or None,
        }
        path = quoted("tasks", task, "datasets", name)
        if isinstance(source, str) and source.startswith(("http://", "https://")):
            wanted = json_body({"url": source, **_given(options)})
            return self._send("POST", f"{path}/fetch", results.AddedDataset, wanted)
        content = content_of(source)
        called = filename or (content.name if isinstance(content, Path) else f"{name}.jsonl")
        query = {**options, "filename": called}
        return self._send("POST", path, results.AddedDataset, file_body(content), query)

    def perturb(
        self,
        task: str,
        dataset: str,
        kind: str,
        *,
        seed: int = 1,
        only: Sequence[str] = (),
        fields: Sequence[str] = (),
    ) -> results.Perturbed:
        """Perturb a stored data set; the variants are registered beside it and evaluated."""
        wanted = {"kind": kind, "seed": seed, "only": list(only), "fields": list(fields)}
        path = quoted("tasks", task, "datasets", dataset, "perturb")
        return self._send("POST", path, results.Perturbed, json_body(wanted))

    def variants(
        self,
        task: str,
        records: Sequence[Mapping[str, Any]],
        kind: str,
        *,
        seed: int = 1,
        only: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Variants of up to 10,000 records; nothing is stored."""
        wanted = {"kind": kind, "seed": seed, "only": list(only), "records": list(records)}
        found = self._send(
            "POST", quoted("tasks", task, "perturb"), dict[str, Any], json_body(wanted)
        )
        return list(found["variants"])

    # Models

    def models(self, task: str) -> list[results.Model]:
        """The models of a task, oldest first."""
        return self._get(quoted("tasks", task, "models"), list[results.Model], part="models")

    def model(self, task: str, name: str) -> results.Model:
        """A model by its name or key."""
        return self._get(quoted("tasks", task, "models", name), results.Model)

    def add_model(
        self,
        task: str,
        name: str,
        kind: str,
        options: Mapping[str, Any],
        *,
        about: str = "",
        link: str = "",
        tags: Sequence[str] = (),
        published: bool | None = None,
        anonymous: bool | None = None,
    ) -> results.AddedModel:
        """Add an endpoint, `options={"url": …}`, and evaluate it on every scoring data set."""
        wanted = {
            "name": name,
            "kind": kind,
            "options": dict(options),
            "about": about,
            "link": link,
            "tags": list(tags),
            "published": published,
            "anonymous": anonymous,
        }
        path = quoted("tasks", task, "models")
        return self._send("POST", path, results.AddedModel, json_body(_given(wanted)))

    def upload_predictions(
        self,
        task: str,
        name: str,
        files: Mapping[str, File],
        *,
        about: str = "",
        link: str = "",
        tags: Sequence[str] = (),
        partial: bool = False,
    ) -> results.AddedModel:
        """Add a model by its answers: a file per scoring data set, by the name of the set."""
        words = {"about": about, "link": link, "tag": list(tags), "partial": str(partial).lower()}
        body = form_body(words, {each: content_of(file) for each, file in files.items()})
        path = quoted("tasks", task, "models", name, "predictions")
        return self._send("POST", path, results.AddedModel, body)

    def change_model(self, task: str, name: str, **values: Any) -> results.Model:
        """Change `published`, `anonymous`, `retired`, `about`, `link` or `tags` of a model."""
        path = quoted("tasks", task, "models", name)
        return self._send("PATCH", path, results.Model, json_body(values))

    # Runs and scores

    def evaluate(
        self, task: str, *, model: str | None = None, dataset: str | None = None
    ) -> list[results.Run]:
        """Plan what is due; every run of what was asked for, old and new."""
        wanted = json_body(_given({"model": model, "dataset": dataset}))
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

    def scores(self, key: str) -> list[results.Score]:
        """The scores of a run with all their parts."""
        return self._get(quoted("runs", key, "scores"), list[results.Score], part="scores")

    def score_table(
        self,
        task: str,
        *,
        metric: str | None = None,
        model: str | None = None,
        dataset: str | None = None,
    ) -> list[results.ScoreRow]:
        """The scores of a task's finished runs as rows."""
        query = {"metric": metric, "model": model, "dataset": dataset}
        path = quoted("tasks", task, "scores")
        return self._get(path, list[results.ScoreRow], query, part="scores")

    def rescore(
        self,
        task: str,
        metric: str,
        *,
        models: Sequence[str] = (),
        datasets: Sequence[str] = (),
        fields: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
    ) -> list[results.Rescored]:
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
        return msgspec.convert(found["runs"], list[results.Rescored])

    # Boards

    def board(
        self,
        task: str,
        *,
        metrics: Mapping[str, float] | None = None,
        datasets: Mapping[str, float] | None = None,
    ) -> results.Board:
        """The board of a task, under weights by name of metric and of data set."""
        query = {"metric_weight": _pairs(metrics), "dataset_weight": _pairs(datasets)}
        return self._get(quoted("tasks", task, "board"), results.Board, query)

    def fork(self, task: str, name: str, **weights: Mapping[str, float]) -> results.SavedBoard:
        """Save weights under a name: `metric_weights`, `dataset_weights`."""
        path = quoted("tasks", task, "forks")
        return self._send("POST", path, results.SavedBoard, json_body({"name": name, **weights}))

    def snapshot(self, task: str, name: str, **weights: Mapping[str, float]) -> results.SavedBoard:
        """Freeze the board under a name, as the public sees it."""
        path = quoted("tasks", task, "snapshots")
        return self._send("POST", path, results.SavedBoard, json_body({"name": name, **weights}))

    def saved(self, task: str) -> list[results.SavedBoard]:
        """The forks and snapshots of a task."""
        return self._get(quoted("tasks", task, "saved"), list[results.SavedBoard], part="boards")

    def dynascore(
        self, table: Sequence[Mapping[str, Any]], **options: Mapping[str, float]
    ) -> results.Dynascores:
        """Dynascores of a table: `model`, the performance, then other metrics, a row per model.

        Options are `weights`, `directions` and `offsets` by metric.
        """
        given = json_body({"table": [dict(row) for row in table], **options})
        return self._send("POST", "/dynascore", results.Dynascores, given)

    # Teams

    def add_team(
        self, task: str, team: str, *, affiliation: str = "", link: str = ""
    ) -> results.TeamToken:
        """Let a team submit to a task; its token is shown only here."""
        wanted = {"team": team, "affiliation": affiliation, "link": link}
        return self._send(
            "POST", quoted("tasks", task, "teams"), results.TeamToken, json_body(wanted)
        )

    def _get(
        self, path: str, kind: type[T], query: Query | None = None, *, part: str | None = None
    ) -> T:
        found = self._connection.json("GET", path, query=query)
        return msgspec.convert(found if part is None else found[part], kind)

    def _send(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Body | None = None,
        query: Query | None = None,
    ) -> T:
        found = self._connection.json(method, path, query=query, body=body)
        return msgspec.convert(found, kind)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _pairs(weights: Mapping[str, float] | None) -> list[str]:
    return [f"{name}={weight}" for name, weight in (weights or {}).items()]
