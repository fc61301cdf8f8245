"""An act network that divides things."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import torch

from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import Place
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.formats.cocoa.scenarios import DEAL
from palaver.games.deal_or_no_deal.bots import SENTENCES
from palaver.games.deal_or_no_deal.rules import NO_DEAL
from palaver.games.sentences import Sentences, load_sentences
from palaver.models.acts.agents import ActAgent, HeardTurns, paired
from palaver.models.acts.deal_game import DealActs
from palaver.models.acts.deal_reading import AGREE, QUIT_ACT, SELECT_ACT, DealActReader
from palaver.models.acts.deal_table import DealActTable
from palaver.models.acts.games import ActGame
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.self_play import MOST_TURNS
from palaver.models.acts.wording import DealWording
from palaver.models.checkpoints.folder import CheckpointError
from palaver.models.deal.agent import context_of
from palaver.models.deal.network import ITEMS
from palaver.models.faces import Decoding

_MORE_SENTENCES = Path(SENTENCES).with_name("act_sentences.yaml")


class DealActsAgent(ActAgent[DealActs]):
    """Divides things by acts."""

    game: ClassVar[str] = DEAL

    def own_game(self, game: ActGame) -> DealActs:
        if not isinstance(game, DealActs):
            raise CheckpointError(f"The checkpoint plays '{game.name}', not '{DEAL}'.")
        return game

    def answer(
        self,
        game: DealActs,
        network: ActNetwork,
        place: Place,
        events: Sequence[Event],
        dice: random.Random,
        decoding: Decoding,
    ) -> list[Move]:
        """A message, the own share once a deal is to be marked, or that there is none."""
        context = context_of(place)
        seat, counts = place.seat, dict(zip(ITEMS, context[::2], strict=True))
        if any(event.action == SELECT and event.seat == seat for event in events):
            return []
        # The own side is seat 0 of the reader.
        reader = DealActReader(counts)
        contexts = torch.tensor([[context, context]], device=self._device)
        table = game.table(contexts, patience=MOST_TURNS)
        turns: list[tuple[bool, list[int]]] = []
        for event in events:
            if event.action == MESSAGE and event.seat is not None:
                is_own = event.seat == seat
                act = reader.read(0 if is_own else 1, event.text)
                numbers = game.grammar.numbers(game.act_words(act.act, act.share))
                if turns and turns[-1][0] == is_own:
                    turns[-1][1].extend(numbers)
                else:
                    turns.append((is_own, numbers))
                table.messages[0, 0 if is_own else 1] += 1
        has_spoken_last = bool(turns) and turns[-1][0]
        is_marked = any(event.action == SELECT for event in events) or has_spoken_last
        if is_marked:
            # What the partner marks is hidden: to be asked twice in a row tells that it did.
            turns.append((False, [game.grammar.number[SELECT_ACT]]))
        _set(table, reader, turns=len(turns), is_marked=is_marked)
        heard, own = paired(turns)
        words = self.chosen(
            game,
            network,
            HeardTurns(game.knowledge_of(context), heard, own),
            table,
            dice,
            decoding,
        )
        said = tuple(
            event.text for event in events if event.action == MESSAGE and event.seat == seat
        )
        wording = DealWording(sentences(), dice, reader, said, has_heard=len(turns) > len(own))
        return [_move(words, reader, wording)]


def sentences() -> Sentences:
    """The sentences of the bots, and those that acts need beside them."""
    return Sentences(
        {**load_sentences(SENTENCES).purposes, **load_sentences(_MORE_SENTENCES).purposes}
    )


def _set(table: DealActTable, reader: DealActReader, *, turns: int, is_marked: bool) -> None:
    """Where a dialogue stands; the own side is the first."""
    table.turns = turns
    for side in reader.proposed:
        table.has_proposed[0, side] = True
    table.has_selected[0, 1] = is_marked
    if reader.settled is not None:
        table.is_settled[0] = True
        table.standing[0, 0] = torch.tensor([reader.settled[item] for item in ITEMS])


def _move(words: Sequence[str], reader: DealActReader, wording: DealWording) -> Move:
    """A turn as a move."""
    act, *counts = words
    share = {item: int(word.partition("=")[2]) for item, word in zip(ITEMS, counts, strict=False)}
    if act == SELECT_ACT:
        return Move(action=SELECT, data={"take": share})
    if act == QUIT_ACT:
        return Move(action=QUIT, data={NO_DEAL: True})
    if act == AGREE:
        share = dict(reader.proposed.get(1) or {})
    return say(wording.words(act, share or None))
