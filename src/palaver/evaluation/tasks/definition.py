"""The task file as a typed task: the door between YAML and everything that evaluates.

`load_task` reads a file, checks it and gives back a `Task`, or raises StudyError with every problem,
its line and column. `task_data` writes a task as the file would, so that what is stored can be read
again.
"""

import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from palaver.core.errors import InputError, Problem, StudyError
from palaver.core.tasks import AnswerForm, Field, MetricChoice, Task, WrongRule
from palaver.evaluation.tasks.consistency import meaning_problems
from palaver.evaluation.tasks.entries import MetricEntry, TaskEntry
from palaver.evaluation.tasks.fields import Fields, build_fields, field_data
from palaver.formats.key_problems import KeyProblem, place_problems, pydantic_problems
from palaver.formats.marked_yaml import Marked, parse_marked, read_marked

WIDTH = 96
# A list or mapping of plain values up to this length stands in one line.
LINE = 72
# Words that need no quotes anywhere, and those that some readers take for true, false or nothing.
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./'()-]*( [A-Za-z0-9_./'()-]+)*[.]?")
TRUTHS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A task file as read: the task if it could be built, and every problem found."""

    task: Task | None
    key_problems: list[KeyProblem]


def load_task(file: Path) -> Task:
    """The task in a YAML file; StudyError with every problem otherwise."""
    return _placed(read_marked(file), folder=str(file.resolve().parent))


def parse_task(content: bytes, *, folder: str, file: str) -> Task:
    """The task in a YAML text; `file` is the name to use in problems."""
    return _placed(parse_marked(content, file=file), folder=folder)


def task_from_data(data: Mapping[str, Any], *, folder: str, source: str) -> Task:
    """The task in plain data; `source` is the name to use in problems."""
    reading = read_data(data, folder=folder)
    if reading.key_problems or reading.task is None:
        raise StudyError(
            [Problem(source, 0, 0, problem.message) for problem in reading.key_problems]
        )
    return reading.task


def trusted_task(data: Mapping[str, Any], *, folder: str) -> Task:
    """The task in data that was checked before: no metric is looked up, no Python is loaded."""
    entry = TaskEntry.model_validate(data)
    fields = build_fields(entry)
    if fields.key_problems:  # a kind of field that another package brought, and that is gone
        raise InputError(f"Task '{entry.name}': {fields.key_problems[0].message}")
    return _task(entry, fields, folder)


def read_data(data: Mapping[str, Any], *, folder: str) -> ReadTask:
    """The task in plain data and everything that is wrong with it."""
    try:
        entry = TaskEntry.model_validate(data)
    except ValidationError as error:
        return ReadTask(None, list(pydantic_problems(error, TaskEntry)))
    fields = build_fields(entry)
    if fields.key_problems:
        return ReadTask(None, fields.key_problems)
    task = _task(entry, fields, folder)
    return ReadTask(task, list(meaning_problems(entry, task)))


def task_data(task: Task) -> dict[str, Any]:
    """A task as its file says it; what has its default is left out."""
    given = {each.name: each for each in (*task.context, *task.inputs)}
    implied = {name: name for name in task.gold if name in given}
    written = {
        "name": task.name,
        "title": task.title,
        "about": task.about,
        "instructions": task.instructions,
        "content_warning": task.content_warning,
        "context": [field_data(each) for each in task.context],
        "input": [field_data(each) for each in task.inputs],
        "output": [_output_data(output, given) for output in task.outputs],
        "gold": {name: held for name, held in task.gold.items() if implied.get(name) != held},
        "perf_metric": _metric_data(task.performance),
        "metrics": [_metric_data(metric) for metric in task.metrics[1:]],
        "delta_metrics": list(task.deltas),
        "aggregation": {"weights": dict(task.weights)} if task.weights else None,
        "model_wrong": _wrong_data(task.wrong),
        "codes": dict(task.codes),
        "answers": task.answers.function or dict(task.answers.paths),
        "ranking": task.ranking if task.ranking != "dynascore" else "",
        "perturb": list(task.perturbed),
        "probes": [dict(each) for each in task.probes],
        "function": task.function,
        "verify": task.verify,
    }
    said = {key: value for key, value in written.items() if value}
    return said if task.takes_predictions else {**said, "takes_predictions": False}


def task_json(task: Task) -> str:
    return msgspec.json.encode(task_data(task)).decode()


def task_digest(task: Task) -> str:
    """SHA-256 of what the task says."""
    content = msgspec.json.encode(task_data(task), order="deterministic")
    return hashlib.sha256(content).hexdigest()


def task_yaml(data: Mapping[str, Any]) -> str:
    """The file that says `data`, in the order of its keys."""
    writer = YAML()
    writer.width = WIDTH
    writer.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    top = CommentedMap({key: _part(value) for key, value in data.items()})
    writer.dump(top, out)
    return out.getvalue()


def _placed(marked: Marked, *, folder: str) -> Task:
    reading = read_data(marked.data, folder=folder)
    if reading.key_problems or reading.task is None:
        raise StudyError(place_problems(marked, reading.key_problems))
    return reading.task


def _task(entry: TaskEntry, found: Fields, folder: str) -> Task:
    given = {each.name for each in (*found.context, *found.inputs)}
    names = [output.name for output in found.outputs]
    gold = {name: entry.gold.get(name, name) for name in names if name in given | {*entry.gold}}
    measured = list(gold) or names[:1]
    choices = (entry.perf_metric, *entry.metrics)
    wrong = entry.model_wrong
    default = [] if wrong.rule == "ask_user" else list(gold)[:1]
    return Task(
        name=entry.name,
        title=entry.title or entry.name,
        about=entry.about,
        context=found.context,
        inputs=found.inputs,
        outputs=found.outputs,
        gold=gold,
        metrics=tuple(_choice(choice, measured) for choice in choices),
        deltas=tuple(entry.delta_metrics),
        weights=dict(entry.aggregation.weights) if entry.aggregation else {},
        wrong=WrongRule(
            kind=wrong.rule,
            fields=tuple(default if wrong.fields is None else wrong.fields),
            threshold=wrong.threshold,
        ),
        codes=entry.codes,
        answers=_answer_form(entry.answers),
        ranking=entry.ranking,
        takes_predictions=entry.takes_predictions,
        function=entry.function,
        verify=entry.verify,
        folder=folder,
        perturbed=tuple(entry.perturb),
        probes=tuple(entry.probes),
        content_warning=entry.content_warning,
        instructions=entry.instructions,
    )


def _answer_form(given: dict[str, str] | str) -> AnswerForm:
    return AnswerForm(function=given) if isinstance(given, str) else AnswerForm(paths=given)


def _choice(entry: MetricEntry, measured: list[str]) -> MetricChoice:
    fields = measured if entry.fields is None else entry.fields
    return MetricChoice(
        metric=entry.metric, fields=tuple(fields), options=entry.options, name=entry.name
    )


def _output_data(field: Field, given: Mapping[str, Field]) -> str | dict[str, Any]:
    return field.name if given.get(field.name) == field else field_data(field)


def _metric_data(choice: MetricChoice) -> dict[str, Any]:
    written: dict[str, Any] = {"metric": choice.metric, "fields": list(choice.fields)}
    if choice.options:
        written["options"] = dict(choice.options)
    if choice.name:
        written["name"] = choice.name
    return written


def _wrong_data(rule: WrongRule) -> dict[str, Any] | None:
    if rule.kind == "ask_user":
        return None
    written: dict[str, Any] = {"rule": rule.kind, "fields": list(rule.fields)}
    if rule.kind == "string_f1":
        written["threshold"] = rule.threshold
    return written


def _part(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        found = CommentedMap({_text(key): _part(each) for key, each in value.items()})
        return _in_line(found, value)
    if isinstance(value, list | tuple):
        return _in_line(CommentedSeq([_part(each) for each in value]), value)
    return value


def _text(text: str) -> Any:
    """Lines as they are, plain words bare, everything else in quotes."""
    if "\n" in text:
        lines = text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
        kept = "\n".join(line.rstrip() for line in lines).strip("\n")
        return LiteralScalarString(kept + "\n")
    if PLAIN.fullmatch(text) and text.lower() not in TRUTHS:
        return text
    return DoubleQuotedScalarString(text)


def _in_line(found: Any, value: Any) -> Any:
    """In one line, if it is short and no list of mappings."""
    nested = isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value)
    if len(repr(value)) <= LINE and not nested:
        found.fa.set_flow_style()
    return found
