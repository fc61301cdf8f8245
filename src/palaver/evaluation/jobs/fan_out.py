"""A run spread over an engine: pieces go out, answers come back and are stored as they come.

The limits of a web service hold for all pieces together: each asks with its share of the calls that
may be in flight, and of the calls per second. Code that runs where it is asked has its limits there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from palaver.core.errors import InputError, PalaverError, SystemFailureError
from palaver.core.protocols import Engine
from palaver.evaluation.jobs.calls import MOST_REFUSED, Item, Manner, Take
from palaver.evaluation.jobs.probe import DeadServiceError, spread_items
from palaver.evaluation.jobs.run_piece import PieceResult, RunPiece, answer_piece

# How many questions one piece holds, and how many pieces are under way.
LARGEST = 256
SMALLEST = 16
MOST_PIECES = 32
# How many pieces each place gets, so that a slow one does not keep the others waiting at the end.
PER_PLACE = 4


class TimeSpans:
    """The union of stretches of time: how long anything was going on."""

    def __init__(self) -> None:
        self._spans: list[tuple[float, float]] = []
        self._taken = 0.0

    def add(self, began: float, ended: float) -> None:
        """Something went on from `began` to `ended`."""
        apart = []
        for low, high in self._spans:
            if high < began or ended < low:
                apart.append((low, high))
            else:
                began, ended = min(low, began), max(high, ended)
        self._spans = [*apart, (began, ended)]

    @property
    def seconds(self) -> float:
        return sum(high - low for low, high in self._spans)

    def take(self) -> float:
        """What it has grown by since the last time."""
        grown = self.seconds - self._taken
        self._taken += grown
        return grown


@dataclass(slots=True)
class SpreadUsage:
    """What is known of a model that is asked from several places."""

    busy: TimeSpans = field(default_factory=TimeSpans)
    start_seconds: float = 0.0
    memory: list[float] = field(default_factory=list)

    def note(self, result: PieceResult) -> None:
        self.busy.add(result.began, result.ended)
        self.start_seconds = max(self.start_seconds, result.start_seconds)
        if result.memory is not None:
            self.memory.append(result.memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadModel:
    """A model as every place can build it, and how many calls it takes at a time."""

    kind: str
    options: dict[str, Any]
    folder: str
    batch: int
    concurrency: int
    # Whether all places ask one service; else each of them runs the model itself.
    is_service: bool

    @property
    def places(self) -> int | None:
        """How many pieces are under way at a time; None: as many as the engine likes."""
        return max(1, min(self.concurrency, MOST_PIECES)) if self.is_service else None

    def piece(self, manner: Manner, items: Sequence[Item], *, first_of: int = 0) -> RunPiece:
        """Some items for one of the places."""
        return RunPiece(
            kind=self.kind,
            options=self.share(),
            folder=self.folder,
            is_service=self.is_service,
            manner=manner,
            items=items,
            first_of=first_of,
        )

    def share(self) -> dict[str, Any]:
        if self.places is None:
            return self.options
        options = {**self.options, "concurrency": max(1, self.concurrency // self.places)}
        rate = options.get("requests_per_second")
        if rate is not None:
            options["requests_per_second"] = float(rate) / self.places
        return options


async def ask_through(
    engine: Engine,
    model: SpreadModel,
    manner: Manner,
    items: Sequence[Item],
    take: Take,
    *,
    accepted: int,
    spread: SpreadUsage,
) -> None:
    """Ask every item through the engine and hand the answers to `take`.

    A service that has answered nothing yet is asked a few items first. After the first piece that
    fails no other goes out; what is under way is still stored, then the failure is raised.
    """
    if model.is_service and not accepted:
        first = await _first_piece(engine, model, manner, items, take, spread=spread)
        items = [item for item in items if item[0] not in first]
        accepted += 1
    failed: PieceResult | None = None
    refused = 0

    def goes_on() -> bool:
        return failed is None and (accepted > 0 or refused < MOST_REFUSED)

    pieces = takewhile(lambda _: goes_on(), _pieces(model, manner, items))
    async for _, result in engine.map(answer_piece, pieces, in_flight=model.places):
        spread.note(result)
        refused += sum(answer.answer is None for answer in result.answers)
        accepted += sum(answer.answer is not None for answer in result.answers)
        await take(result.answers)
        if result.failure:
            failed = failed or result
    if failed is not None:
        raise _failure(failed)


async def _first_piece(
    engine: Engine,
    model: SpreadModel,
    manner: Manner,
    items: Sequence[Item],
    take: Take,
    *,
    spread: SpreadUsage,
) -> frozenset[int]:
    """Where the items stand that a service was asked first, the last of them with a good answer."""
    piece = model.piece(manner, spread_items(items), first_of=len(items))
    async for _, result in engine.map(answer_piece, [piece]):
        spread.note(result)
        await take(result.answers)
        if result.failure:
            raise _failure(result)
    return frozenset(answer.position for answer in result.answers)


def _failure(failed: PieceResult) -> PalaverError:
    """What ended a piece elsewhere, as it would have been raised here."""
    if failed.final and failed.raw is None:
        return InputError(failed.failure)
    kind = DeadServiceError if failed.final else SystemFailureError
    return kind("error", failed.failure, raw=failed.raw)


def _pieces(model: SpreadModel, manner: Manner, items: Sequence[Item]) -> Iterator[RunPiece]:
    fair = -(-len(items) // ((model.places or MOST_PIECES) * PER_PLACE))
    size = min(LARGEST, max(SMALLEST, fair))
    size = -(-size // model.batch) * model.batch
    for start in range(0, len(items), size):
        yield model.piece(manner, items[start : start + size])
