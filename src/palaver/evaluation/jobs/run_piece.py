"""A piece of a run, answered wherever an engine takes it.

A process that answers pieces keeps the models it has started, so that the next piece of the same run
finds its connections open and its weights loaded. Its event loop runs on a thread of its own, because
engines call from any thread.
"""

import asyncio
import atexit
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.evaluation.runs import Prediction
from palaver.core.logs import get_log
from palaver.core.raw_answers import RawAnswer
from palaver.evaluation.jobs.calls import Item, ItemAsker, Manner
from palaver.evaluation.jobs.probe import DeadServiceError, judged_start, probe_service
from palaver.systems.build import build_predictor
from palaver.systems.predictor import GuardedPredictor, StartFailureError

T = TypeVar("T")
log = get_log(__name__)

# How many started models a process keeps at most while nobody asks them: code with its weights, and
# connections to services.
KEPT_CODE = 2
KEPT_SERVICES = 32
CLOSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPiece:
    """Some items of a run, and all it takes to ask the model: no store, no home."""

    kind: str
    options: Mapping[str, Any]
    folder: str
    # Whether the model is a service elsewhere; else its code runs in the process that asks.
    is_service: bool
    manner: Manner
    items: Sequence[Item]
    # The first piece of a service: how many items there are to ask. It is asked those of the piece one
    # by one, until it answers one.
    first_of: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceResult:
    """The checked answers of a piece, and what ended it early.

    `began` and `ended` are seconds since the epoch on the clock of the machine that asked.
    """

    answers: Sequence[Prediction]
    began: float
    ended: float
    start_seconds: float
    memory: float | None
    failure: str = ""
    # What came in place of an answer.
    raw: RawAnswer | None = None
    # Whether trying again cannot help.
    final: bool = False


def answer_piece(piece: RunPiece) -> PieceResult:
    """Ask the model of a piece; a failure is part of the result, beside what was answered."""
    host = _host()
    return host.run(_answer(host, piece))


async def _answer(host: "_Host", piece: RunPiece) -> PieceResult:
    answers: list[Prediction] = []

    async def take(some: Sequence[Prediction]) -> None:
        answers.extend(some)

    began = time.time()
    started = 0.0
    memory, failure, raw, final = None, "", None, False
    try:
        async with host.model(piece) as (predictor, started):
            began = time.time()
            asking = ItemAsker(piece.manner, predictor)
            if piece.first_of:
                await probe_service(asking, predictor, piece.items, take, of=piece.first_of)
            else:
                await asking.ask(piece.items, take)
            memory = predictor.memory()
    except InputError as error:
        failure, final = str(error), True
    except SystemFailureError as error:
        if piece.first_of and isinstance(error, StartFailureError):
            error = judged_start(error, is_quoted=bool(piece.options.get("quoted", True)))
        failure, raw, final = str(error), error.raw, isinstance(error, DeadServiceError)
    except Exception as error:  # noqa: BLE001  not every exception survives the way back
        failure = f"{type(error).__name__}: {error}"
    return PieceResult(
        answers=answers,
        began=began,
        ended=time.time(),
        start_seconds=started,
        memory=memory,
        failure=failure,
        raw=raw,
        final=final,
    )


@dataclass(slots=True)
class _Kept:
    """A model that was started, or is being started, and how many pieces ask it now."""

    predictor: GuardedPredictor
    starting: "asyncio.Future[float]"
    is_service: bool
    pieces: int = 0


class _Host:
    """The models that this process has started."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._kept: dict[str, _Kept] = {}
        threading.Thread(target=self._loop.run_forever, name="palaver-pieces", daemon=True).start()
        atexit.register(self._close)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` on the loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @asynccontextmanager
    async def model(self, piece: RunPiece) -> AsyncIterator[tuple[GuardedPredictor, float]]:
        """The model of a piece, started, and the seconds that took if it was started for it."""
        name = self._name(piece)
        is_new = name not in self._kept
        if is_new:
            predictor = build_predictor(piece.kind, piece.options, folder=Path(piece.folder))
            starting = asyncio.ensure_future(_started(predictor))
            self._kept[name] = _Kept(predictor, starting, piece.is_service)
        kept = self._kept[name] = self._kept.pop(name)  # the last one used stands last
        kept.pieces += 1
        try:
            seconds = await asyncio.shield(kept.starting)
            yield kept.predictor, seconds if is_new else 0.0
        finally:
            kept.pieces -= 1
            await self._let_go()

    def _name(self, piece: RunPiece) -> str:
        """What the model is kept under: code is shared by pieces, a service's limits are not."""
        name = repr((piece.kind, sorted(piece.options.items()), piece.folder))
        if not piece.is_service:
            return name
        names = (f"{name} {number}" for number in count())
        return next(each for each in names if each not in self._kept or not self._kept[each].pieces)

    async def _let_go(self) -> None:
        """Close what did not start, and what nobody has asked for longest."""
        idle = {name: each for name, each in self._kept.items() if not each.pieces}
        gone = [name for name, each in idle.items() if each.starting.exception()]
        for is_service, most in ((False, KEPT_CODE), (True, KEPT_SERVICES)):
            alike = [name for name, each in idle.items() if each.is_service is is_service]
            gone += alike[: max(0, len(alike) - most)]
        for kept in [self._kept.pop(name) for name in dict.fromkeys(gone)]:
            await kept.predictor.close()

    def _close(self) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._close_all(), self._loop).result(CLOSE_SECONDS)
        except TimeoutError:
            log.warning("models_not_closed", models=len(self._kept))

    async def _close_all(self) -> None:
        while self._kept:
            await self._kept.popitem()[1].predictor.close()


async def _started(predictor: GuardedPredictor) -> float:
    began = time.perf_counter()
    await predictor.start()
    return time.perf_counter() - began


_HOSTS: list[_Host] = []
_STARTING = threading.Lock()


def _host() -> _Host:
    """The one host of this process, whichever thread asks first."""
    with _STARTING:
        if not _HOSTS:
            _HOSTS.append(_Host())
        return _HOSTS[0]
