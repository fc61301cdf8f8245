"""Deal or No Deal as act agents play it: a split is three counts, those of the side that sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor

from palaver.models.acts.deal_reading import (
    MESSAGES,
    MOVES,
    QUIT_ACT,
    SELECT_ACT,
    SHARING,
    Counts,
    DealActReader,
)
from palaver.models.acts.deal_table import DealActTable
from palaver.models.acts.grammar import END_NUMBER, ActGrammar, ActShape, ArgumentKind
from palaver.models.acts.views import ActView
from palaver.models.deal.lines import DealLine, read_lines
from palaver.models.deal.network import (
    END_OF_MESSAGE,
    FAILURES,
    ITEMS,
    MOST_ITEMS,
    SELECTION,
    THEM,
    YOU,
)

KNOWS = tuple(
    f"{item}-{what}-{n}"
    for item in ITEMS
    for what in ("count", "value")
    for n in range(MOST_ITEMS + 1)
)
_NO_AGREEMENT = MOST_ITEMS + 1 + FAILURES.index("<no_agreement>")
# Acts of a turn that are read; the last ones, where there are more.
_MOST_ACTS = 2


def deal_grammar() -> ActGrammar:
    """The words of deals: the same for all data."""
    return ActGrammar(
        {
            act: ActShape(takes=ITEMS if act in SHARING else (), is_move=act in MOVES)
            for act in (*MESSAGES, *MOVES)
        },
        {
            item: ArgumentKind(words=tuple(f"{item}={n}" for n in range(MOST_ITEMS + 1)))
            for item in ITEMS
        },
    )


@dataclass
class DealActs:
    """The game; every vocabulary of it is the same."""

    name: ClassVar[str] = "deal_or_no_deal"
    knows: ClassVar[tuple[str, ...]] = KNOWS
    number_name: ClassVar[str] = "count"
    reward_names: ClassVar[tuple[str, ...]] = ("points", "fair", "length")
    grammar: ActGrammar = field(default_factory=deal_grammar)

    @property
    def values(self) -> Tensor:
        return torch.tensor(
            [
                float(word.partition("=")[2]) if "=" in word else float("nan")
                for word in self.grammar.words
            ]
        )

    @property
    def features(self) -> Tensor:
        """None: what a count means is a matter of its item."""
        return torch.empty(len(self.grammar), 0)

    def table(self, scenarios: Tensor, *, patience: int) -> DealActTable:
        return DealActTable(self.grammar, self.values, scenarios, patience=patience)

    def readings(self, paths: Sequence[Path]) -> Mapping[str, str]:
        """As the game reads what was written; nothing else is known."""
        return {"parsed": "parsed acts"}

    def views(self, paths: Sequence[Path], *, reads: str) -> list[ActView]:
        """The lines of files that ended with a deal, or in which both said that there was none."""
        return self.views_of(read_lines(paths))

    def views_of(self, lines: Sequence[DealLine]) -> list[ActView]:
        """The lines that ended as one can learn from, as views."""
        found = [self._view(line) for line in lines if is_settled(line)]
        return [view for view in found if view.own]

    def knowledge_of(self, context: Sequence[int]) -> list[int]:
        """What a side knows, count and value of each item, in numbers of words."""
        return [n * (MOST_ITEMS + 1) + number for n, number in enumerate(context)]

    def act_words(self, act: str, share: Counts | None) -> list[str]:
        """An act in words, with what the own side gets."""
        return [act] if share is None else [act, *(f"{item}={share[item]}" for item in ITEMS)]

    def _view(self, line: DealLine) -> ActView:
        turns = self._turns(line)
        words = [
            self.grammar.numbers(word for act in acts[-_MOST_ACTS:] for word in act)
            for acts in turns
        ]
        own = [(*turn, END_NUMBER) for turn in words[1::2]]
        return ActView(
            dialogue=line.dialogue,
            knowledge=tuple(self.knowledge_of(line.context)),
            heard=tuple(tuple(turn) for turn in words[0::2][: len(own)]),
            own=tuple(own),
        )

    def _turns(self, line: DealLine) -> list[list[list[str]]]:
        """The turns of a line, each a list of acts in words, the partner's first; the own mark of a
        deal comes last."""
        turns: list[list[list[str]]] = [[["start"]]] if line.words[0] == YOU else []
        reader = DealActReader(dict(zip(ITEMS, line.context[::2], strict=True)))
        is_own = False
        for mark, said in messages_of(line):
            is_own = mark == YOU
            acts = self._acts(line, reader, is_own=is_own, said=said)
            # Turns of the partner have even places.
            if turns and (len(turns) - 1) % 2 == is_own:
                turns[-1] += acts
            else:
                turns.append(acts)
        if line.is_deal and not is_own:
            # The partner marked the deal first, and the own side has nothing left but to mark it.
            turns.append([self._selected(line)])
        return turns

    def _acts(
        self, line: DealLine, reader: DealActReader, *, is_own: bool, said: Sequence[str]
    ) -> list[list[str]]:
        if list(said) == [SELECTION]:
            if not line.is_deal:
                return [[QUIT_ACT]]
            return [self._selected(line)] if is_own else [[SELECT_ACT]]
        read = reader.read(0 if is_own else 1, " ".join(said))
        return [self.act_words(read.act, read.share)]

    def _selected(self, line: DealLine) -> list[str]:
        return self.act_words(SELECT_ACT, dict(zip(ITEMS, line.slots[: len(ITEMS)], strict=True)))


def messages_of(line: DealLine) -> list[tuple[str, list[str]]]:
    """Who speaks, and the words of each message; the mark of a deal is a message of its own."""
    found: list[tuple[str, list[str]]] = []
    for word in line.words:
        if word in (YOU, THEM):
            found.append((word, []))
        elif word != END_OF_MESSAGE:
            found[-1][1].append(word)
    return found


def is_settled(line: DealLine) -> bool:
    """Whether there was a deal, or both sides said that there was none."""
    return line.is_deal or line.slots[0] == _NO_AGREEMENT
