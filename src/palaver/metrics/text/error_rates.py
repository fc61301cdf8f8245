"""Character and word error rate: how many edits turn a text into its reference."""

import math
from collections.abc import Hashable, Sequence

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT, TEXTS, yes_or_no

LEVENSHTEIN = (
    "V. I. Levenshtein (1966), Binary codes capable of correcting deletions, insertions and "
    "reversals, Soviet Physics Doklady 10, 707–710."
)
LOWERCASE = {"lowercase": "true: upper and lower case are the same"}
NOTHING_TO_COUNT = "the references contain nothing to count"
_SAID = ["the cat sat", "on mat"]
_MEANT = ["the cat sat", "on the mat"]

Edits = tuple[int, int]


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """How many insertions, deletions and replacements turn one sequence into the other.

    A column of the table of distances is kept as two whole numbers, whose bits say where it rises
    and where it falls, so that one step works on all of it at once: G. Myers (1999), Journal of the
    ACM 46, 395–415, in the form of H. Hyyrö (2003).

    >>> edit_distance("kitten", "sitting")
    3
    """
    if not first or not second:
        return len(first) + len(second)
    places: dict[Hashable, int] = {}
    for n, item in enumerate(first):
        places[item] = places.get(item, 0) | 1 << n
    mask = (1 << len(first)) - 1
    last = 1 << (len(first) - 1)
    rises, falls, distance = mask, 0, len(first)
    for item in second:
        same = places.get(item, 0)
        level = (((same & rises) + rises) ^ rises) | same | falls
        right_rises = falls | (mask & ~(level | rises))
        right_falls = level & rises
        distance += bool(right_rises & last) - bool(right_falls & last)
        right_rises = right_rises << 1 | 1
        rises = mask & (right_falls << 1 | ~(level | right_rises))
        falls = right_rises & level & mask
    return distance


def character_errors(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, lowercase: bool = False
) -> list[Edits]:
    """Per item the edits and the length of the closest reference, in characters."""
    fold = yes_or_no("lowercase", lowercase)
    return [
        _closest(_folded(text, fold), [_folded(each, fold) for each in several])
        for text, several in zip(predictions, references, strict=True)
    ]


def word_errors(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, lowercase: bool = False
) -> list[Edits]:
    """Per item the edits and the length of the closest reference, in words between spaces."""
    fold = yes_or_no("lowercase", lowercase)
    return [
        _closest(_folded(text, fold).split(), [_folded(each, fold).split() for each in several])
        for text, several in zip(predictions, references, strict=True)
    ]


def character_error_rate(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, lowercase: bool = False
) -> Score:
    """Σ edits / Σ characters of the references, over all items; spaces at the ends do not count.

    Of several references the one with the lowest rate counts. More edits than characters are
    possible, so it has no upper end. Undefined when the references are empty.
    """
    return _rate(character_errors(predictions, references, lowercase=lowercase))


def word_error_rate(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, lowercase: bool = False
) -> Score:
    """Σ edits / Σ words of the references, over all items, with words as spaces cut them."""
    return _rate(word_errors(predictions, references, lowercase=lowercase))


def _folded(text: str, fold: bool) -> str:
    return text.strip().lower() if fold else text.strip()


def _closest(given: Sequence[str], references: Sequence[Sequence[str]]) -> Edits:
    found = [(edit_distance(given, reference), len(reference)) for reference in references]
    return min(found, key=lambda pair: (pair[0] / pair[1] if pair[1] else math.inf, pair))


def _rate(found: Sequence[Edits]) -> Score:
    edits, length = (sum(column) for column in zip(*found, strict=True))
    if length == 0:
        return Score.undefined(NOTHING_TO_COUNT)
    return Score(value=edits / length, parts={"edits": edits, "length": length})


CER = Metric(
    name="cer",
    title="Character error rate",
    family="text",
    about="How many characters must be changed to turn the text into its reference, per character.",
    direction="lower",
    unit="edits per character",
    high=math.inf,
    paper=LEVENSHTEIN,
    predictions=TEXT,
    references=TEXTS,
    options=LOWERCASE,
    function=character_error_rate,
    example=Example(_SAID, _MEANT, 4 / 21),
)
WER = Metric(
    name="wer",
    title="Word error rate",
    family="text",
    about="How many words must be changed to turn the text into its reference, per word.",
    direction="lower",
    unit="edits per word",
    high=math.inf,
    paper=LEVENSHTEIN,
    predictions=TEXT,
    references=TEXTS,
    options=LOWERCASE,
    function=word_error_rate,
    example=Example(_SAID, _MEANT, 1 / 6),
)
