"""Records to show: what a data set of a task may hold, what a model is sent, what it may answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.tasks import Field, Task
from palaver.metrics.registry import find_metric

UID = "1"


def sample_question(task: Task) -> dict[str, Any]:
    return {"uid": UID, **_asked(task)}


def sample_record(task: Task) -> dict[str, Any]:
    """The record of a data set that the question is made from."""
    asked = _asked(task)
    gold = {task.gold[target.name]: _gold(task, target, asked) for target in task.targets}
    return {"uid": UID, **asked, **gold, "tags": ["easy"]}


def sample_answer(task: Task) -> dict[str, Any]:
    return answer_to(task, {"uid": UID, **_asked(task)})


def answer_to(task: Task, question: Mapping[str, Any]) -> dict[str, Any]:
    """An answer to a question that the task would take, written as it is to be written."""
    values = {output.name: output.sample(question) for output in task.outputs}
    return task.answers.written({"id": question["uid"], **values})


def _asked(task: Task) -> dict[str, Any]:
    """What a model may be sent: the first of the task's own probes, or made up."""
    values: dict[str, Any] = dict(task.probes[0]) if task.probes else {}
    for each in task.asked:
        if each.name not in values:
            values[each.name] = each.sample(values)
    return values


def _gold(task: Task, field: Field, asked: dict[str, Any]) -> Any:
    """A gold value; where the metric wants several right answers, two."""
    value = field.sample(asked)
    try:
        shape = find_metric(task.performance.metric, folder=Path(task.folder or ".")).references
    except InputError:
        return value
    if shape is None or not field.takes_several or field.name not in task.performance.fields:
        return value
    try:
        shape.fit(value)
    except ValueError:
        return [value, value]
    return value
