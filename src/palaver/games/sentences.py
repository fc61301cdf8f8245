"""The sentences that a bot can say, by what they are for, and who says which one next.

A file maps a purpose to templates: `ask_price: ["What do you want for it?", "Would you take {price}?"]`.
A template can be said when all that stands in its braces is given. A speaker says none twice before
all that fit were said.
"""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from string import Formatter

from ruamel.yaml import YAML

from palaver.core.errors import InputError


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A sentence with places for what is known only when it is said."""

    text: str
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sentences:
    """Templates by purpose."""

    purposes: Mapping[str, tuple[SentenceTemplate, ...]]

    @property
    def count(self) -> int:
        return sum(map(len, self.purposes.values()))


@lru_cache(maxsize=16)
def load_sentences(path: Path) -> Sentences:
    """The sentences of a YAML file."""
    read = YAML(typ="safe").load(path.read_text("utf-8"))
    return Sentences({purpose: tuple(map(_template, texts)) for purpose, texts in read.items()})


def _template(text: str) -> SentenceTemplate:
    return SentenceTemplate(
        text, frozenset(name for _, name, _, _ in Formatter().parse(text) if name)
    )


@dataclass(slots=True)
class Speaker:
    """Chooses sentences for one dialogue."""

    sentences: Sentences
    rng: random.Random
    said: Counter[str] = field(default_factory=Counter)

    def say(self, purpose: str, **places: str) -> str:
        """A sentence for a purpose, of those said least often one by lot.

        Sentences that use more of what is given are not preferred: give only what is to be said.
        """
        fitting = [t for t in self.sentences.purposes[purpose] if t.places <= places.keys()]
        if not fitting:
            raise InputError(f"No sentence for '{purpose}' does with {sorted(places)} alone.")
        least = min(self.said[t.text] for t in fitting)
        chosen = self.rng.choice([t for t in fitting if self.said[t.text] == least])
        self.said[chosen.text] += 1
        return chosen.text.format_map(places)
