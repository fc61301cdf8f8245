"""Texts laid end to end as one array of code points, so that all are changed at once.

A text is followed by one separator, a line break, which no change may touch. What is protected (a
gold span) is not `free`. Words are found once and shared by everything that works on words. What kind
of character a code point is stands as flags in a table.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from palaver.core.numeric import Numbers, np

LETTER, DIGIT, GLUE, SPACE, UPPER, LOWER, PUNCTUATION = 1, 2, 4, 8, 16, 32, 64

LATIN = 256
JOINER = 0x200D

Span = tuple[int, int]
APOSTROPHES = (ord("'"), 0x2019)
SPACE_CODE = ord(" ")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a corpus: where each stands, and in which text."""

    starts: Numbers
    stops: Numbers
    rows: Numbers
    # Whether one space and nothing else stands between a word and the next of its text.
    followed: Numbers
    free: Numbers


@dataclass(frozen=True, slots=True)
class CorpusVocabulary:
    """The different words of a corpus as they are written, and which of them each word is."""

    words: list[str]
    ids: Numbers


class _Numbered(dict[str, int]):
    """Numbers words from 0 as they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Corpus:
    """Texts as code points; `spans` are the protected parts of each text."""

    def __init__(self, texts: Sequence[str], spans: Sequence[Sequence[Span]] = ()) -> None:
        self.texts = texts
        self.joined = "\n".join(texts) + "\n"
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self.stops = np.cumsum(lengths + 1) - 1
        self.starts = self.stops - lengths
        self.codes = _codes(self.joined)
        self._spans = spans

    @property
    def is_latin(self) -> bool:
        """Whether every code point fits a byte."""
        return self.codes.dtype.itemsize == 1

    @cached_property
    def free(self) -> Numbers | None:
        """Which code points may be changed; None if all may."""
        if not any(self._spans):
            return None
        free = np.ones(len(self.codes), dtype=bool)
        for start, spans in zip(self.starts.tolist(), self._spans, strict=True):
            for first, last in spans:
                free[start + first : start + last] = False
        return free

    @cached_property
    def classes(self) -> Numbers:
        if self.is_latin:
            return _translated(self.codes, latin_classes())
        return self._table(class_of, np.uint8)[self.codes]

    @cached_property
    def glue(self) -> Numbers | None:
        """Which code points belong to the one before them; None if none does."""
        if self.is_latin:
            return None
        glue = self.has(GLUE)
        return glue | _previous(self.codes == JOINER) if glue.any() else None

    def has(self, flags: int) -> Numbers:
        """Which code points have one of these flags."""
        found: Numbers = (self.classes & flags) != 0
        return found

    def mapped(self, function: Callable[[str], str]) -> Numbers:
        """The code points with each mapped; one that maps to several, or to a wider kind, stays."""
        if self.is_latin:
            codes = [_mapped_one(code, function) for code in range(LATIN)]
            return _translated(self.codes, np.array(codes, dtype=np.uint8))
        return self._table(lambda code: _mapped_one(code, function), np.uint32)[self.codes]

    def entries(self, table: Numbers) -> Numbers:
        """The entry of each code point in a table of 256 bytes, whose last stands for all others."""
        if self.is_latin:
            return _translated(self.codes, table)
        return table[np.minimum(self.codes, LATIN - 1)]

    def places(self, mask: Numbers) -> Numbers:
        """Where the mask holds and a change is free to happen."""
        return np.flatnonzero(mask if self.free is None else mask & self.free)

    def inner_letters(self) -> Numbers:
        """Which code points are letters with a letter before them and no mark on either."""
        letters = self.has(LETTER)
        bare = letters
        if self.glue is not None:
            bare = letters & ~_next(self.glue)
        inner = bare & _previous(bare)
        return inner if self.free is None else inner & _previous(self.free)

    def rows_of(self, places: Numbers) -> Numbers:
        """The text that each place stands in."""
        return np.searchsorted(self.stops, places, side="left")

    @cached_property
    def words(self) -> Words:
        """The words: letters, digits and the marks on them, with apostrophes between."""
        inside, before = self._inside, _previous(self._inside)
        starts, stops = np.flatnonzero(inside & ~before), np.flatnonzero(~inside & before)
        rows = self.rows_of(starts)
        followed = np.zeros(len(starts), dtype=bool)
        followed[:-1] = (starts[1:] - stops[:-1] == 1) & (self.codes[stops[:-1]] == SPACE_CODE)
        return Words(starts, stops, rows, followed, self._free(starts, stops))

    @cached_property
    def vocabulary(self) -> CorpusVocabulary:
        """The different words, found once for everything that looks words up."""
        known = _Numbered()
        # With spaces for everything else, taking a text apart at its spaces gives the words.
        words = text_of(
            np.where(self._inside, self.codes, self.codes.dtype.type(SPACE_CODE))
        ).split()
        ids = np.fromiter(map(known.__getitem__, words), dtype=np.int64, count=len(words))
        return CorpusVocabulary(list(known), ids)

    @cached_property
    def _inside(self) -> Numbers:
        inside = self._with_marks(self.has(LETTER | DIGIT))
        apostrophe = self.codes == APOSTROPHES[0]
        if not self.is_latin:
            apostrophe |= self.codes == APOSTROPHES[1]
        whole: Numbers = inside | (apostrophe & _previous(inside) & _next(inside))
        return whole

    def _with_marks(self, mask: Numbers) -> Numbers:
        """The mask, and what belongs to the code points in it."""
        while self.glue is not None:
            longer = mask | (self.glue & _previous(mask))
            if (longer == mask).all():
                break
            mask = longer
        return mask

    def _free(self, starts: Numbers, stops: Numbers) -> Numbers:
        if self.free is None:
            return np.ones(len(starts), dtype=bool)
        blocked = np.concatenate(([0], np.cumsum(~self.free)))
        free: Numbers = blocked[starts] == blocked[stops]
        return free

    def _table(self, function: Callable[[int], int], dtype: type) -> Numbers:
        present = np.flatnonzero(np.bincount(self.codes))
        table: Numbers = np.zeros(int(present[-1]) + 1, dtype=dtype)
        table[present] = [function(code) for code in present.tolist()]
        return table


@cache
def latin_classes() -> Numbers:
    """The flags of the first 256 code points."""
    return np.array([class_of(code) for code in range(LATIN)], dtype=np.uint8)


def class_of(code: int) -> int:
    """The flags of one code point.

    `GLUE` marks what belongs to the character before it: combining marks, joiners, skin tones,
    vowel signs, the later parts of a Korean syllable, the letters of flags.
    """
    char = chr(code)
    if _is_glue(char, code):
        return GLUE
    if char.isalpha():
        return LETTER | (UPPER if char.isupper() else LOWER if char.islower() else 0)
    if char.isdigit():
        return DIGIT
    if char.isspace():
        return SPACE
    return PUNCTUATION if unicodedata.category(char).startswith("P") else 0


def _is_glue(char: str, code: int) -> bool:
    return (
        unicodedata.category(char).startswith("M")
        or code == JOINER
        or 0x1160 <= code <= 0x11FF
        or 0xD7B0 <= code <= 0xD7FF
        or 0x1F1E6 <= code <= 0x1F1FF
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
    )


def _codes(text: str) -> Numbers:
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _translated(codes: Numbers, table: Numbers) -> Numbers:
    """Bytes looked up in a table of 256 bytes; several times faster than indexing."""
    return np.frombuffer(bytearray(codes.tobytes().translate(table.tobytes())), dtype=np.uint8)


def text_of(codes: Numbers) -> str:
    if codes.dtype.itemsize == 1:
        return codes.tobytes().decode("latin-1")
    return codes.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def _mapped_one(code: int, function: Callable[[str], str]) -> int:
    found = function(chr(code))
    if len(found) != 1 or (ord(found) < LATIN) != (code < LATIN):
        return code
    return ord(found)


def _previous(mask: Numbers) -> Numbers:
    shifted = np.zeros_like(mask)
    shifted[1:] = mask[:-1]
    return shifted


def _next(mask: Numbers) -> Numbers:
    shifted = np.zeros_like(mask)
    shifted[:-1] = mask[1:]
    return shifted
