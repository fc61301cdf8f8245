"""A language model that advises: what it writes about each situation it is asked about."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from palaver.core.errors import InputError
from palaver.models.advice.inputs import SUBREDDIT, AdviceQuestion, advice_text
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.language.advising import AdviceAnswers, AdviceMatter, AdvicePrompts
from palaver.models.language.fine_tuned import reopened_language
from palaver.models.language.packages import check_packages
from palaver.models.language.player import only_one
from palaver.models.language.writing import LanguageWriter, Lot
from palaver.models.settings import read_settings

# Situations that are written about at once.
_AT_ONCE = 16


class LanguageAdviser:
    """The language model of one checkpoint."""

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        check_packages()
        checkpoint = only_one(checkpoints)
        network, tuning = reopened_language(checkpoint)
        matter = read_settings(AdviceMatter, checkpoint.recipe.get("data"), where="data")
        answers = read_settings(AdviceAnswers, checkpoint.recipe.get("answers"), where="answers")
        self._prompts = AdvicePrompts.of(tuning, matter)
        self._lot = Lot(
            temperature=answers.temperature, top_p=answers.top_p, most=self._prompts.advice
        )
        self._tokens = tuning.tokens
        self._writer = LanguageWriter(network, tuning.tokens, device)

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A record per question, in their order: `id` and `advice`."""
        asked = [_question(each) for each in questions]
        found = []
        for start in range(0, len(asked), _AT_ONCE):
            found += self.advise(asked[start : start + _AT_ONCE])
        return [
            {"id": question["uid"], "advice": text}
            for question, text in zip(questions, found, strict=True)
        ]

    def advise(self, asked: Sequence[AdviceQuestion]) -> list[str]:
        """Advice on each situation: the same for the same situation, whatever is asked beside it."""
        written = self._writer.written(
            [self._prompts.prompt(each) for each in asked], self._lot, [_dice(q) for q in asked]
        )
        return [advice_text(self._tokens.text(numbers)) for numbers in written]


def _question(given: Mapping[str, Any]) -> AdviceQuestion:
    """What a question of the task asks; InputError where it is of another one."""
    for name in ("title", "situation"):
        if not isinstance(given.get(name), str):
            raise InputError(
                f"The model gives advice, and question '{given.get('uid', '')}' has no text as "
                f"'{name}'. It answers the task 'advice'."
            )
    subreddit = given.get("subreddit")
    return AdviceQuestion(
        title=given["title"],
        text=given["situation"],
        subreddit=subreddit if isinstance(subreddit, str) and subreddit.strip() else SUBREDDIT,
    )


def _dice(question: AdviceQuestion) -> torch.Generator:
    asked = f"{question.subreddit}\n{question.title}\n{question.text}"
    digest = hashlib.sha256(asked.encode(errors="replace")).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
