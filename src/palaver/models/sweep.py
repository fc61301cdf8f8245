"""A sweep: one training for each combination of values, here one after another, or over an engine.

A piece of work carries the recipe and the content of the data files and brings back a checkpoint as
files, so that a worker needs no disk in common with whoever asked.
"""

import math
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from palaver.core.errors import InputError, PalaverError
from palaver.core.protocols import Engine
from palaver.models.checkpoints.folder import (
    SETTINGS,
    Checkpoint,
    open_checkpoint,
    write_together,
)
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import Recipe, read_recipe
from palaver.models.train import finished_training, train
from palaver.models.training.places import check_clearable, check_files, clear, held
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.processes import chosen_device


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPiece:
    """One training, as it travels to a worker."""

    name: str
    recipe: Mapping[str, Any]
    train: Mapping[str, bytes]
    test: Mapping[str, bytes]
    device: str
    # Processor threads of the training; 0: as many as PyTorch takes by itself.
    threads: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAnswer:
    """What a worker sends back: the files of the checkpoint, or why there is none."""

    name: str
    files: Mapping[str, bytes]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptRecipe:
    """One combination, and what came of it."""

    name: str
    watched: str = ""
    best: float = math.nan
    best_epoch: int = 0
    seconds: float = 0.0
    figures: tuple[MeasuredFigure, ...] = ()
    problem: str = ""


def train_piece(piece: SweepPiece) -> SweepAnswer:
    """Train one combination on a worker."""
    if piece.threads:
        torch.set_num_threads(piece.threads)
    with tempfile.TemporaryDirectory(prefix="palaver-train-") as made:
        folder = Path(made)
        try:
            write_together(folder / "data", {**piece.train, **piece.test})
            plan = TrainingPlan(
                recipe=read_recipe(piece.recipe),
                train=tuple(folder / "data" / name for name in piece.train),
                test=tuple(folder / "data" / name for name in piece.test),
                folder=folder / piece.name,
                device=chosen_device(piece.device),
            )
            train(plan)
        except PalaverError as error:
            return SweepAnswer(name=piece.name, files={}, problem=str(error))
        files = {
            path.relative_to(plan.folder).as_posix(): path.read_bytes()
            for path in sorted(plan.folder.rglob("*"))
            if path.is_file()
        }
        return SweepAnswer(name=piece.name, files=files)


async def sweep(
    recipes: Sequence[tuple[str, Recipe]],
    *,
    train_files: Sequence[Path],
    test_files: Sequence[Path],
    folder: Path,
    device: str,
    engine: Engine,
    threads: int = 0,
    overwrite: bool = False,
) -> AsyncIterator[SweptRecipe]:
    """Yield each combination as it is done; those that are there already come first.

    What is there and was made by another recipe, or from other files, is an InputError.
    """
    check_files((*train_files, *test_files))
    if starting := next((name for name, recipe in recipes if recipe.start), ""):
        raise InputError(
            f"'{starting}' starts from another checkpoint, which does not travel to a worker. "
            "Train such recipes one by one."
        )
    with held(folder, is_writer=True):
        missing = []
        for name, recipe in recipes:
            plan = TrainingPlan(
                recipe=recipe,
                train=tuple(train_files),
                folder=folder / name,
                device=torch.device("cpu"),
            )
            if overwrite:
                check_clearable(plan.folder)
            done = None if overwrite else finished_training(plan)
            if done is None:
                missing.append((name, recipe))
            else:
                yield _swept(name, done.checkpoint)
        contents = [
            {path.name: path.read_bytes() for path in each} for each in (train_files, test_files)
        ]
        pieces = [
            SweepPiece(
                name=name,
                recipe=recipe.as_json(),
                train=contents[0],
                test=contents[1],
                device=device,
                threads=threads,
            )
            for name, recipe in missing
        ]
        answers = engine.map(train_piece, pieces)
        async with aclosing(answers):  # type: ignore[type-var]
            async for _, answer in answers:
                if answer.problem:
                    yield SweptRecipe(name=answer.name, problem=answer.problem)
                    continue
                if overwrite:
                    clear(folder / answer.name)
                _keep(folder / answer.name, answer.files)
                yield _swept(answer.name, open_checkpoint(folder / answer.name))


def _keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a checkpoint, members first, the settings that bind them last."""
    by_folder: dict[Path, dict[str, bytes]] = {}
    for name, content in files.items():
        path = folder / name
        by_folder.setdefault(path.parent, {})[path.name] = content
    for where in sorted(by_folder, key=lambda each: -len(each.parts)):
        held = by_folder[where]
        write_together(where, dict(sorted(held.items(), key=lambda item: item[0] == SETTINGS)))


def _swept(name: str, checkpoint: Checkpoint) -> SweptRecipe:
    measured = checkpoint.measured
    return SweptRecipe(
        name=name,
        watched=str(measured.get("watched", "")),
        best=math.nan if measured.get("best") is None else float(measured["best"]),
        best_epoch=int(measured.get("best_epoch", 0)),
        seconds=float(measured.get("seconds", 0.0)),
        figures=tuple(MeasuredFigure(**each) for each in measured.get("figures", [])),
    )
