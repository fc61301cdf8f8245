"""`palaver model diagnose`: what a checkpoint has learnt, as text, as a page, as JSON."""

import importlib.util
from importlib import import_module
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, IN_FOLDER, JSON, OUT_FILE
from palaver.core.errors import MissingExtraError


@click.command("diagnose")
@click.argument("checkpoint", type=IN_FOLDER)
@click.option(
    "--data",
    type=IN_FILE,
    multiple=True,
    metavar="FILE",
    help="What it is measured on, as training takes it. Repeatable.",
)
@click.option("--scenarios", type=IN_FILE, metavar="FILE", help="What self-play is about.")
@click.option(
    "--against",
    type=IN_FOLDER,
    metavar="CHECKPOINT",
    help="Its partner in self-play. Default: itself.",
)
@click.option(
    "--dialogues",
    type=click.IntRange(2, 100_000),
    default=256,
    show_default=True,
    help="How many dialogues of self-play for each row.",
)
@click.option(
    "--rollouts",
    type=click.IntRange(2, 64),
    help="Also let it try so many messages before it says one.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 5),
    default=0.5,
    show_default=True,
    help="How freely words are drawn in self-play; 0: the likeliest.",
)
@click.option(
    "--samples",
    type=click.IntRange(0, 100),
    default=4,
    show_default=True,
    help="How many samples are shown beside the data.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where it computes.",
)
@options.seed()
@options.output("Write it as a page.", OUT_FILE, metavar="FILE")
@JSON
def diagnose(
    checkpoint: Path,
    data: tuple[Path, ...],
    scenarios: Path | None,
    against: Path | None,
    dialogues: int,
    rollouts: int | None,
    temperature: float,
    samples: int,
    device: str,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Show what the model in the folder CHECKPOINT has learnt.

    Its figures on files with the definition of what is counted, tables of self-play, samples beside
    the data, and where it looks in one dialogue.
    """
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError("Diagnosing a checkpoint", "torch")
    import_module("palaver.cli.evaluation.diagnosis_run").run(
        checkpoint,
        against,
        output,
        device=device,
        as_json=as_json,
        files=data,
        scenarios=scenarios,
        dialogues=dialogues,
        rollouts=rollouts or 0,
        temperature=temperature,
        samples=samples,
        seed=seed,
    )
