"""A home with a task, data sets, models and answered runs, for tests of scoring."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.models import add_model_version, register_model
from palaver.storage.evaluation.predictions import append_predictions
from palaver.storage.evaluation.runs import add_run, set_run

NOW = 1_700_000_000.0


@dataclass
class ScoredHome:
    """A home, and how tests put things into it."""

    home: EvaluationHome
    folder: Path
    task: StoredTask

    def add(self, name: str, records: Sequence[dict[str, Any]], **options: Any) -> None:
        """A data set; nothing is planned for it."""
        file = self.folder / f"{name}.jsonl"
        file.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        add_dataset(
            self.home,
            self.task,
            stored_task(self.task),
            name=name,
            source=str(file),
            now=NOW,
            plan=lambda connection, task_row, dataset, *, now: [],
            **options,
        )

    def model(self, name: str, kind: str = "http") -> int:
        """A model; the id of its version."""

        def make(connection: Any) -> int:
            model_id = register_model(connection, task_id=self.task.id, name=name, now=NOW)
            version, _ = add_model_version(
                connection, model_id=model_id, kind=kind, options={}, digest=name, now=NOW
            )
            return version.version_id

        return self.home.store.write_now(make)

    def run(
        self,
        model_version: int,
        dataset: str,
        answers: Sequence[tuple[str, dict[str, Any] | None]],
        *,
        state: str = "scoring",
    ) -> Run:
        """A run with these answers by uid; an answer that is None was refused."""

        def make(connection: Any) -> Run:
            found = find_dataset(connection, self.task.id, dataset)
            run = add_run(
                connection,
                model_version_id=model_version,
                dataset_version_id=found.version_id,
                items=found.items,
                now=NOW,
            )
            assert run is not None
            append_predictions(
                connection,
                run.id,
                [
                    Prediction(
                        position=n,
                        uid=uid,
                        answer=answer,
                        problem=None if answer is not None else "it said nothing",
                        seconds=0.01 * (n + 1),
                    )
                    for n, (uid, answer) in enumerate(answers)
                ],
            )
            set_run(connection, run.id, state=state, busy_seconds=0.5, memory=[1.0, 2.0])
            return run

        return self.home.store.write_now(make)


@contextmanager
def scored_home(folder: Path, database_url: str, task: str) -> Iterator[ScoredHome]:
    """A new home with one built-in task."""
    with open_evaluation(folder / "home", database_url) as home:
        row = home.store.write_now(lambda c: ensure_task(c, task, now=NOW))
        yield ScoredHome(home, folder, row)
