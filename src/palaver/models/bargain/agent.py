"""A network at a seat of our game: it hears what was said, and answers with moves that are legal.

It is told all events each time and remembers nothing. Prices go in and out as dollars. Whoever has
offered, or has spoken last, waits for the partner.
"""

import random
from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import MAX_CHARACTERS, Place
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.formats.move_words import price_words
from palaver.games.craigslist_bargain.sides import BargainSide, side_of
from palaver.models.bargain.averaging import speaking_as_one
from palaver.models.bargain.dialogues import BargainEvent, BargainTurn, turns_of
from palaver.models.bargain.kinds import known_words, speaker_of, speaker_settings
from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    END_NUMBER,
    FIRST_PRICE,
    OFFER_NUMBER,
    PAD_NUMBER,
    QUIT_NUMBER,
    REJECT_NUMBER,
    BargainWords,
    category_number,
    go_number,
)
from palaver.models.bargain.network import BargainSituation
from palaver.models.bargain.scenes import price_tables
from palaver.models.bargain.speech import SpeechRoom, WordChoice, spoken_turns
from palaver.models.bargain.tokens import as_sentence
from palaver.models.bargain.turns import BargainView, ReadTurns, ViewReader, view_of
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.faces import Decoding
from palaver.models.inheritance import as_started
from palaver.models.sampling import ChanceStream
from palaver.models.vocabulary import UNKNOWN

_ACTIONS = (MESSAGE, OFFER, ACCEPT, REJECT, QUIT)
_ANSWERS = {ACCEPT_NUMBER: ACCEPT, REJECT_NUMBER: REJECT, QUIT_NUMBER: QUIT}


class BargainWordsAgent:
    """The networks of some checkpoints; several speak as one."""

    game = BARGAIN

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        members = [as_started(member) for each in checkpoints for member in each.all]
        self._words = _common_words(members)
        _, settings = speaker_settings(members[0])
        self._limits = settings.data.limits
        self._network = speaking_as_one([speaker_of(member).to(device) for member in members])
        self._device = device
        self._folder = members[0].folder

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        """A message, an offer, both, an answer to an offer, or that it quits; nothing while it waits."""
        side = _side(place)
        said = [each for each in events if each.action in _ACTIONS and each.seat is not None]
        own_offers = [each for each in said if each.action == OFFER and each.seat == place.seat]
        if own_offers or (said and said[-1].seat == place.seat):
            return []
        is_offered = any(each.action == OFFER for each in said)
        turns = turns_of(map(_event, said))
        begins = not turns or turns[0].seat == place.seat
        heard = [BargainTurn(1 - place.seat), *turns] if begins else list(turns)
        view = view_of(_read(side, heard), self._words, self._limits)
        with torch.inference_mode():
            words = self._said(view, is_offered, dice, decoding)
        return self._moves(words, side)

    def _said(
        self, view: BargainView, is_offered: bool, dice: random.Random, decoding: Decoding
    ) -> list[int]:
        """The words of its turn, in which prices are words."""
        _, can_be_said = price_tables([view.side], self._words)
        chance = Generator().manual_seed(dice.getrandbits(63))
        found = spoken_turns(
            self._network,
            self._situation(view),
            self._tensor([go_number(view.side), category_number(view.side)]),
            SpeechRoom(
                answers=self._tensor(is_offered).view(1), prices=can_be_said.to(self._device)
            ),
            WordChoice(
                temperature=decoding.temperature, nucleus=decoding.nucleus, beam=decoding.beam
            ),
            ChanceStream(chance, 1, self._device),
        )
        words: list[int] = [word for word in found[0].tolist() if word != PAD_NUMBER]
        if not words:
            raise CheckpointError(
                f"The network in {self._folder} gives numbers that are not finite. Train it anew."
            )
        return words

    def _situation(self, view: BargainView) -> BargainSituation:
        *before, heard = view.turns
        earlier = [
            list(before[-1 - back]) if back < len(before) else []
            for back in range(self._network.earlier)
        ]
        width = max(map(len, earlier), default=0) or 1
        padded = [[*turn, *[PAD_NUMBER] * (width - len(turn))] for turn in earlier]
        return BargainSituation(
            heard=self._tensor(heard),
            lengths=torch.tensor([len(heard)]),
            earlier=self._tensor(padded).view(1, len(earlier), width),
            title=self._tensor(view.title or [PAD_NUMBER]),
            description=self._tensor(view.description or [PAD_NUMBER]),
        )

    def _moves(self, words: Sequence[int], side: BargainSide) -> list[Move]:
        """The moves that the words of a turn are, prices in the dollars of its side."""
        (dollars,), _ = price_tables([side], self._words)
        told: list[str] = []
        moves: list[Move] = []
        for before, word in zip((PAD_NUMBER, *words), words, strict=False):
            if word in _ANSWERS:
                moves.append(Move(action=_ANSWERS[word]))
            elif word in self._words.prices:
                price = float(dollars[word - FIRST_PRICE])
                if before == OFFER_NUMBER:
                    moves.append(Move(action=OFFER, data={"price": price}))
                else:
                    told.append(price_words(price))
            elif word not in (OFFER_NUMBER, END_NUMBER):
                told.append(self._words.said.words[word])
        return [*([say(_text(told))] if told else []), *moves]

    def _tensor(self, numbers: object) -> Tensor:
        """Numbers as a row of their own."""
        return torch.tensor(numbers, device=self._device)[None]


def _event(event: Event) -> BargainEvent:
    """An event as networks read it; what was erased counts as said, in words that nobody knows."""
    price = (event.data or {}).get("price") if event.action == OFFER else None
    return BargainEvent(
        seat=event.seat or 0,
        action=event.action,
        act="",
        text=event.text,
        price=float(price) if price is not None else None,
    )


def _read(side: BargainSide, turns: Sequence[BargainTurn]) -> ReadTurns:
    reader = ViewReader(side)
    said = [tuple(reader.read(turn)) or ((UNKNOWN,) if turn.events else ()) for turn in turns]
    return ReadTurns("", side, tuple(said))


def _side(place: Place) -> BargainSide:
    """What the seat knows; InputError where its scenario is not one of the game."""
    try:
        return side_of(place.scenario.kb(place.seat))
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        told = str(error) if isinstance(error, InputError) else "its knowledge is of another shape."
        raise InputError(
            f"The networks for CraigslistBargain have learnt of a role, a target and a list price; the "
            f"scenario '{place.scenario.id}' is none of theirs: {told}"
        ) from error


def _common_words(members: Sequence[Checkpoint]) -> BargainWords:
    """The words that all know; CheckpointError where they know different ones."""
    first, *others = (known_words(member) for member in members)
    for other in others:
        if (other.said.words, other.listed.words) != (first.said.words, first.listed.words):
            raise CheckpointError(
                f"The checkpoints beside {members[0].folder} have other vocabularies. Those that speak "
                "as one are trained on the same dialogues."
            )
    return first


def _text(words: Sequence[str]) -> str:
    """The words as people type them, as many as a message may have."""
    kept = list(words)
    while len(text := as_sentence(kept)) > MAX_CHARACTERS:
        kept.pop()
    return text
