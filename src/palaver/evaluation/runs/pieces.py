"""A piece of a run, answered wherever an engine takes it.

A process that answers pieces keeps the models it has started, so that the next piece of the same run
finds its connections open and its weights loaded. Its event loop runs on a thread of its own, because
engines call from any thread.
"""

import asyncio
import atexit
import threading
import time
from collections import OrderedDict
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.logs import get_log
from palaver.core.protocols import Predictor
from palaver.evaluation.runs.asking import Asking, Item, Manner
from palaver.storage.evaluation.predictions import Prediction
from palaver.systems.predictors import build_predictor

T = TypeVar("T")
log = get_log(__name__)

# How many started models a process keeps.
KEPT = 2
CLOSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some items of a run, and all it takes to ask the model: no store, no home."""

    kind: str
    options: Mapping[str, Any]
    folder: str
    manner: Manner
    items: Sequence[Item]


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
    # Whether trying again cannot help.
    final: bool = False


def answer_piece(piece: Piece) -> PieceResult:
    """Ask the model of a piece; a failure is part of the result, beside what was answered."""
    return _host().run(_answer(piece))


async def _answer(piece: Piece) -> PieceResult:
    answers: list[Prediction] = []

    async def take(some: Sequence[Prediction]) -> None:
        answers.extend(some)

    began = time.time()
    started = 0.0
    memory, failure, final = None, "", False
    try:
        predictor, started = await _host().predictor(piece)
        began = time.time()
        await Asking(piece.manner, predictor).ask(piece.items, take)
        memory = predictor.memory()
    except InputError as error:
        failure, final = str(error), True
    except SystemFailureError as error:
        failure = str(error)
    except Exception as error:  # noqa: BLE001  not every exception survives the way back
        failure = f"{type(error).__name__}: {error}"
    return PieceResult(
        answers=answers,
        began=began,
        ended=time.time(),
        start_seconds=started,
        memory=memory,
        failure=failure,
        final=final,
    )


class _Host:
    """The models that this process has started."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._kept: OrderedDict[str, tuple[asyncio.Future[float], Predictor]] = OrderedDict()
        threading.Thread(target=self._loop.run_forever, name="palaver-pieces", daemon=True).start()
        atexit.register(self._close)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` on the loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def predictor(self, piece: Piece) -> tuple[Predictor, float]:
        """The model of a piece, started, and the seconds that took if it was started now."""
        name = repr((piece.kind, sorted(piece.options.items()), piece.folder))
        if name in self._kept:
            self._kept.move_to_end(name)
            starting, predictor = self._kept[name]
            await asyncio.shield(starting)
            return predictor, 0.0
        predictor = build_predictor(piece.kind, piece.options, folder=Path(piece.folder))
        starting = asyncio.ensure_future(_started(predictor))
        self._kept[name] = (starting, predictor)
        try:
            seconds = await asyncio.shield(starting)
        except Exception:
            self._kept.pop(name, None)
            await predictor.close()
            raise
        while len(self._kept) > KEPT:
            _, (_, oldest) = self._kept.popitem(last=False)
            await oldest.close()
        return predictor, seconds

    def _close(self) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._close_all(), self._loop).result(CLOSE_SECONDS)
        except TimeoutError:
            log.warning("models_not_closed", models=len(self._kept))

    async def _close_all(self) -> None:
        while self._kept:
            _, (_, predictor) = self._kept.popitem()
            await predictor.close()


async def _started(predictor: Predictor) -> float:
    began = time.perf_counter()
    await predictor.start()
    return time.perf_counter() - began


@cache
def _host() -> _Host:
    return _Host()
