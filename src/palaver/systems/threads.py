"""Blocking work beside the event loop, on daemon threads.

A pool would do, but a researcher's class that hangs would fill it, and Python waits for a pool's
threads at exit. A daemon thread that hangs is merely lost.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from palaver.core.protocols import DraftListener

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """What `function` returns, computed on a thread of its own."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result: T | None = None
        problem: BaseException | None = None
        try:
            result = context.run(function)
        except StopIteration as error:
            # A future cannot carry StopIteration.
            problem = RuntimeError(f"raised StopIteration: {error}")
        except BaseException as error:  # noqa: BLE001  # whoever awaits gets it
            problem = error
        _tell(loop, lambda: settle(result, problem))

    threading.Thread(target=work, name="palaver-system", daemon=True).start()
    return await future


def draft_from_thread(draft: DraftListener) -> DraftListener:
    """A listener that may be called from any thread; `draft` itself runs on the event loop."""
    loop = asyncio.get_running_loop()

    def show(text: str) -> None:
        _tell(loop, lambda: draft(text))

    return show


def _tell(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
        loop.call_soon_threadsafe(callback)


class Lazy(Generic[T]):
    """A value made once, on a thread, when it is first asked for.

    Making it goes on when whoever asked stops waiting, so a retry finds it further along.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._task: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """The value; an earlier failure to make it is tried again."""
        if self._task is None or (self._task.done() and _failed(self._task)):
            self._task = asyncio.create_task(in_thread(self._make))
        return await asyncio.shield(self._task)

    def forget(self) -> T | None:
        """Let go of the value and return it if it was made."""
        task, self._task = self._task, None
        if task is None:
            return None
        if not task.done():
            task.cancel()
            return None
        return None if _failed(task) else task.result()


def _failed(task: "asyncio.Task[T]") -> bool:
    return task.cancelled() or task.exception() is not None
