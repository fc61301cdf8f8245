"""What `palaver train` does once PyTorch is known to be there."""

import asyncio
import multiprocessing
import os
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from pathlib import Path

import click

from palaver.cli.output import print_json, table_text
from palaver.core.errors import InputError
from palaver.core.protocols import Engine
from palaver.core.words import counted
from palaver.engines.processes import ProcessEngine
from palaver.engines.registry import open_engine
from palaver.models.__main__ import result_lines
from palaver.models.recipe import RecipeFile, TrainingSettings
from palaver.models.settings import described
from palaver.models.sweep import SweptRecipe, sweep
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
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
        kind = TrainingSettings if start else plain.kind.settings_type
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
    with _told_how_to_go_on(f"The same command goes on after the last epoch in {output}."):
        result = train(plan, TerminalProgress())
    if as_json:
        print_json(
            {
                "checkpoint": str(output),
                "was_finished": result.was_finished,
                "unmeasured": result.unmeasured,
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
    overwrite: bool,
    as_json: bool,
) -> None:
    """Train every combination of a sweep and print them, the best first; status 1 if one failed."""
    # Threads of one process would throw each other's dice.
    if engine is not None and engine.partition("://")[0] == "local":
        raise InputError("--engine local has threads of one process; use processes://1 instead.")
    recipes = file.swept()
    opened = open_engine(engine or "processes://1")
    found = sweep(
        recipes,
        train_files=data,
        test_files=dev,
        folder=output,
        device=device,
        engine=opened,
        threads=_threads(opened),
        overwrite=overwrite,
    )
    with _told_how_to_go_on(f"What is done is kept in {output}; the same command trains the rest."):
        done = asyncio.run(_heard(found, opened, len(recipes)))
    ranked = sorted(done, key=lambda each: (each.best != each.best, each.best))
    if as_json:
        print_json({"sweep": ranked})
    else:
        click.echo(_sweep_text(ranked, output))
    if any(each.problem for each in done):
        sys.exit(1)


async def _heard(
    found: AsyncIterator[SweptRecipe], engine: Engine, count: int
) -> list[SweptRecipe]:
    """Each combination, told as it is done."""
    done: list[SweptRecipe] = []
    try:
        async with aclosing(found):  # type: ignore[type-var]
            async for each in found:
                done.append(each)
                told = f": {each.problem}" if each.problem else ""
                click.echo(f"{len(done)} of {count}: {each.name}{told}", err=True)
    except asyncio.CancelledError:
        # Nobody waits any longer for what they would bring back, which may take hours.
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    finally:
        await engine.close()
    return done


def _threads(engine: Engine) -> int:
    """An equal share of the processors for each process: more of them wait for each other.

    On a cluster its workers say themselves how many threads they have.
    """
    if isinstance(engine, ProcessEngine):
        return max(1, (os.cpu_count() or 1) // engine.processes)
    return 0


def _sweep_text(ranked: Sequence[SweptRecipe], output: Path) -> str:
    rows = [("recipe", "measure", "best", "epoch", "seconds")]
    rows += [
        (
            each.name,
            each.watched.replace("_", " "),
            f"{each.best:.4g}",
            str(each.best_epoch),
            f"{each.seconds:,.0f}",
        )
        for each in ranked
        if not each.problem
    ]
    lines = [table_text(rows, whole=(0,)), ""] if len(rows) > 1 else []
    failed = [each for each in ranked if each.problem]
    if len(rows) > 1:
        lines.append(
            f"Best on what was held out comes first. {counted(len(rows) - 1, 'checkpoint')} in {output}."
        )
    lines += [f"{each.name} failed: {each.problem}" for each in failed]
    return "\n".join(lines)


@contextmanager
def _told_how_to_go_on(words: str) -> Iterator[None]:
    """After Ctrl-C, what is kept and what to do."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\nStopped. {words}", err=True)
        raise click.Abort from None
