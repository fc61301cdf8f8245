"""Words of a text with where they stand, so that what is chosen can be copied letter by letter."""

import re
from collections.abc import Sequence
from typing import NamedTuple

# A Chinese or Japanese sign is a word, since no spaces part them there.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff])\w)+(?:['’](?:(?![\u3040-\u30ff\u3400-\u9fff])\w)+)*"
    r"|[^\w\s]"
)


class PlacedWord(NamedTuple):
    """A word as it is written, its letters from `start` to `end`."""

    text: str
    start: int
    end: int


def placed_words(text: str) -> list[PlacedWord]:
    return [PlacedWord(each.group(), each.start(), each.end()) for each in _WORD.finditer(text)]


def lower_words(text: str) -> list[str]:
    """The words and marks of a text, in lower case.

    >>> lower_words("Isn't it 30 °C?")
    ["isn't", 'it', '30', '°', 'c', '?']
    """
    return _WORD.findall(text.lower())


def word_runs(words: Sequence[str], longest: int) -> list[str]:
    """Every run of one to `longest` words.

    >>> word_runs(["not", "very", "good"], 2)
    ['not', 'very', 'good', 'not very', 'very good']
    """
    found = list(words)
    for size in range(2, longest + 1):
        found += [" ".join(words[n : n + size]) for n in range(len(words) - size + 1)]
    return found


def shape_of(word: str) -> str:
    """What a word looks like: digits by their number, capitals, letters; a mark is itself.

    >>> [shape_of(word) for word in ("1998", "Anna", "NATO", "rain", "B2", "?")]
    ['d4', 'Xx', 'XX', 'xx', 'Xd', '?']
    """
    if word.isdigit():
        return f"d{min(len(word), 4)}"
    if not any(letter.isalnum() for letter in word):
        return word
    if any(letter.isdigit() for letter in word):
        return "Xd" if word[0].isupper() else "xd"
    if len(word) > 1 and word.isupper():
        return "XX"
    return "Xx" if word[0].isupper() else "xx"
