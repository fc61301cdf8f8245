"""`kind: python`: a class of your own, `module:Class`, in the study folder or installed.

The class is made once with `options` as keyword arguments. Its `new_session(place)` returns an
object with `receive(event)` and `send()`. `send` may be plain (it then runs on a thread) or
`async`, may take a listener for drafts, and returns a text, a Move, a list of them, or None for
silence.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.events import Event, Move
from palaver.core.protocols import DraftListener, Place
from palaver.systems.answers import as_moves
from palaver.systems.options import CallOptions, load_class
from palaver.systems.threads import draft_from_thread, in_thread


class PythonOptions(CallOptions):
    """Which class, and what it is made with."""

    target: str = Field(alias="class", description="the class, as module:Class")
    options: dict[str, Any] = Field(default={}, description="keyword arguments for the class")


class PythonClass:
    """A system that is a researcher's class."""

    options_type: ClassVar[type[CallOptions]] = PythonOptions
    makes_moves: ClassVar[bool] = True

    def __init__(self, options: PythonOptions, *, folder: Path) -> None:
        loaded = load_class(options.target, folder=folder)
        if not callable(getattr(loaded, "new_session", None)):
            raise InputError(f"'{options.target}' has no method new_session(place).")
        try:
            self._system = loaded(**options.options)
        except Exception as error:
            # A researcher's class may raise anything while it is made.
            raise InputError(
                f"'{options.target}' could not be made with {options.options}: "
                f"{type(error).__name__}: {error}"
            ) from error

    def new_session(self, place: Place) -> "PythonSession":
        return PythonSession(self._system.new_session(place))

    async def close(self) -> None:
        """Call the class's own close(), if it has one."""
        await _call_close(self._system)


class PythonSession:
    """One dialogue with the researcher's session."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        # By the function where there is one: its signature is looked up once, not once per dialogue.
        self._takes_draft, self._is_async = _looked_up(getattr(inner.send, "__func__", inner.send))

    def receive(self, event: Event) -> None:
        self._inner.receive(event)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        send: Callable[..., Any] = self._inner.send
        if self._is_async:
            return as_moves(await (send(draft) if self._takes_draft else send()))
        listener = None if draft is None else draft_from_thread(draft)
        answer = await in_thread(lambda: send(listener) if self._takes_draft else send())
        if isinstance(answer, Awaitable):  # a plain function that returns a coroutine
            answer = await answer
        return as_moves(answer)

    async def close(self) -> None:
        """Call the session's own close(), if it has one."""
        await _call_close(self._inner)


@lru_cache(maxsize=64)
def _looked_up(send: Callable[..., Any]) -> tuple[bool, bool]:
    """Whether `send` takes a listener for drafts, and whether it is async."""
    parameters = [name for name in inspect.signature(send).parameters if name != "self"]
    return bool(parameters), inspect.iscoroutinefunction(send)


async def _call_close(thing: Any) -> None:
    close = getattr(thing, "close", None)
    if close is None:
        return
    result = close()
    if isinstance(result, Awaitable):
        await result
