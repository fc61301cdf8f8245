"""Learning to write: a language model, rows of tokens to learn from, and rows that are held out."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor, nn

from palaver.models.language.fine_tuned import FineTuning
from palaver.models.language.network import LanguageNetwork
from palaver.models.language.rows import TokenBatch, TokenRows
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

# Columns of what is counted of each row.
_NLL, _RIGHT, _TOKENS = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMatter:
    """What is learnt from: rows, what the card says of them, and how a file of others is read."""

    learnt: TokenRows
    held: TokenRows
    read: Callable[[Sequence[Path]], TokenRows]
    note: DataNote
    words: Words
    # What an interval draws anew, such as dialogues, and what is counted of each.
    unit: str
    counted: str


class WritingLearner:
    """A language model whose loss is the mean NLL of what it should write."""

    watched = "perplexity"

    def __init__(
        self,
        network: LanguageNetwork,
        matter: WrittenMatter,
        *,
        tuning: FineTuning,
        material: LearnerMaterial,
    ) -> None:
        self.network: nn.Module = network
        self._language = network
        self._matter = matter
        self._tuning = tuning
        self._material = material

    @property
    def steps(self) -> int:
        return math.ceil(len(self._matter.learnt) / self._material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[TokenBatch]:
        learnt = self._matter.learnt
        for rows in learnt.shuffled(self._material.batch, dice):
            yield learnt.taken(rows)

    def loss(self, batch: TokenBatch) -> Tensor:
        return self._language.loss(batch)

    def measure(self) -> dict[str, float]:
        sums = read_tallies(self._language, self._matter.held, batch=self._material.batch).sum(0)
        return {
            "perplexity": float(np.exp(sums[_NLL] / sums[_TOKENS])),
            "token_accuracy": float(sums[_RIGHT] / sums[_TOKENS]),
        }

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        rows = self._matter.read(files)
        tallies = read_tallies(self._language, rows, batch=self._material.batch)
        return read_figures(
            rows,
            tallies,
            unit=self._matter.unit,
            counted=self._matter.counted,
            seed=self._material.seed,
        )

    def words(self) -> Words:
        return {**self._matter.words, **self._tuning.words()}

    def note(self) -> DataNote:
        return self._matter.note

    def texts(self) -> dict[str, str]:
        """The files of a language model that a checkpoint holds beside its weights."""
        return self._tuning.texts()

    def recipe_sections(self) -> dict[str, Any]:
        """What the recipe of the checkpoint says beside its own: which model it began with."""
        return self._tuning.sections()

    def kept_weights(self, weights: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The weights of a training as a checkpoint keeps them."""
        return self._tuning.kept(self._language, weights)


def read_tallies(network: LanguageNetwork, rows: TokenRows, *, batch: int) -> Numbers:
    """What is counted of each row (rows, 3); the network is in eval mode."""
    found = torch.zeros(len(rows), 3, dtype=torch.float64)
    with torch.no_grad():
        for numbers in rows.parts(batch):
            read = network.reads(rows.taken(numbers))
            columns = [read.nll, read.right, read.tokens]
            found[numbers] = torch.stack([each.double() for each in columns], dim=1).cpu()
    return found.numpy()


def read_figures(
    rows: TokenRows, tallies: Numbers, *, unit: str, counted: str, seed: int
) -> list[MeasuredFigure]:
    """Perplexity and token accuracy with intervals that draw dialogues or situations anew."""
    numbers: dict[int, int] = {}
    where = [numbers.setdefault(each, len(numbers)) for each in rows.units]
    by_unit = np.zeros((len(numbers), tallies.shape[1]))
    np.add.at(by_unit, where, tallies)
    return [
        ratio_figure(
            "perplexity",
            by_unit[:, _NLL],
            by_unit[:, _TOKENS],
            about=f"exp of the mean NLL of {counted}",
            unit=unit,
            seed=seed,
            write=np.exp,
        ),
        ratio_figure(
            "token accuracy",
            by_unit[:, _RIGHT],
            by_unit[:, _TOKENS],
            about=f"share that is the likeliest token, of {counted}",
            unit=unit,
            seed=seed,
            is_share=True,
        ),
    ]
