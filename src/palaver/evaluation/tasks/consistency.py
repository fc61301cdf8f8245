"""Whether the parts of a task fit each other: metrics and outputs, gold, weights, codes, Python."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.loading import own_function
from palaver.core.registry import near
from palaver.core.tasks import Field, Labelled, MetricChoice, Task, TurnProbs
from palaver.core.tasks.answer_forms import converter
from palaver.evaluation.tasks.entries import RESERVED, TaskEntry
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem
from palaver.metrics.metric import Metric
from palaver.metrics.registry import find_metric
from palaver.metrics.shapes import Shape

# What every run is measured by beside the metrics of its task.
RUNNING = ("throughput", "memory")


def meaning_problems(entry: TaskEntry, task: Task) -> Iterator[KeyProblem]:
    """Everything in the file that is well formed and does not make sense."""
    yield from _gold_problems(entry, task)
    yield from _metric_problems(task)
    yield from _weight_problems(task)
    yield from _wrong_problems(task)
    yield from _code_problems(task)
    yield from _perturb_problems(task)
    yield from _probe_problems(task)
    yield from _function_problems("function", task.function, task)
    yield from _function_problems("verify", task.verify, task)
    yield from _answer_problems(task)


def _gold_problems(entry: TaskEntry, task: Task) -> Iterator[KeyProblem]:
    outputs = [output.name for output in task.outputs]
    for name, held in entry.gold.items():
        if name not in outputs:
            message = (
                f"'gold' names the output '{name}', which does not exist.{near(name, outputs)}"
            )
            yield KeyProblem(("gold", name), message, at_key=True)
        if held in RESERVED:
            yield KeyProblem(("gold", name), f"'{held}' is reserved; gold needs a field.")
    if not task.asked:
        yield KeyProblem(
            ("input",), "Every input is gold, so a model would be sent nothing. Add an input."
        )


def _metric_problems(task: Task) -> Iterator[KeyProblem]:
    places: list[Steps] = [("perf_metric",), *(("metrics", n) for n in range(len(task.metrics)))]
    keys: set[str] = set()
    for choice, steps in zip(task.metrics, places, strict=False):
        for problem in _choice_problems(choice, task):
            yield problem.under(*steps)
        if choice.key in keys:
            yield KeyProblem(
                steps, f"The metric '{choice.key}' is listed twice. Give the second a 'name'."
            )
        if choice.key in RUNNING or choice.key in task.deltas:
            yield KeyProblem(steps, f"The name '{choice.key}' is taken by another measure.")
        keys.add(choice.key)


def _choice_problems(choice: MetricChoice, task: Task) -> Iterator[KeyProblem]:
    try:
        metric = find_metric(choice.metric, folder=Path(task.folder or "."))
    except InputError as error:
        yield KeyProblem(("metric",), str(error))
        return
    for option in choice.options:
        if option not in metric.options:
            known = ", ".join(metric.options) or "none"
            message = f"Metric '{metric.name}' has no option '{option}'."
            hint = f"{near(option, metric.options)} It has: {known}."
            yield KeyProblem(("options", option), message + hint, at_key=True)
    outputs = {output.name: output for output in task.outputs}
    for n, name in enumerate(choice.fields):
        if name not in outputs:
            message = f"There is no output '{name}'.{near(name, outputs)}"
            yield KeyProblem(("fields", n), message)
        else:
            yield from _fit_problems(metric, outputs[name], task)


def _fit_problems(metric: Metric, field: Field, task: Task) -> Iterator[KeyProblem]:
    """Whether a metric can compute with the values of a field, tried with a sample."""
    sample = field.measured(field.sample(dict.fromkeys(field.refers_to, "some words")))
    if not _fits(metric.predictions, [sample]):
        yield KeyProblem(
            ("metric",),
            f"Metric '{metric.name}' takes {metric.predictions.words}; the output '{field.name}' "
            f"is {field.kind}.",
        )
    elif metric.references is None:
        return
    elif field.name not in task.gold:
        yield KeyProblem(
            ("metric",),
            f"Metric '{metric.name}' needs gold, but '{field.name}' has none: list it under "
            "'input' as well, or name its field under 'gold'.",
        )
    elif not _fits(metric.references, [sample, *([[sample] * 2] if field.takes_several else [])]):
        yield KeyProblem(
            ("metric",),
            f"Metric '{metric.name}' compares with {metric.references.words}; the gold of "
            f"'{field.name}' is {field.kind}.",
        )


def _fits(shape: Shape, samples: Iterable[Any]) -> bool:
    for sample in samples:
        try:
            shape.fit(sample)
        except ValueError:
            continue
        return True
    return False


def _weight_problems(task: Task) -> Iterator[KeyProblem]:
    known = [*(choice.key for choice in task.metrics), *RUNNING, *task.deltas]
    for name in task.weights:
        if name not in known:
            hint = near(name, known) or f" Columns: {', '.join(known)}."
            message = f"'weights' names '{name}', which is not a column of the board.{hint}"
            yield KeyProblem(("aggregation", "weights", name), message, at_key=True)
    if task.weights and not any(task.weights.values()):
        yield KeyProblem(
            ("aggregation", "weights"), "Every weight is 0. At least one must be above 0."
        )


def _wrong_problems(task: Task) -> Iterator[KeyProblem]:
    rule = task.wrong
    if rule.kind == "ask_user":
        return
    for n, name in enumerate(rule.fields):
        if name not in task.gold:
            message = f"'model_wrong' compares '{name}', which is not an output with gold."
            yield KeyProblem(("model_wrong", "fields", n), message + near(name, task.gold))
    if not rule.fields:
        yield KeyProblem(
            ("model_wrong",), f"'{rule.kind}' needs an output with gold; the task has none."
        )
    elif rule.kind == "string_f1":
        texts = [name for name in rule.fields if isinstance(_sample(task, name), str)]
        if len(rule.fields) > 1 or not texts:
            yield KeyProblem(
                ("model_wrong", "fields"), "'string_f1' compares one output that is text."
            )


def _answer_problems(task: Task) -> Iterator[KeyProblem]:
    outputs = [output.name for output in task.outputs]
    for name, path in task.answers.paths.items():
        if name not in outputs:
            message = f"'answers' names the output '{name}', which does not exist."
            yield KeyProblem(("answers", name), message + near(name, outputs), at_key=True)
        elif not path or any(not step for step in path.split(".")):
            message = f"'answers' takes a dotted path, such as quality.A; got '{path}'."
            yield KeyProblem(("answers", name), message)
    if task.answers.function:
        try:
            converter(task.answers.function, task.folder)
        except InputError as error:
            yield KeyProblem(("answers",), str(error))


def _sample(task: Task, name: str) -> Any:
    fields = [output for output in task.outputs if output.name == name]
    return fields[0].sample(dict.fromkeys(fields[0].refers_to, "some words")) if fields else ""


def _code_problems(task: Task) -> Iterator[KeyProblem]:
    fields = (*task.context, *task.inputs, *task.outputs)
    labels = {label for field in fields for label in _labels(field)}
    for code, label in task.codes.items():
        if label not in labels:
            message = f"The code '{code}' stands for '{label}', which is not a label."
            yield KeyProblem(("codes", code), message + near(label, labels))
        elif code in labels:
            message = f"'{code}' is a label itself, so it cannot be a code for '{label}'."
            yield KeyProblem(("codes", code), message, at_key=True)


def _labels(field: Field) -> Iterator[str]:
    if isinstance(field, Labelled):
        yield from field.labels
    elif isinstance(field, TurnProbs):
        yield from (label for labels in field.labels.values() for label in labels)


def _perturb_problems(task: Task) -> Iterator[KeyProblem]:
    names = [each.name for each in task.asked]
    for n, name in enumerate(task.perturbed):
        if name not in names:
            message = f"'perturb' names '{name}', which is not sent to models.{near(name, names)}"
            yield KeyProblem(("perturb", n), message)


def _probe_problems(task: Task) -> Iterator[KeyProblem]:
    asked = {each.name: each for each in task.asked}
    for n, probe in enumerate(task.probes):
        for name in probe:
            if name not in asked:
                message = f"A probe holds what a model is sent, and '{name}' is not a part of it."
                yield KeyProblem(("probes", n, name), message + near(name, asked), at_key=True)
        for name, each in asked.items():
            try:
                each.check(probe[name] if name in probe else each.absent(), probe)
            except ValueError as error:
                steps: Steps = ("probes", n, name) if name in probe else ("probes", n)
                yield KeyProblem(steps, f"Probe {n + 1}: '{name}': {error}.")


def _function_problems(key: str, target: str, task: Task) -> Iterator[KeyProblem]:
    if not target:
        return
    try:
        own_function(target, folder=Path(task.folder or "."), what=f"'{key}' takes")
    except InputError as error:
        yield KeyProblem((key,), str(error))
