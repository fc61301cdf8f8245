"""Act networks at a seat of our games: the game's parser hears, the network chooses, templates speak.

An agent is told all events each time and remembers nothing. What it cannot do by the rules, or what
makes no sense, has no probability. Of several checkpoints one speaks in a dialogue, by lot.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

import torch
from torch import Generator, Tensor

from palaver.core.events import Event, Move
from palaver.core.protocols import Place
from palaver.models.acts.games import ActGame, ActTable
from palaver.models.acts.grammar import GO_NUMBER, PAD_NUMBER, START_NUMBER
from palaver.models.acts.kinds import game_of, network_of
from palaver.models.acts.network import ActMemory, ActNetwork
from palaver.models.acts.speaking import drawn_turns, likeliest_turn
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.faces import Decoding
from palaver.models.inheritance import as_started
from palaver.models.sampling import ChanceStream

G = TypeVar("G", bound=ActGame)

# Turns that a search for the likeliest one keeps side by side, at least.
BEAM = 5


@dataclass(frozen=True, slots=True)
class HeardTurns:
    """A dialogue in numbers of words as the seat sees it: pairs, the last of which it is to answer."""

    knowledge: Sequence[int]
    heard: Sequence[Sequence[int]]
    own: Sequence[Sequence[int]]


class ActAgent(ABC, Generic[G]):
    """The networks of some checkpoints."""

    game: ClassVar[str]

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        members = [as_started(member) for each in checkpoints for member in each.all]
        self._members = [
            (self.own_game(game_of(each)), network_of(each).to(device)) for each in members
        ]
        self._device = device
        self._folder = members[0].folder

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        """What the network does, in words or as a move; nothing while it has nothing to do."""
        lot = random.Random(f"{place.dialogue}:{place.seat}")
        game, network = lot.choice(self._members)
        return self.answer(game, network, place, events, dice, decoding)

    @abstractmethod
    def own_game(self, game: ActGame) -> G:
        """The game, as this agent plays it."""

    @abstractmethod
    def answer(
        self,
        game: G,
        network: ActNetwork,
        place: Place,
        events: Sequence[Event],
        dice: random.Random,
        decoding: Decoding,
    ) -> list[Move]:
        """The moves of a seat."""

    def chosen(
        self,
        game: ActGame,
        network: ActNetwork,
        turns: HeardTurns,
        table: ActTable,
        dice: random.Random,
        decoding: Decoding,
    ) -> list[str]:
        """The words of the turn that the network chooses; `table` has the own side first."""
        with torch.inference_mode():
            tables = game.grammar.tables(self._device)
            memory = remembered(network, turns, self._device)
            allowed, longest = table.allowed(0), game.grammar.longest_spoken
            if decoding.temperature and decoding.beam < 2:
                chance = Generator().manual_seed(dice.getrandbits(63))
                said, _ = drawn_turns(
                    network,
                    memory,
                    allowed,
                    tables,
                    temperature=decoding.temperature,
                    chances=ChanceStream(chance, 1, self._device),
                    longest=longest,
                    waits=torch.zeros(1, dtype=torch.bool, device=self._device),
                    share=decoding.nucleus,
                )
                found = said[0].tolist()
            else:
                found = likeliest_turn(
                    network,
                    memory,
                    allowed,
                    tables,
                    width=max(BEAM, decoding.beam),
                    longest=longest,
                )
        words = [game.grammar.words[n] for n in found if n != PAD_NUMBER]
        if not words:
            raise CheckpointError(
                f"The network in {self._folder} gives numbers that are not finite. Train it anew."
            )
        return words[:-1]


def remembered(network: ActNetwork, turns: HeardTurns, device: torch.device) -> ActMemory:
    """What a network remembers once it has heard the partner's last turn."""

    def tensor(words: Sequence[int]) -> Tensor:
        return torch.tensor([list(words) or [PAD_NUMBER]], device=device)

    memory = network.begin(tensor(turns.knowledge))
    own = tensor(())
    for n, heard in enumerate(turns.heard):
        memory = network.hear(memory, own, tensor(heard))
        if n < len(turns.own):
            own = tensor(turns.own[n])
            for word in (GO_NUMBER, *turns.own[n]):
                state = network.expect(memory, torch.tensor([word], device=device))[1]
                memory = replace(memory, state=state)
    return memory


def paired(turns: Sequence[tuple[bool, list[int]]]) -> tuple[list[list[int]], list[list[int]]]:
    """Turns, own ones marked, as pairs of what was heard and what was answered; where the own side has
    spoken last, it hears nothing."""
    heard: list[list[int]] = []
    own: list[list[int]] = []
    for is_own, words in turns:
        if is_own:
            if not heard:
                heard.append([START_NUMBER])
            own.append(words)
        else:
            heard.append(words)
    if not turns:
        heard.append([START_NUMBER])
    elif len(heard) == len(own):
        heard.append([])
    return heard, own
