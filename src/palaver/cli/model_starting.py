"""`palaver model init` and `serve`: a starter for a model, and a model behind an address."""

import os
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.model_choice import called_task
from palaver.cli.options import HOME, IN_PATH, OUT_FOLDER
from palaver.cli.serving import base_url, log_to_stderr
from palaver.evaluation.models.description import read_description
from palaver.evaluation.models.limits import check_name
from palaver.evaluation.models.starter import write_starter
from palaver.systems.build import build_predictor
from palaver.systems.signing import SECRET_VARIABLE, secret_of_environment
from palaver.web.model_server import ServedModel, serve_model


@click.command("init")
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


@click.command("serve")
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
    base = base_url(host, port, "")

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

    serve_model(model, host=host, port=port, started=say)


def _about_signatures(model: ServedModel) -> str:
    if not model.secret:
        return f"Answers are not signed: {SECRET_VARIABLE} is not set."
    if model.task is None:
        return "Answers are not signed: model.yaml names no task."
    return f"Answers are signed with {SECRET_VARIABLE} for the task {model.task.name}."
