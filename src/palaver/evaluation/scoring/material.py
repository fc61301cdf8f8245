"""What a run is scored from: its task, its examples, and one answer to each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset, DatasetVersion
from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Example, Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.predictions import run_predictions
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.datasets import find_version, list_datasets
from palaver.storage.evaluation.models import find_model_version
from palaver.storage.evaluation.runs import find_run_by_id
from palaver.storage.evaluation.tasks import find_task

NAMED = 5  # as many ids are named in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A run with everything that scoring it takes."""

    run: Run
    task: Task
    dataset: Dataset
    kind: str  # of the model
    examples: Sequence[Example]
    answers: Sequence[Mapping[str, Any]]
    seconds: Sequence[float]

    @property
    def function(self) -> tuple[str, Path] | None:
        """The evaluation function of the data set, else of the task, and where it lies."""
        for target, folder in (
            (self.dataset.function, self.dataset.folder),
            (self.task.function, self.task.folder),
        ):
            if target:
                return target, Path(folder or ".")
        return None


def read_material(home: EvaluationHome, run_id: int) -> Material:
    """Everything of a run; InputError names the items that have no answer."""
    found = home.store.read_now(lambda c: _read(c, run_id))
    task = stored_task(found.task)
    examples = read_examples(home, task, found.version)
    predictions = run_predictions(home, found.run)
    _check_complete(found.run, examples, predictions)
    return Material(
        run=found.run,
        task=task,
        dataset=found.dataset,
        kind=found.kind,
        examples=examples,
        answers=[prediction.answer or {} for prediction in predictions],
        seconds=[prediction.seconds for prediction in predictions],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    run: Run
    task: StoredTask
    dataset: Dataset
    version: DatasetVersion
    kind: str


def _read(connection: Connection, run_id: int) -> _Rows:
    run = find_run_by_id(connection, run_id)
    known = list_datasets(connection, run.task_id)
    return _Rows(
        run=run,
        task=find_task(connection, str(run.task_id)),
        dataset=next(each for each in known if each.id == run.dataset_id),
        version=find_version(connection, run.dataset_version_id),
        kind=find_model_version(connection, run.model_version_id).kind,
    )


def _check_complete(
    run: Run, examples: Sequence[Example], predictions: Sequence[Prediction]
) -> None:
    """InputError unless every example has exactly one answer, its own."""
    where = f"Run {run.key} ({run.title})"
    given = {prediction.uid: prediction for prediction in predictions}
    missing = [example.uid for example in examples if example.uid not in given]
    if missing:
        raise InputError(
            f"{where} has no answer to {len(missing):,} of {len(examples):,} items: "
            f"{_some(missing)}. It is not scored; resume it first: palaver evaluate."
        )
    refused = [prediction for prediction in predictions if prediction.answer is None]
    if refused:
        raise InputError(
            f"{where} has {len(refused):,} refused answers, to {_some([e.uid for e in refused])}: "
            f"{refused[0].problem}. It is not scored."
        )
    wrong = [e.uid for e, p in zip(examples, predictions, strict=False) if e.uid != p.uid]
    if wrong or len(predictions) != len(examples):
        known = {example.uid for example in examples}
        extra = [
            prediction.uid for prediction in predictions if prediction.uid not in known
        ] or wrong
        raise InputError(
            f"{where} has {len(predictions):,} answers for {len(examples):,} items, or they are in "
            f"another order: {_some(extra)}. It is not scored."
        )


def _some(uids: Sequence[str]) -> str:
    more = f" and {len(uids) - NAMED:,} more" if len(uids) > NAMED else ""
    return ", ".join(uids[:NAMED]) + more


Answers = Sequence[Mapping[str, Any]]


def predicted(task: Task, examples: Sequence[Example], answers: Answers, output: str) -> list[Any]:
    """What was answered for an output; InputError where an answer left it out."""
    field = _output(task, output)
    missing = [
        example.uid
        for example, answer in zip(examples, answers, strict=True)
        if output not in answer
    ]
    if missing:
        raise InputError(
            f"{len(missing)} of {len(examples)} answers have no '{output}', the first to "
            f"'{missing[0]}'"
        )
    return [field.measured(answer[output]) for answer in answers]


def right(task: Task, examples: Sequence[Example], output: str) -> list[Any]:
    field = _output(task, output)
    if output not in task.gold:
        raise InputError(f"Task '{task.name}' has no gold for '{output}'")
    name = task.gold[output]
    return [field.measured(example.values[name]) for example in examples]


def _output(task: Task, output: str) -> Any:
    names = [each.name for each in task.outputs]
    if output not in names:
        raise InputError(f"Task '{task.name}' has no output '{output}'; it has {', '.join(names)}")
    return task.output(output)
