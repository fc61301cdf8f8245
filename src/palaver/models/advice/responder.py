"""What answers the questions of the task 'advice' from checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from palaver.core.errors import InputError
from palaver.models.advice.cases import asked_question
from palaver.models.advice.inputs import AdviceQuestion
from palaver.models.advice.kinds import adviser_of
from palaver.models.checkpoints.folder import Checkpoint


class AdviceResponder:
    """One trained network, or several that advise as one.

    A question without a date is read as if it were asked when the last situation was that was learnt
    from: a model knows no later day, and today would change its answers from day to day.
    """

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        if not checkpoints:
            raise InputError("No checkpoint was given; expected one or more.")
        members = [member for each in checkpoints for member in each.all]
        self._adviser = adviser_of(members, device)
        self._date = next(iter(members[0].words.get("date", ())), "")

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A record per question, in their order; the same question has the same answer."""
        asked = [self._question(each) for each in questions]
        said = self._adviser.advise(asked)
        return [
            {"id": question["uid"], "advice": text}
            for question, text in zip(questions, said, strict=True)
        ]

    def _question(self, given: Mapping[str, Any]) -> AdviceQuestion:
        try:
            asked = asked_question(given)
        except InputError as error:
            raise InputError(
                f"The model advises on a 'title' and a 'situation'. Question '{given['uid']}': {error}"
            ) from error
        return asked if asked.date else replace(asked, date=self._date)
