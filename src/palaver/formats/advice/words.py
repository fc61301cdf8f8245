"""The tokens and lemmas of English texts, as spaCy has them where it is installed.

Token limits and retrieval were published with spaCy. Where the package is missing, texts are cut by
expressions of our own as its tokenizer cuts them (line breaks are tokens, contractions are two,
hyphens between words stand alone), and rules of our own make lemmas. What stands between two spaces
is cut once and remembered.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any, Literal

from palaver.formats.advice.word_forms import lemma_of

WordEngine = Literal["spacy_model", "spacy_tokenizer", "own"]
MODEL = "en_core_web_sm"
# So many pieces are remembered at once; texts have no end of names and numbers.
MOST_PIECES = 100_000

_GAP = re.compile(" {3,}")
_UNITS = "km|cm|mm|kg|mg|lb|oz|mph|am|pm|ft|mb|MB|kb|KB|gb|GB|tb|TB|[gmTGMK]"
_TOKEN = re.compile(
    rf"""
      https?://\S*[^\s.,;:!?)\]}}'"*]                # addresses
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|Jr|Sr)\.        # abbreviations keep their dot
    | (?:[^\W\d_]\.){{2,}}
    | [:;=][-o*']?[)(\]\[dDpP/\\|] (?!\w) | <3       # faces
    | \d+(?:[.,:]\d+)* (?= (?:{_UNITS})\b )          # "5kg" is two, "25f" is one
    | \d+(?:[.,:]\d+)* (?![^\W_])
    | (?i: n['’]t | ['’](?:s|m|re|ve|ll|d) ) \b
    | [^\W_]+? (?= (?i: n['’]t ) \b )
    | (?i: (?:gon|wan|got) (?= (?:na|ta) \b ) | can (?= not \b ) )
    | [^\W_]+ (?: _+[^\W_]+ )*
    | \.{{2,}} | -{{2,}} | \s+ | \S
    """,
    re.VERBOSE,
)


def tokens(text: str) -> list[str]:
    """The tokens of a text.

    >>> tokens("I can't say.  Well-known?")
    ['I', 'ca', "n't", 'say', '.', ' ', 'Well', '-', 'known', '?']
    """
    tokenizer = _tokenizer()
    if tokenizer is not None:
        return [token.text for token in tokenizer(text)]
    return own_tokens(text)


def lemmas(text: str) -> list[str]:
    """The lemmas of a text in lower case, one for each token.

    >>> lemmas("She went, and he's making lists.")
    ['she', 'go', ',', 'and', 'he', "'s", 'make', 'list', '.']
    """
    model = _model()
    if model is not None:
        return [token.lemma_.lower() for token in model(text)]
    return own_lemmas(text)


def own_tokens(text: str) -> list[str]:
    """The tokens by our own expressions, whatever is installed."""
    return list(chain.from_iterable(map(_cut.__getitem__, _pieces(text))))


def own_lemmas(text: str) -> list[str]:
    """The lemmas by our own rules, whatever is installed."""
    return list(chain.from_iterable(map(_reduced.__getitem__, _pieces(text))))


def word_engine() -> WordEngine:
    """Who makes tokens and lemmas here; what depends on them should say so."""
    if _model() is not None:
        return "spacy_model"
    return "own" if _tokenizer() is None else "spacy_tokenizer"


def _pieces(text: str) -> list[str]:
    """What stands between single spaces; a second space is a piece of its own, which is empty."""
    if not text:
        return []
    return _GAP.sub("  ", text).removesuffix(" ").split(" ")


class _Memory(dict[str, tuple[str, ...]]):
    """What was made of each piece, until there are too many of them."""

    def __init__(self, make: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= MOST_PIECES:
            self.clear()
        made = self[piece] = self._make(piece)
        return made


_cut = _Memory(lambda piece: tuple(_TOKEN.findall(piece)) if piece else (" ",))
_reduced = _Memory(lambda piece: tuple(map(lemma_of, _TOKEN.findall(piece))) if piece else (" ",))


@cache
def _tokenizer() -> Any:
    """spaCy's tokenizer of English, which needs no model; None without spaCy."""
    try:
        import spacy
    except ImportError:
        return None
    return spacy.blank("en").tokenizer


@cache
def _model() -> Any:
    """spaCy's small model without what lemmas do not need; None where it is not installed."""
    try:
        import spacy

        return spacy.load(MODEL, exclude=["parser", "ner"])
    except (ImportError, OSError):
        return None
