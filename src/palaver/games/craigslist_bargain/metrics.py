"""What bargains are worth: how many end in a deal, for whom it is a good one, and how long they take.

A metric is given dialogues as `dialogues.jsonl` has them, played here or read from CoCoA's files. A
margin beyond ±2 is a slip of the finger rather than a price. CoCoA left margins outside [−2.0, 2.4] out
of the sum but not out of the count, which draws the mean towards 0, and let some prices count for one
side only; here they are left out of both sums and counts, and how many they are is said beside the
score. Dialogues without a deal have no margin and do not count.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.errors import InputError
from palaver.core.events import END, MESSAGE
from palaver.formats.cocoa.shapes import is_number
from palaver.games.craigslist_bargain.margins import MOST, is_outlier, margin
from palaver.games.craigslist_bargain.sides import BUYER, SELLER, Role, side_of
from palaver.metrics.metric import Metric, Score
from palaver.metrics.shapes import OUTCOME

HE = "H. He, D. Chen, A. Balakrishnan, P. Liang (2018), Decoupling strategy and generation in "
HE += "negotiation dialogues, EMNLP."


def agreed_price(dialogue: Mapping[str, Any]) -> float | None:
    """The price of the deal; None where there is none.

    An outcome of CoCoA says `reward: 1` where one of ours says `success: true`.
    """
    ends = [event for event in dialogue.get("events", ()) if event.get("action") == END]
    outcome = ((ends[-1].get("data") or {}).get("outcome") or {}) if ends else {}
    price = (outcome.get("offer") or {}).get("price")
    succeeded = outcome["success"] if "success" in outcome else outcome.get("reward") == 1
    return float(price) if succeeded and price is not None and is_number(price) else None


def margin_of(dialogue: Mapping[str, Any], role: Role) -> float | None:
    """What the deal was worth to a role; None without a deal, or with nothing between the targets."""
    price = agreed_price(dialogue)
    kbs = (dialogue.get("scenario") or {}).get("kbs") or ()
    if price is None or len(kbs) != 2:
        return None
    sides = {side.role: side for side in map(side_of, kbs)}
    if len(sides) != 2:
        raise InputError(f"The dialogue '{dialogue.get('id')}' needs a buyer and a seller.")
    own = sides.pop(role)
    return margin(price, own, sides.popitem()[1])


def agreement(dialogues: Sequence[Any]) -> Score:
    """The share of dialogues that ended in a deal."""
    return Score.mean_of(float(agreed_price(each) is not None) for each in dialogues)


def buyer_margin(dialogues: Sequence[Any]) -> Score:
    """The mean margin of the buyer."""
    return _mean_margin(dialogues, BUYER)


def seller_margin(dialogues: Sequence[Any]) -> Score:
    """The mean margin of the seller."""
    return _mean_margin(dialogues, SELLER)


def fairness(dialogues: Sequence[Any]) -> Score:
    """The mean of 1 − |margin|."""
    found = _margins(dialogues, SELLER)
    kept = [1 - abs(each) for each in found if not is_outlier(each)]
    return _mean(kept, dialogues, len(found) - len(kept))


def length(dialogues: Sequence[Any]) -> Score:
    """How many messages a dialogue has."""
    return Score.mean_of(
        float(sum(event.get("action") == MESSAGE for event in each.get("events", ())))
        for each in dialogues
    )


def _margins(dialogues: Sequence[Any], role: Role) -> list[float]:
    found = (margin_of(each, role) for each in dialogues)
    return [each for each in found if each is not None]


def _mean_margin(dialogues: Sequence[Any], role: Role) -> Score:
    found = _margins(dialogues, role)
    kept = [each for each in found if not is_outlier(each)]
    return _mean(kept, dialogues, len(found) - len(kept))


def _mean(kept: list[float], dialogues: Sequence[Any], outliers: int) -> Score:
    parts = {"deals": len(kept), "outliers": outliers, "without_deal": 0}
    parts["without_deal"] = len(dialogues) - len(kept) - outliers
    if not kept:
        return Score.undefined("no dialogue ended in a deal", parts=parts)
    return Score(value=math.fsum(kept) / len(kept), n=len(kept), parts=parts)


AGREEMENT = Metric(
    name="bargain_agreement",
    title="Deals",
    family="outcome",
    about="The share of dialogues that ended in a deal.",
    paper=HE,
    predictions=OUTCOME,
    function=agreement,
    decomposes=True,
)
BUYER_MARGIN = Metric(
    name="bargain_buyer_margin",
    title="Margin of the buyer",
    family="outcome",
    about="1 at the buyer's target, 0 halfway, −1 at the seller's target; over deals.",
    unit="margin",
    low=-MOST,
    high=MOST,
    paper=HE,
    predictions=OUTCOME,
    function=buyer_margin,
)
SELLER_MARGIN = Metric(
    name="bargain_seller_margin",
    title="Margin of the seller",
    family="outcome",
    about="1 at the seller's target, 0 halfway, −1 at the buyer's target; over deals.",
    unit="margin",
    low=-MOST,
    high=MOST,
    paper=HE,
    predictions=OUTCOME,
    function=seller_margin,
)
FAIRNESS = Metric(
    name="bargain_fairness",
    title="Fairness",
    family="outcome",
    about="1 where the price is halfway between both targets, 0 at a target; over deals.",
    low=1 - MOST,
    paper=HE,
    predictions=OUTCOME,
    function=fairness,
)
LENGTH = Metric(
    name="bargain_length",
    title="Messages",
    family="outcome",
    about="How many messages a dialogue has; it has no direction.",
    direction="none",
    unit="messages per dialogue",
    high=math.inf,
    paper=HE,
    predictions=OUTCOME,
    function=length,
    decomposes=True,
)
