"""A text model in training: its tables of features, its batches, and its loss."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.baselines.bags import BagTable, Whole
from palaver.models.baselines.examples import (
    GoldExample,
    GoldExamples,
    NothingToLearnError,
    part_numbers,
    read_examples_of,
)
from palaver.models.baselines.features import FeatureRow
from palaver.models.baselines.figures import figure_name, figures_of, values_of
from palaver.models.baselines.layout import TaskLayout
from palaver.models.baselines.parts import ModelPart
from palaver.models.baselines.text_model import AT_ONCE, TextModel, answers_of
from palaver.models.learner import DataNote
from palaver.models.measured import MeasuredFigure


@dataclass(frozen=True, slots=True)
class DividedExamples:
    """Examples of a task, a tenth of them held out."""

    layout: TaskLayout
    learnt: tuple[GoldExample, ...]
    held_out: tuple[GoldExample, ...]
    # How many more there were than may be learnt from.
    left_out: int = 0

    def capped(self, parts: Sequence[ModelPart], most_rows: int, seed: int) -> "DividedExamples":
        """As many examples, drawn by the seed, as have no more rows of features than `most_rows`."""
        sizes = np.array([sum(part.size(e.question) for part in parts) for e in self.learnt])
        if sizes.sum() <= most_rows:
            return self
        order = np.random.default_rng(seed).permutation(len(sizes))
        kept = np.sort(order[: max(1, int((sizes[order].cumsum() <= most_rows).sum()))])
        return replace(
            self,
            learnt=tuple(self.learnt[n] for n in kept),
            left_out=len(self.learnt) - len(kept),
        )


def divided(data: GoldExamples, fold: int) -> DividedExamples:
    """The examples without one of their ten parts, and that part."""
    parts = part_numbers(data.layout, [each.question for each in data.examples])
    pairs = list(zip(data.examples, parts, strict=True))
    return DividedExamples(
        data.layout,
        tuple(each for each, part in pairs if part != fold),
        tuple(each for each, part in pairs if part == fold),
    )


class TextLearner:
    """A text model that learns from some examples and is watched on others."""

    watched = "loss"

    def __init__(
        self,
        model: TextModel,
        data: DividedExamples,
        *,
        words: Callable[[], dict[str, list[str]]],
        strength: float,
        batch: int,
    ) -> None:
        self.model = model
        self.network = model.network
        self.data = data
        self._words = words
        self._strength = strength
        self._batch = batch
        self._learnt = [_PartTable(model, n, data.learnt) for n in range(len(model.parts))]
        self._held_out = [_PartTable(model, n, data.held_out) for n in range(len(model.parts))]
        for table in (*self._learnt, *self._held_out):
            table.check()

    @property
    def steps(self) -> int:
        return -(-len(self.data.learnt) // self._batch)

    def updates(self, epoch: int, dice: torch.Generator) -> Iterable[Any]:
        order = torch.randperm(len(self.data.learnt), generator=dice).numpy()
        return (order[n : n + self._batch] for n in range(0, len(order), self._batch))

    def loss(self, batch: Any) -> Tensor:
        """The mean loss of each part, and the penalty that scikit-learn's C stands for.

        With n examples and C as `strength`: mean loss + |w|² / (2 C n), which is scikit-learn's
        C · sum of losses + |w|² / 2, divided by C · n.
        """
        losses = [table.loss(batch) for table in self._learnt]
        scale = self._strength * len(self.data.learnt)
        penalties = [each.penalty() / scale for each in self.model.networks]
        return torch.stack([*losses, *penalties]).sum()

    def measure(self) -> dict[str, float]:
        """The loss without the penalty on what is held out, and how good the answers are."""
        count = len(self.data.held_out)
        chunks = [np.arange(n, min(n + AT_ONCE, count)) for n in range(0, count, AT_ONCE)]
        losses = [float(sum(t.loss(c) for t in self._held_out)) * len(c) for c in chunks]
        answers: list[dict[str, Any]] = [{} for _ in range(count)]
        for table in self._held_out:
            for chunk in chunks:
                for n, values in zip(chunk, table.values(chunk), strict=True):
                    answers[n] |= values
        goals = self.data.layout.goals
        return {
            "loss": sum(losses) / count,
            **{
                figure_name(self.data.layout, goal): fmean(
                    values_of(goal, self.data.held_out, answers)
                )
                for goal in goals
            },
        }

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        found = read_examples_of(files)
        if found.layout != self.data.layout:
            raise InputError(f"{files[0]}: it is not of the task that was trained on.")
        answers = answers_of([self.model], [each.question for each in found.examples])
        return figures_of(found.layout, found.examples, answers)

    def words(self) -> dict[str, list[str]]:
        return {**self.data.layout.as_words(), **self._words()}

    def note(self) -> DataNote:
        counts = {
            "examples learnt from": len(self.data.learnt),
            "examples held out": len(self.data.held_out),
        }
        if self.data.left_out:
            counts["examples left out, by chance"] = self.data.left_out
        return DataNote(about=f"Examples of the task {self.data.layout.task}.", counts=counts)


class _PartTable:
    """The rows of some examples as one part of a model takes them, and what is right."""

    def __init__(self, model: TextModel, number: int, examples: Sequence[GoldExample]) -> None:
        self._model, self._number = model, number
        self._part = model.parts[number]
        self._examples = examples
        self._sizes: list[int] = []
        self._table = BagTable.of(self._rows(), model.baggers[number])
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)
        self.targets = [self._part.target(each.question, each.gold) for each in examples]

    def check(self) -> None:
        """NothingToLearnError where nothing can be learnt, or measured, on any of the examples."""
        if all(each is None for each in self.targets):
            count = len(self._examples)
            raise NothingToLearnError(
                f"None of {count:,} examples can be learnt: {_why(self._part)}"
            )

    def loss(self, picked: Whole) -> Tensor:
        scores, sizes = self._scores(picked)
        return self._part.loss(scores, sizes, [self.targets[n] for n in picked])

    def values(self, picked: Whole) -> Iterator[dict[str, Any]]:
        scores, sizes = self._scores(picked)
        for n, chances in zip(picked, self._part.chances(scores, sizes), strict=True):
            yield self._part.values(chances, self._examples[n].question)

    def _rows(self) -> Iterator[FeatureRow]:
        for each in self._examples:
            rows = self._part.rows(each.question)
            self._sizes.append(len(rows))
            yield from rows

    def _scores(self, picked: Whole) -> tuple[Tensor, list[int]]:
        ranges = [np.arange(self._starts[n], self._starts[n + 1]) for n in picked]
        rows = np.concatenate(ranges) if ranges else np.empty(0, np.int64)
        sizes = [len(each) for each in ranges]
        return self._model.scores(self._number, self._table, rows), sizes


def _why(part: ModelPart) -> str:
    most = getattr(part, "most_words", 0)
    return (
        f"no right span stands in its text in {most} words or fewer, and longer ones are not learnt "
        "('words.span')."
        if most
        else "there is no gold."
    )
