"""Bargains as networks learn them: who says what in turn, what each message does, and at which price.

What is too short to learn from is skipped, as He et al. (2018) did: dialogues in which both sides wrote
fewer than 40 words, or one of them fewer than two messages. Acts are those that a file records, and
where it has none those that the parser of the game reads.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from palaver.core.errors import InputError
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.games.craigslist_bargain.acts import ActReader, Intent
from palaver.games.craigslist_bargain.sides import BargainSide, side_of
from palaver.models.chats import MESSAGE, Chat, ChatEvent, held_out, read_chats

LEAST_WORDS, LEAST_MESSAGES = 40, 2
# What the first turn is where nobody spoke before.
START = "start"

_INTENTS = frozenset(get_args(Intent))
_MOVES = (OFFER, ACCEPT, REJECT, QUIT)
_WORDS = re.compile(r"[\w'’]+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainEvent:
    """A message or a move, what it does, and the price that it is about, in dollars."""

    seat: int
    action: str
    act: str
    text: str = ""
    price: float | None = None


@dataclass(frozen=True, slots=True)
class BargainTurn:
    """All that a seat says and does before the other one does; nothing where nobody spoke yet."""

    seat: int
    events: tuple[BargainEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainDialogue:
    """A bargain, with the knowledge of both seats."""

    chat: Chat
    sides: tuple[BargainSide, BargainSide]
    turns: tuple[BargainTurn, ...]
    # Whether the file says what messages do, and how many offers without a price were left out.
    has_recorded_acts: bool = False
    dropped_offers: int = 0

    @property
    def id(self) -> str:
        return self.chat.id

    @property
    def category(self) -> str:
        return self.sides[0].category

    @property
    def events(self) -> list[BargainEvent]:
        return [event for turn in self.turns for event in turn.events]

    @property
    def deal(self) -> float | None:
        """The price that was agreed on."""
        prices = [event.price for event in self.events if event.action == OFFER]
        is_accepted = any(event.action == ACCEPT for event in self.events)
        return prices[-1] if prices and is_accepted else None

    def view(self, seat: int) -> list[BargainTurn]:
        """The turns as a seat learns to answer them: the partner's come first, an empty one where the
        seat itself began."""
        begins = bool(self.turns) and self.turns[0].seat == seat
        return [BargainTurn(1 - seat), *self.turns] if begins else list(self.turns)

    def is_short(self, *, least_words: int, least_messages: int) -> bool:
        """Whether there is too little in it to learn from."""
        said = [
            [e for e in self.events if e.seat == seat and e.action == MESSAGE] for seat in (0, 1)
        ]
        words = [sum(len(_WORDS.findall(event.text)) for event in own) for own in said]
        return max(words) < least_words or min(map(len, said)) < least_messages


@dataclass(frozen=True, slots=True)
class BargainCorpus:
    """The dialogues to learn from, those that are held out, and what the card says of both."""

    learnt: tuple[BargainDialogue, ...]
    held: tuple[BargainDialogue, ...]
    counts: dict[str, int] = field(default_factory=dict)


def read_bargains(paths: Sequence[Path], *, parses_all: bool = False) -> list[BargainDialogue]:
    """The bargains of some files; InputError where one is cut off, missing or of another game.

    With `parses_all` acts that a file records are not looked at.
    """
    return [_bargain(chat, parses_all=parses_all) for chat in read_chats(paths)]


def bargain_corpus(
    paths: Sequence[Path],
    *,
    fold: int,
    folds: int,
    cut: int,
    least_words: int = LEAST_WORDS,
    least_messages: int = LEAST_MESSAGES,
    parses_all: bool = False,
) -> BargainCorpus:
    """The bargains of some files that are long enough, a part of them held out."""
    found = read_bargains(paths, parses_all=parses_all)
    kept = [
        each
        for each in found
        if not each.is_short(least_words=least_words, least_messages=least_messages)
    ]
    if not kept:
        raise InputError(
            f"All {len(found):,} dialogues are too short: somebody writes fewer than {least_messages} "
            f"messages, or nobody {least_words} words. Give others, or set 'data.least_words' and "
            "'data.least_messages'."
        )
    by_id = {each.id: each for each in kept}
    learnt, held = held_out([each.chat for each in kept], fold=fold, folds=folds, seed=cut)
    counts = {
        "dialogues": len(kept),
        "dialogues held out": len(held),
        "dialogues with a deal": sum(each.deal is not None for each in kept),
        "dialogues whose acts the file records": sum(each.has_recorded_acts for each in kept),
        "dialogues that were too short": len(found) - len(kept),
        "offers without a price, left out": sum(each.dropped_offers for each in kept),
    }
    return BargainCorpus(
        tuple(by_id[chat.id] for chat in learnt), tuple(by_id[chat.id] for chat in held), counts
    )


def _bargain(chat: Chat, *, parses_all: bool) -> BargainDialogue:
    try:
        first, second = (side_of(_plain(kb)) for kb in chat.kbs)
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        told = str(error) if isinstance(error, InputError) else "its knowledge is of another game."
        raise InputError(
            f"Dialogue '{chat.id}' is not a bargain: {told} Expected chats of CraigslistBargain."
        ) from error
    if first.role == second.role:
        raise InputError(f"Dialogue '{chat.id}' has two of the role '{first.role}'.")
    sides = (first, second)
    events, dropped = _events(chat, sides, parses_all=parses_all)
    return BargainDialogue(
        chat=chat,
        sides=sides,
        turns=turns_of(events),
        has_recorded_acts=any(event.act for event in chat.events),
        dropped_offers=dropped,
    )


def turns_of(events: Iterable[BargainEvent]) -> tuple[BargainTurn, ...]:
    """Events of a seat that follow each other are one turn."""
    turns: list[BargainTurn] = []
    for event in events:
        if turns and turns[-1].seat == event.seat:
            turns[-1] = BargainTurn(event.seat, (*turns[-1].events, event))
        else:
            turns.append(BargainTurn(event.seat, (event,)))
    return tuple(turns)


def _events(
    chat: Chat, sides: tuple[BargainSide, BargainSide], *, parses_all: bool
) -> tuple[list[BargainEvent], int]:
    """The events with their acts; and how many offers came without a price."""
    seller = 1 if sides[0].is_buyer else 0
    # A seller's listing is the longer one of the two.
    reader = ActReader(sides[seller], seller)
    found, dropped = [], 0
    for event in chat.events:
        if event.action == OFFER and event.price is None:
            dropped += 1
        elif event.action == MESSAGE or event.action in _MOVES:
            read = reader.read(event.seat, event.action, event.text, event.price)
            recorded = None if parses_all else _recorded(event)
            act, price = recorded or (read.intent, read.price)
            found.append(
                BargainEvent(
                    seat=event.seat, action=event.action, act=act, text=event.text, price=price
                )
            )
    return found, dropped


def _recorded(event: ChatEvent) -> tuple[str, float | None] | None:
    """The act that the file has for a message, and its price."""
    if event.action != MESSAGE or event.act not in _INTENTS:
        return None
    return event.act, event.act_price


def _plain(kb: Any) -> Any:
    """A knowledge base whose numbers are numbers, whatever a file holds."""
    personal, item = dict(kb["personal"]), dict(kb["item"])
    for holder, name in ((personal, "Target"), (personal, "Bottomline"), (item, "Price")):
        value = holder.get(name)
        if value is not None:
            holder[name] = float(value)
            if not 0 <= holder[name] < 1e12:
                raise InputError(f"'{name}' takes a number of dollars; got {value!r:.40}.")
    return {"personal": personal, "item": item}
