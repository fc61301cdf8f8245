"""`palaver model`: bring a model, try it, add it, look at it."""

from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from palaver.cli.evaluating import at_home, existing
from palaver.cli.model_adding import add
from palaver.cli.model_starting import init, serve
from palaver.cli.model_testing import test
from palaver.cli.options import HOME, JSON
from palaver.cli.runs_words import results_table
from palaver.cli.tables import table_text
from palaver.core.clock import WallClock
from palaver.core.serial import plain
from palaver.evaluation.models.listing import ListedModel, ModelSheet, model_sheet, task_models
from palaver.evaluation.runs.results import with_performance
from palaver.storage.evaluation.models import StoredModel, find_model, set_model
from palaver.storage.evaluation.tasks import find_task


@click.group("model")
def command() -> None:
    """Bring a model: write a starter, test it, serve it, add it to a task."""


for _each in (init, test, serve, add):
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
        click.echo(_json([each.as_json() for each in found]))
        return
    if not found:
        add = at_home(f"palaver model add {task} NAME FOLDER")
        click.echo(f"No model of {task} yet. Add one: {add}")
        return
    rows = [("model", "kind", "version", "board", "runs"), *(_row(each) for each in found)]
    click.echo(table_text(rows))


@command.command("show")
@click.argument("task")
@click.argument("name")
@JSON
@HOME
def show(task: str, name: str, as_json: bool, home: Path | None) -> None:
    """Say all about the model NAME of TASK.

    How it is reached, its versions, and what came of its runs.
    """
    with existing(home) as opened:
        sheet = opened.store.read_now(lambda c: model_sheet(c, find_task(c, task), name))
        files = sheet.listed.model.version.folder
        where = f"{opened.objects.url}/{files}" if files else ""
        results = opened.store.read_now(lambda c: with_performance(c, sheet.listed.runs))
    if as_json:
        click.echo(_json({**sheet.as_json(), "runs": plain(results)}))
    else:
        runs = results_table(results) if results else "No runs yet."
        click.echo(f"{_sheet(sheet, where)}\n\n{runs}")


@command.command("publish")
@click.argument("task")
@click.argument("name")
@HOME
def publish(task: str, name: str, home: Path | None) -> None:
    """Let the board show the name of the model NAME of TASK."""
    model = _change(task, name, home, published=True)
    team = " without its team" if model.anonymous else ""
    click.echo(f"{model.name} is published{team}.")


@command.command("unpublish")
@click.argument("task")
@click.argument("name")
@HOME
def unpublish(task: str, name: str, home: Path | None) -> None:
    """Let the board show the model NAME of TASK without its name."""
    model = _change(task, name, home, published=False)
    click.echo(f"{model.name} is unpublished: the board shows it without its name.")


@command.command("retire")
@click.argument("task")
@click.argument("name")
@HOME
def retire(task: str, name: str, home: Path | None) -> None:
    """Take the model NAME of TASK off the board; its runs are kept."""
    model = _change(task, name, home, retired=WallClock().now())
    click.echo(
        f"{model.name} is retired: off the board, and new data sets do not ask it. Its runs are "
        f"kept. Adding it again brings it back: palaver model add {task} {model.name} …"
    )


def _change(task: str, name: str, home: Path | None, **values: Any) -> StoredModel:
    with existing(home) as opened:
        row = opened.store.read_now(partial(find_task, name=task))
        model = opened.store.read_now(lambda c: find_model(c, row.id, name))
        opened.store.write_now(lambda c: set_model(c, model.id, **values))
        return model


def _row(listed: ListedModel) -> tuple[str, ...]:
    model = listed.model
    states = ", ".join(f"{number} {state}" for state, number in listed.states.items())
    version = str(model.version.number)
    return model.name, model.version.kind, version, listed.standing, states or "none"


def _sheet(sheet: ModelSheet, where: str) -> str:
    listed, model = sheet.listed, sheet.listed.model
    told = [
        ("about", model.about),
        ("link", model.link),
        ("tags", ", ".join(model.tags)),
        ("board", listed.standing),
        ("key", model.key),
        (
            "version",
            f"{model.version.number} of {len(sheet.versions)}, {model.version.digest[:12]}",
        ),
        ("kind", model.version.kind),
        ("options", _json(model.version.options)),
        ("files", where),
    ]
    return "\n".join([model.name, *(f"  {name:9}{value}" for name, value in told if value)])


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
