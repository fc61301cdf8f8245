"""A home with the task nli, to which a test adds data sets and models as a user would."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from palaver.core.clock import Backoff
from palaver.core.evaluation.datasets import AddedDataset
from palaver.core.evaluation.models import AddedModel
from palaver.core.evaluation.runs import Job, Prediction, Run, RunScore
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.worker import Worker
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage.evaluation.jobs import jobs_of_runs
from palaver.storage.evaluation.predictions import read_predictions
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.scores import scores_of_runs
from support.endpoints import LABELS

NOW = 1_700_000_000.0
QUICK = Backoff(base=0.01, cap=0.05)


def records(count: int, *, start: int = 0) -> list[dict[str, Any]]:
    """Items of the task nli."""
    return [
        {
            "uid": f"u{n}",
            "context": f"Item {n} is here.",
            "hypothesis": f"There is an item {n}.",
            "label": LABELS[n % 3],
            "tags": ["even" if n % 2 == 0 else "odd"],
        }
        for n in range(start, start + count)
    ]


class Bench:
    """The task nli in a home."""

    def __init__(self, home: EvaluationHome, folder: Path) -> None:
        self.home = home
        self.folder = folder
        self.row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
        self.task = stored_task(self.row)

    def dataset(
        self, name: str, items: list[dict[str, Any]] | int = 10, **options: Any
    ) -> AddedDataset:
        """Add a data set."""
        found = records(items) if isinstance(items, int) else items
        file = self.folder / f"{name}.jsonl"
        file.write_text("".join(json.dumps(each) + "\n" for each in found), encoding="utf-8")
        return add_dataset(
            self.home, self.row, self.task, name=name, source=str(file), now=NOW, **options
        )

    def variants(self, parent: str, kind: str, count: int) -> AddedDataset:
        """Add a perturbed set with one variant of each of the first items."""
        made = [
            {**each, "uid": f"{each['uid']}_x", "input_id": each["uid"]} for each in records(count)
        ]
        return self.dataset(f"{kind}-{parent}", made, parent=parent, kind=kind)

    def model(self, name: str, url: str, **options: Any) -> AddedModel:
        """Add a model behind HTTP."""
        given: Mapping[str, Any] = {"url": url, "retries": 0, "concurrency": 4, **options}
        return add_model(
            self.home, self.row, self.task, name=name, kind="http", options=given, now=NOW
        )

    def work(self, **options: Any) -> None:
        """Work until nothing is due."""
        options.setdefault("backoff", QUICK)

        async def through() -> None:
            await Worker(self.home, **options).work_through()

        asyncio.run(through())

    def runs(self) -> dict[tuple[str, str], Run]:
        """Every run by the names of its model and its data set."""
        listed = self.home.store.read_now(lambda c: list_runs(c, task_id=self.row.id))
        return {(each.model, each.dataset): each for each in listed}

    def states(self) -> dict[tuple[str, str], str]:
        """The state of every run."""
        return {names: each.state for names, each in self.runs().items()}

    def jobs(self, model: str, dataset: str) -> list[Job]:
        """The jobs of a run."""
        run = self.runs()[model, dataset]
        return self.home.store.read_now(lambda c: jobs_of_runs(c, [run.id]))

    def predictions(self, model: str, dataset: str) -> list[Prediction]:
        """What a model answered."""
        run = self.runs()[model, dataset]
        return self.home.store.read_now(lambda c: list(read_predictions(c, run.id)))

    def scores(self, model: str, dataset: str) -> dict[str, RunScore]:
        """The scores of a run by metric."""
        run = self.runs()[model, dataset]
        found = self.home.store.read_now(lambda c: scores_of_runs(c, [run.id]))
        return {each.metric: each for each in found}
