"""A view of a bargain as the words that networks read, turn by turn.

A turn begins with the category and ends with `</s>`; before what it says itself a side has the mark of
its role. Prices are found by the game's own finder, and are words of the side that looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palaver.formats.cocoa import actions
from palaver.games.craigslist_bargain.prices import find_prices
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.models.bargain.dialogues import BargainDialogue, BargainEvent, BargainTurn
from palaver.models.bargain.marks import (
    ACCEPT,
    ACCEPT_NUMBER,
    END_NUMBER,
    OFFER,
    OFFER_NUMBER,
    PAD_NUMBER,
    QUIT,
    QUIT_NUMBER,
    REJECT,
    REJECT_NUMBER,
    UNKNOWN_NUMBER,
    BargainWords,
    category_number,
)
from palaver.models.bargain.pricing import PriceScale
from palaver.models.bargain.tokens import listing_words, tokenise
from palaver.models.chats import MESSAGE

_MOVES = {actions.ACCEPT: ACCEPT, actions.REJECT: REJECT, actions.QUIT: QUIT}
# What ends a bargain; an offer ends a turn.
_CLOSING = (ACCEPT_NUMBER, REJECT_NUMBER, QUIT_NUMBER)
_MOVE_NUMBERS = (OFFER_NUMBER, *_CLOSING)

# A word, or a price in dollars.
Said = str | float


@dataclass(slots=True)
class ViewReader:
    """Reads the turns of one view in their order; a number that was a price before is one again."""

    side: BargainSide
    known: set[float] = field(default_factory=set)

    def read(self, turn: BargainTurn) -> list[Said]:
        """The words of a turn, and its prices in dollars."""
        return [said for event in turn.events for said in self._event(event)]

    def _event(self, event: BargainEvent) -> list[Said]:
        if event.action == MESSAGE:
            return self.message(event.text)
        if event.action == actions.OFFER and event.price is not None:
            self.known.add(event.price)
            return [OFFER, event.price]
        return [_MOVES[event.action]] if event.action in _MOVES else []

    def message(self, text: str) -> list[Said]:
        """The words and prices of a message."""
        found: list[Said] = []
        at = 0
        for price in find_prices(text, self.side, known=self.known):
            found += [*tokenise(text[at : price.start]), price.value]
            self.known.add(price.value)
            at = price.end
        return [*found, *tokenise(text[at:])]


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainView:
    """What one side has heard and said, and what is for sale, as numbers of words."""

    dialogue: str
    side: BargainSide
    # Each from its category to its end; the first is the partner's, and they alternate.
    turns: tuple[tuple[int, ...], ...]
    title: tuple[int, ...]
    description: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """How much of a turn and of a listing is read; what is longer is cut off."""

    turn: int
    title: int
    description: int


@dataclass(frozen=True, slots=True)
class ReadTurns:
    """What one side of a dialogue has heard and said, the partner's turn first; prices in dollars."""

    dialogue: str
    side: BargainSide
    said: tuple[tuple[Said, ...], ...]


def read_turns(dialogue: BargainDialogue, seat: int) -> ReadTurns:
    """The words of each turn of a view."""
    reader = ViewReader(dialogue.sides[seat])
    said = tuple(tuple(reader.read(turn)) for turn in dialogue.view(seat))
    return ReadTurns(dialogue.id, dialogue.sides[seat], said)


def view_of(read: ReadTurns, words: BargainWords, limits: ReadingLimits) -> BargainView:
    """A view in numbers."""
    side = read.side
    scale, category = PriceScale.of(side), category_number(side)
    turns = [_cut(numbers_of(turn, words, scale), limits.turn) for turn in read.said]
    return BargainView(
        dialogue=read.dialogue,
        side=side,
        turns=tuple((category, *turn, END_NUMBER) for turn in turns),
        title=_listed([side.title], words, limits.title),
        description=_listed(side.description, words, limits.description),
    )


def numbers_of(said: Sequence[Said], words: BargainWords, scale: PriceScale) -> list[int]:
    """The numbers of words and prices; nobody says padding, so that the word for it is unknown."""
    return [
        words.said.number(each) or UNKNOWN_NUMBER
        if isinstance(each, str)
        else words.price_number(each, scale)
        for each in said
    ]


def as_rules_have_it(
    turn: Sequence[int], is_offered: bool, has_offered: bool
) -> tuple[int, ...] | None:
    """A turn from its category to its end as far as our rules leave room for it; None where they do not.

    What answers an offer is the answer alone, whoever has offered waits, and nothing follows a move.
    """
    category, *said, end = turn
    if has_offered:
        return None
    moves = [n for n, word in enumerate(said) if word in _MOVE_NUMBERS]
    if is_offered:
        answers = [said[n] for n in moves if said[n] in _CLOSING]
        return (category, answers[0], end) if answers else None
    if moves:
        first = moves[0]
        after = {OFFER_NUMBER: 2, QUIT_NUMBER: 1}.get(said[first], 0)
        said = said[: first + after]
    return (category, *said, end) if said else None


def _cut(numbers: list[int], most: int) -> list[int]:
    """The first of them, and the move with which they end."""
    if len(numbers) <= most:
        return numbers
    move = next((n for n, word in enumerate(numbers) if word in _MOVE_NUMBERS), len(numbers))
    last = numbers[move : move + 2]
    return [*numbers[: min(move, most - len(last))], *last]


def _listed(lines: Sequence[str], words: BargainWords, most: int) -> tuple[int, ...]:
    numbers = words.listed.numbers(listing_words(lines)[:most])
    return tuple(number for number in numbers if number != PAD_NUMBER)
