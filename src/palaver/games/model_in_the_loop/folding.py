"""Texts made comparable: without case, spaces and punctuation."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"\w+")


@lru_cache(maxsize=2048)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, in one case and one form of each letter.

    >>> words_of("It  RAINED, didn't it?")
    ('it', 'rained', 'didn', 't', 'it')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def folded(text: str) -> str:
    """A text without what makes no difference; two that are equal so say the same.

    >>> folded("It rains.") == folded("it  rains")
    True
    """
    return "".join(words_of(text))
