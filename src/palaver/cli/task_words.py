"""A task in words for the terminal: its fields, how it is measured, what its records look like."""

import textwrap
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from palaver.cli.printing import json_line
from palaver.cli.tables import prose_width
from palaver.core.errors import InputError
from palaver.core.tasks import Field, MetricChoice, Task
from palaver.core.words import listed
from palaver.evaluation.tasks import task_data
from palaver.evaluation.tasks.samples import sample_answer, sample_question, sample_record
from palaver.metrics.registry import find_metric

BETTER = {"higher": "higher is better", "lower": "lower is better", "none": "no direction"}


def task_document(task: Task) -> dict[str, Any]:
    """A task with everything that follows from its file."""
    return {
        **task_data(task),
        "asked": [each.name for each in task.asked],
        "targets": [each.name for each in task.targets],
        "example_record": sample_record(task),
        "example_question": sample_question(task),
        "example_answer": sample_answer(task),
    }


def task_lines(task: Task) -> Iterator[str]:
    """What a stranger must know of a task, line by line."""
    yield f"{task.name}: {task.title}"
    if task.about:
        yield textwrap.fill(task.about, prose_width())
    for text in (task.content_warning, task.instructions):
        if text:
            yield f"\n{text.rstrip()}"
    yield "\nA model is sent"
    yield from (_field_line(each, "") for each in task.asked)
    yield "It answers"
    for each in task.outputs:
        held = task.gold.get(each.name)
        gold = f"gold in '{held}'" if held else "optional"
        yield _field_line(each, gold)
    yield "It is measured by"
    for n, choice in enumerate(task.metrics):
        yield _metric_line(choice, task, ranks=n == 0)
    yield from _further_lines(task)
    yield f"\nA record of a data set\n  {json_line(sample_record(task))}"
    yield f"An answer\n  {json_line(sample_answer(task))}"


def _field_line(field: Field, gold: str) -> str:
    own = {"name", "title", "about"}
    options = [
        _option(each.name, getattr(field, each.name))
        for each in fields(field)
        if each.name not in own and getattr(field, each.name) != each.default
    ]
    words = "; ".join(part for part in (", ".join(options), field.about, gold) if part)
    return f"  {field.name:<18} {field.kind:<25} {words}".rstrip()


def _option(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return " | ".join(value)
    return f"{name} {value}" if value is not True else name


def _metric_line(choice: MetricChoice, task: Task, *, ranks: bool) -> str:
    over = listed(choice.fields)
    try:
        metric = find_metric(choice.metric, folder=Path(task.folder or "."))
    except InputError as error:
        return f"  {choice.key:<18} {error}"
    words = [f"{metric.title} of {over}", BETTER[metric.direction]]
    words += [f"needs palaver[{metric.extra}]"] if metric.extra else []
    words += ["it ranks"] if ranks else []
    return f"  {choice.key:<18} {'; '.join(words)}"


def _further_lines(task: Task) -> Iterator[str]:
    for kind in task.deltas:
        yield f"  {kind:<18} agreement of the answers to originals and to their variants"
    if task.function:
        yield f"  {task.function:<18} its own evaluation function, from {task.folder}"
    if task.weights:
        weights = ", ".join(f"{name} {value:g}" for name, value in task.weights.items())
        yield f"Weights of the board: {weights}"
    if task.wrong.kind != "ask_user":
        below = f" below {task.wrong.threshold:g}" if task.wrong.kind == "string_f1" else ""
        yield f"A model is wrong by: {task.wrong.kind} of {listed(task.wrong.fields)}{below}"
    if task.codes:
        codes = ", ".join(f"{code} = {label}" for code, label in task.codes.items())
        yield f"Also read: {codes}"
    if task.perturbed:
        yield f"Perturbations change: {listed(task.perturbed)}"
