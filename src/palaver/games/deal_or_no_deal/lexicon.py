"""The words that tell owners, numbers, agreement and refusal apart, and how items are misspelt."""

import re
from collections.abc import Mapping
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBER_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)
NUMBERS: Mapping[str, int] = {
    **{str(n): n for n in range(len(NUMBER_WORDS))},
    **{word: n for n, word in enumerate(NUMBER_WORDS)},
    **{"none": 0, "a": 1, "an": 1, "another": 1, "single": 1, "couple": 2, "pair": 2, "both": 2},
}

SPEAKER = _words("i me my mine i'll i'd i'm i've ill id im ive myself gimme")
PARTNER = _words(
    "you yuo your yours u ya you'll you'd you're you've youll youd youre ur urs yourself"
)
BOTH_SIDES = _words("we we'll")
# A pronoun behind these says whose the things are that were just named.
TOWARDS = _words("for to")
NOT_TOWARDS = _words("up like need want")

STOPS = _words(". ; ? !")
PAUSES = _words(", / : but")
NEGATIONS = _words(
    "no not don't dont cannot can't cant won't wont doesn't doesnt isn't didn't nothing never neither "
    "nor wouldn't"
)
IMPERATIVES = _words("take keep have get")
GIVING = _words("give offer giving offering spare sacrifice")
LETTING = _words("give let offer giving letting")
WORTH = _words("value use worth points worthless useless")
WORTHLESS = _words("worthless useless")
EVERYTHING = _words("everything all anything")
REST = _words("rest remaining remainder others left remains leftovers leftover")
# "left" alone is a side; these make it what remains.
REMAINING = _words("is are what's whats s")
OTHER_THINGS = _words("items stuff things two item")

AGREEMENT = re.compile(
    r"\b(ok|okay|okey|k|deal|sure|fine|yes|yeah|yea|yep|yup|good|works?|great|perfect|agreed?|alright|"
    r"cool|awesome|sold|accept|done|excellent|absolutely|certainly|definitely|you got it)\b"
)
NO_AGREEMENT = re.compile(
    r"\b(no deal|not? (ok|fine|good|agree|work))\b|n't (work|agree|accept)|n'?t do"
)
REFUSAL = re.compile(
    r"\b(no|nope|nah|not|can't|cant|cannot|won't|wont|don't|dont|sorry|unfortunately|refuse|"
    r"impossible|unacceptable|wouldn't|doesn't|isn't)\b"
)
QUESTION = re.compile(r"\b(what|which|how much|how many|do you|would you|are you)\b.*\?|\?\s*$")
# "a hat too" changes one thing and leaves the others.
ADDITION = re.compile(r"\b(too|also|add|as well|plus)\b|^and\b")

_TOKENS = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[.,;:?!/]")


def words_of(text: str) -> list[str]:
    """The words, numbers and marks of a message.

    >>> words_of("I`ll take 2balls, ok?")
    ["i'll", 'take', '2', 'balls', ',', 'ok', '?']
    """
    return _TOKENS.findall(text.lower().replace("’", "'").replace("`", "'"))


@lru_cache(maxsize=4096)
def item_named(word: str, items: tuple[str, ...]) -> str | None:
    """The item that a word names, in the plural, in a compound or with a slip of the pen.

    >>> [item_named(word, ("book", "hat", "ball")) for word in ("hats", "basketball", "boks", "that")]
    ['hat', 'ball', 'book', None]
    """
    for item in items:
        if word in (item, f"{item}s", f"{item}es") or word in _swapped(item):
            return item
        # Shorter names are too near to other words: "that", "has", "hit".
        if len(item) > 3 and (word.endswith((item, f"{item}s")) or _slips(word, f"{item}s")):
            return item
    return None


def _slips(word: str, name: str) -> bool:
    """Whether one letter is missing behind the first, one is too many, or two are swapped."""
    missing = len(word) >= 4 and word in _shortened(name) - {name[1:]}
    return missing or name in _shortened(word) or word in _swapped(name)


def _shortened(word: str) -> set[str]:
    return {word[:n] + word[n + 1 :] for n in range(len(word))}


def _swapped(word: str) -> set[str]:
    return {word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1)}
