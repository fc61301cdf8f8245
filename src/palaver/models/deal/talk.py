"""Learning to talk, and to tell who gets what, from lines of dialogues.

All lines lie on the device as padded tensors. An epoch's order and permutations are drawn on the CPU
and sent there once, so that no update waits for anything.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from palaver.models.deal.lines import DealLine, divided, read_lines
from palaver.models.deal.reading import DealReader
from palaver.models.deal.tallies import line_figures, line_tallies, measured_lines
from palaver.models.deal.tensors import LineTensors, next_words
from palaver.models.deal.words import PAD_NUMBER, ItemPermutations
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.settings import COUNT, NATURAL, PROBABILITY, Bounds, option
from palaver.models.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkSettings:
    """Which words are known, what is held out, and how lines come."""

    least: int = option(20, "a word seen fewer times is unknown", COUNT)
    folds: int = option(10, "one dialogue in so many is held out", Bounds(least=2))
    permute: float = option(
        0.0, "share of lines in which the three items change their names by lot", PROBABILITY
    )
    mixing: float = option(
        0.2, "lengths in a batch differ by about this share; 0: as little as can be", NATURAL
    )
    licence: str = option(
        "as its file says; the published dialogues are CC BY-NC 4.0", "of the dialogues"
    )


@dataclass(frozen=True, slots=True)
class TalkBatch:
    """Which lines an update learns from, how each names its items, and how long the longest is."""

    rows: Tensor
    ways: Tensor
    width: int


class TalkLearner:
    """A reader whose loss is the mean NLL of words, and beside it, with a weight, of slots."""

    watched = "perplexity"

    def __init__(
        self,
        network: DealReader,
        vocabulary: Vocabulary,
        lines: Sequence[DealLine],
        *,
        settings: TalkSettings,
        slots_weight: float,
        material: LearnerMaterial,
    ) -> None:
        self.network: nn.Module = network
        self.vocabulary = vocabulary
        self._reader = network
        self._settings = settings
        self._slots_weight = slots_weight
        self._material = material
        fold, folds = material.fold, settings.folds
        learnt, held = divided(lines, fold=fold, folds=folds, seed=material.cut)
        self._lines, self._held_lines = learnt, held
        self.learnt = LineTensors.of(learnt, vocabulary, material.device)
        self.held = LineTensors.of(held, vocabulary, material.device)
        self._permutations = ItemPermutations.of(vocabulary, material.device)

    @property
    def steps(self) -> int:
        return math.ceil(len(self.learnt) / self._material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[TalkBatch]:
        """Lines of about the same length together, batches of equal size, in any order."""
        device = self._material.device
        order, ways = self._order(dice), self._ways(dice)
        widths = [int(self.learnt.sizes[rows].max()) for rows in order.tensor_split(self.steps)]
        batches = list(
            zip(
                order.to(device).tensor_split(self.steps),
                ways[order].to(device).tensor_split(self.steps),
                widths,
                strict=True,
            )
        )
        for number in torch.randperm(self.steps, generator=dice).tolist():
            yield TalkBatch(*batches[number])

    def loss(self, batch: TalkBatch) -> Tensor:
        lines = self.learnt.taken(batch.rows, batch.width)
        contexts, words, slots = lines.contexts, lines.words, lines.slots
        if self._settings.permute:
            contexts, words, slots = self._permutations.permute(batch.ways, contexts, words, slots)
        reading = self._reader.read(contexts, words, lines.lengths)
        said = functional.cross_entropy(
            reading.logits.flatten(0, 1), next_words(words).flatten(), ignore_index=PAD_NUMBER
        )
        return said - self._slots_weight * reading.slots.gather(2, slots[:, :, None]).mean()

    def measure(self) -> dict[str, float]:
        return measured_lines(line_tallies(self._reader, self.held))

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        lines = read_lines(files)
        tensors = LineTensors.of(lines, self.vocabulary, self._material.device)
        return line_figures(lines, line_tallies(self._reader, tensors), seed=self._material.seed)

    def words(self) -> Words:
        return {"words": self.vocabulary.words}

    def note(self) -> DataNote:
        lines = [*self._lines, *self._held_lines]
        return DataNote(
            about="Dialogues of Deal or No Deal, a line for each side's view",
            counts={
                "lines": len(lines),
                "dialogues": len({line.dialogue for line in lines}),
                "lines without a deal": sum(not line.is_deal for line in lines),
                "lines held out": len(self._held_lines),
                "words, marks included": sum(len(line.words) for line in lines),
                "words in the vocabulary": len(self.vocabulary),
            },
            licence=self._settings.licence,
        )

    def _order(self, dice: Generator) -> Tensor:
        sizes = self.learnt.sizes
        shuffled = torch.randperm(len(sizes), generator=dice)
        longer = 1 + self._settings.mixing * torch.rand(len(sizes), generator=dice)
        return shuffled[(sizes[shuffled] * longer).argsort(stable=True)]

    def _ways(self, dice: Generator) -> Tensor:
        """How each line names its items: mostly as it is, the others by lot."""
        lines = len(self.learnt)
        is_permuted = torch.rand(lines, generator=dice) < self._settings.permute
        ways = torch.randint(len(self._permutations.contexts), (lines,), generator=dice)
        return ways * is_permuted
