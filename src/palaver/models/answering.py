"""Whether an answer is still wanted.

A thread cannot be stopped from outside. A model that thinks for long therefore looks now and then, and
stops where whoever asked no longer waits: else it would think on beside the next attempt, or beside an
interpreter that is about to end.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

R = TypeVar("R")

_given_up: ContextVar[Event | None] = ContextVar("given_up", default=None)


def answer_unless(given_up: Event, answer: Callable[[], R]) -> R:
    """What `answer` returns; CancelledError where it looks and finds that it was given up."""
    token = _given_up.set(given_up)
    try:
        return answer()
    finally:
        _given_up.reset(token)


def check_wanted() -> None:
    """Raise CancelledError where the answer at hand was given up; outside of answers, do nothing."""
    given_up = _given_up.get()
    if given_up is not None and given_up.is_set():
        raise CancelledError
