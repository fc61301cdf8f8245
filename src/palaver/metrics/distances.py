"""How far one distribution over labels lies from another.

NMD and RSNOD are for ordered categories: it matters how far the mass is from where it should be.
JSD and RNSS are for nominal ones: it matters only how much mass is elsewhere. All four lie between 0
(the same) and 1, and lower is better.

Every function takes two arrays whose last axis is the categories, in their order; what stands before
it is any number of pairs, all computed at once. Counts do as well as probabilities: each distribution
is first divided by its sum. One that sums to 0 has no distance: NaN. Negative, infinite and missing
numbers raise an InputError. A single pair gives a float, more give an array.

Nothing is smoothed or clipped on the way in. RSNOD asks whether a probability is exactly 0, so it is
not continuous: 1e-9 instead of 0, as a softmax gives, can move it from 0.5 to 0.74.

T. Sakai (2018), Comparing two binned probability distributions for information access evaluation,
SIGIR, 1073–1076. T. Sakai (2021), On evaluating ordinal quantification systems, ECIR.
"""

from collections.abc import Callable
from typing import Any, Literal

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

Level = Literal["nominal", "ordinal"]
Distance = Callable[[Any, Any], Any]


def nmd(p: Any, q: Any) -> Any:
    """Normalised match distance: how much mass must be carried how far, as a share of the most.

    Σᵢ |Pᵢ − Qᵢ| / (L − 1) over the cumulative sums P and Q of L ordered categories: the earth mover's
    distance with neighbours 1 apart, divided by the length of the scale.

    >>> round(nmd([0.15, 0.25, 0.3, 0.2, 0.1], [1, 3, 9, 4, 2]), 9)
    0.076973684
    """
    first, second = _pair(p, q, ordered=True)
    steps = first.shape[-1] - 1
    return _result(np.abs(np.cumsum(first - second, axis=-1)).sum(axis=-1) / steps)


def rsnod(p: Any, q: Any) -> Any:
    """Root symmetric normalised order-aware divergence: √(SOD / (L − 1)), with SOD as in `sod`.

    >>> rsnod([1, 0, 0, 0, 0], [0, 1, 0, 0, 0])
    0.5
    """
    first, second = _pair(p, q, ordered=True)
    return _result(np.sqrt(_sod(first, second) / (first.shape[-1] - 1)))


def jsd(p: Any, q: Any) -> Any:
    """Jensen–Shannon divergence in bits: [KL(p‖m) + KL(q‖m)] / 2 with m = (p + q) / 2.

    Logarithms are to base 2 and 0 · log 0 is 0, so that distributions without a category in common
    are 1 apart. (Its square root is a metric; this is not.)

    J. Lin (1991), IEEE Transactions on Information Theory 37, 145–151.

    >>> jsd([0.5, 0, 0, 0, 0.5], [0, 1, 1, 0, 0])
    1.0
    """
    first, second = _pair(p, q)
    both = first + second
    both += both == 0
    bits = _surprise(first, both) + _surprise(second, both)
    # Rounding alone can leave the range by a few units in the last place.
    return _result(np.clip(bits.sum(axis=-1) / 2, 0.0, 1.0))


def rnss(p: Any, q: Any) -> Any:
    """Root normalised sum of squares: √(Σᵢ (pᵢ − qᵢ)² / 2).

    >>> rnss([1, 0], [0, 1])
    1.0
    """
    first, second = _pair(p, q)
    return _result(np.sqrt(((first - second) ** 2).sum(axis=-1) / 2))


def distance_weighted(p: Any, q: Any) -> Numbers:
    """DW: for each category i, Σⱼ |i − j| (pⱼ − qⱼ)², what differs weighted by how far it is from i.

    >>> distance_weighted([0.5, 0, 0, 0, 0.5], [0, 0.5, 0.5, 0, 0]).tolist()
    [1.75, 1.25, 1.25, 1.75, 2.25]
    """
    first, second = _pair(p, q, ordered=True)
    return _weighted(first, second)


def order_divergence(p: Any, q: Any) -> Any:
    """OD(p‖q): the mean of DW over the categories to which p gives more than exactly 0.

    >>> order_divergence([0.5, 0, 0, 0, 0.5], [0, 0.5, 0.5, 0, 0])
    2.0
    """
    first, second = _pair(p, q, ordered=True)
    return _result(_over_support(_weighted(first, second), first))


