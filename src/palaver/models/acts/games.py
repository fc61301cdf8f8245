"""What differs between the games that act agents play: words, knowledge, rules, and what is earned.

An `ActGame` knows its words and its scenarios; an `ActTable` holds many dialogues at once, in which both
sides move in turn. Networks, learning and self-play know no more of a game than this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import torch
from torch import Generator, Tensor

from palaver.models.acts.grammar import ActGrammar
from palaver.models.acts.views import ActView


@dataclass(frozen=True, slots=True)
class ActDialogues:
    """Views of dialogues, a part of them held out, and what the card says of them."""

    learnt: Sequence[ActView]
    held: Sequence[ActView]
    about: str
    counts: Mapping[str, int]


class ActTable(Protocol):
    """Dialogues that are held at once, a row each; sides are 0 and 1 in all rows."""

    # Where (rows,) nothing can be said any more.
    is_over: Tensor

    def knowledge(self, side: int) -> Tensor:
        """What a side knows (rows, words of knowledge)."""
        ...

    def allowed(self, side: int) -> Tensor:
        """The words (rows, words) that a side may say in this turn, whatever their order."""
        ...

    def tell(self, side: int, turns: Tensor) -> Tensor:
        """Note the turns of a side (rows, words), and how the other side hears them, without ends."""
        ...

    def rewards(self, kind: str) -> Tensor:
        """What each side (rows, 2) has earned."""
        ...

    def told(self, side: int, row: int, words: Sequence[int]) -> str:
        """A turn of a side to be read."""
        ...

    def end(self, row: int) -> str:
        """How a dialogue ended, to be read."""
        ...

    def outcomes(self) -> dict[str, Tensor]:
        """Measures of the dialogues (rows,) by name; a share is of those that `agreed`."""
        ...


class ActGame(Protocol):
    """A game, with the words of a vocabulary."""

    name: ClassVar[str]
    grammar: ActGrammar
    # Words for what a side knows, by number.
    knows: ClassVar[tuple[str, ...]]
    # What an argument's number is called in figures, as in "price error".
    number_name: ClassVar[str]
    # The rewards that its dialogues can be held for.
    reward_names: ClassVar[tuple[str, ...]]

    @property
    def features(self) -> Tensor:
        """What is known (words, numbers) of words that are numbers; there may be no such thing."""
        ...

    @property
    def values(self) -> Tensor:
        """The number (words,) that a word stands for; NaN for others."""
        ...

    def table(self, scenarios: Tensor, *, patience: int) -> ActTable:
        """Dialogues about scenarios that lie on a device, of so many turns at most."""
        ...

    def views(self, paths: Sequence[Path], *, reads: str) -> list[ActView]:
        """The views of files; `reads` is one of the names that `readings` gives."""
        ...

    def readings(self, paths: Sequence[Path]) -> Mapping[str, str]:
        """The ways in which acts are known in files: what each is called in figures, by name."""
        ...


class ScenarioSource(Protocol):
    """Scenarios for self-play."""

    def draw(self, count: int, dice: Generator) -> Tensor:
        """So many by lot; either side of one may be the first."""
        ...


@dataclass(frozen=True, slots=True)
class GivenScenarios:
    """Scenarios (scenarios, 2, numbers), each as likely as another."""

    scenarios: Tensor

    def draw(self, count: int, dice: Generator) -> Tensor:
        chosen = self.scenarios[torch.randint(len(self.scenarios), (count,), generator=dice)]
        is_swapped = torch.rand(count, generator=dice) < 0.5
        return torch.where(is_swapped[:, None, None], chosen.flip(1), chosen)
