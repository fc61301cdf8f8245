"""A language model that answers the questions of the DialEval tasks, and writes submissions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.dialeval.answers import JudgedShares, records
from palaver.models.dialeval.dialogues import HelpDialogue, asked_dialogue, read_dialogues
from palaver.models.dialeval.learner import DialEvalAnswers
from palaver.models.dialeval.tensors import DialogueTensors
from palaver.models.language.fine_tuned import FineTuning, reopened
from palaver.models.language.judge import JudgeTokens, LanguageJudge, judged_shares, reader_of
from palaver.models.language.judging import JudgeReading, judge_tokens
from palaver.models.language.packages import check_packages
from palaver.models.language.player import only_one
from palaver.models.settings import read_settings


class LanguageJudgeResponder:
    """The language model of one checkpoint.

    A record is in the form of the shared task, `id`, `nugget` and `quality`, of which the tasks
    `dialogue-nugget` and `dialogue-quality` read their own part each.
    """

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        check_packages()
        checkpoint = only_one(checkpoints)
        self.reading = read_settings(JudgeReading, checkpoint.recipe.get("data"), where="data")
        answers = read_settings(DialEvalAnswers, checkpoint.recipe.get("answers"), where="answers")
        network, tuning = reopened(checkpoint, self._judge)
        self._network = network.to(device)
        self._tokens: JudgeTokens = judge_tokens(tuning, self.reading)
        self._least_share = answers.least_share
        self._device = device

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A record per question, in their order."""
        dialogues = [asked_dialogue(question) for question in questions]
        return records(dialogues, self.shares(dialogues)) if dialogues else []

    def submission(self, file: Path) -> list[dict[str, Any]]:
        """A record for each dialogue of a file, which may have labels or not."""
        dialogues = read_dialogues(file)
        return records(dialogues, self.shares(dialogues))

    def shares(self, dialogues: Sequence[HelpDialogue]) -> JudgedShares:
        """How annotators are divided, as the model thinks."""
        return judged_shares(
            self._network,
            self._tokens.batch(dialogues),
            least_share=self._least_share,
            device=self._device,
        )

    def truth(self, dialogues: Sequence[HelpDialogue]) -> DialogueTensors:
        """What annotators said, on the CPU."""
        return self._tokens.batch(dialogues).truth

    def _judge(self, model: nn.Module, tuning: FineTuning) -> tuple[LanguageJudge, nn.Module]:
        reader = reader_of(model, tuning.writes)
        return new_judge(reader, self.reading), reader


def new_judge(reader: nn.Module, reading: JudgeReading) -> LanguageJudge:
    """A judge around what reads, its heads by chance."""
    width = int(reader.config.hidden_size)  # type: ignore[union-attr,arg-type]
    return LanguageJudge(reader, width=width, tasks=reading.learnt)
