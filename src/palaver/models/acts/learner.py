"""Learning what people did next, from views of dialogues.

All views lie on the device as padded tensors; an epoch's order is drawn on the CPU and sent there once.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from palaver.models.acts.games import ActDialogues, ActGame
from palaver.models.acts.grammar import PAD_NUMBER
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.tallies import measured_views, read_logits, view_figures, view_tallies
from palaver.models.acts.views import ActViewTensors
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure

# Lengths in a batch differ by about this share.
_MIXING = 0.2


@dataclass(frozen=True, slots=True)
class ActBatch:
    """Which views an update learns from, and how many pairs the longest has."""

    rows: Tensor
    pairs: int


class ActLearner:
    """A network whose loss is the mean NLL of the words of own turns."""

    watched = "perplexity"

    def __init__(
        self,
        network: ActNetwork,
        game: ActGame,
        dialogues: ActDialogues,
        *,
        licence: str,
        material: LearnerMaterial,
    ) -> None:
        self.network: nn.Module = network
        self.game = game
        self._network = network
        self._dialogues = dialogues
        self._licence = licence
        self._material = material
        self.learnt = ActViewTensors.of(dialogues.learnt, material.device)
        self.held = ActViewTensors.of(dialogues.held, material.device)
        self._tables = game.grammar.tables(material.device)

    @property
    def steps(self) -> int:
        return math.ceil(len(self.learnt) / self._material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[ActBatch]:
        """Views of about the same length together, batches of equal size, in any order."""
        sizes = self.learnt.sizes
        shuffled = torch.randperm(len(sizes), generator=dice)
        longer = 1 + _MIXING * torch.rand(len(sizes), generator=dice)
        order = shuffled[(sizes[shuffled] * longer).argsort(stable=True)]
        parts = order.tensor_split(self.steps)
        sent = order.to(self._material.device).tensor_split(self.steps)
        for number in torch.randperm(self.steps, generator=dice).tolist():
            yield ActBatch(sent[number], int(sizes[parts[number]].max()))

    def loss(self, batch: ActBatch) -> Tensor:
        views = self.learnt.taken(batch.rows, batch.pairs)
        logits = read_logits(self._network, views, self._tables)
        return functional.cross_entropy(
            logits.flatten(0, 2), views.own.flatten(), ignore_index=PAD_NUMBER
        )

    def measure(self) -> dict[str, float]:
        return measured_views(view_tallies(self._network, self.game, self.held), self.game)

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """Figures for each way in which the acts of the files are known."""
        figures = []
        readings = self.game.readings(files)
        for reads, told in readings.items():
            views = self.game.views(files, reads=reads)
            tensors = ActViewTensors.of(views, self._material.device)
            figures += view_figures(
                views,
                view_tallies(self._network, self.game, tensors),
                self.game,
                seed=self._material.seed,
                on=told if len(readings) > 1 else "",
            )
        return figures

    def words(self) -> Words:
        return {"acts": self.game.grammar.words, "knowledge": self.game.knows}

    def note(self) -> DataNote:
        counts = {
            **self._dialogues.counts,
            "views": len(self.learnt) + len(self.held),
            "own turns": sum(len(v.own) for v in (*self._dialogues.learnt, *self._dialogues.held)),
            "words in the vocabulary": len(self.game.grammar),
        }
        return DataNote(about=self._dialogues.about, counts=counts, licence=self._licence)
