"""`palaver train`: from a recipe and data to a checkpoint, which talks and answers everywhere else."""

import importlib.util
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json, table_text
from palaver.core.errors import MissingExtraError
from palaver.models.recipe import library_names, open_recipe
from palaver.models.registry import MODELS


@click.command("train")
@click.argument("recipe", required=False)
@click.option(
    "--data",
    "data",
    type=IN_FILE,
    multiple=True,
    metavar="FILE",
    help="What is trained on; a tenth is held out to stop early. Repeatable.",
)
@click.option(
    "--dev",
    type=IN_FILE,
    multiple=True,
    metavar="FILE",
    help="Measured once, at the end, with intervals. Repeatable.",
)
@options.output("The checkpoint: a folder.", OUT_FOLDER, metavar="FOLDER")
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="OPTION=VALUE",
    help="Change the recipe, as in training.epochs=5. Repeatable.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where it computes.",
)
@click.option("--sweep", is_flag=True, help="Train every combination under 'sweep' in the recipe.")
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Spread a sweep: processes://2, dask://HOST:PORT, ray://HOST:PORT.",
)
@click.option("--list", "listed", is_flag=True, help="List the recipes and kinds of models.")
@click.option("--options", "explained", is_flag=True, help="Print the options of RECIPE and stop.")
@OVERWRITE
@JSON
def command(
    recipe: str | None,
    data: tuple[Path, ...],
    dev: tuple[Path, ...],
    output: Path | None,
    changed: tuple[str, ...],
    device: str,
    sweep: bool,
    engine: str | None,
    listed: bool,
    explained: bool,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Train the model of RECIPE, a YAML file or a name, into a checkpoint.

    The same command again goes on with a training that was stopped. Start it with torchrun to share
    the work among processes: torchrun --nproc-per-node 2 -m palaver.models RECIPE ...
    """
    if listed:
        _list(as_json=as_json)
        return
    if recipe is None:
        raise click.UsageError(
            "Name a RECIPE: a YAML file, or one that palaver train --list shows."
        )
    file = open_recipe(recipe).with_options(changed)
    training = _training()
    if explained:
        training.explain(file, as_json=as_json)
        return
    if not data:
        raise click.UsageError("--data is missing: the files to train on.")
    if output is None:
        raise click.UsageError("-o is missing: the folder for the checkpoint.")
    if sweep:
        training.run_sweep(
            file, data, dev, output, device, engine, overwrite=overwrite, as_json=as_json
        )
        return
    if engine is not None:
        raise click.UsageError("--engine spreads a sweep: give --sweep as well.")
    training.run(file, data, dev, output, device, overwrite=overwrite, as_json=as_json)


def _training() -> ModuleType:
    """What needs PyTorch, imported now; MissingExtraError where that is not installed."""
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError("Training", "torch")
    return import_module("palaver.cli.evaluation.training_run")


def _list(*, as_json: bool) -> None:
    recipes = [(name, open_recipe(name)) for name in library_names()]
    if as_json:
        told = [
            {"recipe": name, "model": file.given.get("model"), "about": file.given.get("about", "")}
            for name, file in recipes
        ]
        print_json({"recipes": told, "models": MODELS.names()})
        return
    rows = [("recipe", "model", "what it is")]
    for name, file in recipes:
        about = " ".join(str(file.given.get("about", "")).split())
        rows.append((name, str(file.given.get("model")), about))
    click.echo(table_text(rows))
    click.echo(f"\nKinds of models: {', '.join(MODELS.names())}.")
    click.echo("The options of a recipe: palaver train RECIPE --options")
