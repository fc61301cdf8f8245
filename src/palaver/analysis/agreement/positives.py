"""Which answers are positive, where a measure asks only that: 1, true and yes, or the one named."""

from collections.abc import Iterable
from typing import Any

from palaver.core.errors import InputError
from palaver.core.words import listed

YES = frozenset({"1", "true", "yes"})
NO = frozenset({"0", "false", "no"})
# How many values of a column a message shows.
_SHOWN = 8


def answer_word(value: Any) -> str:
    """A value as one compares it by hand: without case, and 1, 1.0 and "1.0" the same.

    >>> answer_word(True), answer_word("Yes "), answer_word(1.0), answer_word("1.0")
    ('true', 'yes', '1', '1')
    """
    word = str(value).strip().casefold()
    try:
        number = float(word)
    except ValueError:
        return word
    return f"{number:g}" if number == number else word


def positive_words(values: Iterable[Any], positive: str | None, *, where: str) -> frozenset[str]:
    """The words of the positive answers among these values.

    InputError where none is named and some values are neither yes nor no, and where the one that is
    named does not occur.
    """
    words = dict.fromkeys(answer_word(value) for value in values)
    if positive is not None:
        named = answer_word(positive)
        if named not in words:
            raise InputError(f"{where} never holds '{positive}'. It holds: {_shown(words)}.")
        return frozenset({named})
    if not words.keys() <= YES | NO:
        raise InputError(
            f"{where} should hold 1 or 0, true or false, yes or no; it holds: {_shown(words)}. "
            "Name the positive value with --positive."
        )
    return YES


def _shown(words: Iterable[str]) -> str:
    return listed([f"'{word}'" for word in words], most=_SHOWN)
