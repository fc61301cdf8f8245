"""What answers a task from the checkpoint of a baseline: records as the task's answers are written."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from palaver.core.errors import InputError
from palaver.core.tasks import AnswerForm
from palaver.models.baselines.counted import commonest_answer, returned_answer
from palaver.models.baselines.features import Question
from palaver.models.baselines.kinds import TextKind
from palaver.models.baselines.layout import LayoutWords, TaskLayout
from palaver.models.baselines.text_model import answers_of
from palaver.models.checkpoints.folder import Checkpoint, check_model
from palaver.models.registry import MODELS


class CountedResponder:
    """Answers from words alone, which the first checkpoint holds."""

    kind: str
    answering: Callable[[TaskLayout, LayoutWords, Question], dict[str, Any]]

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        if len(checkpoints) > 1:
            raise InputError(
                f"{checkpoints[0].folder} holds a model of kind '{self.kind}', whose answers are not "
                "averaged. Give it alone."
            )
        self._words = checkpoints[0].words
        check_model(checkpoints[0], (self.kind,))
        self._layout = TaskLayout.from_words(self._words, where=str(checkpoints[0].folder))

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        check_questions(self._layout, questions)
        answer = type(self).answering
        values = [answer(self._layout, self._words, question) for question in questions]
        return written_answers(self._layout, questions, values)


class MajorityResponder(CountedResponder):
    """The same answer to every question."""

    kind = "majority"
    answering = staticmethod(commonest_answer)


class ReturnContextResponder(CountedResponder):
    """The question given back."""

    kind = "return-context"
    answering = staticmethod(returned_answer)


class TextResponder:
    """A model over counted words, or several whose probabilities are averaged."""

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        self._models = []
        for each in checkpoints:
            check_model(each, ("ngrams", "averages"))
            kind = MODELS.get(each.model)()
            assert isinstance(kind, TextKind)
            self._models.append(kind.opened(each, device))

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        layout = self._models[0].layout
        check_questions(layout, questions)
        values = answers_of(self._models, questions)
        return written_answers(layout, questions, values)


def check_questions(layout: TaskLayout, questions: Sequence[Mapping[str, Any]]) -> None:
    """InputError where questions are of another task: a field that is read is not among theirs."""
    read = [each.name for each in (*layout.texts, *layout.dialogues)]
    for question in questions:
        missing = next((name for name in read if name not in question), None)
        if missing is not None:
            raise InputError(
                f"The model has learnt the task '{layout.task}', which asks '{missing}'; question "
                f"'{question['uid']}' has no such field."
            )


def written_answers(
    layout: TaskLayout,
    questions: Sequence[Mapping[str, Any]],
    values: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """A record for each question, with each output where the task wants it."""
    form = AnswerForm(paths=layout.paths)
    return [
        form.written({"id": question["uid"], **own})
        for question, own in zip(questions, values, strict=True)
    ]
