"""What learns to say how annotators would judge: one learner for both networks of this package."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.models.dialeval.answers import Judge, judged, shares_said, without_least
from palaver.models.dialeval.dialogues import HelpDialogue, read_labelled
from palaver.models.dialeval.distances import cross_entropy, jsd, nmd, rnss, rsnod
from palaver.models.dialeval.scores import dialogue_scores, figures, means, watched_distance
from palaver.models.dialeval.tensors import DialogueTensors, JudgedLogs, as_tensors
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.settings import COUNT, NATURAL, PROBABILITY, Bounds, option
from palaver.models.vocabulary import Vocabulary

LICENCE = (
    "As the data's owner says. STC-3 and DCH-2: dialogues for non-commercial research under the terms "
    "of NTCIR, annotations CC BY 4.0."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialEvalReading:
    """What of the dialogues is read, and what is held out of them."""

    tasks: Literal["both", "nugget", "quality"] = option("both", "what is learnt")
    words: int = option(100, "words of a turn that are read", COUNT)
    least: int = option(2, "how often a word must occur to have a vector of its own", COUNT)
    folds: int = option(10, "equal parts of the dialogues, one of them held out", Bounds(least=2))
    # Members of an ensemble have seeds of their own, and their parts must be of one cut.
    fold_seed: int = option(1, "seed of the cut into parts, the same for all members", NATURAL)

    @property
    def learnt(self) -> tuple[str, ...]:
        return ("nugget", "quality") if self.tasks == "both" else (self.tasks,)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialEvalAnswers:
    """What is made of the probabilities of a network before they are handed in."""

    least_share: float = option(
        0.0, "points of a scale with less become exactly 0, which RSNOD looks at", PROBABILITY
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DialEvalLoss:
    """What is lowered: the weighed sum of these means over turns, and over dialogues and scales."""

    nugget: float = option(1.0, "weight of the cross-entropy of nuggets", NATURAL)
    quality: float = option(1.0, "weight of the cross-entropy of quality", NATURAL)
    jsd: float = option(0.0, "weight of the JSD of nuggets", NATURAL)
    rnss: float = option(0.0, "weight of the RNSS of nuggets", NATURAL)
    rsnod: float = option(0.0, "weight of the RSNOD of quality", NATURAL)
    nmd: float = option(0.0, "weight of the NMD of quality", NATURAL)

    def check(self, tasks: Sequence[str]) -> None:
        """InputError unless something is lowered of each task that is learnt."""
        of = {
            "nugget": (self.nugget, self.jsd, self.rnss),
            "quality": (self.quality, self.rsnod, self.nmd),
        }
        idle = [task for task in tasks if not any(of[task])]
        if idle:
            raise InputError(
                f"'loss' lowers nothing of {' and '.join(idle)}, which 'data.tasks' says is learnt. "
                "Give one of its parts a weight above 0, or learn the other task alone."
            )


def loss_of(said: JudgedLogs, truth: DialogueTensors, weights: DialEvalLoss) -> Tensor:
    """How far what a network says is from what annotators said, by these weights.

    Of a panel, how far its members are on average: each has to learn by itself.
    """
    if said.members:
        return torch.stack([loss_of(each, truth, weights) for each in said.members]).mean()
    parts: list[tuple[float, Tensor]] = []
    if said.nugget is not None:
        # Multiplied rather than picked: how many turns there are need not be asked of a GPU.
        share = truth.present / truth.present.sum()
        logs, right = said.nugget, truth.nugget
        shares = logs.exp()
        parts += [
            (weights.nugget, (cross_entropy(logs, right) * share).sum()),
            (weights.jsd, (jsd(shares, right) * share).sum()),
            (weights.rnss, (rnss(shares, right) * share).sum()),
        ]
    if said.quality is not None:
        shares, right = said.quality.exp(), truth.quality
        parts += [
            (weights.quality, cross_entropy(said.quality, right).mean()),
            (weights.rsnod, rsnod(shares, right).mean()),
            (weights.nmd, nmd(shares, right).mean()),
        ]
    return torch.stack([weight * part for weight, part in parts if weight]).sum()


@dataclass(slots=True, kw_only=True)
class DialEvalLearner:
    """A network, the dialogues it learns from, and those that are held out."""

    network: nn.Module
    data: DialEvalReading
    weights: DialEvalLoss
    answers: DialEvalAnswers
    vocabulary: Vocabulary
    learnt: DialogueTensors
    held_out: DialogueTensors
    ids: frozenset[str]
    batch: int
    device: torch.device
    watched: str = field(default="distance", init=False)

    @property
    def steps(self) -> int:
        return math.ceil(len(self.learnt) / self.batch)

    def updates(self, epoch: int, dice: torch.Generator) -> Iterator[DialogueTensors]:
        """The dialogues in the order of the dice, `batch` of them at a time."""
        order = torch.randperm(len(self.learnt), generator=dice).to(self.device)
        for start in range(0, len(order), self.batch):
            yield self.learnt.rows(order[start : start + self.batch])

    def loss(self, batch: DialogueTensors) -> Tensor:
        return loss_of(self.network(batch), batch, self.weights)

    def measure(self) -> dict[str, float]:
        """Mean distances on the dialogues held out, and `distance`, which joins those of both tasks."""
        said = shares_said(self.network, self.held_out)
        said = without_least(said, self.answers.least_share)
        found = means(dialogue_scores(said, self.held_out.on(torch.device("cpu"))))
        shown = {name: value for name, value in found.items() if "-" not in name}
        return {"distance": watched_distance(found), **shown}

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        return measured_on(
            [self.judge()], files, self.data, device=self.device, learnt_from=self.ids
        )

    def judge(self) -> Judge:
        """The network as it is, with what it needs to answer."""
        return Judge(self.network, self.vocabulary, self.data.words, self.answers.least_share)

    def words(self) -> Words:
        return {"words": self.vocabulary.words}

    def note(self) -> DataNote:
        turns = int(self.learnt.present.sum() + self.held_out.present.sum())
        return DataNote(
            about="Help-desk dialogues with the shares of annotators who gave each label.",
            counts={
                "dialogues": len(self.learnt) + len(self.held_out),
                "of them held out": len(self.held_out),
                "turns": turns,
                "words known": len(self.vocabulary),
            },
            licence=LICENCE,
        )


def read_parts(
    reading: DialEvalReading, material: LearnerMaterial
) -> tuple[list[HelpDialogue], list[HelpDialogue]]:
    """The dialogues to learn from, and those of the material's part, which are held out."""
    dialogues = read_labelled(
        material.train, nugget="nugget" in reading.learnt, quality="quality" in reading.learnt
    )
    if len(dialogues) < reading.folds:
        raise InputError(
            f"The training data have {len(dialogues)} dialogues, fewer than the {reading.folds} parts "
            "of which one is held out. Give more dialogues, or set data.folds to a smaller number."
        )
    dialogues.sort(key=lambda dialogue: dialogue.id)
    random.Random(reading.fold_seed).shuffle(dialogues)
    part = material.fold % reading.folds
    held_out = dialogues[part :: reading.folds]
    return [each for n, each in enumerate(dialogues) if n % reading.folds != part], held_out


def measured_on(
    judges: Sequence[Judge],
    files: Sequence[Path],
    reading: DialEvalReading,
    *,
    device: torch.device,
    learnt_from: frozenset[str] = frozenset(),
) -> list[MeasuredFigure]:
    """Distances, with intervals, of what judges say together from what annotators of files said."""
    dialogues = read_labelled(
        files, nugget="nugget" in reading.learnt, quality="quality" in reading.learnt
    )
    said = judged(judges, dialogues, device)
    truth = as_tensors(dialogues, judges[0].vocabulary, most=reading.words)
    known = sum(dialogue.id in learnt_from for dialogue in dialogues)
    warning = f"{known} of these dialogues were in the training data" if known else ""
    return figures(dialogue_scores(said, truth), warning=warning)
