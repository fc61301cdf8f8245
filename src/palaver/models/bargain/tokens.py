"""What bargainers type as words, in the way of NLTK's tokeniser in lower case, and back again.

"I don't" is `i do n't`, marks stand apart, and dots in a row are one word. No word looks like a mark of
ours, because the signs `<` and `>` stand for themselves.
"""

import re
from collections.abc import Iterable

_NOT = re.compile(r"(?<=[a-z])n't\b")
_CLITIC = re.compile(r"(?<=\w)'(s|m|re|ve|ll|d)\b")
_DOTS = re.compile(r"\.{2,}|…")
_BLANKS = re.compile(r"[\\/>]")
_TOKEN = re.compile(
    r"n't\b|'(?:s|m|re|ve|ll|d)\b|\.\.\.|\$?\d+(?:[.,:]\d+)*[^\W_]*|[^\W_]+(?:[-'.@][^\W_]+)*|"
    r"[^\w\s\"`]|_"
)
_LISTED = re.compile(r"[^\W_]+")

_SMILEY = re.compile(r"([:;=]) (-? ?[()])")
_LEANS = re.compile(r" (n't\b|'(?:s|m|re|ve|ll|d)\b|\.\.\.|[.,?!;)%]|:(?![()]))")
_OPENS = re.compile(r"([(#]) ")


def tokenise(text: str) -> list[str]:
    """The words of a message, or of a part of one between two prices.

    >>> tokenise("I'd say it isn't worth that... 65k miles <accept>")
    ['i', "'d", 'say', 'it', 'is', "n't", 'worth', 'that', '...', '65k', 'miles', '<', 'accept']
    """
    plain = text.lower().replace("’", "'").replace("‘", "'")
    plain = _BLANKS.sub(" ", _DOTS.sub(" ... ", plain))
    return _TOKEN.findall(_CLITIC.sub(r" '\1", _NOT.sub(" n't", plain)))


def listing_words(lines: Iterable[str]) -> list[str]:
    """The words of a title or a description, without any other signs.

    >>> listing_words(["Road bike, 56 cm"])
    ['road', 'bike', '56', 'cm']
    """
    return [word for line in lines for word in _LISTED.findall(line.lower())]


def as_sentence(words: Iterable[str]) -> str:
    """Words as people type them.

    >>> as_sentence(["i", "ca", "n't", "go", "to", "$90", ",", "it", "'s", "new", "!", ":", ")"])
    "i can't go to $90, it's new! :)"
    """
    text = _SMILEY.sub(r"\1\2", " ".join(words))
    return _OPENS.sub(r"\1", _LEANS.sub(r"\1", text))
