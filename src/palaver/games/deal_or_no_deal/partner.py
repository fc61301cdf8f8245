"""What a partner may value: every way in which the items can be worth what they are worth to us.

Both sides have the same number of points to share, so the partner's values are one of a few dozen
possibilities. What the partner asks for, gives away and turns down makes some of them likelier.
"""

import math
from collections.abc import Callable, Iterable, Mapping

from palaver.games.deal_or_no_deal.generator import valuations, worth_talking

# How strongly a share that is asked for, or turned down, speaks for what it is worth.
ASKED = 6.0
DECLINED = 2.0
UNWANTED = 0.05
# With more points than this, values are weighed on a coarser scale.
MOST_POINTS = 20


class PartnerModel:
    """Weights over what each item may be worth to the partner."""

    def __init__(self, counts: Mapping[str, int], own: Mapping[str, int]) -> None:
        self._items = tuple(counts)
        mine = tuple(own[item] for item in counts)
        whole = sum(counts[item] * own[item] for item in counts)
        self._points, every = _every(tuple(counts.values()), whole)
        likely = [values for values in every if worth_talking(mine, values)] or list(every)
        self._weights = dict.fromkeys(likely, 1.0)

    def ask(self, share: Mapping[str, int]) -> None:
        """The partner wants this share."""
        self._weigh(lambda worth: math.exp(ASKED * worth), share)

    def decline(self, share: Mapping[str, int]) -> None:
        """The partner was offered this share and did not take it."""
        self._weigh(lambda worth: math.exp(-DECLINED * worth), share)

    def spurn(self, items: Iterable[str]) -> None:
        """The partner says that these items are worth nothing."""
        places = [self._items.index(item) for item in items]
        for values in self._weights:
            if any(values[place] for place in places):
                self._weights[values] *= UNWANTED

    def values(self) -> dict[str, float]:
        """What each item is worth to the partner, as far as one can tell."""
        whole = sum(self._weights.values())
        sums = [0.0] * len(self._items)
        for values, weight in self._weights.items():
            for place, value in enumerate(values):
                sums[place] += weight * value
        return {item: total / whole for item, total in zip(self._items, sums, strict=True)}

    def _weigh(self, factor: Callable[[float], float], share: Mapping[str, int]) -> None:
        taken = tuple(share[item] for item in self._items)
        for values in self._weights:
            worth = sum(n * value for n, value in zip(taken, values, strict=True)) / self._points
            self._weights[values] *= factor(worth)
        whole = sum(self._weights.values())
        for values in self._weights:
            self._weights[values] /= whole


def _every(pile: tuple[int, ...], whole: int) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """So many points, or the next fewer that a pile can be worth, and all ways in which it can."""
    for points in range(min(whole, MOST_POINTS), 0, -1):
        found = valuations(pile, points)
        if found:
            return points, found
    return sum(pile), ((1,) * len(pile),)
