"""A model that is trained in no time: a line through points, with dropout so that chance matters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.models.learner import DataNote, LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import Recipe, read_recipe
from palaver.models.registry import MODELS
from palaver.models.settings import SHARE, option


@dataclass(frozen=True, slots=True, kw_only=True)
class ToySettings:
    """What a toy can be told."""

    dropout: float = option(0.3, "of the inputs", SHARE)
    poison: int = option(0, "the epoch whose loss is no number; 0: none")
    spoilt: int = option(0, "the measuring whose error is no number; 0: none")
    batch: int = option(4, "points in a batch")


class ToyLearner:
    """Fits y = 2 x + 1."""

    watched = "error"

    def __init__(self, settings: ToySettings, material: LearnerMaterial) -> None:
        self.settings = settings
        self.network = nn.Sequential(nn.Dropout(settings.dropout), nn.Linear(1, 1))
        self.network.to(material.device)
        self.measured = 0
        self.points = [_points(path) for path in material.train]
        self.x, self.y = self.points[0]

    @property
    def steps(self) -> int:
        return len(self.x) // self.settings.batch

    def updates(self, epoch: int, dice: torch.Generator) -> Iterator[tuple[int, Tensor]]:
        order = torch.randperm(len(self.x), generator=dice)
        for n in range(self.steps):
            size = self.settings.batch
            yield epoch, order[n * size : (n + 1) * size]

    def loss(self, batch: tuple[int, Tensor]) -> Tensor:
        epoch, chosen = batch
        loss = (self.network(self.x[chosen]) - self.y[chosen]).square().mean()
        return loss * float("nan") if epoch == self.settings.poison else loss

    def measure(self) -> dict[str, float]:
        error: Tensor = (self.network(self.x) - self.y).square().mean()
        self.measured += 1
        is_spoilt = self.measured == self.settings.spoilt
        return {"error": float("nan") if is_spoilt else float(error)}

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        x, y = _points(files[0])
        error: Tensor = (self.network(x) - y).square().mean()
        return [MeasuredFigure(name="error", value=float(error), n=len(x), unit="points")]

    def words(self) -> dict[str, list[str]]:
        return {"words": ["x", "y"]}

    def note(self) -> DataNote:
        return DataNote(about="Points on a line.", counts={"points": len(self.x)}, licence="CC0")


class Toy:
    """The kind of model."""

    about: ClassVar[str] = "a line through points"
    settings_type: ClassVar[type[ToySettings]] = ToySettings

    def learner(self, settings: ToySettings, material: LearnerMaterial) -> ToyLearner:
        return ToyLearner(settings, material)

    @staticmethod
    def check_test(settings: ToySettings, files: Sequence[Path]) -> None:
        for path in files:
            _points(path)


MODELS.register("toy", Toy)


def toy_recipe(seed: int = 1, **sections: object) -> Recipe:
    """A recipe of a toy; `training` has a moving average, momentum of Adam and a schedule."""
    training = {"epochs": 6, "rate": 0.1, "schedule": "one-cycle", "average": 0.8, "clip": 5.0}
    given = {"model": "toy", "seed": seed, **sections}
    given["training"] = {**training, **(given.get("training") or {})}  # type: ignore[dict-item]
    return read_recipe(given)


def toy_points(path: Path, count: int = 40) -> Path:
    """A file of points on the line."""
    lines = [f"{x / 10} {2 * x / 10 + 1}" for x in range(count)]
    path.write_text("\n".join(lines))
    return path


def _points(path: Path) -> tuple[Tensor, Tensor]:
    try:
        pairs = [tuple(map(float, line.split())) for line in path.read_text().splitlines()]
        x, y = zip(*pairs, strict=True)
    except ValueError as error:
        raise InputError(f"{path}: expected two numbers a line ({error}).") from error
    return torch.tensor(x).unsqueeze(1), torch.tensor(y).unsqueeze(1)
