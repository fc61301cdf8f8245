"""Two networks bargain over many things at once, a turn of all dialogues after the other.

The turns of a dialogue alternate, so that in each step every dialogue has one speaker; rows of the same
network speak together. Each side keeps what was said in its own view, prices on its own scale. The dice
lie on the CPU, so that the same dialogues are held on any device, but for words on a razor's edge.
"""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    FIRST_PRICE,
    MARKS,
    OFFER_NUMBER,
    PAD_NUMBER,
    QUIT_NUMBER,
    REJECT_NUMBER,
)
from palaver.models.bargain.network import WordByWord
from palaver.models.bargain.rewards import BargainEnds
from palaver.models.bargain.scenes import Scenes
from palaver.models.bargain.situations import situations, speech_room
from palaver.models.bargain.speech import MOST_WORDS, WordChoice, spoken_turns
from palaver.models.sampling import ChanceStream

# A dialogue that goes on for longer is over without a deal.
MOST_TURNS = 20
# The category, the words, and the end.
_WIDTH = MOST_WORDS + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Bargainer:
    """One side of all dialogues: its network, and how it picks its words."""

    network: WordByWord
    choice: WordChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainsPlayed:
    """A batch of dialogues, a row each, on the device where they were held."""

    scenes: Scenes
    # (rows, 2, turns, words): each turn as either side sees it, from the category to the end; padding
    # where there was none.
    turns: Tensor
    # Who speaks first, 0 or 1.
    first: Tensor
    ends: BargainEnds

    def __len__(self) -> int:
        return len(self.first)

    def speakers(self) -> Tensor:
        """Who had each turn (rows, turns)."""
        return (
            self.first[:, None] + torch.arange(self.turns.shape[2], device=self.first.device)
        ) % 2

    def said(self, side: int) -> Tensor:
        """Where (rows, turns) a side said something."""
        return (self.speakers() == side) & (self.turns[:, 0, :, 0] != PAD_NUMBER)


def bargain(
    sides: tuple[Bargainer, Bargainer], scenes: Scenes, dice: Generator, *, device: torch.device
) -> BargainsPlayed:
    """Dialogues about some scenes; who speaks first is drawn by lot."""
    first = (torch.rand(len(scenes), generator=dice) < 0.5).long().to(device)
    with torch.no_grad():
        talk = _Bargains(sides, scenes.to(device), first, dice)
        for turn in range(MOST_TURNS):
            if bool(talk.is_over.all()):
                break
            talk.advance(turn)
    return talk.played()


class _Bargains:
    """Dialogues that go on, turn by turn."""

    def __init__(
        self, sides: tuple[Bargainer, Bargainer], scenes: Scenes, first: Tensor, dice: Generator
    ) -> None:
        rows, device = len(first), first.device
        nowhere = torch.zeros(rows, dtype=torch.bool, device=device)
        self._sides, self._scenes, self.first = sides, scenes, first
        self._chances = ChanceStream(dice, rows, device)
        self._turns = first.new_full((rows, 2, MOST_TURNS, _WIDTH), PAD_NUMBER)
        self.is_over, self._is_agreed, self._is_illegal = (nowhere.clone() for _ in range(3))
        # The price of the last offer in dollars, and how much was said and done.
        self._price = scenes.dollars.new_zeros(rows)
        self._events = torch.zeros_like(first)
        self._last = 0

    def advance(self, turn: int) -> None:
        """One more turn in each dialogue that is not over."""
        speaker = (self.first + turn) % 2
        # One network on both sides speaks for both at once.
        is_same = self._sides[0] == self._sides[1]
        for own in ((0, 1),) if is_same else ((0,), (1,)):
            wanted = sum((speaker == side for side in own), torch.zeros_like(self.is_over))
            rows = (wanted & ~self.is_over).nonzero().squeeze(1)
            if len(rows):
                self._speak(self._sides[own[0]], rows, speaker[rows], turn)
        self._last = turn + 1

    def played(self) -> BargainsPlayed:
        events = self._events
        return BargainsPlayed(
            scenes=self._scenes,
            turns=self._turns[:, :, : max(1, self._last)],
            first=self.first,
            ends=BargainEnds(
                targets=self._scenes.targets,
                first_buys=self._scenes.buys[:, 0],
                prices=self._price.to(self._scenes.targets.dtype),
                is_agreed=self._is_agreed,
                events=events,
                is_illegal=self._is_illegal,
            ),
        )

    def _speak(self, who: Bargainer, rows: Tensor, sides: Tensor, turn: int) -> None:
        scenes = self._scenes
        situation = situations(
            scenes,
            self._turns,
            rows,
            sides,
            torch.full_like(rows, turn),
            earlier=who.network.earlier,
        )
        words = spoken_turns(
            who.network,
            situation,
            scenes.given[rows, sides],
            speech_room(scenes, rows, sides, situation),
            who.choice,
            self._chances,
            rows,
        )
        category = scenes.given[rows, sides, 1:]
        own = torch.nn.functional.pad(
            torch.cat([category, words], dim=1), (0, _WIDTH - 1 - words.shape[1]), value=PAD_NUMBER
        )
        is_mute = words[:, 0] == PAD_NUMBER
        own = own.masked_fill(is_mute[:, None], PAD_NUMBER)
        self._turns[rows, sides, turn] = own
        self._turns[rows, 1 - sides, turn] = _as_heard(own, scenes.heard[rows, sides])
        self._note(rows, words, scenes.dollars[rows, sides], is_mute)

    def _note(self, rows: Tensor, words: Tensor, dollars: Tensor, is_mute: Tensor) -> None:
        """Keep count of offers, of answers, and of what is over."""
        offers = words == OFFER_NUMBER
        is_offer = offers.any(1)
        price = (words.roll(-1, 1) * offers).sum(1) - FIRST_PRICE
        price = dollars.gather(1, price.clamp(min=0)[:, None]).squeeze(1)
        accepts = (words == ACCEPT_NUMBER).any(1)
        closes = accepts | ((words == REJECT_NUMBER) | (words == QUIT_NUMBER)).any(1)
        says = is_message_word(words).any(1)
        self._price[rows] = torch.where(is_offer, price, self._price[rows])
        self._events[rows] += says.long() + is_offer.long() + closes.long()
        self._is_agreed[rows] = accepts
        self._is_illegal[rows] = is_mute
        self.is_over[rows] = closes | is_mute


def is_message_word(words: Tensor) -> Tensor:
    """Where (rows, words) something is a word of a message, and not a move or the price of one."""
    is_word = words >= len(MARKS)
    after_offer = torch.nn.functional.pad(words, (1, 0))[:, :-1] == OFFER_NUMBER
    return is_word & ~after_offer


def _as_heard(words: Tensor, heard: Tensor) -> Tensor:
    """Words as the other side hears them; `heard` (rows, prices) are the words of prices."""
    at = words - FIRST_PRICE
    is_price = (at >= 0) & (at < heard.shape[1])
    return torch.where(is_price, heard.gather(1, at.clamp(0, heard.shape[1] - 1)), words)
