"""Self-play of a match: its dialogues in order, one after the other or spread over processes.

Pieces go out through an engine and come back as lines of `dialogues.jsonl`, in whatever order they are
done; they are handed on in the order of their numbers, so that a file that breaks off is a beginning.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from functools import lru_cache

from palaver.core.protocols import Engine
from palaver.core.records import encode_line
from palaver.studies.play.match import Match, MatchPlan, open_match

# How many dialogues go out at once: enough that a trip costs little, few enough to share them evenly.
LARGEST_PIECE = 50
PIECES_EACH = 8


@dataclass(frozen=True, slots=True)
class MatchPiece:
    """Some dialogues of a match, numbered from `first`."""

    plan: MatchPlan
    first: int
    count: int


async def play_lines(
    match: Match, *, first: int, count: int, engine: Engine | None = None, workers: int = 1
) -> AsyncGenerator[bytes, None]:
    """The dialogues from one number on as lines of JSON, in order; without an engine in this process.

    They are the same whatever the number of workers that the engine has.
    """
    if engine is None:
        try:
            async with aclosing(match.play(first, count)) as records:
                async for record in records:
                    yield encode_line(record)
        finally:
            await match.close()
        return
    waiting: dict[int, list[bytes]] = {}
    due = 0
    pieces = cut(match.plan, first, count, workers)
    async with aclosing(engine.map(play_piece, pieces)) as done:  # type: ignore[type-var]
        async for number, lines in done:
            waiting[number] = lines
            while due in waiting:
                for line in waiting.pop(due):
                    yield line
                due += 1


def cut(plan: MatchPlan, first: int, count: int, workers: int) -> list[MatchPiece]:
    """The pieces of some dialogues."""
    size = max(1, min(LARGEST_PIECE, count // (workers * PIECES_EACH)))
    return [
        MatchPiece(plan, number, min(size, first + count - number))
        for number in range(first, first + count, size)
    ]


def play_piece(piece: MatchPiece) -> list[bytes]:
    """The dialogues of a piece as lines of JSON; a process opens its match once."""
    runner, match = _opened(_Key(piece.plan))

    async def lines() -> list[bytes]:
        return [encode_line(record) async for record in match.play(piece.first, piece.count)]

    return runner.run(lines())


@dataclass(frozen=True, slots=True)
class _Key:
    """A plan by what it says: options are mappings, which have no hash."""

    plan: MatchPlan

    def __hash__(self) -> int:
        return hash((self.plan.names, self.plan.seed))


@lru_cache(maxsize=1)
def _opened(key: _Key) -> tuple[asyncio.Runner, Match]:
    # The loop stays, because systems may hold connections that belong to it.
    return asyncio.Runner(), open_match(key.plan)
