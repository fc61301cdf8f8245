"""`kind: overlap`: answers `nli` by words in common, without a file, a network or a wait.

It ships with Palaver so that a round of writing has somebody to write against.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.systems.answers import by_order
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CodeOptions, PredictorOptions
from palaver.systems.overlap.reader import likeliest, read
from palaver.systems.registry import Question


class OverlapOptions(CodeOptions):
    """Which fields are compared."""

    batch: int = Field(
        default=100, ge=1, le=10_000, description="how many questions one call takes"
    )
    context: str = Field(default="context", description="the field that is taken as true")
    hypothesis: str = Field(default="hypothesis", description="the field that is judged by it")


class OverlapModel:
    """A model of inference that counts words in common, for rounds of writing."""

    options_type: ClassVar[type[PredictorOptions]] = OverlapOptions
    ready = True

    def __init__(self, options: OverlapOptions, *, folder: Path) -> None:
        self._options = options

    async def start(self) -> None:
        """Nothing is to be loaded."""

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        return by_order([self._record(question) for question in questions], questions)

    def memory(self) -> None:
        """Not known: the process holds other things too."""

    async def close(self) -> None:
        """Nothing is to be let go."""

    def _record(self, question: Question) -> dict[str, Any]:
        context, hypothesis = (
            _text(question, name) for name in (self._options.context, self._options.hypothesis)
        )
        shares = read(context, hypothesis)
        return {"label": likeliest(shares), "prob": shares}


def _text(question: Question, name: str) -> str:
    value = question.get(name)
    if isinstance(value, str):
        return value
    told = f"Expected a text in the field '{name}'; the question has {', '.join(question)}."
    raise AttemptError("refused", told, may_pass=False)
