"""The parts of a model: which rows a question has, what is learnt of them, and what they answer.

Every part scores rows of features. For labels a row is the whole question, for distributions by turn
each turn, for spans each word of the text (see `spans`). Probabilities of several models of one kind
are averaged before an answer is read from them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from palaver.models.baselines.features import FeatureRow, Question, question_row, turn_rows
from palaver.models.baselines.layout import TaskGoal, TaskLayout

# The probabilities of one question, as a part keeps them: on the CPU, so that they can be averaged.
Chances = NDArray[np.float64]


class ModelPart(Protocol):
    """What is learnt from one kind of rows."""

    # How many scores a row gets.
    outputs: int
    # Whether features of its rows merely are there, and are not counted and weighed.
    plain: bool

    def size(self, question: Question) -> int:
        """How many rows a question has."""
        ...

    def rows(self, question: Question) -> list[FeatureRow]:
        """The rows of a question, in their order."""
        ...

    def target(self, question: Question, gold: Mapping[str, Any]) -> Any:
        """The gold as `loss` wants it; None where nothing can be learnt from it."""
        ...

    def loss(self, scores: Tensor, sizes: Sequence[int], targets: Sequence[Any]) -> Tensor:
        """The mean loss of some questions, `sizes` rows each, whose scores stand one after another."""
        ...

    def chances(self, scores: Tensor, sizes: Sequence[int]) -> list[Chances]:
        """Probabilities for each question."""
        ...

    def values(self, chances: Chances, question: Question) -> dict[str, Any]:
        """What is answered, by goal."""
        ...

    def shares(self, chances: Chances) -> dict[str, Any]:
        """How probable each answer of a goal is: by label, or as one number."""
        ...


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The scores of one goal, or of one speaker's labels; `apart` where labels exclude nothing."""

    start: int
    labels: tuple[str, ...]
    apart: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.labels)

    def chances(self, scores: Tensor) -> Tensor:
        own = scores[:, self.start : self.end].double()
        return torch.sigmoid(own) if self.apart else torch.softmax(own, dim=-1)

    def loss(self, scores: Tensor, target: Tensor) -> Tensor:
        """The cross-entropy, summed over rows; a row whose target is all 0 adds nothing."""
        own, wanted = scores[:, self.start : self.end], target[:, self.start : self.end]
        if self.apart:
            return functional.binary_cross_entropy_with_logits(own, wanted, reduction="sum")
        return -(wanted * functional.log_softmax(own, dim=-1)).sum()


class QuestionPart:
    """Labels and distributions of a whole question: one row, columns for each goal."""

    plain = False

    def __init__(self, layout: TaskLayout, goals: Sequence[TaskGoal], *, longest: int) -> None:
        self.layout = layout
        self.longest = longest
        self.columns: dict[str, LabelColumns] = {}
        self.goals = {goal.name: goal for goal in goals}
        start = 0
        for goal in goals:
            apart = goal.kind in ("several", "share")
            self.columns[goal.name] = LabelColumns(start, goal.labels or ("",), apart)
            start = self.columns[goal.name].end
        self.outputs = start

    def size(self, question: Question) -> int:
        return 1

    def rows(self, question: Question) -> list[FeatureRow]:
        return [question_row(self.layout, question, longest=self.longest)]

    def target(self, question: Question, gold: Mapping[str, Any]) -> Any:
        """The share of each label; several right ones share what there is."""
        found = [label_shares(goal, gold[name]) for name, goal in self.goals.items()]
        return np.array([[share for own in found for share in own]], np.float32)

    def loss(self, scores: Tensor, sizes: Sequence[int], targets: Sequence[Any]) -> Tensor:
        wanted = torch.from_numpy(np.concatenate(targets)).to(scores.device)
        losses = [each.loss(scores, wanted) for each in self.columns.values()]
        return torch.stack(losses).sum() / len(sizes)

    def chances(self, scores: Tensor, sizes: Sequence[int]) -> list[Chances]:
        found = torch.cat([each.chances(scores) for each in self.columns.values()], dim=-1)
        return list(found.cpu().numpy())

    def values(self, chances: Chances, question: Question) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, goal in self.goals.items():
            own = self._own(chances, name)
            found[name] = read_shares(goal, own)
        return found

    def shares(self, chances: Chances) -> dict[str, Any]:
        return {
            name: dict(zip(goal.labels, self._own(chances, name), strict=True))
            for name, goal in self.goals.items()
            if goal.kind == "one"
        }

    def _own(self, chances: Chances, name: str) -> list[float]:
        columns = self.columns[name]
        found: list[float] = chances[columns.start : columns.end].tolist()
        return found


