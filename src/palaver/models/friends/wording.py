"""Tokens as people write them: values by their surfaces, numbers, capitals and marks.

How somebody writes stays the same through a dialogue: small letters or not, digits or words for
numbers. One friend is always "one", because a digit reads badly for "that one".
"""

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from palaver.games.mutual_friends.lexicon import Entity
from palaver.games.mutual_friends.reading import NUMBERS
from palaver.models.friends.tokens import MARKS, FriendsToken

_WORDS = {str(number): word for word, number in NUMBERS.items() if number}
_LEANS = re.compile(r" ([.,!?;:])")
_BEGINS = re.compile(r"(?:^|[.!?] )[a-z]")
_I = re.compile(r"\bi\b(?!\.)")


@dataclass(frozen=True, slots=True)
class WritingManner:
    """How one side writes."""

    in_lower_case: bool
    in_digits: bool

    @classmethod
    def by_lot(cls, dice: random.Random) -> "WritingManner":
        return cls(dice.random() < 0.5, dice.random() < 0.5)

    def sentence(
        self,
        tokens: Iterable[FriendsToken],
        surfaces: Mapping[Entity, Mapping[str, int]],
        dice: random.Random,
    ) -> str:
        """What the tokens say.

        >>> chess = FriendsToken("", Entity("Hobby", "Chess"))
        >>> tokens = [*map(FriendsToken, "yes , i have 2 . 1 likes".split()), chess]
        >>> WritingManner(False, False).sentence(tokens, {}, random.Random(1))
        'Yes, I have two. One likes Chess'
        >>> WritingManner(True, True).sentence(tokens, {}, random.Random(1))
        'yes, i have 2. one likes chess'
        """
        words = [self._word(each, surfaces, dice) for each in tokens if each.word not in MARKS]
        text = spaced(words)
        if self.in_lower_case:
            return text.lower()
        return _BEGINS.sub(lambda found: found[0].upper(), _I.sub("I", text))

    def _word(
        self,
        token: FriendsToken,
        surfaces: Mapping[Entity, Mapping[str, int]],
        dice: random.Random,
    ) -> str:
        if token.entity is not None:
            return surface(token.entity, surfaces, dice)
        keeps_digits = self.in_digits and token.word != "1"
        return token.word if keeps_digits else _WORDS.get(token.word, token.word)


def spaced(words: Iterable[str]) -> str:
    """Words as one text, marks at the word before them."""
    return _LEANS.sub(r"\1", " ".join(words))


def surface(
    entity: Entity, surfaces: Mapping[Entity, Mapping[str, int]], dice: random.Random
) -> str:
    """One of the ways in which a value is written, by the square of how often it was; else as it
    stands in tables."""
    ways = surfaces.get(entity)
    if not ways:
        return entity.value
    return dice.choices(list(ways), weights=[count**2 for count in ways.values()])[0]
