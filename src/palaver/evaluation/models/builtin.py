"""The models that are built in: added to a home when somebody names one, as built-in tasks are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.registration import add_model
from palaver.storage.evaluation.models import model_named


@dataclass(frozen=True, slots=True)
class BuiltInModel:
    """A model that ships with Palaver: the task it answers, and how it is reached."""

    task: str
    kind: str
    about: str
    options: Mapping[str, Any] = field(default_factory=dict)


BUILT_IN: Mapping[str, BuiltInModel] = {
    "overlap": BuiltInModel(
        task="nli",
        kind="overlap",
        about="Counts words in common, negations, numbers and opposites. Ships with Palaver.",
    ),
    "smollm2": BuiltInModel(
        task="nli",
        kind="local_lm",
        about="A language model of 135 million parameters, held to the three labels. It often says "
        "the same whatever it reads.",
        options={
            "prompt": "{{context}}\n\nIs the following statement contradictory, neutral, or entailed "
            "by the text? {{hypothesis}}",
            "output": "label",
            "labels": ["entailed", "neutral", "contradictory"],
            "temperature": 0,
            "max_tokens": 8,
            "context": 1024,
        },
    ),
}


def builtin_models(task: str) -> tuple[str, ...]:
    """The names of the built-in models of a task."""
    return tuple(name for name, model in BUILT_IN.items() if model.task == task)


def ensure_builtin_models(
    home: EvaluationHome, task_row: StoredTask, task: Task, names: Sequence[str], *, now: float
) -> None:
    """Add those of these models that are built in and were never added here.

    A model of the home's own with that name stays what it is.
    """
    for name in names:
        built = BUILT_IN.get(name)
        if built is None or built.task != task.name:
            continue
        known = partial(model_named, task_id=task_row.id, name=name)
        if home.store.read_now(known) is None:
            add_model(
                home,
                task_row,
                task,
                name=name,
                kind=built.kind,
                options=dict(built.options),
                about=built.about,
                now=now,
            )