class TurnPart:
    """A distribution for each turn of a dialogue: a row per turn, columns for each speaker."""

    plain = False

    def __init__(self, goal: TaskGoal, *, longest: int) -> None:
        self.goal = goal
        self.longest = longest
        self.columns: dict[str, LabelColumns] = {}
        start = 0
        for speaker, labels in goal.by_speaker.items():
            self.columns[speaker] = LabelColumns(start, labels)
            start = self.columns[speaker].end
        self.outputs = start

    def size(self, question: Question) -> int:
        return len(question[self.goal.reference])

    def rows(self, question: Question) -> list[FeatureRow]:
        return turn_rows(question[self.goal.reference], longest=self.longest)

    def target(self, question: Question, gold: Mapping[str, Any]) -> Any:
        turns = question[self.goal.reference]
        found = np.zeros((len(turns), self.outputs), np.float32)
        for n, (turn, masses) in enumerate(zip(turns, gold[self.goal.name], strict=True)):
            columns = self.columns[turn["speaker"]]
            found[n, columns.start : columns.end] = normalised_shares(columns.labels, masses)
        return found

    def loss(self, scores: Tensor, sizes: Sequence[int], targets: Sequence[Any]) -> Tensor:
        """The mean over turns."""
        wanted = torch.from_numpy(np.concatenate(targets)).to(scores.device)
        losses = [each.loss(scores, wanted) for each in self.columns.values()]
        return torch.stack(losses).sum() / max(1, len(wanted))

    def chances(self, scores: Tensor, sizes: Sequence[int]) -> list[Chances]:
        found = torch.cat([each.chances(scores) for each in self.columns.values()], dim=-1)
        return [each.numpy() for each in torch.split(found.cpu(), list(sizes))]

    def values(self, chances: Chances, question: Question) -> dict[str, Any]:
        found = []
        for row, turn in zip(chances, question[self.goal.reference], strict=True):
            columns = self.columns[turn["speaker"]]
            own = row[columns.start : columns.end].tolist()
            found.append(dict(zip(columns.labels, own, strict=True)))
        return {self.goal.name: found}

    def shares(self, chances: Chances) -> dict[str, Any]:
        return {}


def label_shares(goal: TaskGoal, gold: Any) -> list[float]:
    """How much of each label is right: 1 for one, equal parts of several that are all right."""
    if goal.kind == "share":
        return [float(gold)]
    if goal.kind == "shares":
        return normalised_shares(goal.labels, gold)
    given = gold if isinstance(gold, list) else [gold]
    each = 1.0 if goal.kind == "several" else 1 / len(set(given))
    return [each if label in given else 0.0 for label in goal.labels]


def normalised_shares(labels: Sequence[str], masses: Mapping[str, float]) -> list[float]:
    """Masses by label as shares of their sum; a label that is left out has none."""
    total = float(sum(masses.values()))
    return [float(masses.get(label, 0.0)) / total for label in labels]


def read_shares(goal: TaskGoal, shares: Sequence[float]) -> Any:
    """The answer that shares of labels amount to; of equal ones the first label."""
    match goal.kind:
        case "one":
            return goal.labels[max(range(len(shares)), key=lambda n: shares[n])]
        case "several":
            pairs = zip(goal.labels, shares, strict=True)
            return [label for label, share in pairs if share > 0.5]
        case "share":
            return float(shares[0])
        case _:
            return dict(zip(goal.labels, shares, strict=True))
