"""A network at a seat of our game: it hears what was said and selected, and makes one legal move.

It is told all events each time and remembers nothing. A partner's selection that is in its table is
selected; else it says what the network makes up, never the same friend twice, and names no values in a
second message in a row.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import MAX_CHARACTERS, Place
from palaver.formats.cocoa.actions import SELECT
from palaver.formats.cocoa.scenarios import MUTUAL_FRIENDS
from palaver.games.mutual_friends.rules import ITEM
from palaver.games.mutual_friends.tables import columns
from palaver.models.answering import check_wanted
from palaver.models.chats import ChatEvent
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.faces import Decoding
from palaver.models.friends.averaging import AveragedSeekers
from palaver.models.friends.graphs import ROW, FriendsNodes
from palaver.models.friends.kinds import (
    friends_network,
    words_of_checkpoint,
)
from palaver.models.friends.network import FriendsReader, State
from palaver.models.friends.speech import Floor, Wording, drafted_turn
from palaver.models.friends.tables import FriendsTable
from palaver.models.friends.tensors import TurnTensors, ViewBatch, ViewTensors
from palaver.models.friends.tokens import FriendsToken
from palaver.models.friends.views import FriendsExchange, FriendsView, exchanges_of
from palaver.models.friends.wording import WritingManner
from palaver.models.friends.words import PAD_NUMBER, FriendsWords
from palaver.models.inheritance import as_started
from palaver.models.sampling import ChanceStream


class FriendsAgent:
    """The networks of some checkpoints; several speak as one."""

    game = MUTUAL_FRIENDS

    def __init__(self, checkpoints: Sequence[Checkpoint], device: torch.device) -> None:
        members = [as_started(member) for each in checkpoints for member in each.all]
        self._words = common_words(members)
        networks = [friends_network(member).to(device) for member in members]
        self._network: FriendsReader
        self._network = networks[0] if len(networks) == 1 else AveragedSeekers(networks)
        self._device = device
        self._folder = members[0].folder

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        """A message, or a selection."""
        view = seat_view(place, events, self._words)
        with torch.inference_mode():
            batch = ViewTensors.of([view], self._words, self._device).taken(torch.tensor([0]))
            turn = drafted_turn(
                self._network,
                self._state(batch),
                batch.graphs,
                self._floor(batch, view, events, place.seat),
                Wording.of(self._words, decoding.temperature),
                ChanceStream(_chance(dice), 1, self._device),
            )
        tokens = list(said_tokens(turn, 0, FriendsNodes(view.table, view.heard_of), self._words))
        if not tokens:
            raise CheckpointError(
                f"The network in {self._folder} gives numbers that are not finite. Train it anew."
            )
        if tokens[0].row is not None:
            return [Move(action=SELECT, data={ITEM: place.scenario.kb(place.seat)[tokens[0].row]})]
        manner = WritingManner.by_lot(random.Random(f"{place.dialogue}:{place.seat}:manner"))
        return [say(_short(manner, tokens, self._words, dice))]

    def _state(self, batch: ViewBatch) -> State:
        """What the network knows after all that was said."""
        state = self._network.begin(batch.graphs)
        for heard, said in batch.exchanges:
            check_wanted()
            state = self._network.hear(heard, state)
            if int(said.sizes[0]):
                _, state = self._network.say(said, state)
        return state

    def _floor(
        self, batch: ViewBatch, view: FriendsView, events: Sequence[Event], seat: int
    ) -> Floor:
        """What may be done now."""
        own = [view.table.find(each) for each in _selected(events, seat)]
        theirs = [view.table.find(each) for each in _selected(events, 1 - seat)]
        selectable = batch.graphs.kinds == ROW
        selectable[0, [row for row in own if row is not None]] = False
        last = own[-1] if own else None
        wanted = theirs[-1] if theirs else None
        forced = -1 if wanted is None or wanted == last else wanted
        return Floor(
            selectable=selectable,
            forced=self._tensor([forced]),
            may_name=self._tensor([not _has_just_named(view)]),
            is_silent=self._tensor([False]),
        )

    def _tensor(self, numbers: Sequence[int]) -> Tensor:
        return torch.tensor(numbers, device=self._device)


def seat_view(place: Place, events: Sequence[Event], words: FriendsWords) -> FriendsView:
    """A dialogue as a seat lives through it; InputError where the scenario has no table for it."""
    named = columns(place.scenario, place.seat) if place.scenario.kb(place.seat) else ()
    try:
        table = FriendsTable.of(place.scenario.kb(place.seat), named)
    except InputError as error:
        raise InputError(f"The scenario '{place.scenario.id}': {error}") from error
    exchanges = exchanges_of(_turns(events), seat=place.seat, table=table, known=words.known)
    return FriendsView(
        dialogue=place.dialogue,
        seat=place.seat,
        table=table,
        exchanges=exchanges or (FriendsExchange((), ()),),
    )


def said_tokens(
    turn: TurnTensors, row: int, nodes: FriendsNodes, words: FriendsWords
) -> Iterator[FriendsToken]:
    """What was said in a turn that was made up, its marks left out; of a selection the row alone."""
    pairs = zip(turn.words[row].tolist(), turn.nodes[row].tolist(), strict=True)
    for number, node in list(pairs)[1:]:
        if number == PAD_NUMBER:
            return
        if nodes.is_row(node):
            yield FriendsToken("", row=node)
        elif node >= 0:
            yield FriendsToken("", entity=nodes.entity(node))
        elif number >= words.marks:
            yield FriendsToken(words.vocabulary.words[number])


def common_words(members: Sequence[Checkpoint]) -> FriendsWords:
    """The words that all know; CheckpointError where they know different ones."""
    first, *others = (words_of_checkpoint(member) for member in members)
    if any(other.written() != first.written() for other in others):
        raise CheckpointError(
            f"The checkpoints beside {members[0].folder} have other vocabularies. Those that speak "
            "as one are trained on the same dialogues."
        )
    return first


def _turns(events: Sequence[Event]) -> Iterator[ChatEvent]:
    """Messages and selections; what was erased is left out."""
    for event in events:
        if event.seat is None or event.data is None:
            continue
        if event.action == MESSAGE:
            yield ChatEvent(seat=event.seat, action=MESSAGE, text=event.text)
        elif event.action == SELECT:
            yield ChatEvent(seat=event.seat, action=SELECT, selected=_friend(event.data))


def _selected(events: Sequence[Event], seat: int) -> list[Any]:
    """Whom a seat selected."""
    return [
        each.data.get(ITEM)
        for each in events
        if each.action == SELECT and each.seat == seat and each.data
    ]


def _friend(data: Mapping[str, Any]) -> Mapping[str, Any]:
    item = data.get(ITEM)
    return item if isinstance(item, Mapping) else {}


def _has_just_named(view: FriendsView) -> bool:
    """Whether the last word was one's own, and values were named in it."""
    said = view.exchanges[-1].said
    return any(token.entity is not None for token in said)


def _chance(dice: random.Random) -> torch.Generator:
    return torch.Generator().manual_seed(dice.getrandbits(63))


def _short(
    manner: WritingManner, tokens: Sequence[FriendsToken], words: FriendsWords, dice: random.Random
) -> str:
    """The message, as many of its words as one may have."""
    lot = dice.random()
    kept = list(tokens)
    while True:
        text = manner.sentence(kept, words.surfaces, random.Random(lot))
        if len(text) <= MAX_CHARACTERS:
            return text
        kept.pop()
