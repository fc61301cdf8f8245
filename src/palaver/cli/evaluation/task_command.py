"""`palaver task`: the tasks that are built in and stored, one's own, and what their owner decides."""

import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import click

from palaver.cli import options
from palaver.cli.evaluation.home import at_home, if_there, opened_home
from palaver.cli.options import HOME, IN_FILE, JSON, OUT_FILE
from palaver.cli.output import json_line, print_json, prose_width, table_text
from palaver.core.audit import COMMAND
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.tasks import StoredTask, policy_of
from palaver.core.tasks import Field, MetricChoice, Task
from palaver.core.words import counted, listed
from palaver.evaluation.tasks import (
    add_task,
    builtin_names,
    builtin_task,
    ensure_task,
    list_tasks,
    load_task,
    set_policy,
    stored_task,
    task_data,
    write_starter,
)
from palaver.evaluation.tasks.samples import sample_answer, sample_question, sample_record
from palaver.metrics.registry import find_metric
from palaver.studies.home import find_home


@click.group("task")
def command() -> None:
    """Look at tasks, make your own, decide who may submit to them."""


@command.command("list")
@HOME
@JSON
def list_command(home: Path | None, as_json: bool) -> None:
    """List the tasks that are built in and those that are stored."""
    stored = {row.name: row for row in _stored_tasks(home)}
    names = sorted({*builtin_names(), *stored})
    if as_json:
        print_json({"tasks": [_listed(name, stored.get(name)) for name in names]})
        return
    rows = [("task", "metric", "state", "title")]
    for name in names:
        row = stored.get(name)
        task = stored_task(row) if row else builtin_task(name)
        where = "stored" if row else "built in"
        shown = ", ".join([where, "public"] if row and row.public else [where])
        rows.append((name, task.performance.key, shown, task.title))
    click.echo(table_text(rows))
    click.echo("\nMore about one: palaver task show NAME. To make your own: palaver task init NAME")


@command.command("show")
@click.argument("name")
@HOME
@JSON
def show_command(name: str, home: Path | None, as_json: bool) -> None:
    """Show what the task NAME asks, answers and measures; NAME may be a task file."""
    task, row = _found(name, home)
    if as_json:
        print_json(task_document(task) | {"policy": policy_of(row) if row else None})
        return
    for line in task_lines(task):
        click.echo(line)
    if row:
        click.echo(f"\n{_policy_words(row)}")
    elif _is_file(name):
        click.echo(f"\nThe file is valid. To store it: palaver task add {name}")


@command.command("add")
@click.argument("file", type=IN_FILE)
@HOME
@JSON
def add_command(file: Path, home: Path | None, as_json: bool) -> None:
    """Check the task file FILE and store it.

    Once models have been evaluated, only texts, weights and functions of a task may change, and
    whether it takes predictions.
    """
    task = load_task(file)
    with opened_home(home) as opened:
        added = opened.store.write_now(partial(add_task, task=task, now=time.time()))
    where = find_home(None, home).describe()
    if as_json:
        print_json({"name": task.name, "state": added.state, "changed": added.changed})
        return
    words = {
        "new": f"Task '{task.name}' is stored in {where}.",
        "same": f"Task '{task.name}' is already stored in {where}, unchanged.",
        "changed": f"Task '{task.name}' in {where} has changed: {listed(added.changed)}.",
    }
    click.echo(words[added.state])
    click.echo("Next:\n\n  " + at_home(f"palaver dataset add {task.name} NAME FILE"))


@command.command("init")
@click.argument("name")
@options.output("The file to write. Default: NAME.yaml, here.", OUT_FILE, metavar="FILE")
@click.option("--from", "like", metavar="TASK", help="Start from a built-in task.")
def init_command(name: str, output: Path | None, like: str | None) -> None:
    """Write a commented task file for a task called NAME."""
    file = output or Path(f"{name}.yaml")
    write_starter(name, file, like=like)
    click.echo(f"wrote {file}\n\nNext: edit it, then\n")
    click.echo(f"  palaver task show {file}\n  palaver task add {file}")


