"""`kind: command`: a program in any language that reads questions and writes answers, as JSON lines.

Each question is one line `{"uid": "…", …}` on its stdin; each answer one line `{"id": "…", …}` on its
stdout, in any order within a batch, flushed at once. Without ids, order decides. It may answer
`{"id": "…", "error": "…"}` where it cannot. It logs to stderr, and the end of its input is the end of
its work. `concurrency` is the number of such processes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.predictors.children import Child, Children
from palaver.systems.predictors.matching import id_of, match
from palaver.systems.predictors.options import PredictorOptions
from palaver.systems.predictors.respondent import Question
from palaver.systems.program import executable


class CommandOptions(PredictorOptions):
    """What to run."""

    run: list[str] = Field(
        min_length=1, description="the program and its arguments; it runs in the model's folder"
    )
    concurrency: int = Field(
        default=1, ge=1, le=1000, description="processes that run at the same time"
    )
    timeout: float = Field(
        default=300.0, gt=0, le=86_400, description="seconds that one attempt at an answer may take"
    )


class Command:
    """A model that is a program."""

    options_type: ClassVar[type[PredictorOptions]] = CommandOptions

    def __init__(self, options: CommandOptions, *, folder: Path) -> None:
        self._folder = folder.resolve()
        self._arguments = [executable(options.run[0], self._folder), *options.run[1:]]
        self._children = Children(self._begin, number=options.concurrency)

    @property
    def ready(self) -> bool:
        """Whether every process runs."""
        return self._children.complete

    async def start(self) -> None:
        """Start the processes that do not run."""
        await self._children.fill()

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """What the program answers."""
        records: list[Any] = []

        def take(line: Any) -> bool:
            _complain_about(line, {str(question["uid"]) for question in questions})
            records.append(line)
            return len(records) == len(questions)

        async with self._children.one() as child:
            await child.exchange([dict(question) for question in questions], take)
        return match(records, questions)

    def memory(self) -> float | None:
        """GiB that the processes take now."""
        return self._children.memory()

    async def close(self) -> None:
        """End the processes."""
        await self._children.close()

    async def _begin(self) -> Child:
        return await Child.begin(self._arguments, folder=self._folder)


def _complain_about(line: Any, uids: set[str]) -> None:
    """Raise at the first line that cannot be an answer: waiting for the rest would take for ever."""
    if not isinstance(line, dict):
        told = f'Expected a line like {{"id": "…", …}}; got {shorten(repr(line))}.'
        raise AttemptError("garbage", told, may_pass=False, came=line)
    given = id_of(line)
    if line.get("error"):
        whom = "" if given is None else f" about '{given}'"
        raise AttemptError("error", f"The program says{whom}: {shorten(str(line['error']))}")
    if given is not None and given not in uids:
        told = f"The program answered '{given}', which was not asked in this call."
        raise AttemptError("garbage", told, may_pass=False)
