"""The words in which a question refuses an answer: what it takes, and what it got."""

import reprlib
from collections.abc import Iterable
from typing import Any

from palaver.core.errors import AnswerError

MOST_NAMED = 12
_LARGE = 10**30


class _Shortener(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxdict, self.maxlist = 2, 4, 6
        self.maxstring = self.maxother = 60

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write a number of more than 4,300 digits.
        return str(x) if abs(x) < _LARGE else "a very large number"


_shortener = _Shortener()


def refuse(name: str, expected: str, given: Any) -> AnswerError:
    """The error that says what the question `name` takes and what it got."""
    return AnswerError(f"Question '{name}' takes {expected}; got {shortened(given)}.")


def shortened(given: Any) -> str:
    """What was given, cut where it gets long.

    >>> shortened(7), shortened(None), shortened([1, 2, [3, [4]]])
    ('7', 'nothing', '[1, 2, [3, [...]]]')
    """
    return "nothing" if given is None else _shortener.repr(given)


def listed(names: Iterable[str]) -> str:
    """The names in quotes, the first dozen of them.

    >>> listed(["yes", "no"])
    "'yes', 'no'"
    """
    quoted = [repr(name) for name in names]
    more = len(quoted) - MOST_NAMED
    return ", ".join(quoted[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
