"""Dialogue acts: what somebody does with a message or a move, in the words of CoCoA's parser.

A message is read with what was said before it. In this order: an opening without a price is `intro`; the
first price `init-price`; a wish for another price without a number `vague-price`; a new price
`counter-price`, one's own again `insist`, the partner's `agree`; a question `inquiry`; a message after
a question `inform`; a refusal `disagree`; and `unknown` is everything else.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.games.craigslist_bargain.prices import find_amounts, find_prices
from palaver.games.craigslist_bargain.sides import BargainSide

Intent = Literal[
    "intro",
    "init-price",
    "vague-price",
    "counter-price",
    "insist",
    "inquiry",
    "agree",
    "inform",
    "disagree",
    "unknown",
    "offer",
    "accept",
    "reject",
    "quit",
]
MOVES: dict[str, Intent] = {OFFER: "offer", ACCEPT: "accept", REJECT: "reject", QUIT: "quit"}

_VAGUE = re.compile(
    r"\bcome down\b|\b(?:highest|lowest)\b|\bgo (?:lower|higher)\b|\btoo (?:high|low)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:do|does|did|what|when|where|how|why|who|which|are|is|was|can|could|would|will|any|has|have)\b",
    re.IGNORECASE,
)
# A whole message that says yes, and words with which one says yes within a message.
_AGREED = re.compile(
    r"\W*(?:ok|okay|deal|great|perfect|sure|alright|agreed|we have a deal|that works|"
    r"i (?:can|could) do(?: that)?)"
    r"(?: then)?(?:,? thanks?(?: you)?)?\W*",
    re.IGNORECASE,
)
_AGREEING = re.compile(
    r"\b(?:deal|ok|okay|sure|agreed?|perfect|great|fine|alright|sounds? (?:good|great|fair)|"
    r"works? for me|(?:i'?ll|i will|i can|i could) take (?:it|that)|you got it|done|that works|"
    r"(?:can|could) do that)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"\b(?:no|not|nope|cannot)\b|n['’]t\b", re.IGNORECASE)
_GREETING = re.compile(r"\b(?:hi|hello|hey|hiya|howdy|how are you|hows it going)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Act:
    """What a message or a move does, and the price that it is about."""

    intent: Intent
    price: float | None = None


@dataclass(slots=True)
class ActReader:
    """Reads the acts of one dialogue, in their order.

    `listing` is what is for sale, as `seat` knows it. The last act and the last price of each seat are
    remembered.
    """

    listing: BargainSide
    seat: int = 0
    said: int = 0
    acts: dict[int, Act] = field(default_factory=dict)
    prices: dict[int, float] = field(default_factory=dict)

    def read(self, seat: int, action: str, text: str, price: float | None = None) -> Act:
        """The act of one event, which counts as said from now on."""
        move = MOVES.get(action)
        act = self._message(seat, text) if move is None else Act(move, price)
        if move is None:
            self.said += 1
        self.acts[seat] = act
        if act.price is not None:
            self.prices[seat] = act.price
        return act

    def _message(self, seat: int, text: str) -> Act:
        known = self.prices.values()
        prices = [price.value for price in find_prices(text, self.listing, known=known)]
        own, partner = self.prices.get(seat), self.prices.get(1 - seat)
        if not prices and not find_amounts(text):
            return Act(self._without_price(seat, text))
        price = self._meant(seat, prices)
        if not self.prices:
            return Act("init-price", price)
        if not {own, partner}.issuperset(prices) or find_amounts(text) or not prices:
            return Act("counter-price", price)
        if own in prices:
            return Act("insist", own)
        return Act("agree", partner)

    def _meant(self, seat: int, prices: list[float]) -> float | None:
        """Of several prices the one that the speaker proposes: a new one rather than a repeated one."""
        if not prices:
            return None
        others = [price for price in prices if price != self.prices.get(1 - seat)]
        buys = (seat == self.seat) == self.listing.is_buyer
        if buys:
            others = [price for price in others if price != self.listing.price]
        return (others or prices)[-1]

    def _without_price(self, seat: int, text: str) -> Intent:
        if self.said == 0:
            return "intro"
        if _VAGUE.search(text):
            return "vague-price"
        asks, refuses = is_question(text), _NEGATIVE.search(text) is not None
        greets = _GREETING.search(text) is not None
        if asks and not refuses and not greets:
            return "inquiry"
        if _AGREED.fullmatch(text):
            return "agree"
        partner = self.acts.get(1 - seat)
        asked = partner is not None and partner.intent == "inquiry"
        if asked and not (asks or refuses or greets):
            return "inform"
        return "disagree" if refuses and not (asks or greets) else "unknown"


def is_question(text: str) -> bool:
    """Whether somebody asks."""
    return text.rstrip().endswith("?") or _ASKING.match(text.strip()) is not None


def is_agreeing(text: str) -> bool:
    """Whether somebody says yes to what was proposed, in words."""
    return _AGREEING.search(text) is not None and not _NEGATIVE.search(text)
