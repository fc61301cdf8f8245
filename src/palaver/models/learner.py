"""The seams of training: what learns, and what a kind of model offers.

The trainer knows nothing of dialogues. It asks a learner for updates, takes the gradient of its loss,
and lets it measure itself on what was held out. A kind of model makes learners; `MODELS` finds it by
name. What plays or answers from a checkpoint is found by the same name (`faces`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from palaver.models.measured import MeasuredFigure

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from palaver.models.checkpoints.folder import Checkpoint

# The vocabulary of a checkpoint: lists of words (or labels) by what they are for.
Words = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerMaterial:
    """What a learner is made of: the data files as they were read, and where it computes."""

    train: tuple[Path, ...]
    seed: int
    device: "torch.device"
    # How many examples an update of this process takes.
    batch: int = 32
    # Which of the equal parts of the training data is held out, counted from 0, and the seed that the
    # parts are cut with: the same for all members of an ensemble, whose own seeds differ.
    fold: int = 0
    cut: int = 1
    # The checkpoint that training starts from, where the recipe names one.
    start: "Checkpoint | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataNote:
    """What the card says of the data that was learnt from."""

    about: str
    counts: Mapping[str, int] = field(default_factory=dict)
    licence: str = ""


class Learner(Protocol):
    """One model in training. Everything by chance comes from the dice that are handed in."""

    # The name of the measure that says which epoch was best; lower is better.
    watched: str

    @property
    def network(self) -> "nn.Module":
        """What holds the weights; on the device of the material."""
        ...

    @property
    def steps(self) -> int:
        """How many updates an epoch has, whatever the dice say."""
        ...

    def updates(self, epoch: int, dice: "torch.Generator") -> Iterable[Any]:
        """The batches of one epoch, in the order of the dice (a generator on the CPU).

        With several processes each takes every n-th batch: all must see the same order.
        """
        ...

    def loss(self, batch: Any) -> "Tensor":
        """What to lower, as one number with a gradient; computed with `network` as it is."""
        ...

    def measure(self) -> dict[str, float]:
        """Measures on what was held out; `watched` is among them. The network is in eval mode."""
        ...

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """Figures with intervals on files nobody trained on; called once, with the best weights."""
        ...

    def words(self) -> Words:
        """The vocabulary that a checkpoint keeps."""
        ...

    def note(self) -> DataNote:
        """What the card says of the training data."""
        ...


class ModelKind(Protocol):
    """A kind of model, as a recipe names it under `model`."""

    about: ClassVar[str]
    # A frozen dataclass (see `settings`): the sections of a recipe beside `training`.
    settings_type: ClassVar[type[Any]]

    def learner(self, settings: Any, material: LearnerMaterial) -> Learner:
        """A learner with fresh weights, or with those it starts from; its network is on the device."""
        ...
