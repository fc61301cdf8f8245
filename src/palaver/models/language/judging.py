"""Learning to judge: a language model, dialogues with what annotators said, and those held out."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Generator, Tensor, nn

from palaver.core.errors import InputError
from palaver.models.dialeval.dialogues import SENDERS, HelpDialogue, read_labelled
from palaver.models.dialeval.learner import LICENCE, DialEvalAnswers, DialEvalLoss, loss_of
from palaver.models.dialeval.scores import dialogue_scores, figures, means, watched_distance
from palaver.models.language.fine_tuned import FineTuning
from palaver.models.language.judge import JudgeBatch, JudgeTokens, LanguageJudge, judged_shares
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.settings import NATURAL, Bounds, option


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReading:
    """What of the dialogues is read, and what is held out of them."""

    tasks: Literal["both", "nugget", "quality"] = option("both", "what is learnt")
    turn: int = option(128, "tokens of a turn; what is longer is cut", Bounds(least=4))
    longest: int = option(
        1024, "tokens of a dialogue; where turns are many, less is read of each", Bounds(least=32)
    )
    folds: int = option(10, "equal parts of the dialogues, one of them held out", Bounds(least=2))
    fold_seed: int = option(1, "seed of the cut into parts", NATURAL)

    @property
    def learnt(self) -> tuple[str, ...]:
        return ("nugget", "quality") if self.tasks == "both" else (self.tasks,)


class JudgingLearner:
    """A language model with heads, whose loss is how far it is from what annotators said."""

    watched = "distance"

    def __init__(
        self,
        network: LanguageJudge,
        dialogues: Sequence[HelpDialogue],
        *,
        reading: JudgeReading,
        weights: DialEvalLoss,
        answers: DialEvalAnswers,
        tuning: FineTuning,
        material: LearnerMaterial,
    ) -> None:
        self.network: nn.Module = network
        self._judge = network
        self._reading, self._weights, self._answers = reading, weights, answers
        self._tuning, self._material = tuning, material
        self._tokens = judge_tokens(tuning, reading)
        learnt, held = _parts(dialogues, reading, material)
        self._ids = frozenset(each.id for each in dialogues)
        self._learnt = self._tokens.batch(learnt).on(material.device)
        self._held = self._tokens.batch(held).on(material.device)
        self._lengths = self._learnt.last.cpu()
        self._note = _note(dialogues, held, self._tokens)

    @property
    def steps(self) -> int:
        return math.ceil(len(self._learnt) / self._material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[JudgeBatch]:
        """Dialogues of about the same length together, batches in any order."""
        count = len(self._learnt)
        longer = self._lengths * (1 + 0.2 * torch.rand(count, generator=dice))
        batches = longer.argsort(stable=True).tensor_split(self.steps)
        for number in torch.randperm(self.steps, generator=dice).tolist():
            yield self._learnt.rows(batches[number].to(self._material.device))

    def loss(self, batch: JudgeBatch) -> Tensor:
        return loss_of(self.network(batch), batch.truth, self._weights)

    def measure(self) -> dict[str, float]:
        """Mean distances on the dialogues held out, and `distance`, which joins those of both tasks."""
        found = means(self._scores(self._held))
        shown = {name: value for name, value in found.items() if "-" not in name}
        return {"distance": watched_distance(found), **shown}

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        dialogues = read_judged(files, self._reading)
        known = sum(each.id in self._ids for each in dialogues)
        warning = f"{known} of these dialogues were in the training data" if known else ""
        return figures(self._scores(self._tokens.batch(dialogues)), warning=warning)

    def words(self) -> Words:
        return self._tuning.words()

    def note(self) -> DataNote:
        return self._note

    def texts(self) -> dict[str, str]:
        """The files of a language model that a checkpoint holds beside its weights."""
        return self._tuning.texts()

    def recipe_sections(self) -> dict[str, Any]:
        """What the recipe of the checkpoint says beside its own: which model it began with."""
        return self._tuning.sections()

    def kept_weights(self, weights: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The weights of a training as a checkpoint keeps them."""
        return self._tuning.kept(self._judge, weights)

    def _scores(self, batch: JudgeBatch) -> Mapping[str, Tensor]:
        said = judged_shares(
            self.network,
            batch,
            least_share=self._answers.least_share,
            device=self._material.device,
        )
        return dialogue_scores(said, batch.truth.on(torch.device("cpu")))


def judge_tokens(tuning: FineTuning, reading: JudgeReading) -> JudgeTokens:
    """How dialogues become tokens for a language model."""
    return JudgeTokens(
        tokens=tuning.tokens,
        turn=reading.turn,
        longest=min(reading.longest, tuning.longest),
    )


def read_judged(files: Sequence[Path], reading: JudgeReading) -> list[HelpDialogue]:
    """The dialogues of files with labels of what is learnt."""
    return read_labelled(
        files, nugget="nugget" in reading.learnt, quality="quality" in reading.learnt
    )


def _parts(
    dialogues: Sequence[HelpDialogue], reading: JudgeReading, material: LearnerMaterial
) -> tuple[list[HelpDialogue], list[HelpDialogue]]:
    """The dialogues to learn from, and those of the part that is held out."""
    if len(dialogues) < reading.folds:
        raise InputError(
            f"The training data have {len(dialogues)} dialogues, fewer than the {reading.folds} parts "
            "of which one is held out. Give more dialogues, or set data.folds to a smaller number."
        )
    ordered = sorted(dialogues, key=lambda dialogue: dialogue.id)
    random.Random(reading.fold_seed).shuffle(ordered)
    part = material.fold % reading.folds
    held = ordered[part :: reading.folds]
    has_both = (len({turn.sender for turn in each.turns}) == len(SENDERS) for each in held)
    if "nugget" in reading.learnt and not any(has_both):
        raise InputError(
            f"In each dialogue held out, {len(held)} of them, one side never speaks, and the score of "
            "nuggets needs both. Give dialogues of both sides, or learn quality alone: "
            "data.tasks=quality."
        )
    return [each for n, each in enumerate(ordered) if n % reading.folds != part], held


def _note(
    dialogues: Sequence[HelpDialogue], held: Sequence[HelpDialogue], tokens: JudgeTokens
) -> DataNote:
    return DataNote(
        about="Help-desk dialogues with the shares of annotators who gave each label.",
        counts={
            "dialogues": len(dialogues),
            "of them held out": len(held),
            "turns": sum(len(each.turns) for each in dialogues),
            "dialogues with a turn that was cut": tokens.cut(dialogues),
        },
        licence=LICENCE,
    )
