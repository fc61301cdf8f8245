"""The list of tasks, and the page of one: what its file says in words, its models and their runs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.tasks import TaskOverview
from palaver.core.tasks import Field, MetricChoice, Task
from palaver.core.words import listed
from palaver.evaluation.models.advice import described
from palaver.evaluation.runs.overview import TaskState
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.parts import Fact
from palaver.web.desk.tasks.matrix import Matrix
from palaver.web.desk.tasks.measures import BETTER, Measures
from palaver.web.desk.tasks.request import AskedTask
from palaver.web.shell import ChoiceLink


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Every task here; `builtin` names those that need no file."""

    template: ClassVar[str] = "desk/tasks/tasks.html"
    shell: DeskShell
    address: str
    tasks: tuple[TaskOverview, ...]
    builtin: tuple[str, ...]
    may_add: bool

    @property
    def unused(self) -> tuple[str, ...]:
        """The built-in tasks that are not stored here yet."""
        stored = {task.name for task in self.tasks}
        return tuple(name for name in self.builtin if name not in stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A field of a task: what part it plays and what it holds."""

    name: str
    part: str
    kind: str
    holds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """A metric of a task."""

    title: str
    key: str
    over: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """One task: the matrix, its data sets and models, and what it is."""

    template: ClassVar[str] = "desk/tasks/task.html"
    shell: DeskShell
    asked: AskedTask
    matrix: Matrix
    views: tuple[ChoiceLink, ...]
    live_url: str
    datasets: tuple[Dataset, ...]
    models: tuple[Model, ...]
    fields: tuple[FieldRow, ...]
    metrics: tuple[MetricRow, ...]
    facts: tuple[Fact, ...]
    sample_record: Mapping[str, Any]
    sample_answer: Mapping[str, Any]
    # Whether this person may change its settings, and whether data sets and models may be added.
    may_change: bool
    may_add: bool
    # How many rounds of writing it had.
    rounds: int = 0


def shown_models(state: TaskState) -> tuple[Model, ...]:
    """Models with their runs on the data sets as they are now, those that are retired last."""
    states: dict[int, Counter[str]] = {}
    for (version_id, _), run in state.runs.items():
        states.setdefault(version_id, Counter())[run.state] += 1
    return tuple(
        replace(each, runs=states.get(each.version_id, {}))
        for each in (*state.models, *state.retired)
    )


def field_rows(task: Task) -> tuple[FieldRow, ...]:
    """The fields that travel to a model, then those it answers with."""
    context = {each.name for each in task.context}
    asked = [_field(each, "context" if each.name in context else "input") for each in task.asked]
    answered = [
        _field(output, "output, with gold" if output.name in task.gold else "output, optional")
        for output in task.outputs
    ]
    return (*asked, *answered)


def _field(field: Field, part: str) -> FieldRow:
    holds = "; ".join(part for part in (described(field), field.about) if part)
    return FieldRow(name=field.name, part=part, kind=field.kind, holds=holds)


def metric_rows(task: Task, measures: Measures) -> tuple[MetricRow, ...]:
    """The metrics of a task, the one that ranks first, then the deltas."""
    own = [_metric(choice, measures, ranks=n == 0) for n, choice in enumerate(task.metrics)]
    deltas = [
        MetricRow(
            title=measures.get(kind).title,
            key=kind,
            over=listed(task.performance.fields),
            note="how often answers to variants agree with answers to the originals",
        )
        for kind in task.deltas
    ]
    return (*own, *deltas)


def _metric(choice: MetricChoice, measures: Measures, *, ranks: bool) -> MetricRow:
    measure = measures.get(choice.key)
    notes = ["ranks the models"] if ranks else []
    notes += [BETTER[measure.better]] if BETTER.get(measure.better) else []
    notes += [f"{name}: {value}" for name, value in choice.options.items()]
    return MetricRow(
        title=measure.title, key=choice.key, over=listed(choice.fields), note="; ".join(notes)
    )


def facts(task: Task) -> tuple[Fact, ...]:
    """What else the file of a task says."""
    return tuple(Fact(name=name, value=value) for name, value in _facts(task) if value)


def _facts(task: Task) -> Iterable[tuple[str, str]]:
    rule = task.wrong
    below = f" below {rule.threshold:g}" if rule.kind == "string_f1" else ""
    yield "Board weights", ", ".join(f"{k} {v:g}" for k, v in task.weights.items())
    if rule.kind != "ask_user":
        words = rule.kind.replace("_", " ")
        yield "Wrong answers are found by", f"{words} of {listed(rule.fields)}{below}"
    yield "Other spellings", ", ".join(f"{code} = {label}" for code, label in task.codes.items())
    yield "Perturbations change", listed(task.perturbed)
    yield "Evaluation function", task.function
    yield "Own check of answers", task.verify
    yield (
        "Predictions",
        "" if task.takes_predictions else "not taken: models that can be asked alone",
    )
