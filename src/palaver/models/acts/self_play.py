"""Two networks hold many dialogues of acts at once, turn by turn, in lock step.

In half of the dialogues the first side begins, in the others the second: each half goes on by itself, so
that one side has the floor in all rows. The dice lie on the CPU, so that the same dialogues are held on
any device, but for words on a razor's edge.
"""

from dataclasses import dataclass, replace

import torch
from torch import Generator, Tensor

from palaver.models.acts.games import ActGame, ActTable
from palaver.models.acts.grammar import PAD_NUMBER, START_NUMBER, GrammarTables
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.speaking import drawn_turns
from palaver.models.acts.views import ActViewTensors
from palaver.models.answering import check_wanted
from palaver.models.sampling import ChanceStream

# As in He et al. (2018): after so many turns a dialogue is over without a deal.
MOST_TURNS = 20
# Turns after which it is asked whether any dialogue goes on.
_ASKED_EVERY = 4


@dataclass(frozen=True, slots=True)
class ActPlayer:
    """One side of all dialogues."""

    network: ActNetwork
    temperature: float = 0.5


@dataclass(frozen=True, slots=True)
class HeldActs:
    """Dialogues that one side began, a row each, on the device where they were held."""

    table: ActTable
    begins: int
    # The turns (rows, words) in their order, each as its speaker said it and as the other heard it.
    said: list[Tensor]
    heard: list[Tensor]
    # What could be said (rows, words of the vocabulary) in each.
    allowed: list[Tensor]

    def __len__(self) -> int:
        return len(self.table.is_over)

    def speaker(self, turn: int) -> int:
        return (self.begins + turn) % 2

    def view(self, side: int) -> tuple[ActViewTensors, Tensor]:
        """A side's view, and what it could say (rows, pairs, words of the vocabulary)."""
        own = [n for n in range(len(self.said)) if self.speaker(n) == side]
        heard = [self.heard[n - 1] if n else started(self.heard[0]) for n in own]
        views = ActViewTensors(
            self.table.knowledge(side),
            torch.stack(heard, dim=1),
            torch.stack([self.said[n] for n in own], dim=1),
            torch.empty(0),
        )
        return views, torch.stack([self.allowed[n] for n in own], dim=1)

    def turns(self) -> Tensor:
        """How many turns (rows,) there were."""
        return torch.stack([turn[:, 0] != PAD_NUMBER for turn in self.said]).sum(0)


def play(
    game: ActGame,
    sides: tuple[ActPlayer, ActPlayer],
    scenarios: Tensor,
    dice: Generator,
    *,
    device: torch.device,
) -> list[HeldActs]:
    """Dialogues about scenarios; who begins is drawn by lot."""
    first = torch.rand(len(scenarios), generator=dice) < 0.5
    tables = game.grammar.tables(device)
    halves = [(0, scenarios[first]), (1, scenarios[~first])]
    with torch.no_grad():
        return [
            _held(game, sides, half.to(device), begins, dice, tables)
            for begins, half in halves
            if len(half)
        ]


def started(turns: Tensor) -> Tensor:
    """The turn before the first, as wide as some turns (rows, words)."""
    found = torch.full_like(turns, PAD_NUMBER)
    found[:, 0] = START_NUMBER
    return found


def _held(
    game: ActGame,
    sides: tuple[ActPlayer, ActPlayer],
    scenarios: Tensor,
    begins: int,
    dice: Generator,
    tables: GrammarTables,
) -> HeldActs:
    device, longest = scenarios.device, game.grammar.longest_spoken
    table = game.table(scenarios, patience=MOST_TURNS)
    held = HeldActs(table, begins, [], [], [])
    chances = ChanceStream(dice, len(scenarios), device)
    memories = [side.network.begin(table.knowledge(n)) for n, side in enumerate(sides)]
    nothing = torch.full((len(scenarios), longest), PAD_NUMBER, device=device)
    turns, heard = [nothing, nothing], started(nothing)
    for number in range(MOST_TURNS):
        check_wanted()
        if number % _ASKED_EVERY == 0 and bool(table.is_over.all()):
            break
        n = held.speaker(number)
        allowed = table.allowed(n)
        memories[n] = sides[n].network.hear(memories[n], turns[n], heard)
        turns[n], state = drawn_turns(
            sides[n].network,
            memories[n],
            allowed,
            tables,
            temperature=sides[n].temperature,
            chances=chances,
            longest=longest,
            waits=table.is_over,
        )
        memories[n] = replace(memories[n], state=state)
        heard = table.tell(n, turns[n])
        held.said.append(turns[n])
        held.heard.append(heard)
        held.allowed.append(allowed)
    return held
