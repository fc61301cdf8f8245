"""Whether a context entails a sentence, by counting: words in common, negations, numbers, opposites.

It is a model to write against: it answers at once, is right often enough to be worth outwitting, and
is wrong in ways that people find out. It knows no order of words (who bit whom), no words that mean
the same beyond a few endings, no hedges, and one "not" cancels another.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ENTAILED, NEUTRAL, CONTRADICTORY = "entailed", "neutral", "contradictory"

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_PARTS = re.compile(r"[.,;:!?]+")
_ENDINGS = ("ingly", "edly", "ing", "ies", "ied", "es", "ed", "ly", "s", "e", "y")
# What is left of a word once its ending is off is at least so long.
_SHORTEST = 3
_NEGATION_WORDS = """
not no never nobody nothing none nowhere neither nor without hardly cannot
"""
_LITTLE_WORDS = """
a an the this that these those it its he him his she her hers they them their theirs we us our i me my
you your who whom which what there here is are was were be been being am do does did has have had having
will would can could shall should may might must of in on at to from by for with about into over under
after before during as and or but so if than then because while when where also too very some any just
only own
"""
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NEGATIONS, _LITTLE = frozenset(_NEGATION_WORDS.split()), frozenset(_LITTLE_WORDS.split())
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())} | {
    "twice": "2",
    "both": "2",
    "twenty": "20",
    "thirty": "30",
    "hundred": "100",
    "dozen": "12",
}


@dataclass(frozen=True, slots=True)
class Marks:
    """What is counted of a text: its stems, its numbers, and whether it is negated."""

    stems: frozenset[str]
    numbers: frozenset[str]
    is_negated: bool


def marks_of(text: str) -> Marks:
    """The marks of a text; two negations cancel each other."""
    words = [word.replace("’", "'") for word in _WORD.findall(text.lower())]
    negations = sum(word in _NEGATIONS or word.endswith("n't") for word in words)
    numbers = {_NUMBERS.get(word, word) for word in words if word in _NUMBERS or word[0].isdigit()}
    plain = (
        word.removesuffix("'s")
        for word in words
        if word not in _LITTLE | _NEGATIONS and word not in _NUMBERS and not word.endswith("n't")
    )
    stems = {stem(word) for word in plain if not word[0].isdigit()}
    return Marks(frozenset(stems), frozenset(numbers), bool(negations % 2))


def stem(word: str) -> str:
    """A word without its ending.

    >>> stem("slept"), stem("trains"), stem("carries"), stem("hoped") == stem("hope")
    ('slept', 'train', 'carr', True)
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word


def read(context: str, hypothesis: str) -> dict[str, float]:
    """How probable each label is; they add up to 1.

    Negation is compared with the part of the context that has most words in common.
    """
    said, asked = marks_of(context), marks_of(hypothesis)
    known = _in_common(asked, said)
    nearest = max(map(marks_of, _PARTS.split(context)), key=lambda part: _in_common(asked, part))
    odd_numbers = bool(said.numbers) and bool(asked.numbers - said.numbers)
    turned = any(
        opposites().get(stem, frozenset()) & said.stems for stem in asked.stems - said.stems
    )
    clash = (
        1.6 * known * (nearest.is_negated != asked.is_negated)
        + 1.3 * known * odd_numbers
        + 1.4 * turned
    )
    return _shares(
        {
            ENTAILED: 4.0 * known - 2.2 - 1.5 * clash,
            NEUTRAL: 1.4 * (1 - known) + 0.1 - 0.5 * clash,
            CONTRADICTORY: 2.2 * clash - 1.4,
        }
    )


def _in_common(asked: Marks, said: Marks) -> float:
    """The share of the words asked about that were said."""
    return len(asked.stems & said.stems) / max(len(asked.stems), 1)


def likeliest(shares: Mapping[str, float]) -> str:
    """The label with the largest share."""
    return max(shares, key=lambda label: shares[label])


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    """The stems of words that cannot both be true of one thing, in both directions."""
    found: dict[str, set[str]] = {}
    text = (files("palaver.systems.overlap") / "opposites.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        one, _, other = line.partition(" ")
        if other and not line.startswith("#"):
            found.setdefault(stem(one), set()).add(stem(other))
            found.setdefault(stem(other), set()).add(stem(one))
    return {word: frozenset(against) for word, against in found.items()}


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    """A softmax, in ten-thousandths, so that the shares add up exactly as they are shown."""
    total = sum(math.exp(weight) for weight in weights.values())
    shares = {label: round(math.exp(weight) / total, 4) for label, weight in weights.items()}
    first = likeliest(shares)
    shares[first] = round(1 - sum(share for label, share in shares.items() if label != first), 4)
    return shares
