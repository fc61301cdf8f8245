"""`palaver model predict`: what a checkpoint answers, as a file to hand in."""

import importlib.util
from importlib import import_module
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, IN_FILE, IN_FOLDER, JSON, OUT_FILE
from palaver.core.errors import MissingExtraError


@click.command("predict")
@click.argument(
    "checkpoints", type=IN_FOLDER, nargs=-1, required=True, metavar="CHECKPOINT [CHECKPOINT]..."
)
@click.argument("file", type=IN_FILE)
@options.output("The file of predictions.", OUT_FILE, metavar="FILE", required=True)
@click.option(
    "--task",
    "task_name",
    metavar="TASK",
    help="The task that FILE is of: its name, or its YAML file. Default: what was learnt.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where it computes.",
)
@JSON
@HOME
def predict(
    checkpoints: tuple[Path, ...],
    file: Path,
    output: Path,
    task_name: str | None,
    device: str,
    as_json: bool,
    home: Path | None,
) -> None:
    """Let the model in the folder CHECKPOINT answer what FILE asks; gold in it is not looked at.

    Several answer as one: their probabilities are averaged. For the DialEval tasks FILE holds
    dialogues in DCH-2 form, and what is written is a submission of the shared task. For other tasks
    both are JSON lines, as a data set and its predictions are.
    """
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError("Predicting from a checkpoint", "torch")
    import_module("palaver.cli.evaluation.prediction_run").run(
        checkpoints,
        file,
        output,
        task_name=task_name,
        device=device,
        home=home,
        as_json=as_json,
    )
