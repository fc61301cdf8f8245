"""Answers that are there at once, without the machinery for those that are waited for.

A rule bot answers in the call itself. A timer, a place in a queue and a context manager around it cost
more than many an answer; they are set up only once an answer makes somebody wait.
"""

import types
from collections.abc import Coroutine, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prompt(Generic[T]):
    """What came at once."""

    value: T


@dataclass(frozen=True, slots=True)
class Pending(Generic[T]):
    """A call that waits for `first`; awaiting `rest` goes on with it."""

    call: Coroutine[Any, Any, T]
    first: Any

    async def rest(self) -> T:
        return await _resumed(self.call, self.first)


def begin(call: Coroutine[Any, Any, T]) -> Prompt[T] | Pending[T]:
    """A call as far as it comes without waiting; what it raises is raised here."""
    try:
        return Pending(call, call.send(None))
    except StopIteration as done:
        return Prompt(done.value)


@types.coroutine
def _resumed(call: Coroutine[Any, Any, T], first: Any) -> Generator[Any, Any, T]:
    """Goes on with a call that was begun: hands on what it waits for, and what comes of that."""
    waited = first
    while True:
        try:
            try:
                sent = yield waited
            except GeneratorExit:
                call.close()
                raise
            except BaseException as error:  # noqa: BLE001  # a cancellation is the call's to see
                waited = call.throw(error)
            else:
                waited = call.send(sent)
        except StopIteration as done:
            result: T = done.value
            return result
