"""Pieces of words, and their numbers: a vocabulary that leaves nothing unknown.

A text is cut into words with the space before them, a word into bytes, and bytes that often stand side
by side are joined (R. Sennrich, B. Haddow and A. Birch, 2016, Neural machine translation of rare words
with subword units, ACL). Each byte is a piece of its own, so that every character can be written.
Bytes are kept as visible characters, in JSON that people can read.
"""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from palaver.core.errors import InputError

MARKS = ("<pad>", "<begin>", "<end>")
PAD_NUMBER, BEGIN_NUMBER, END_NUMBER = range(len(MARKS))

# Words of letters are cut at 32, so that the time a text takes grows with its length alone.
WORD = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)\b| ?[^\W\d_]{1,32}| ?\d{1,3}| ?(?:[^\w\s]|_){1,8}|\s", re.IGNORECASE
)
# Words whose pieces are remembered; more than these are seldom met twice.
_REMEMBERED = 200_000


def _shown_bytes() -> list[str]:
    """A visible character for each byte: itself where it is one, else one from U+0100 on."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    unseen = iter(range(0x100, 0x200))
    return [chr(byte if byte in seen else next(unseen)) for byte in range(256)]


BYTES = _shown_bytes()
_NUMBERS = {shown: byte for byte, shown in enumerate(BYTES)}


def shown(word: str) -> str:
    """The bytes of a word as visible characters.

    >>> shown(" café")
    'ĠcafÃ©'
    """
    return "".join([BYTES[byte] for byte in word.encode(errors="ignore")])


class WordPieces:
    """Pieces by number and numbers by piece: marks, bytes, and what was joined, in that order."""

    def __init__(self, merges: Sequence[tuple[str, str]]) -> None:
        self.merges = tuple(merges)
        self.words = [*MARKS, *BYTES, *("".join(pair) for pair in self.merges)]
        self._numbers = {piece: n for n, piece in enumerate(self.words) if n >= len(MARKS)}
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._remembered: dict[str, list[int]] = {}

    @classmethod
    def from_words(cls, words: Mapping[str, Sequence[str]], *, where: str) -> "WordPieces":
        """The pieces of a checkpoint's vocabulary; InputError where it is none of ours."""
        merges = [tuple(each.split(" ")) for each in words.get("merges", ())]
        pairs = [(each[0], each[1]) for each in merges if len(each) == 2 and all(each)]
        made = cls(pairs)
        if len(pairs) < len(merges) or made.words != list(words.get("words", ())):
            raise InputError(
                f"{where}: its vocabulary is none of pieces of words. Expected 'words' and 'merges', "
                "as a model of advice has them."
            )
        return made

    def as_words(self) -> dict[str, list[str]]:
        """The vocabulary as a checkpoint keeps it."""
        return {"words": self.words, "merges": [" ".join(pair) for pair in self.merges]}

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, text: str) -> list[int]:
        """The numbers of the pieces of a text; no text can name a mark."""
        found: list[int] = []
        for word in WORD.findall(text):
            known = self._remembered.get(word)
            found += self._cut(word) if known is None else known
        return found

    def size(self, text: str) -> int:
        """How many pieces a text has."""
        return len(self.numbers(text))

    def text(self, numbers: Iterable[int]) -> str:
        """The text of pieces, without marks; bytes that make no character are left out."""
        pieces = "".join(self.words[number] for number in numbers if number >= len(MARKS))
        return bytes([_NUMBERS[letter] for letter in pieces]).decode(errors="ignore")

    def content(self, number: int) -> bytes:
        """The bytes of a piece; a mark has none."""
        return b"" if number < len(MARKS) else bytes([_NUMBERS[x] for x in self.words[number]])

    def _cut(self, word: str) -> list[int]:
        pieces = list(shown(word))
        while len(pieces) > 1:
            ranked = [
                (self._ranks[pair], n)
                for n, pair in enumerate(itertools.pairwise(pieces))
                if pair in self._ranks
            ]
            if not ranked:
                break
            pieces = joined_pieces(pieces, self.merges[min(ranked)[0]])
        numbers = [self._numbers[piece] for piece in pieces]
        if len(self._remembered) >= _REMEMBERED:
            self._remembered.clear()
        self._remembered[word] = numbers
        return numbers


def joined_pieces(pieces: Sequence[str], pair: tuple[str, str]) -> list[str]:
    """Pieces with every occurrence of a pair, from the left, joined."""
    found: list[str] = []
    n = 0
    while n < len(pieces):
        is_pair = n + 1 < len(pieces) and (pieces[n], pieces[n + 1]) == pair
        found.append("".join(pair) if is_pair else pieces[n])
        n += 2 if is_pair else 1
    return found
