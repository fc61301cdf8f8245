"""The seam inside this package: whatever answers questions, in one attempt and without patience.

A respondent asks once and says what went wrong in an AttemptError. Time limits, retries, rate and
the search for the one question that spoils a batch are the guard's, once for all kinds.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from palaver.systems.predictors.options import PredictorOptions

Question = Mapping[str, Any]


class Respondent(Protocol):
    """A kind of model, made from options; paths in them are relative to `folder`."""

    options_type: ClassVar[type[PredictorOptions]]

    def __init__(self, options: Any, *, folder: Path) -> None: ...

    @property
    def ready(self) -> bool:
        """Whether it can answer as it is; otherwise it must be started, for the first time or again."""
        ...

    async def start(self) -> None:
        """Connect or load what is not there yet."""
        ...

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """One record per question, in their order, out of one attempt."""
        ...

    def memory(self) -> float | None:
        """GiB that the model takes now, where that can be measured."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
