"""`palaver model`: bring a model, try it, add it, look at it."""

import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import click

from palaver.cli import options
from palaver.cli.addresses import base_url
from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.evaluation.model_add import add
from palaver.cli.evaluation.model_baseline import baseline
from palaver.cli.evaluation.model_choice import called_task
from palaver.cli.evaluation.model_diagnose import diagnose
from palaver.cli.evaluation.model_predict import predict
from palaver.cli.evaluation.model_test import test
from palaver.cli.evaluation.runs_command import results_table
from palaver.cli.options import HOME, IN_PATH, JSON, OUT_FOLDER
from palaver.cli.output import json_line, log_to_stderr, print_json, sheet_lines, table_text
from palaver.core.clock import WallClock
from palaver.core.evaluation.models import Model, ModelSheet
from palaver.core.serial import plain
from palaver.evaluation.models.decisions import (
    check_name,
    publish_model,
    restore_model,
    retire_model,
    unpublish_model,
)
from palaver.evaluation.models.files import read_description
from palaver.evaluation.models.starter import write_starter
from palaver.evaluation.models.views import model_runs, model_sheet, task_models
from palaver.evaluation.runs.results import with_performance
from palaver.evaluation.tasks import find_task
from palaver.systems.build import (
    KindOption,
    PredictorKind,
    build_predictor,
    describe_predictor,
    predictor_kinds,
)
from palaver.systems.signatures import SECRET_VARIABLE, secret_of_environment
from palaver.web.model_server import ServedModel, serve_model
from palaver.web.socket import listen, port_of


@click.group("model")
def command() -> None:
    """Add a model: write a starter, test it, serve it, add it to a task."""


for _each in (test, add, baseline, predict, diagnose):
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
        own = [run for run in runs if run.model_version_id == sheet.version_id]
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
    """Let the public board show the model NAME of TASK."""
    model = _change(task, name, home, partial(publish_model, anonymous=anonymous))
    team = " without its team" if model.anonymous else ""
    click.echo(f"{model.name} is published{team}.")


@command.command("unpublish")
@click.argument("task")
@click.argument("name")
@HOME
def unpublish(task: str, name: str, home: Path | None) -> None:
    """Take the model NAME of TASK off the public board."""
    model = _change(task, name, home, unpublish_model)
    click.echo(f"{model.name} is unpublished: the public board does not show it.")


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


@command.command("kinds")
@click.argument("kind", required=False)
@JSON
def kinds(kind: str | None, as_json: bool) -> None:
    """List the kinds of models, or show which options KIND takes.

    They are written in model.yaml, or given as --kind KIND --option OPTION=VALUE.
    """
    if kind is not None:
        predictor = describe_predictor(kind)
        if as_json:
            print_json(predictor)
        else:
            click.echo(_kind_sheet(predictor))
        return
    every = [describe_predictor(name) for name in predictor_kinds()]
    if as_json:
        print_json({"kinds": every})
        return
    rows = [("kind", "what it is", "needs"), *(_kind_row(each) for each in every)]
    click.echo(f"{table_text(rows)}\n\nMore about one: palaver model kinds KIND")


def _kind_row(kind: PredictorKind) -> tuple[str, ...]:
    needed = [option.option for option in kind.options if option.required]
    return kind.kind, kind.about, ", ".join(needed) or "–"


def _kind_sheet(kind: PredictorKind) -> str:
    rows = [("option", "type", "default", "meaning")]
    rows += [
        (option.option, option.type, _default(option), option.about) for option in kind.options
    ]
    return f"{kind.kind}: {kind.about}\n\n{table_text(rows)}"


def _default(option: KindOption) -> str:
    if option.required:
        return "required"
    return "none" if _is_empty(option.default) else json_line(option.default)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", {}, [])


@command.command("init")
@click.argument("name")
@click.option(
    "--task",
    "task_name",
    required=True,
    metavar="TASK",
    help="A task: its name, or its YAML file.",
)
@options.output("The folder to write. Default: NAME, here.", OUT_FOLDER, metavar="FOLDER")
@HOME
def init(name: str, task_name: str, output: Path | None, home: Path | None) -> None:
    """Write a starter for a model called NAME.

    That is model.yaml and a handler, which runs as it is and answers as the task expects.
    """
    check_name(name)
    folder = output or Path(name)
    task = called_task(task_name, home=home)
    is_file = task_name.endswith((".yaml", ".yml"))
    named = os.path.relpath(task_name, folder) if is_file else task.name
    for path in write_starter(name, task, folder, named=named):
        click.echo(f"wrote {path}")
    click.echo(f"\nNext: put your model into {folder / 'handler.py'}, then\n")
    click.echo(f"  palaver model test {folder}")
    click.echo(f"  palaver model add {task.name} {name} {folder}")


@command.command("serve")
@click.argument("path", type=IN_PATH)
@click.option("--name", metavar="NAME", help="The name after /predictions/. Default: the folder's.")
@options.host("Where to listen.")
@options.port(usual=8080)
@HOME
def serve(path: Path, name: str | None, host: str, port: int, home: Path | None) -> None:
    """Serve the model at PATH over HTTP.

    PATH is a folder or a YAML file. Stop it with Ctrl-C or SIGTERM. With MY_SECRET in the
    environment every answer is signed.
    """
    log_to_stderr(verbose=False)
    described = read_description(path)
    task = (
        called_task(described.task, home=home, folder=described.folder) if described.task else None
    )
    model = ServedModel(
        name or described.folder.resolve().name,
        build_predictor(described.kind, described.options, folder=described.folder),
        task,
        secret_of_environment() or "",
    )

    def say() -> None:
        click.echo(f"Serving {model.name} ({described.kind})")
        click.echo(f"  POST {base}/predictions/{model.name}")
        click.echo(f"  POST {base}/model/single_evaluation   {base}/model/batch_evaluation")
        click.echo(f"  GET  {base}/ping")
        click.echo(_about_signatures(model))
        click.echo("\nTry it from another terminal:\n")
        click.echo(
            f"  palaver model test --task {described.task or 'TASK'} --url {base} "
            f"--option model={model.name}"
        )
        click.echo("\nPress Ctrl-C to stop.")

    with closing(listen(host, port, choose="--port")) as listening:
        base = base_url(host, port_of(listening), "")
        serve_model(model, listening, started=say)


def _about_signatures(model: ServedModel) -> str:
    if not model.secret:
        return f"Answers are not signed: {SECRET_VARIABLE} is not set."
    if model.task is None:
        return "Answers are not signed: model.yaml names no task."
    return f"Answers are signed with {SECRET_VARIABLE} for the task {model.task.name}."
