"""An act network that bargains."""

import random
from collections.abc import Sequence
from typing import ClassVar

import torch

from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import Place
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.games.craigslist_bargain.acts import ActReader
from palaver.games.craigslist_bargain.bots import SENTENCES
from palaver.games.craigslist_bargain.sides import side_of
from palaver.games.sentences import load_sentences
from palaver.models.acts.agents import ActAgent, HeardTurns, paired
from palaver.models.acts.bargain_game import BargainActs
from palaver.models.acts.bargain_table import BargainTable
from palaver.models.acts.bargain_words import INQUIRY, MOVES, PRICED, scenario_numbers
from palaver.models.acts.games import ActGame
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.self_play import MOST_TURNS
from palaver.models.acts.wording import BargainWording
from palaver.models.bargain.dialogues import BargainEvent, BargainTurn, turns_of
from palaver.models.bargain.pricing import PriceScale, scaled_of
from palaver.models.checkpoints.folder import CheckpointError
from palaver.models.faces import Decoding

_ACTIONS = (MESSAGE, OFFER, ACCEPT, REJECT, QUIT)


class BargainActsAgent(ActAgent[BargainActs]):
    """Bargains by acts."""

    game: ClassVar[str] = BARGAIN

    def own_game(self, game: ActGame) -> BargainActs:
        if not isinstance(game, BargainActs):
            raise CheckpointError(f"The checkpoint plays '{game.name}', not '{BARGAIN}'.")
        return game

    def answer(
        self,
        game: BargainActs,
        network: ActNetwork,
        place: Place,
        events: Sequence[Event],
        dice: random.Random,
        decoding: Decoding,
    ) -> list[Move]:
        """A message, a message and an offer, or a move; nothing while an own offer stands."""
        seat, side = place.seat, side_of(place.scenario.kb(place.seat))
        reader = ActReader(side, seat)
        read = [_read(reader, event) for event in events if _is_turn(event)]
        turns = turns_of(read)
        if any(event.act == OFFER and event.seat == seat for event in read):
            return []
        heard, own = paired(
            [(turn.seat == seat, game.turn_words(turn.events, side)) for turn in turns]
        )
        numbers = torch.tensor([scenario_numbers((side, side))], dtype=torch.float64)
        table = game.table(numbers.to(self._device), patience=MOST_TURNS)
        _set(table, turns, reader)
        words = self.chosen(
            game,
            network,
            HeardTurns(game.knowledge_of(side), heard, own),
            table,
            dice,
            decoding,
        )
        said = tuple(each.text for each in read if each.seat == seat and each.action == MESSAGE)
        wording = BargainWording(side, load_sentences(SENTENCES), dice, reader, said)
        return _moves(words, PriceScale.of(side), wording)


def _is_turn(event: Event) -> bool:
    return event.seat is not None and event.action in _ACTIONS


def _read(reader: ActReader, event: Event) -> BargainEvent:
    """An event with its act; what was erased counts as said."""
    assert event.seat is not None
    given = (event.data or {}).get("price")
    price = float(given) if isinstance(given, int | float) else None
    text = event.text if event.action == MESSAGE else ""
    act = reader.read(event.seat, event.action, text, price)
    return BargainEvent(
        seat=event.seat, action=event.action, act=act.intent, text=text, price=act.price
    )


def _set(table: BargainTable, turns: Sequence[BargainTurn], reader: ActReader) -> None:
    """Where a dialogue stands; the own side is the first."""
    seat = reader.seat
    table.turns = len(turns)
    for named, price in reader.prices.items():
        table.named[0, 0 if named == seat else 1] = price
    if turns and turns[-1].seat != seat:
        table.is_asked[0, 0] = any(event.act == INQUIRY for event in turns[-1].events)
    for turn in turns:
        side = 0 if turn.seat == seat else 1
        for event in turn.events:
            if event.act in PRICED and event.price is not None:
                table.has_named[0, side] = True
            if event.act == OFFER:
                table.has_offered[0, side] = True


def _moves(words: Sequence[str], scale: PriceScale, wording: BargainWording) -> list[Move]:
    """A turn as moves: each act with the price behind it, or that it means."""
    found = []
    prices, seat = wording.reader.prices, wording.reader.seat
    for n, word in enumerate(words):
        if scaled_of(word) is not None:
            continue
        scaled = scaled_of(words[n + 1]) if n + 1 < len(words) else None
        price = None if scaled is None else scale.price(scaled)
        if word == OFFER:
            found.append(Move(action=OFFER, data={"price": price}))
        elif word in MOVES:
            found.append(Move(action=word))
        else:
            meant = {"insist": prices.get(seat), "agree": prices.get(1 - seat)}
            found.append(say(wording.words(word, meant.get(word, price))))
    return found
