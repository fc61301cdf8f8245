"""What is asked of a training: a recipe, files, a folder, a device."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from palaver.models.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """What is trained from which files, and where it is kept."""

    recipe: Recipe
    train: tuple[Path, ...]
    folder: Path
    device: torch.device
    test: tuple[Path, ...] = ()
    overwrite: bool = False
    # What a start checkpoint in the recipe is relative to.
    base: Path = Path()
    fold: int = 0
    # The seed that the training data are cut with; without, that of the recipe.
    cut: int | None = None

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    def member(self, number: int) -> "TrainingPlan":
        """The plan of one member of an ensemble: another seed, another part held out, no test."""
        return replace(
            self,
            recipe=self.recipe.member(number),
            folder=self.folder / f"member-{number + 1}",
            test=(),
            fold=number,
            cut=self.recipe.seed,
            overwrite=False,
        )