@command.command("set")
@click.argument("name")
@click.option(
    "--public/--private", default=None, help="Whether readers without an account see its board."
)
@click.option(
    "--terms",
    type=IN_FILE,
    metavar="FILE",
    help="What submitters must accept (Markdown); an empty file for nothing.",
)
@click.option(
    "--submissions",
    type=int,
    metavar="N",
    help="How many models a team may submit…",
)
@click.option(
    "--hours",
    type=float,
    metavar="H",
    help="… in how many hours; failed runs do not count.",
)
@HOME
@JSON
def set_command(
    name: str,
    public: bool | None,
    terms: Path | None,
    submissions: int | None,
    hours: float | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Decide who sees the task NAME and who may submit to it."""
    given = {
        "public": public,
        "terms": None if terms is None else _text(terms),
        "most_submissions": submissions,
        "submission_hours": hours,
    }
    if all(value is None for value in given.values()):
        raise click.UsageError(
            "Nothing to set. Give --public, --private, --terms, --submissions or --hours."
        )
    with opened_home(home) as opened:
        row = opened.store.write_now(_setting(name, given))
    if as_json:
        print_json({"name": row.name, "policy": policy_of(row)})
        return
    click.echo(f"Task '{row.name}' in {find_home(None, home).describe()}:")
    click.echo(_policy_words(row))


def _setting(name: str, given: dict[str, Any]) -> Callable[[Any], StoredTask]:
    def work(connection: Any) -> StoredTask:
        now = time.time()
        row = ensure_task(connection, name, now=now)
        return set_policy(connection, row, actor=COMMAND, now=now, **given)

    return work


def _stored_tasks(home: Path | None) -> list[StoredTask]:
    """What is stored; nothing where there is no home yet."""
    with if_there(home) as opened:
        return [] if opened is None else opened.store.read_now(list_tasks)


def _is_file(name: str) -> bool:
    return Path(name).suffix in (".yaml", ".yml")


def _found(name: str, home: Path | None) -> tuple[Task, StoredTask | None]:
    """The task in a file, else the stored one, else the built-in one."""
    if _is_file(name):
        return load_task(Path(name)), None
    stored = {row.name: row for row in _stored_tasks(home)}
    if name in stored:
        return stored_task(stored[name]), stored[name]
    try:
        return builtin_task(name), None
    except UnknownNameError as error:
        known = f" Stored: {', '.join(stored)}." if stored else ""
        raise UnknownNameError(f"{error}{known} A file ends in .yaml.") from None


def _listed(name: str, row: StoredTask | None) -> dict[str, Any]:
    task = stored_task(row) if row else builtin_task(name)
    return {
        "name": name,
        "title": task.title,
        "perf_metric": task.performance.key,
        "stored": row is not None,
        "public": bool(row and row.public),
    }


def _policy_words(row: StoredTask) -> str:
    seen = "its board is public" if row.public else "its board is private"
    terms = "submitters accept terms" if row.terms.strip() else "submitters accept no terms"
    models = counted(row.most_submissions, "submission")
    return f"{seen}; {models} per team in {row.submission_hours:g} hours; {terms}"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text.") from error


BETTER = {"higher": "higher is better", "lower": "lower is better", "none": "no direction"}


def task_document(task: Task) -> dict[str, Any]:
    """A task with everything that follows from its file."""
    return {
        **task_data(task),
        "asked": [each.name for each in task.asked],
        "targets": [target.name for target in task.targets],
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
    for output in task.outputs:
        held = task.gold.get(output.name)
        gold = f"gold in '{held}'" if held else "optional"
        yield _field_line(output, gold)
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
    if task.verify:
        yield "Every answer is checked by"
        yield f"  {task.verify:<18} its own check, from {task.folder}"
    if task.weights:
        weights = ", ".join(f"{name} {value:g}" for name, value in task.weights.items())
        yield f"Weights of the board: {weights}"
    if not task.takes_predictions:
        yield "Takes no predictions: models that can be asked alone."
    if task.wrong.kind != "ask_user":
        below = f" below {task.wrong.threshold:g}" if task.wrong.kind == "string_f1" else ""
        yield f"A model is wrong by: {task.wrong.kind} of {listed(task.wrong.fields)}{below}"
    if task.codes:
        codes = ", ".join(f"{code} = {label}" for code, label in task.codes.items())
        yield f"Also read: {codes}"
    if task.probes:
        yield f"Models are also tried with {counted(len(task.probes), 'question')} of its own"
    if task.perturbed:
        yield f"Perturbations change: {listed(task.perturbed)}"
