"""Learning to advise from what people advised.

Everything lies on the device as long rows of numbers. An epoch's order, and which advice each situation
has in it, is drawn on the CPU, so that no update waits for anything.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
from torch import Generator, Tensor
from torch.nn import functional

from palaver.core.errors import InputError
from palaver.models.advice.adviser import Adviser
from palaver.models.advice.cases import AdvisedCase, read_advised
from palaver.models.advice.figures import (
    advice_tallies,
    answer_figures,
    measured_advice,
    reading_figures,
    spread,
)
from palaver.models.advice.inputs import date_words
from palaver.models.advice.network import EncoderDecoder
from palaver.models.advice.pieces import PAD_NUMBER, WordPieces
from palaver.models.advice.tensors import AdviceBatch, AdviceRows
from palaver.models.advice.writing import AdvicePanel, AdviceWriting
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.settings import NATURAL, Bounds, option

TASK = "advice"
# A file may have all splits: this one is watched, and of the others only those that are asked for are
# learnt from.
WATCHED_SPLIT = "val"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceReading:
    """What is read of the data, and what is held out of them."""

    advice: Literal["best", "drawn"] = option(
        "best", "what is learnt of each situation: its best advice, or in each epoch one by lot"
    )
    pieces: int = option(
        8000, "pairs of pieces of words that are joined at most", Bounds(least=0, most=200_000)
    )
    source: int = option(
        512, "pieces of a situation that are read at most", Bounds(least=32, most=100_000)
    )
    target: int = option(
        256, "pieces of advice that are learnt and written at most", Bounds(least=8, most=100_000)
    )
    splits: tuple[str, ...] = option(
        ("train",), "splits of a file that are learnt from; lines without one always are"
    )
    folds: int = option(
        10,
        "one situation in so many is held out, where a file has no split 'val'",
        Bounds(least=2),
    )
    mixing: float = option(
        0.2, "lengths in a batch differ by about this share; 0: as little as can be", NATURAL
    )
    licence: str = option(
        "as its file says; posts and comments belong to those who wrote them", "of the situations"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceSplit:
    """The situations that are learnt from and those held out, and how many lines are neither."""

    learnt: list[AdvisedCase]
    held: list[AdvisedCase]
    without_advice: int
    others: int

    @property
    def latest(self) -> str:
        """The day of the last situation that is learnt from; empty where no line has one."""
        last = max(case.created for case in self.learnt)
        return date_words(last) if last else ""


def split_cases(settings: AdviceReading, material: LearnerMaterial) -> AdviceSplit:
    """The situations of the files by what they are for; InputError where one part is empty."""
    cases, without = read_advised(material.train)
    watched = [case for case in cases if case.split == WATCHED_SPLIT]
    own = [case for case in cases if not case.split or case.split in settings.splits]
    if watched and WATCHED_SPLIT not in settings.splits:
        learnt, held = own, watched
    else:
        fold = material.fold % settings.folds
        parts = [case.part(settings.folds, material.cut) == fold for case in own]
        learnt = [case for case, is_held in zip(own, parts, strict=True) if not is_held]
        held = [case for case, is_held in zip(own, parts, strict=True) if is_held]
    if not learnt or not held:
        raise InputError(
            f"Of {len(cases):,} situations with advice {len(learnt):,} are left to learn from and "
            f"{len(held):,} to measure on. Give more, another number of 'data.folds', or other "
            "'data.splits'."
        )
    others = len(cases) - len(learnt) - len(held)
    return AdviceSplit(learnt=learnt, held=held, without_advice=without, others=others)


@dataclass(slots=True, kw_only=True)
class AdviceLearner:
    """An encoder and a decoder whose loss is the mean NLL of pieces of advice."""

    network: EncoderDecoder
    pieces: WordPieces
    reading: AdviceReading
    writing: AdviceWriting
    split: AdviceSplit
    material: LearnerMaterial
    learnt: AdviceRows = field(init=False)
    held: AdviceRows = field(init=False)
    watched: str = field(default="perplexity", init=False)

    def __post_init__(self) -> None:
        self.learnt = self._rows(self.split.learnt, best_only=self.reading.advice == "best")
        self.held = self._rows(self.split.held)

    @property
    def steps(self) -> int:
        return math.ceil(len(self.learnt) / self.material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[AdviceBatch]:
        """Situations of about the same length together, batches of equal size, in any order."""
        which = self._which(dice)
        parts = self._order(which, dice).tensor_split(self.steps)
        for number in torch.randperm(self.steps, generator=dice).tolist():
            yield self.learnt.batch(parts[number], which[parts[number]])

    def loss(self, batch: AdviceBatch) -> Tensor:
        logits = self.network(batch.sources, batch.targets[:, :-1])
        return functional.cross_entropy(
            logits.flatten(0, 1), batch.targets[:, 1:].flatten(), ignore_index=PAD_NUMBER
        )

    def measure(self) -> dict[str, float]:
        return measured_advice(advice_tallies(AdvicePanel([self.network]), self.held))

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        return measured_on(self.adviser(), files, seed=self.material.seed)

    def adviser(self) -> Adviser:
        """The network as it is, with what it needs to advise."""
        return Adviser(
            panel=AdvicePanel([self.network]),
            pieces=self.pieces,
            source=self.reading.source,
            target=self.reading.target,
            writing=self.writing,
            device=self.material.device,
        )

    def words(self) -> Words:
        dates = [self.split.latest] if self.split.latest else []
        return {"task": [TASK], "date": dates, **self.pieces.as_words()}

    def note(self) -> DataNote:
        split = self.split
        return DataNote(
            about="Situations that people described, with the advice that others gave",
            counts={
                "situations": len(split.learnt) + len(split.held),
                "situations held out": len(split.held),
                "pieces of advice learnt from": len(self.learnt.targets.sizes),
                "lines without advice, left out": split.without_advice,
                "situations of other splits, left out": split.others,
                "pieces in the vocabulary": len(self.pieces),
            },
            licence=self.reading.licence,
        )

    def _rows(self, cases: Sequence[AdvisedCase], *, best_only: bool = True) -> AdviceRows:
        return AdviceRows.of(
            cases,
            self.pieces,
            source=self.reading.source,
            target=self.reading.target,
            device=self.material.device,
            best_only=best_only,
        )

    def _which(self, dice: Generator) -> Tensor:
        """The advice on each situation in this epoch: the best, or one by lot."""
        chances = torch.rand(len(self.learnt), generator=dice)
        return self.learnt.first + (chances * self.learnt.count).long()

    def _order(self, which: Tensor, dice: Generator) -> Tensor:
        sizes = self.learnt.sizes(which)
        shuffled = torch.randperm(len(sizes), generator=dice)
        longer = 1 + self.reading.mixing * torch.rand(len(sizes), generator=dice)
        return shuffled[(sizes[shuffled] * longer).argsort(stable=True)]


def measured_on(adviser: Adviser, files: Sequence[Path], *, seed: int = 1) -> list[MeasuredFigure]:
    """Figures on files nobody trained on: how advice of people is predicted, and what is advised."""
    cases, _ = read_advised(files)
    found = predicted_on(adviser, cases, seed=seed)
    if adviser.writing.measured:
        asked = [cases[n] for n in spread(len(cases), adviser.writing.measured)]
        said = adviser.advise([case.question for case in asked])
        found += answer_figures(said, [case.advice[0] for case in asked], seed=seed)
    return found


def predicted_on(
    adviser: Adviser, cases: Sequence[AdvisedCase], *, seed: int = 1
) -> list[MeasuredFigure]:
    """How well the best advice of people is predicted."""
    rows = AdviceRows.of(
        cases,
        adviser.pieces,
        source=adviser.source,
        target=adviser.target,
        device=adviser.device,
        best_only=True,
    )
    return reading_figures(advice_tallies(adviser.panel, rows), seed=seed)
