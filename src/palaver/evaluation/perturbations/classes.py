"""What kind of character a code point is, as flags in a table."""

import unicodedata
from functools import cache

from palaver.core.numeric import Numbers, np

LETTER, DIGIT, GLUE, SPACE, UPPER, LOWER, PUNCTUATION = 1, 2, 4, 8, 16, 32, 64

LATIN = 256
JOINER = 0x200D


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
