"""`palaver model`: bring a model, try it, add it, look at it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from palaver.cli.evaluating import at_home, existing
from palaver.cli.model_adding import add
from palaver.cli.model_kinds import kinds
from palaver.cli.model_starting import init, serve
from palaver.cli.model_testing import test
from palaver.cli.options import HOME, JSON
from palaver.cli.printing import json_line, print_json
from palaver.cli.runs_words import results_table
from palaver.cli.tables import sheet_lines, table_text
from palaver.core.clock import WallClock
from palaver.core.evaluation.models import Model, ModelSheet
from palaver.core.serial import plain
from palaver.evaluation.models.decisions import (
    publish_model,
    restore_model,
    retire_model,
    unpublish_model,
)
from palaver.evaluation.models.listing import model_runs, model_sheet, task_models
from palaver.evaluation.runs.results import with_performance
from palaver.evaluation.tasks import find_task


@click.group("model")
def command() -> None:
    """Add a model: write a starter, test it, serve it, add it to a task."""


for _each in (init, test, serve, add, kinds):
    command.add_command(_each)


@command.command("list")
@click.argument("task")
@JSON
@HOME
def list_(task: str, as_json: bool, home: Path | None) -> None:
    """List the models of TASK."""
    with existing(home) as opened:
        found = opened.store.read_now(lambda c: task_models(c, find_task(c, task)))
    if as_json:
        print_json(found)
        return
    if not found:
        add = at_home(f"palaver model add {task} NAME FOLDER")
        click.echo(f"{task} has no models yet. Add one: {add}")
        return
    rows = [("model", "kind", "version", "board", "runs"), *(_row(each) for each in found)]
    click.echo(table_text(rows))


@command.command("show")
@click.argument("task")
@click.argument("name")
@JSON
@HOME
def show(task: str, name: str, as_json: bool, home: Path | None) -> None:
    """Show everything about the model NAME of TASK.

    How it is reached, its versions, and the results of its runs.
    """
    with existing(home) as opened:
        sheet = opened.store.read_now(lambda c: model_sheet(c, find_task(c, task), name))
        where = f"{opened.objects.url}/{sheet.folder}" if sheet.folder else ""
        runs = opened.store.read_now(lambda c: model_runs(c, sheet))
        own = [each for each in runs if each.model_version_id == sheet.version_id]
        results = opened.store.read_now(lambda c: with_performance(c, own))
    if as_json:
        print_json({**plain(sheet), "runs": results})
    else:
        runs_text = results_table(results) if results else "No runs yet."
        click.echo(f"{_sheet(sheet, where)}\n\n{runs_text}")


@command.command("publish")
@click.argument("task")
@click.argument("name")
@click.option("--anonymous", is_flag=True, help="Hide its team.")
@HOME
def publish(task: str, name: str, anonymous: bool, home: Path | None) -> None:
    """Let the board show the name and the team of the model NAME of TASK."""
    model = _change(task, name, home, partial(publish_model, anonymous=anonymous))
    team = " without its team" if model.anonymous else ""
    click.echo(f"{model.name} is published{team}.")


@command.command("unpublish")
@click.argument("task")
@click.argument("name")
@HOME
def unpublish(task: str, name: str, home: Path | None) -> None:
    """Let the board show the model NAME of TASK without its name."""
    model = _change(task, name, home, unpublish_model)
    click.echo(f"{model.name} is unpublished: the board shows it without its name.")


@command.command("retire")
@click.argument("task")
@click.argument("name")
@HOME
def retire(task: str, name: str, home: Path | None) -> None:
    """Take the model NAME of TASK off the board; its runs are kept."""
    model = _change(task, name, home, partial(retire_model, now=WallClock().now()))
    back = at_home(f"palaver model restore {task} {model.name}")
    click.echo(
        f"{model.name} is retired: it is off the board and is not evaluated on new data sets. Its "
        f"runs are kept. To bring it back: {back}"
    )


@command.command("restore")
@click.argument("task")
@click.argument("name")
@HOME
def restore(task: str, name: str, home: Path | None) -> None:
    """Bring the retired model NAME of TASK back, and plan the runs that it missed."""
    model = _change(task, name, home, partial(restore_model, now=WallClock().now()))
    click.echo(f"{model.name} is back on the board. The runs that it missed are planned.")
    click.echo(f"  runs: {_states(model)}")
    if model.runs.get("waiting"):
        click.echo("\nNext: " + at_home(f"palaver evaluate {task}"))


def _change(task: str, name: str, home: Path | None, change: Callable[..., Model]) -> Model:
    with existing(home) as opened:
        return opened.store.write_now(lambda c: change(c, find_task(c, task), name))


def _row(model: Model) -> tuple[str, ...]:
    return model.name, model.kind, str(model.version), model.standing, _states(model)


def _states(model: Model) -> str:
    return ", ".join(f"{number} {state}" for state, number in model.runs.items()) or "none"


def _sheet(sheet: ModelSheet, where: str) -> str:
    told = {
        "about": sheet.about,
        "link": sheet.link,
        "tags": ", ".join(sheet.tags),
        "board": sheet.standing,
        "key": sheet.key,
        "version": f"{sheet.version} of {len(sheet.versions)}, {sheet.digest[:12]}",
        "kind": sheet.kind,
        "options": json_line(sheet.options),
        "files": where,
    }
    return "\n".join([sheet.name, *sheet_lines(told)])
