"""What was predicted and what is right, as metrics take it."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.errors import InputError
from palaver.core.tasks import Example, Task

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
    """The gold values of an output."""
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
