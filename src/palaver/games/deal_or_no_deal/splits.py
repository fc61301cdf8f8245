"""Splits of items and what they are worth: the sums that metrics and bots share."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

Share = Mapping[str, int]


def shares(counts: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Everything that one side could get.

    >>> len(list(shares({"book": 1, "hat": 3})))
    8
    """
    ranges = [range(count + 1) for count in counts.values()]
    for taken in product(*ranges):
        yield dict(zip(counts, taken, strict=True))


def is_pareto_optimal(kbs: Sequence[Any], takes: Sequence[Share]) -> bool:
    """Whether no other split is better for one side and no worse for the other.

    >>> kb = [{"Name": "book", "Count": 2, "Value": 1}, {"Name": "hat", "Count": 1, "Value": 0}]
    >>> other = [{"Name": "book", "Count": 2, "Value": 0}, {"Name": "hat", "Count": 1, "Value": 3}]
    >>> is_pareto_optimal([kb, other], [{"book": 2, "hat": 0}, {"book": 0, "hat": 1}])
    True
    >>> is_pareto_optimal([kb, other], [{"book": 2, "hat": 1}, {"book": 0, "hat": 0}])
    False
    """
    reached = [points(takes[seat], kbs[seat]) for seat in (0, 1)]
    counts = {row["Name"]: row["Count"] for row in kbs[0]}
    totals = [points(counts, kb) for kb in kbs]
    values = {row["Name"]: row["Value"] for row in kbs[1]}
    for share in shares(counts):
        mine = points(share, kbs[0])
        theirs = totals[1] - sum(share[item] * values[item] for item in share)
        at_least = mine >= reached[0] and theirs >= reached[1]
        if at_least and (mine > reached[0] or theirs > reached[1]):
            return False
    return True


def points(share: Share, kb: Sequence[Mapping[str, Any]]) -> int:
    """What a share is worth to the side that knows `kb`."""
    return sum(share.get(row["Name"], 0) * row["Value"] for row in kb)
