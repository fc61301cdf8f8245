"""The boards that somebody may see, one line each: of tasks, studies, closed rounds and challenges.

The list at the desk and the page that strangers find at `/` are made of them. What may be seen is
decided where the boards themselves are shown. What a board says is worked out once for all who ask
meanwhile; a page waits for it a moment and else says that it is being computed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palaver.core.evaluation.boards import Measured
from palaver.core.logs import get_log
from palaver.studies.run.deployment import Deployment

log = get_log(__name__)

BoardKind = Literal["task", "study", "challenge"]
Tone = Literal["", "good", "warning"]
# How long a page waits for what its boards say.
PATIENCE = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """A board in a list: who leads, and how sure that is, in the words of its verdict.

    `name` is what the task, study or challenge is called here; of a challenge it is the board of a
    `track`. `score` is what ranks the leader, by a `measure`, shown with so many `digits`. `count` is
    how much there is of `noun`, of so many that are `planned`. `updated` is when something last
    changed what it says.
    """

    kind: BoardKind
    name: str
    title: str
    url: str
    public: bool
    about: str = ""
    track: str = ""
    answer: str = ""
    score: Measured | None = None
    measure: str = ""
    digits: int | None = None
    state: str = ""
    tone: Tone = ""
    count: int = 0
    noun: str = ""
    planned: int | None = None
    updated: float | None = None
    # Whether what it says is being computed.
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """A board as it is known at once, and what it says, which may take a while.

    The same `name` stands for the same words, whoever asks.
    """

    name: Hashable
    line: BoardLine
    read: Callable[[], Awaitable[BoardLine]] | None = None


class BoardWords:
    """What boards say, worked out once for all who ask meanwhile.

    Nobody waits for longer than `patience`; None waits for everything.
    """

    def __init__(self, *, patience: float | None = PATIENCE) -> None:
        self._patience = patience
        self._under_way: dict[Hashable, asyncio.Task[BoardLine]] = {}

    async def read(self, boards: Sequence[Known]) -> tuple[BoardLine, ...]:
        """The lines of these boards; of what is not known in time, what was known at once."""
        tasks = {each.name: self._begun(each) for each in boards if each.read is not None}
        if tasks:
            await asyncio.wait(tasks.values(), timeout=self._patience)
        return tuple(
            each.line if each.name not in tasks else _found(each, tasks[each.name])
            for each in boards
        )

    @property
    def under_way(self) -> "tuple[asyncio.Task[BoardLine], ...]":
        """What is being worked out."""
        return tuple(self._under_way.values())

    async def close(self) -> None:
        """Stop working anything out."""
        tasks = self.under_way
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begun(self, board: Known) -> "asyncio.Task[BoardLine]":
        known = self._under_way.get(board.name)
        if known is not None:
            return known
        assert board.read is not None
        task = asyncio.ensure_future(board.read())
        assert isinstance(task, asyncio.Task)
        self._under_way[board.name] = task
        task.add_done_callback(lambda done: self._under_way.pop(board.name, None))
        return task


def board_words(deployment: Deployment) -> BoardWords:
    """What the boards of a deployment say; made when first needed, closed when the server stops."""
    if BoardWords not in deployment.kept:
        deployment.kept[BoardWords] = BoardWords()
    words: BoardWords = deployment.kept[BoardWords]
    return words


def newest_first(lines: Sequence[BoardLine]) -> tuple[BoardLine, ...]:
    """Boards that changed last come first; those of which nothing is known keep their order."""
    return tuple(sorted(lines, key=lambda line: -(line.updated or 0.0)))


def _found(board: Known, task: "asyncio.Task[BoardLine]") -> BoardLine:
    if not task.done():
        return replace(board.line, pending=True)
    failure = None if task.cancelled() else task.exception()
    if task.cancelled() or failure is not None:
        # One board that cannot be read hides none of the others; its own page says why.
        log.warning("board_not_read", url=board.line.url, error=str(failure))
        return replace(board.line, answer="It cannot be read now; its own page says why.")
    return task.result()
