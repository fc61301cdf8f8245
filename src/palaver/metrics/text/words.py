"""Texts cut into tokens, in the few ways that metrics need."""

import re
from collections.abc import Callable, Sequence

from palaver.metrics.shapes import one_of

ASCII_WORD = re.compile(r"[a-z0-9]+")
WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")

SPLITTERS: dict[str, Callable[[str], list[str]]] = {
    "ascii": lambda text: ASCII_WORD.findall(text.lower()),
    "words": lambda text: WORD_OR_MARK.findall(text.lower()),
    "spaces": str.split,
    "characters": lambda text: [letter for letter in text if not letter.isspace()],
}
MEANINGS = (
    "'words': runs of letters and digits, and single marks, in lower case; 'ascii': runs of a-z and "
    "0-9 only, in lower case; 'spaces': what is between spaces; 'characters'"
)


def tokens_of(texts: Sequence[str], splitter: str) -> list[list[str]]:
    """The tokens of each text; `splitter` is one of `SPLITTERS`.

    >>> tokens_of(["Schön, isn't it?"], "words")
    [['schön', ',', 'isn', "'", 't', 'it', '?']]
    >>> tokens_of(["Schön, isn't it?"], "ascii")
    [['sch', 'n', 'isn', 't', 'it']]
    """
    split = SPLITTERS[one_of("tokens", splitter, SPLITTERS)]
    return [split(text) for text in texts]


def ngrams(tokens: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """Every run of `order` tokens.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(tokens[n : n + order]) for n in range(len(tokens) - order + 1)]
