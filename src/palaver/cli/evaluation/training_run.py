"""What `palaver train` does once PyTorch is known to be there."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import click

from palaver.cli.output import print_json, table_text
from palaver.core.errors import InputError
from palaver.engines.registry import open_engine
from palaver.models.__main__ import result_lines
from palaver.models.recipe import RecipeFile, Training
from palaver.models.settings import described
from palaver.models.sweep import SweptRecipe, sweep
from palaver.models.train import TrainingPlan, train
from palaver.models.training.processes import chosen_device
from palaver.models.training.progress import TerminalProgress


def explain(file: RecipeFile, *, as_json: bool) -> None:
    """Print every option of a recipe, its value, and what it means."""
    plain = RecipeFile({k: v for k, v in file.given.items() if k != "sweep"}, file.folder).recipe()
    if as_json:
        print_json(plain.as_json())
        return
    sections = [("", plain.settings), ("training.", plain.training)]
    rows = [("option", "value", "default", "meaning")]
    for start, section in sections:
        kind = Training if start else plain.kind.settings_type
        for name, default, about in described(kind):
            value: object = section
            for step in name.split("."):
                value = getattr(value, step)
            rows.append((f"{start}{name}", str(value), default, about))
    click.echo(f"{plain.model}: {plain.kind.about}\n")
    click.echo(table_text(rows, whole=(0,)))


def run(
    file: RecipeFile,
    data: tuple[Path, ...],
    dev: tuple[Path, ...],
    output: Path,
    device: str,
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Train one recipe and print what came of it."""
    plan = TrainingPlan(
        recipe=file.recipe(),
        train=data,
        test=dev,
        folder=output,
        device=chosen_device(device),
        overwrite=overwrite,
        base=file.folder,
    )
    try:
        result = train(plan, TerminalProgress())
    except KeyboardInterrupt:
        click.echo(
            f"\nStopped. The same command goes on after the last epoch in {output}.", err=True
        )
        raise click.Abort from None
    if as_json:
        print_json(
            {
                "checkpoint": str(output),
                "was_finished": result.was_finished,
                **dict(result.checkpoint.measured),
            }
        )
    else:
        click.echo("\n".join(result_lines(result)))


def run_sweep(
    file: RecipeFile,
    data: tuple[Path, ...],
    dev: tuple[Path, ...],
    output: Path,
    device: str,
    engine: str | None,
    *,
    as_json: bool,
) -> None:
    """Train every combination of a sweep and print them, the best first."""
    asyncio.run(_sweep(file, data, dev, output, device, engine, as_json=as_json))


async def _sweep(
    file: RecipeFile,
    data: tuple[Path, ...],
    dev: tuple[Path, ...],
    output: Path,
    device: str,
    engine: str | None,
    *,
    as_json: bool,
) -> None:
    # Threads of one process would throw each other's dice.
    if engine is not None and engine.partition("://")[0] == "local":
        raise InputError("--engine local has threads of one process; use processes://1 instead.")
    recipes = file.swept()
    opened = open_engine(engine or "processes://1")
    done: list[SweptRecipe] = []
    try:
        found = sweep(
            recipes,
            train_files=data,
            test_files=dev,
            folder=output,
            device=device,
            engine=opened,
        )
        async with aclosing(found):  # type: ignore[type-var]
            async for each in found:
                done.append(each)
                click.echo(f"{len(done)} of {len(recipes)}: {each.name}", err=True)
    finally:
        await opened.close()
    ranked = sorted(done, key=lambda each: (each.best != each.best, each.best))
    if as_json:
        print_json({"sweep": ranked})
        return
    rows = [("recipe", "measure", "best", "epoch", "seconds", "problem")]
    rows += [
        (
            each.name,
            each.watched,
            "–" if each.problem else f"{each.best:.4g}",
            str(each.best_epoch),
            f"{each.seconds:.0f}",
            each.problem,
        )
        for each in ranked
    ]
    click.echo(table_text(rows, whole=(0,)))
    click.echo(f"Written to {output}")
