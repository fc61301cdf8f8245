"""`kind: dynabench`: a model served as MLCommons' Dynabench serves it.

With `batch: 1` each question goes to `/model/single_evaluation`; otherwise `/model/batch_evaluation`
takes `{"dataset_samples": […]}` and answers with a list in the same order, usually without ids.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.systems.answers import by_order, match
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import PredictorOptions, Url, WebOptions
from palaver.systems.registry import Question
from palaver.systems.web.addresses import joined
from palaver.systems.web.endpoint import Endpoint, WebRespondent


class DynabenchOptions(WebOptions, PredictorOptions):
    """Where the server is."""

    url: Url = Field(description="address of the server, without /model/…")
    batch: int = Field(
        default=64, ge=1, le=10_000, description="how many questions one call takes; 1: one by one"
    )
    fields: list[str] | None = Field(
        default=None, description="the fields the model takes; none: the uid and all of them"
    )


class Dynabench(WebRespondent):
    """A model behind single_evaluation and batch_evaluation."""

    options_type: ClassVar[type[PredictorOptions]] = DynabenchOptions

    def __init__(self, options: DynabenchOptions, *, folder: Path) -> None:
        self._options = options
        super().__init__(Endpoint(options.url, options))
        self._single = joined(self._endpoint.url, "/model/single_evaluation")
        self._batch = joined(self._endpoint.url, "/model/batch_evaluation")

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        samples = [self._sample(question) for question in questions]
        if self._options.batch == 1:
            answers = [await self._endpoint.ask(self._single, sample) for sample in samples]
            records = [_only(answer) for answer in answers]
            return by_order(records, questions)
        answer = await self._endpoint.ask(self._batch, {"dataset_samples": samples})
        return match(_records(answer), questions)

    def _sample(self, question: Question) -> dict[str, Any]:
        names = self._options.fields
        if names is None:
            return dict(question)
        missing = [name for name in names if name not in question]
        if missing:
            told = f"Option 'fields' names '{missing[0]}'; the question has {', '.join(question)}."
            raise AttemptError("refused", told, may_pass=False)
        return {name: question[name] for name in names}


def _records(answer: Any) -> list[Any]:
    """The list of records in an answer: the answer itself, or the one list that it holds."""
    if isinstance(answer, list):
        return answer
    lists = (
        [each for each in answer.values() if _is_list_of_objects(each)]
        if isinstance(answer, dict)
        else []
    )
    if len(lists) == 1:
        return list(lists[0])
    raise AttemptError(
        "garbage",
        f"Expected a list of records, or an object that holds one; got {shorten(repr(answer))}.",
        may_pass=False,
        came=answer,
    )


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _only(answer: Any) -> Any:
    return answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
