"""Bargains and their turns as people read them."""

from torch import Tensor

from palaver.models.bargain.marks import (
    ACCEPT_NUMBER,
    END_NUMBER,
    FIRST_PRICE,
    MARKS,
    OFFER_NUMBER,
    PAD_NUMBER,
    QUIT_NUMBER,
    REJECT_NUMBER,
    BargainWords,
)
from palaver.models.bargain.self_play import BargainsPlayed
from palaver.models.bargain.tokens import as_sentence

MOVES = {
    OFFER_NUMBER: "offers",
    ACCEPT_NUMBER: "accepts",
    REJECT_NUMBER: "rejects",
    QUIT_NUMBER: "quits",
}


def transcript(played: BargainsPlayed, row: int, words: BargainWords) -> list[str]:
    """A dialogue to be read: what it is about, a line for each turn, and how it ended."""
    speakers = played.speakers()[row].tolist()
    lines = [_told_scene(played, row)]
    for turn, side in enumerate(speakers):
        said = [n for n in played.turns[row, side, turn].tolist() if n != PAD_NUMBER]
        if said:
            dollars = played.scenes.dollars[row, side]
            lines.append(f"{'AB'[side]}: {told_turn(said[1:], words, dollars)}")
    return [*lines, _told_end(played, row)]


def told_turn(said: list[int], words: BargainWords, dollars: Tensor) -> str:
    """The words of a turn as people read them, its moves in brackets."""
    told: list[str] = []
    move = ""
    for number in said:
        if number in MOVES:
            move = MOVES[number]
        elif number in words.prices:
            price = money(float(dollars[number - FIRST_PRICE]))
            if move:
                move = f"{move} {price}"
            else:
                told.append(price)
        elif number != END_NUMBER:
            told.append(words.said.words[number])
    sentence = as_sentence(told)
    return f"{sentence} ({move})".strip() if move else sentence


def money(price: float) -> str:
    """A price in dollars, with cents where there are some.

    >>> money(1250.0), money(7.5)
    ('$1,250', '$7.50')
    """
    return f"${price:,.2f}".removesuffix(".00")


def _told_scene(played: BargainsPlayed, row: int) -> str:
    roles = ["buyer" if buys else "seller" for buys in played.scenes.buys[row].tolist()]
    first, second = (money(each) for each in played.scenes.targets[row].tolist())
    category = MARKS[int(played.scenes.given[row, 0, 1])].strip("<>")
    return f"A {category}: A is the {roles[0]} and aims at {first}, B the {roles[1]} at {second}"


def _told_end(played: BargainsPlayed, row: int) -> str:
    if bool(played.ends.is_agreed[row]):
        return f"A deal at {money(float(played.ends.prices[row]))}."
    events = int(played.ends.events[row])
    return f"No deal, after {events} messages and moves."
