"""The rules of a bargain: talk, one offer each, and an answer that ends it.

The seats talk in turn (either may begin) or freely. An offer can be made at any time, once by a seat;
while it stands, the partner accepts or rejects it, and nobody writes. Accepting makes a deal,
rejecting ends the bargain without one, and so does quitting, which is always possible.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import MAX_CHARACTERS, OPEN_COMPOSER, Composer, Ending, Rules
from palaver.core.scenario import Scenario
from palaver.core.words import counted
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.formats.cocoa.shapes import is_number
from palaver.formats.move_words import move_data, price_words
from palaver.games.craigslist_bargain.margins import margin
from palaver.games.craigslist_bargain.sides import sides_of
from palaver.games.turn_taking import Taking, check_turn, speakers

MOST_PRICE = 1_000_000_000
MOST_SIDES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CraigslistBargain(Rules):
    """The rules of CraigslistBargain.

    With `talk_over_offer` both may write while an offer stands; with `counter_offers` an offer can be
    answered with an offer, after which either side may accept the other's.
    """

    scenarios: Sequence[Scenario] = ()
    taking: Taking = "alternate"
    talk_over_offer: bool = False
    counter_offers: bool = False
    words_with_person: int = 40
    words_with_system: int = 30
    max_characters: int = MAX_CHARACTERS

    def new_scenario(self, rng: random.Random) -> Scenario:
        """One of the scenarios, by lot."""
        return rng.choice(self.scenarios)

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """Whoever has an offer to answer; else both, or whoever did not act last."""
        offered = offers(dialogue.events)
        if offered and not self.talk_over_offer:
            return frozenset(1 - seat for seat in offered)
        return speakers(dialogue, self.taking)

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """Raise MoveError unless `seat` may make `move` now."""
        if move.action == QUIT:
            return
        if move.action == MESSAGE:
            self._check_message(dialogue, seat)
        elif move.action == OFFER:
            self._check_offer(dialogue, seat)
            _check_price(move.data or {})
        elif move.action in (ACCEPT, REJECT):
            _check_answer(dialogue, seat, move)
        else:
            raise MoveError("unknown_action", f"A bargain has no action '{move.action}'.")

    def composer(self, dialogue: Dialogue, seat: int) -> Composer:
        """Closed while an offer stands, unless the study lets people talk about it."""
        offered = offers(dialogue.events)
        if not offered or self.talk_over_offer:
            return OPEN_COMPOSER
        if 1 - seat in offered:
            return Composer(closed="Your partner has made an offer. Please accept or reject it.")
        return Composer(closed="Your offer stands. Your partner accepts or rejects it.")

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """A deal once an offer is accepted; none once it is rejected or somebody quits."""
        if event.action == QUIT:
            return Ending("quit", {"seat": event.seat})
        if event.action not in (ACCEPT, REJECT) or event.seat is None:
            return None
        offer = offers(dialogue.events)[1 - event.seat]
        agreed = event.action == ACCEPT
        outcome = {"agreed": agreed, "success": agreed, "offer": offer}
        return Ending("complete", outcome, _rewards(dialogue.scenario, offer) if agreed else (0, 0))

    def shortcoming(self, dialogue: Dialogue, seat: int) -> str:
        """Too few words, unless a system cut the talk short by offering or quitting first."""
        partner = next((s.kind for s in dialogue.seats if s.index == 1 - seat), "person")
        least = self.words_with_system if partner == "system" else self.words_with_person
        if partner == "system" and _cut_short(dialogue, 1 - seat):
            return ""
        written = sum(
            len(event.text.split())
            for event in dialogue.events
            if event.seat == seat and event.action == MESSAGE
        )
        if written >= least:
            return ""
        return f"You wrote {counted(written, 'word')}; at least {least} were asked for."

    def _check_message(self, dialogue: Dialogue, seat: int) -> None:
        if self.taking == "alternate":
            check_turn(seat, self.movers(dialogue))

    def _check_offer(self, dialogue: Dialogue, seat: int) -> None:
        offered = offers(dialogue.events)
        if seat in offered:
            told = _told(offered[seat])
            raise MoveError(
                "offered", f"You have offered {told} already, and each side offers once."
            )
        if offered and not self.counter_offers:
            told = _told(offered[1 - seat])
            message = f"Your partner has offered {told}. Please accept or reject it."
            raise MoveError("answer_first", message)


def offers(events: Sequence[Event]) -> dict[int, dict[str, Any]]:
    """What each seat has offered."""
    return {
        event.seat: move_data(event)
        for event in events
        if event.action == OFFER and event.seat is not None
    }


def _check_price(data: dict[str, Any]) -> None:
    unknown = sorted(data.keys() - {"price", "sides"})
    if unknown:
        raise MoveError("bad_offer", f"An offer has a price and no '{unknown[0]}'.")
    price, sides = data.get("price"), data.get("sides", "")
    if price is None or not is_number(price) or not 0 <= price <= MOST_PRICE:
        given = "nothing" if price is None else f"'{price}'"
        message = f"An offer takes a price in dollars, such as 120 or 99.50; got {given}."
        raise MoveError("bad_price", message)
    if not isinstance(sides, str) or len(sides) > MOST_SIDES:
        raise MoveError(
            "bad_offer", f"What goes with an offer is text of up to {MOST_SIDES} letters."
        )


def _check_answer(dialogue: Dialogue, seat: int, move: Move) -> None:
    offered = offers(dialogue.events)
    if 1 - seat not in offered:
        if seat in offered:
            raise MoveError(
                "own_offer", f"You cannot {move.action} your own offer; your partner can."
            )
        raise MoveError("no_offer", f"There is no offer to {move.action} yet.")
    if move.data:
        raise MoveError(
            "bad_answer", f"Nothing goes with '{move.action}'; the offer stands as it is."
        )


def _rewards(scenario: Scenario, offer: dict[str, Any]) -> tuple[float, ...] | None:
    """The margin of each seat; None where nothing lies between the targets."""
    if len(scenario.kbs) != 2 or not is_number(offer.get("price")):
        return None
    first, second = sides_of(scenario)
    margins = margin(offer["price"], first, second), margin(offer["price"], second, first)
    return tuple(each for each in margins if each is not None) or None


def _cut_short(dialogue: Dialogue, system: int) -> bool:
    """Whether the first offer or quit was the system's."""
    deeds = [event.seat for event in dialogue.events if event.action in (OFFER, QUIT)]
    return bool(deeds) and deeds[0] == system


def _told(offer: dict[str, Any]) -> str:
    price = offer.get("price")
    return price_words(price) if price is not None and is_number(price) else "no price"
