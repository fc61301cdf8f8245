"""Tasks with models, data sets and scores, as readers of the public pages find them."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from starlette.applications import Starlette

from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.models import add_model_version, register_model
from palaver.storage.evaluation.runs import add_run, set_run
from palaver.storage.evaluation.scores import store_scores
from palaver.storage.evaluation.tasks import find_task, set_task_policy
from support.dynaboards import NOW, bare, labels, mean
from support.serving import free_port

WORDS = ["entailed", "neutral", "contradictory"]
SETS = {"snli-test": 120, "hans": 90, "anli-r3": 60}
TAGS = ["Genre:fiction", "Genre:travel", "مسائل"]
# The models of a published board, from the best to the worst.
SKILLS = {
    "deberta-large": 0.86,
    "roberta-large": 0.85,
    "albert-xxlarge": 0.8,
    "t5-base": 0.78,
    "bert-base": 0.7,
    "fasttext": 0.42,
}
KINDS = ("fairness", "robustness")


@dataclass
class PublicBoard:
    """A task in a home, and how tests put models on its board."""

    home: EvaluationHome
    name: str = "nli"
    sets: dict[str, int] = field(default_factory=lambda: dict(SETS))
    row: StoredTask = field(init=False)
    task: Task = field(init=False)
    gold: dict[str, list[str]] = field(default_factory=dict)
    dice: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def __post_init__(self) -> None:
        self.home.store.write_now(lambda c: ensure_task(c, self.name, now=NOW))
        self.policy(public=True)
        self.task = stored_task(self.row)
        for name, items in self.sets.items():
            self._add_set(name, items)

    def policy(self, **values: Any) -> None:
        """Change what the owner decided about the task."""

        def change(connection: Any) -> StoredTask:
            known = find_task(connection, self.name)
            set_task_policy(connection, known.id, **values)
            return find_task(connection, self.name)

        self.row = self.home.store.write_now(change)

    def records(self, name: str, items: int) -> list[dict[str, Any]]:
        """Items of nli with gold and tags."""
        self.gold[name] = self.dice.choice(WORDS, items).tolist()
        return [
            {
                "uid": f"{name}-{n}",
                "context": f"Premise {n}",
                "hypothesis": f"Hypothesis {n}",
                "label": gold,
                "tags": [TAGS[n % len(TAGS)]],
            }
            for n, gold in enumerate(self.gold[name])
        ]

    def add(self, name: str, records: Sequence[dict[str, Any]], **options: Any) -> None:
        """A data set for which nothing is planned."""
        file = self.home.folder / f"{name}.jsonl"
        text = "".join(json.dumps(each) + "\n" for each in records)
        file.write_text(text, encoding="utf-8")
        add_dataset(
            self.home,
            self.row,
            self.task,
            name=name,
            source=str(file),
            now=NOW,
            plan=lambda connection, task_row, dataset, *, now: [],
            **options,
        )

    def _add_set(self, name: str, items: int) -> None:
        records = self.records(name, items)
        self.add(name, records, access="scoring", about="Sentence pairs, somewhat shortened.")
        for kind in KINDS:
            variants = [
                {**each, "uid": f"{each['uid']}-{kind}", "input_id": each["uid"]}
                for each in records
            ]
            self.add(f"{kind}-{name}", variants, parent=name, kind=kind, access="hidden")

    def model(
        self,
        name: str,
        skill: float,
        *,
        timed: bool = True,
        only: Sequence[str] | None = None,
        kind: str = "http",
        **values: Any,
    ) -> str:
        """A model with scores on every data set, or those named in `only`; its key."""

        def register(connection: Any) -> tuple[int, int]:
            known = {"published": True, **values}
            made = register_model(connection, task_id=self.row.id, name=name, now=NOW, **known)
            version, _ = add_model_version(
                connection, model_id=made, kind=kind, options={}, digest=name, now=NOW
            )
            return made, version.version_id

        made, version = self.home.store.write_now(register)
        for dataset in self.sets if only is None else only:
            self._score(version, dataset, skill, timed)
        return self.key(made)

    def key(self, model_id: int) -> str:
        """The key of a model."""
        return self.home.store.read_now(
            lambda c: str(
                c.exec_driver_sql(f"SELECT key FROM models WHERE id = {model_id}").scalar()
            )
        )

    def run(self, version: int, dataset: str, **values: Any) -> Any:
        """A run in some state."""

        def work(connection: Any) -> Any:
            found = find_dataset(connection, self.row.id, dataset)
            run = add_run(
                connection,
                model_version_id=version,
                dataset_version_id=found.version_id,
                items=found.items,
                now=NOW,
            )
            assert run is not None
            set_run(connection, run.id, **{"state": "done", **values})
            return run

        return self.home.store.write_now(work)

    def _score(self, version: int, dataset: str, skill: float, timed: bool) -> None:
        gold = np.array(self.gold[dataset])
        items = len(gold)
        run = self.run(version, dataset)
        given = np.where(self.dice.random(items) < skill, gold, self.dice.choice(WORDS, items))
        right = labels(run.id, "accuracy", given.tolist(), gold.tolist())
        right.parts["perf_by_tag"] = [  # type: ignore[index]
            {"tag": TAGS[0], "value": skill, "low": skill - 0.05, "high": skill + 0.05, "n": 40},
            {"tag": TAGS[2], "value": None, "low": None, "high": None, "n": 3,
             "reason": "all items are of one class, and Accuracy needs two"},
        ]  # fmt: skip
        scores = [right]
        if timed:
            scores.append(bare(run.id, "throughput", float(12 - 8 * skill + self.dice.random())))
            memory = float(1 + 8 * skill)
            scores.append(bare(run.id, "memory", memory, low=memory - 0.4, high=memory + 0.5))
        for kind in KINDS:
            variant = self.home.store.read_now(
                lambda c, kind=kind: find_dataset(c, self.row.id, f"{kind}-{dataset}").version_id
            )
            same = (self.dice.random(items) < 0.75 + 0.2 * skill).astype(float)
            scores.append(mean(run.id, kind, same, variant=variant))
        self.home.store.write_now(lambda c: store_scores(c, scores, now=NOW))

    def fill(self, skills: dict[str, float] = SKILLS) -> dict[str, str]:
        """The models of a published board; their keys by name."""
        return {name: self.model(name, skill) for name, skill in skills.items()}


@contextmanager
def running(app: Starlette) -> Iterator[str]:
    """The application on a free port; its address."""
    port = free_port()
    config = uvicorn.Config(app, port=port, log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def home_folder(folder: Path) -> Path:
    """A new folder for a home."""
    made = folder / "home"
    made.mkdir()
    return made
