"""What came of a dialogue, in words: for the desk, reports, and the viewer and its filters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from palaver.core.scenario import Scenario
from palaver.core.words import listed
from palaver.formats.cocoa.scenarios import BARGAIN, DEAL, MUTUAL_FRIENDS
from palaver.formats.cocoa.shapes import is_number
from palaver.formats.move_words import price_words, taken_words

# What a seat is called in a sentence.
NameOf = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """What came of a dialogue: in a word or two, and as a sentence with what each side got."""

    brief: str
    sentence: str


def outcome_words(scenario: Scenario, outcome: dict[str, Any], name_of: NameOf) -> OutcomeWords:
    """An outcome in words; the reward alone where the game is none of those known by shape.

    >>> bargain = Scenario(game="craigslist_bargain")
    >>> outcome_words(bargain, {"reward": 1, "offer": {"price": 30.0}}, str)
    OutcomeWords(brief='agreed', sentence='Agreed on $30.')
    """
    if not outcome:
        return OutcomeWords("", "")
    tell = _TELLERS.get(scenario.game)
    told = tell(outcome, name_of) if tell is not None else None
    return told or OutcomeWords("", _rewards(outcome, name_of))


def _friends(outcome: dict[str, Any], name_of: NameOf) -> OutcomeWords | None:
    if not is_number(outcome.get("reward")):
        return None
    if outcome["reward"]:
        return OutcomeWords("found", "Both selected the friend they have in common.")
    return OutcomeWords("not found", "They did not select the friend they have in common.")


def _bargain(outcome: dict[str, Any], name_of: NameOf) -> OutcomeWords:
    offer = outcome.get("offer")
    price = offer.get("price") if isinstance(offer, dict) else None
    told = price_words(price) if price is not None and is_number(price) else ""
    reward = outcome.get("reward")
    gained = isinstance(reward, dict) and any(is_number(each) and each for each in reward.values())
    if gained or (is_number(reward) and reward):
        return OutcomeWords("agreed", f"Agreed on {told}." if told else "Agreed.")
    if isinstance(offer, dict):
        offered = f"the offer of {told}" if told else "the offer"
        return OutcomeWords("rejected", f"No deal: {offered} was not accepted.")
    return OutcomeWords("no offer", "No deal: nobody made an offer.")


def _deal(outcome: dict[str, Any], name_of: NameOf) -> OutcomeWords:
    points = _rewards(outcome, name_of, noun="Points")
    split = outcome.get("item_split")
    sides = [split.get("0"), split.get("1")] if isinstance(split, dict) else split
    shares = [side for side in sides if isinstance(side, dict)] if isinstance(sides, list) else []
    taken = [f"{name_of(n)} takes {taken_words(side)}" for n, side in enumerate(shares)]
    if outcome.get("valid_deal"):
        told = f"Agreed: {listed(taken, joint='and')}. " if taken else "Agreed. "
        return OutcomeWords("agreed", f"{told}{points}".strip())
    if outcome.get("agreed"):
        told = f"No deal, what they chose does not add up: {listed(taken)}." if taken else ""
        return OutcomeWords("mismatch", told or "No deal: what they chose does not add up.")
    return OutcomeWords("no deal", "No deal.")


def _rewards(outcome: dict[str, Any], name_of: NameOf, noun: str = "Reward") -> str:
    """What each side got, where an outcome says it."""
    reward = outcome.get("reward")
    if isinstance(reward, dict):
        each = [
            f"{name_of(int(seat)) if str(seat).isdecimal() else seat} {value}"
            for seat, value in reward.items()
        ]
        return f"{noun}: {', '.join(each)}." if each else ""
    return f"{noun}: {reward}." if is_number(reward) else ""


_TELLERS: dict[str, Callable[[dict[str, Any], NameOf], OutcomeWords | None]] = {
    MUTUAL_FRIENDS: _friends,
    BARGAIN: _bargain,
    DEAL: _deal,
}
