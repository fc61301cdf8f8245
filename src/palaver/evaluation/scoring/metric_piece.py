"""One metric of a run as a piece of work that an engine can do elsewhere."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palaver.core.protocols import Engine
from palaver.core.tasks import Example, MetricChoice, Task
from palaver.evaluation.scoring.material import Answers
from palaver.evaluation.scoring.result import Scored
from palaver.evaluation.scoring.scores import score_choice


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePiece:
    """All it takes to compute one metric: no store, no home."""

    task: Task
    choice: MetricChoice
    examples: Sequence[Example]
    answers: Answers
    by_tag: bool
    strict: bool = False
    folder: Path | None = None


# Computes pieces, in their order.
Compute = Callable[[Sequence[ScorePiece]], Sequence[Scored]]


def score_piece(piece: ScorePiece) -> Scored:
    """The score of one metric."""
    return score_choice(
        piece.task,
        piece.choice,
        piece.examples,
        piece.answers,
        by_tag=piece.by_tag,
        strict=piece.strict,
        folder=piece.folder,
    )


def score_pieces(pieces: Sequence[ScorePiece]) -> Sequence[Scored]:
    """The scores, computed here one after another."""
    return [score_piece(piece) for piece in pieces]


def computed_on(engine: Engine, loop: asyncio.AbstractEventLoop) -> Compute:
    """A way to compute pieces on an engine, from a thread beside the loop that drives it."""

    async def gather(pieces: Sequence[ScorePiece]) -> Sequence[Scored]:
        found = {number: scored async for number, scored in engine.map(score_piece, pieces)}
        return [found[number] for number in range(len(pieces))]

    def compute(pieces: Sequence[ScorePiece]) -> Sequence[Scored]:
        return asyncio.run_coroutine_threadsafe(gather(pieces), loop).result()

    return compute
