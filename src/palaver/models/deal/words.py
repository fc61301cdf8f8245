"""The words of Deal or No Deal: their numbers, what a partner types, and items that change names.

The three items are alike but for their names, so that a dialogue in which all books are hats and all
hats books is as good as the one that was held. Training makes such dialogues on the fly, with tables.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.deal.lines import DealLine
from palaver.models.deal.network import (
    END_OF_MESSAGE,
    ITEMS,
    PAD,
    SELECTION,
    THEM,
    YOU,
)
from palaver.models.vocabulary import UNKNOWN, Vocabulary

# Every vocabulary begins with these, so that networks know their numbers.
MARKS = (PAD, UNKNOWN, YOU, THEM, END_OF_MESSAGE, SELECTION)
PAD_NUMBER, UNKNOWN_NUMBER, YOU_NUMBER, THEM_NUMBER, END_NUMBER, SELECTION_NUMBER = range(6)

# Names of an item; a permutation replaces each by the first name of the other item in its number.
_SINGULAR = (("book",), ("hat",), ("ball", "basketball"))
_PLURAL = (("books",), ("hats",), ("balls", "basketballs"))

_SMILEY = re.compile(r"([:;=]) ([()])")
_LEANS = re.compile(r" ([.,?!;)%]|:(?![()]))")
_OPENS = re.compile(r"\( ")


def deal_vocabulary(lines: Iterable[DealLine], *, least: int) -> Vocabulary:
    """The marks and the words that occur `least` times or more."""
    return Vocabulary.of((line.words for line in lines), marks=MARKS, least=least)


def known_vocabulary(words: Sequence[str]) -> Vocabulary:
    """The vocabulary of a checkpoint; InputError if it is that of another model."""
    if tuple(words[: len(MARKS)]) != MARKS:
        raise InputError(
            f"A vocabulary of Deal or No Deal begins with {' '.join(MARKS)}; "
            f"got '{' '.join(words[: len(MARKS)])[:80]}'."
        )
    return Vocabulary(words)


def numbers_of(words: Iterable[str], vocabulary: Vocabulary) -> list[int]:
    """The numbers of what was said; nobody says padding, so that the word for it is unknown."""
    return [number or UNKNOWN_NUMBER for number in vocabulary.numbers(words)]


def as_sentence(words: Iterable[str]) -> str:
    """Words of a message as people type them; marks are left out.

    >>> as_sentence(["YOU:", "i'll", "take", "both", "hats", ",", "ok", "?", ":", ")", "<eos>"])
    "i'll take both hats, ok? :)"
    """
    text = " ".join(word for word in words if word not in MARKS)
    return _OPENS.sub("(", _LEANS.sub(r"\1", _SMILEY.sub(r"\1\2", text)))


@dataclass(frozen=True, slots=True)
class ItemPermutations:
    """The six ways to name three items, as tables; number 0 changes nothing."""

    # (6, vocabulary): the word in place of each word.
    words: Tensor
    # (6, 6): the old place of each number of a context, and of each slot.
    contexts: Tensor
    slots: Tensor

    @classmethod
    def of(cls, vocabulary: Vocabulary, device: torch.device) -> "ItemPermutations":
        """The tables for a vocabulary; an item's name that it lacks becomes unknown."""
        ways = list(permutations(range(len(ITEMS))))
        # A way says what each item becomes; its origin, what each item was.
        origins = [[way.index(new) for new in range(len(ITEMS))] for way in ways]
        contexts = [[2 * old + n for old in origin for n in (0, 1)] for origin in origins]
        slots = [[old + side for side in (0, len(ITEMS)) for old in origin] for origin in origins]
        return cls(
            torch.tensor([_renamed(vocabulary, way) for way in ways], device=device),
            torch.tensor(contexts, device=device),
            torch.tensor(slots, device=device),
        )

    def permute(
        self, ways: Tensor, contexts: Tensor, words: Tensor, slots: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Contexts (rows, 6), words (rows, words) and slots (rows, 6), each row in its own way."""
        return (
            contexts.gather(1, self.contexts[ways]),
            self.words[ways[:, None], words],
            slots.gather(1, self.slots[ways]),
        )


def _renamed(vocabulary: Vocabulary, way: Sequence[int]) -> list[int]:
    numbers = list(range(len(vocabulary)))
    for names in (_SINGULAR, _PLURAL):
        for old, new in enumerate(way):
            for name in names[old] if old != new else ():
                if name in vocabulary:
                    numbers[vocabulary.number(name)] = vocabulary.number(names[new][0])
    return numbers
