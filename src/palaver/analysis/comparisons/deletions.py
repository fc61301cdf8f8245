"""Effect sizes without each cluster in turn, all clusters at once: what the jackknife asks for."""

from palaver.analysis.comparisons.jackknife import Grouping
from palaver.core.numeric import Numbers, np


def d_without(one: Numbers, other: Numbers, group: Grouping) -> Numbers:
    """Cohen's d without each cluster."""
    centre = float(np.concatenate([one, other]).mean())
    counts, means, squares = [], [], []
    with np.errstate(divide="ignore", invalid="ignore"):
        for values, side in ((one - centre, group.a), (other - centre, group.b)):
            left = len(values) - np.bincount(side, minlength=group.size)
            total = values.sum() - group.sums(values, side)
            counts.append(left)
            means.append(total / left)
            squares.append((values**2).sum() - group.sums(values**2, side) - total**2 / left)
        spread = np.sqrt((squares[0] + squares[1]) / (counts[0] + counts[1] - 2))
        found: Numbers = (means[0] - means[1]) / spread
    return found


def d_z_without(apart: Numbers, group: Grouping) -> Numbers:
    """d_z without each cluster."""
    left = len(apart) - np.bincount(group.codes)
    total = apart.sum() - group.sums(apart, group.codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = (apart**2).sum() - group.sums(apart**2, group.codes) - total**2 / left
        found: Numbers = total / left / np.sqrt(squares / (left - 1))
    return found


def above(one: Numbers, other: Numbers) -> float:
    return float(placed(one, other).sum() / (len(one) * len(other)))


def placed(values: Numbers, among: Numbers) -> Numbers:
    """How many of `among` each value is above, ties counting half."""
    ordered = np.sort(among)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    found: Numbers = (below + upto) / 2
    return found


def above_without(one: Numbers, other: Numbers, group: Grouping) -> Numbers:
    """A without each cluster: what its values had a part in is taken off, what both had is put back."""
    of_one, of_other = placed(one, other), len(one) - placed(other, one)
    both = np.zeros(group.size)
    of_a, of_b = np.argsort(group.a, kind="stable"), np.argsort(group.b, kind="stable")
    n_a = np.bincount(group.a, minlength=group.size)
    n_b = np.bincount(group.b, minlength=group.size)
    ends_a, ends_b = np.cumsum(n_a), np.cumsum(n_b)
    for code in np.flatnonzero((n_a > 0) & (n_b > 0)):
        mine = one[of_a[ends_a[code] - n_a[code] : ends_a[code]]]
        yours = other[of_b[ends_b[code] - n_b[code] : ends_b[code]]]
        both[code] = placed(mine, yours).sum()
    wins = of_one.sum() - group.sums(of_one, group.a) - group.sums(of_other, group.b) + both
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = wins / ((len(one) - n_a) * (len(other) - n_b))
    return found


def rank_biserials_without(apart: Numbers, group: Grouping) -> Numbers:
    """The rank-biserial correlation without each cluster."""
    distinct, place = np.unique(apart, return_inverse=True)
    counts = np.zeros((group.size, len(distinct)))
    np.add.at(counts, (group.codes, place.ravel()), 1.0)
    return rank_biserials(distinct, counts.sum(axis=0) - counts)


def rank_biserials(distinct: Numbers, weights: Numbers) -> Numbers:
    """The rank-biserial correlation for each row of `weights`: how often each difference occurs."""
    sizes, place = np.unique(np.abs(distinct), return_inverse=True)
    counted = np.zeros((len(weights), len(sizes)))
    signed = np.zeros_like(counted)
    for column, (index, sign) in enumerate(zip(place.ravel(), np.sign(distinct), strict=True)):
        if sign != 0:
            counted[:, index] += weights[:, column]
            signed[:, index] += sign * weights[:, column]
    ranks = np.cumsum(counted, axis=1) - (counted - 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = (ranks * signed).sum(axis=1) / (ranks * counted).sum(axis=1)
    return found
