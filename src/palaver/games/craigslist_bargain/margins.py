"""What a price is worth to each side, measured between the two targets.

The margin of a side is 1 at its own target, 0 halfway between both targets and −1 at the partner's;
beyond the targets it goes on in the same steps. Fairness is 1 − |margin|.
"""

from palaver.games.craigslist_bargain.sides import BargainSide

# A margin beyond this, for or against a side, is a slip of the finger (4 for 400) rather than a price.
MOST = 2.0


def margin(price: float, own: BargainSide, partner: BargainSide) -> float | None:
    """The margin of a side; None where both targets are the same, so that nothing lies between.

    >>> buyer = BargainSide(role="buyer", target=80, price=100)
    >>> seller = BargainSide(role="seller", target=100, price=100)
    >>> margin(85, buyer, seller), margin(85, seller, buyer)
    (0.5, -0.5)
    """
    middle = (own.target + partner.target) / 2
    half = abs(own.target - middle)
    if half == 0:
        return None
    gain = middle - price if own.is_buyer else price - middle
    return gain / half


def is_outlier(value: float) -> bool:
    """Whether a margin is none that bargaining leads to."""
    return abs(value) > MOST
