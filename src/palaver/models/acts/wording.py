"""Acts in words: the sentences of the games, which their rule bots speak with, say what a network chose.

A message is preferred that the game's parser reads back as the act that was chosen. What was said before
is recognised among the own messages, so that nothing is said twice while there is something else to say.
"""

import copy
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from palaver.core.events import MESSAGE
from palaver.formats.move_words import price_words
from palaver.games.craigslist_bargain.acts import ActReader
from palaver.games.craigslist_bargain.sides import CATEGORIES, BargainSide
from palaver.games.deal_or_no_deal.bots import places_of
from palaver.games.sentences import Sentences, Speaker
from palaver.models.acts.deal_reading import DealActReader

# How often a sentence is one for things of that category, and how often a price comes with a reason.
_SPECIAL, _ARGUED = 0.7, 0.4
_PURPOSES = {
    "intro": "greet",
    "inquiry": "ask",
    "inform": "answer",
    "init-price": "open",
    "counter-price": "counter",
    "vague-price": "vague",
    "insist": "insist",
    "agree": "agree",
    "disagree": "refuse",
    "unknown": "chat",
}
_DEAL_PURPOSES = {
    "insist": "insist",
    "agree": "accept",
    "disagree": "refuse",
    "inquire": "ask",
    "greet": "greet",
    "unknown": "ponder",
}
# Messages that are tried until one is read back as what it was to say.
_TRIED = 12
# A sentence that begins with what is shared: "both hats for me".
_BEGINNING = re.compile(r"(?<=[.!?] )[a-z]|^[a-z]")


@dataclass(frozen=True, slots=True)
class BargainWording:
    """Speaks for one side of a bargain; `own` is what it has said so far, and `reader` has read all
    that was said."""

    side: BargainSide
    sentences: Sentences
    dice: random.Random
    reader: ActReader
    own: tuple[str, ...] = ()

    def words(self, act: str, price: float | None) -> str:
        """A message that does what the act says; a price is told where the act is about one."""

        def is_read_back(text: str) -> bool:
            reader = self.reader
            listening = replace(reader, acts=dict(reader.acts), prices=dict(reader.prices))
            read = listening.read(reader.seat, MESSAGE, text)
            return read.intent == act and (price is None or read.price in (None, price))

        return _first(lambda: self._drawn(act, price), is_read_back)

    def _drawn(self, act: str, price: float | None) -> str:
        speaker = Speaker(self.sentences, self.dice, recognised(self.sentences, self.own))
        places = {} if price is None else {"price": price_words(price)}
        parts = []
        if act == "counter-price" and self.dice.random() < _ARGUED:
            parts.append(speaker.say(self._purpose("argue")))
        parts.append(speaker.say(self._purpose(_PURPOSES[act]), **places))
        return " ".join(parts)

    def _purpose(self, purpose: str) -> str:
        """The sentences of a role for a purpose, or those for things of this category."""
        general = f"{self.side.role}_{purpose}"
        special = f"{general}_{self.side.category}"
        is_known = self.side.category in CATEGORIES and special in self.sentences.purposes
        return special if is_known and self.dice.random() < _SPECIAL else general


@dataclass(frozen=True, slots=True)
class DealWording:
    """Speaks for the side that its reader has as seat 0; `own` is what it has said so far."""

    sentences: Sentences
    dice: random.Random
    reader: DealActReader
    own: tuple[str, ...] = ()
    has_heard: bool = False

    def words(self, act: str, share: Mapping[str, int] | None) -> str:
        """A message that does what the act says, about what the own side would get."""

        def is_read_back(text: str) -> bool:
            read = copy.deepcopy(self.reader).read(0, text)
            return read.act == act and (read.share is None or read.share == share)

        return _first(lambda: self._drawn(act, share), is_read_back)

    def _drawn(self, act: str, share: Mapping[str, int] | None) -> str:
        speaker = Speaker(self.sentences, self.dice, recognised(self.sentences, self.own))
        places = {} if share is None else places_of(dict(share), dict(self.reader.counts))
        return _BEGINNING.sub(
            lambda found: found[0].upper(), speaker.say(self._purpose(act), **places)
        )

    def _purpose(self, act: str) -> str:
        if act != "propose":
            return _DEAL_PURPOSES[act]
        if self.own:
            return "counter" if self.has_heard else "concede"
        return "answer" if self.has_heard else "open"


def _first(draw: Callable[[], str], is_good: Callable[[str], bool]) -> str:
    """The first of some drawn texts that is good; the last one, where none is."""
    text = draw()
    for _ in range(_TRIED - 1):
        if is_good(text):
            break
        text = draw()
    return text


def recognised(sentences: Sentences, messages: Iterable[str]) -> Counter[str]:
    """The templates that messages were made of, and how often."""
    texts = [message.lower() for message in messages]
    templates = [each.text for group in sentences.purposes.values() for each in group]
    return Counter(
        template for template in templates for text in texts if _pattern(template).search(text)
    )


@lru_cache(maxsize=4096)
def _pattern(template: str) -> re.Pattern[str]:
    """What can be made of a template; case is that of a beginning, not of the words."""
    return re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(template.lower())))