def sod(p: Any, q: Any) -> Any:
    """Symmetric order-aware divergence: the mean of OD(p‖q) and OD(q‖p).

    >>> sod([0.5, 0, 0, 0, 0.5], [0, 0.5, 0.5, 0, 0])
    1.625
    """
    first, second = _pair(p, q, ordered=True)
    return _result(_sod(first, second))


def entropy(p: Any) -> Any:
    """How undecided a distribution is, in bits: −Σᵢ pᵢ log₂ pᵢ, from 0 to log₂ L.

    >>> entropy([1, 1, 1, 1])
    2.0
    """
    shares = normalised(p)
    return _result(np.maximum(0.0, -(shares * np.log2(shares + (shares == 0))).sum(axis=-1)))


def normalised(values: Any) -> Numbers:
    """Each distribution divided by its sum; one that sums to 0 becomes NaN.

    InputError for what is not a number, negative, infinite or missing.
    """
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"A distribution takes one number per category, as many in each; got {values!r:.80}."
        ) from error
    if found.ndim == 0 or found.shape[-1] == 0:
        raise InputError("A distribution needs one or more categories; got none.")
    with np.errstate(over="ignore"):
        totals = found.sum(axis=-1, keepdims=True)
    # One look at the extremes: NaN fails every comparison.
    if found.size and not (found.min() >= 0 and totals.max() < np.inf):
        wrong = found[~((found >= 0) & np.isfinite(found))]
        given = f"{wrong.flat[0]}" if wrong.size else "numbers whose sum is infinite"
        raise InputError(f"A distribution takes finite numbers of 0 or more; got {given}.")
    with np.errstate(invalid="ignore"):
        shares: Numbers = found / totals
    return shares


def _pair(p: Any, q: Any, *, ordered: bool = False) -> tuple[Numbers, Numbers]:
    first, second = normalised(p), normalised(q)
    if first.shape[-1] != second.shape[-1]:
        raise InputError(
            f"Two distributions need the same categories; "
            f"got {first.shape[-1]} and {second.shape[-1]} of them."
        )
    if ordered and first.shape[-1] < 2:
        raise InputError("An ordinal distance needs two or more ordered categories; got 1.")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError as error:
        raise InputError(
            f"Distributions are compared one by one; got {first.shape[:-1]} and "
            f"{second.shape[:-1]} of them."
        ) from error
    return first, second


def _result(values: Numbers) -> Any:
    return float(values) if values.ndim == 0 else values


def _surprise(share: Numbers, both: Numbers) -> Numbers:
    # 2p / (p + q) rather than p / m: a half of the smallest number there is would be 0.
    ratio = 2 * share / both
    ratio += ratio == 0
    found: Numbers = share * np.log2(ratio)
    return found


def _weighted(first: Numbers, second: Numbers) -> Numbers:
    places = np.arange(first.shape[-1])
    apart = np.abs(places[:, None] - places[None, :]).astype(np.float64)
    # Sums in one order whatever the number of rows, which a matrix product does not promise.
    found: Numbers = (((first - second) ** 2)[..., None, :] * apart).sum(axis=-1)
    return found


def _over_support(weighted: Numbers, share: Numbers) -> Numbers:
    present = share > 0
    with np.errstate(invalid="ignore"):
        found: Numbers = (weighted * present).sum(axis=-1) / present.sum(axis=-1)
    return found


def _sod(first: Numbers, second: Numbers) -> Numbers:
    weighted = _weighted(first, second)
    return (_over_support(weighted, first) + _over_support(weighted, second)) / 2


def distance_title(measure: str) -> str:
    """A distance as papers write it, with the scale it was taken on.

    >>> distance_title("rsnod-A"), distance_title("jsd")
    ('RSNOD A', 'JSD')
    """
    name, _, scale = measure.partition("-")
    return f"{name.upper()} {scale}".strip()


# What is reported for a label set of each level, in the order in which it is reported.
DISTANCES: dict[Level, dict[str, Distance]] = {
    "ordinal": {"rsnod": rsnod, "nmd": nmd},
    "nominal": {"jsd": jsd, "rnss": rnss},
}
