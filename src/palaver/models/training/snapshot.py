"""All that a training needs to go on: one safetensors file, replaced whole after an epoch.

Chance needs no place in it: the dice of an epoch are thrown from the seed and its number.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import (
    UNFINISHED,
    CheckpointError,
    read_tensors,
    write_together,
)
from palaver.models.training.curve import CurveRow, read_rows
from palaver.models.training.steps import MovingAverage

FILE = "state.safetensors"
_META = "meta"


@dataclass(slots=True)
class TrainingState:
    """How far a training is, apart from weights."""

    epoch: int = 0
    step: int = 0
    rows: list[CurveRow] = field(default_factory=list)
    best: float = float("inf")
    best_epoch: int = 0
    seconds: float = 0.0

    @property
    def since_best(self) -> int:
        """How many epochs there were without a better one."""
        return self.epoch - self.best_epoch

    def as_json(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__ if name != "rows"}
        if found["best"] == float("inf"):
            found["best"] = None
        return {**found, "rows": [row.as_json() for row in self.rows]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "TrainingState":
        best = given["best"]
        told = {**given, "best": float("inf") if best is None else best}
        return cls(**{**told, "rows": read_rows(told["rows"])})


@dataclass(slots=True, kw_only=True)
class Snapshot:
    """What is put into the file: state, weights, average, optimizer, and the best weights so far."""

    state: TrainingState
    recipe: Mapping[str, Any]
    data: Mapping[str, str]
    network: Mapping[str, Tensor]
    optimizer: Mapping[str, Any]
    average: MovingAverage | None = None
    best: Mapping[str, Tensor] = field(default_factory=dict)
    processes: int = 1

    def write(self, folder: Path) -> None:
        """Replace the file in the folder of a checkpoint."""
        from safetensors.torch import save

        tensors = {
            **_under("network", self.network),
            **_under("best", self.best),
            **_optimizer_tensors(self.optimizer),
        }
        meta: dict[str, Any] = {
            "state": self.state.as_json(),
            "recipe": self.recipe,
            "data": self.data,
            "processes": self.processes,
        }
        if self.average is not None:
            tensors |= _under("average", self.average.weights)
            meta["average_steps"] = self.average.steps
        content = save(tensors, metadata={_META: json.dumps(meta)})
        write_together(folder / UNFINISHED, {FILE: content})


@dataclass(frozen=True, slots=True)
class FoundSnapshot:
    """A file that was found, before it is put back into a network."""

    meta: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    @property
    def state(self) -> TrainingState:
        return TrainingState.from_json(self.meta["state"])

    def best(self) -> dict[str, Tensor]:
        return _from_under("best", self.tensors)

    def restore(
        self,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        average: MovingAverage | None,
    ) -> None:
        """Put weights, optimizer and average back as they were."""
        network.load_state_dict(_from_under("network", self.tensors))
        groups = optimizer.state_dict()["param_groups"]
        states: dict[int, dict[str, Tensor]] = {}
        for name, each in _from_under("optimizer", self.tensors).items():
            number, _, key = name.partition(".")
            states.setdefault(int(number), {})[key] = each
        if states:
            optimizer.load_state_dict({"state": states, "param_groups": groups})
        if average is not None:
            average.steps = self.meta["average_steps"]
            for name, each in _from_under("average", self.tensors).items():
                average.weights[name].copy_(each)


def find_snapshot(folder: Path) -> FoundSnapshot | None:
    """What an unfinished training in this folder left, if there is one."""
    path = folder / UNFINISHED / FILE
    if not path.is_file():
        return None
    try:
        tensors = read_tensors(path)
        with path.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            meta = json.loads(json.loads(stream.read(size))["__metadata__"][_META])
    except (CheckpointError, OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} cannot be gone on with: {error} Remove the folder {path.parent} to begin anew."
        ) from error
    return FoundSnapshot(meta, tensors)


def _optimizer_tensors(state: Mapping[str, Any]) -> dict[str, Tensor]:
    return {
        f"optimizer.{number}.{key}": torch.as_tensor(value).detach().cpu().contiguous().clone()
        for number, entries in state["state"].items()
        for key, value in entries.items()
        if value is not None
    }


def _under(above: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    # A copy each: safetensors refuses tensors that share memory, as tied embeddings do.
    return {f"{above}.{n}": t.detach().cpu().contiguous().clone() for n, t in tensors.items()}


def _from_under(above: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    start = f"{above}."
    return {name[len(start) :]: each for name, each in tensors.items() if name.startswith(start)}
