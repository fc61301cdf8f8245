"""How the bot words what it means: counts, what friends have in common, and its own manner."""

import random
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from re import Pattern, compile, escape
from string import Formatter
from typing import Literal

from palaver.core.words import listed
from palaver.games.mutual_friends.lexicon import Entity
from palaver.games.mutual_friends.reading import NUMBERS, Group
from palaver.games.sentences import Speaker, load_sentences

SENTENCES = Path(__file__).parent / "material" / "sentences.yaml"
_WORDS = {number: word for word, number in NUMBERS.items()}
# Values that are ordinary words and not names.
_PLAIN = frozenset({"Hobby", "Time Preference", "Location Preference"})

Number = Literal["one", "many"]


@dataclass
class Voice:
    """One bot in one dialogue: its manner stays, its sentences change."""

    rng: random.Random
    columns: tuple[str, ...]
    in_digits: bool = False
    in_lower_case: bool = False
    # How often each template was said, as far as the messages tell; and with this one.
    said: Counter[str] = field(default_factory=Counter)
    drafted: Counter[str] = field(default_factory=Counter)

    @classmethod
    def by_lot(cls, rng: random.Random, columns: tuple[str, ...]) -> "Voice":
        return cls(rng, columns, in_digits=rng.random() < 0.5, in_lower_case=rng.random() < 0.3)

    def begin(self, rng: random.Random) -> None:
        """Begin another message, with other dice."""
        self.rng, self.drafted = rng, self.said.copy()

    def say(self, purpose: str, **places: str) -> str:
        """A sentence for a purpose, one that was said least often."""
        return _begin(self._speaker.say(purpose, **places))

    def write(self, *sentences: str) -> str:
        """The message that consists of these sentences."""
        text = " ".join(filter(None, sentences))
        return text.lower() if self.in_lower_case else text

    def hear(self, text: str) -> None:
        """Take note of one's own message, whichever session wrote it."""
        lowered = text.lower()
        for template, fragment, pattern in _patterns():
            if fragment in lowered and pattern.search(lowered):
                self.said[template] += 1

    def count(self, number: int) -> str:
        return str(number) if self.in_digits else _WORDS.get(number, str(number))

    def describe(self, group: Group, number: Number) -> str:
        """What friends of a group have in common: "like hiking and work at Lantern Books"."""
        order = {name: n for n, name in enumerate(self.columns)}
        parts = sorted(group, key=lambda e: (order.get(e.attribute, len(order)), e.value))
        return listed([self._phrase(entity, number) for entity in parts])

    def values(self, entities: list[Entity]) -> str:
        return listed([_shown(entity) for entity in entities])

    @property
    def _speaker(self) -> Speaker:
        return Speaker(load_sentences(SENTENCES), self.rng, self.drafted)

    def _phrase(self, entity: Entity, number: Number) -> str:
        purpose = f"{entity.attribute} {number}"
        if purpose in load_sentences(SENTENCES).purposes:
            return self._speaker.say(purpose, value=_shown(entity))
        attribute = entity.attribute.lower()
        return self._speaker.say(f"other {number}", value=_shown(entity), attribute=attribute)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, str, Pattern[str]], ...]:
    """The templates, each with its longest fixed words and a pattern of what is said with it."""
    found = []
    for templates in load_sentences(SENTENCES).purposes.values():
        for template in templates:
            fixed = [words for words, *_ in Formatter().parse(template.text.lower())]
            pattern = ".+?".join(map(escape, fixed))
            found.append((template.text, max(fixed, key=len), compile(pattern)))
    return tuple(found)


def _shown(entity: Entity) -> str:
    return entity.value.lower() if entity.attribute in _PLAIN else entity.value


def _begin(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
