"""p-values of pairs of systems, adjusted for how many there are: Holm and Benjamini–Hochberg.

An adjusted p-value is compared with the level as it stands. Undefined p-values stay undefined and do
not count as tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

Correction = Literal["holm", "bh", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPair:
    """Two systems and the p-value of no difference between them; NaN where it is undefined."""

    a: str
    b: str
    p: float


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: the chance of *any* false finding stays below the level.

    With p sorted, p₍₁₎ ≤ … ≤ p₍ₘ₎, the adjusted ones are max_{j≤i} min(1, (m − j + 1) p₍ⱼ₎). Holds
    however the tests depend on each other.

    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 65–70.

    >>> [round(each, 3) for each in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p_values, _holm)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p-values: the expected *share* of false findings is kept.

    With p sorted as above, the adjusted ones are min_{j≥i} min(1, m p₍ⱼ₎ / j). Holds for tests that
    are independent or positively dependent.

    Y. Benjamini and Y. Hochberg (1995), Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57, 289–300.

    >>> [round(each, 3) for each in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    return _adjusted(p_values, _benjamini_hochberg)


def adjusted(p_values: Sequence[float], correction: Correction) -> list[float]:
    """The p-values adjusted by the correction of that name; `none` leaves them as they are.

    >>> adjusted([0.01, 0.04], "none")
    [0.01, 0.04]
    """
    rules = {"holm": _holm, "bh": _benjamini_hochberg, "none": _unchanged}
    if correction not in rules:
        raise InputError(f"A correction is one of {', '.join(rules)}; got '{correction}'.")
    return _adjusted(p_values, rules[correction])


def _adjusted(p_values: Sequence[float], rule: Callable[[Numbers], Numbers]) -> list[float]:
    given = np.asarray(p_values, dtype=float)
    known = ~np.isnan(given)
    if ((given[known] < 0) | (given[known] > 1)).any():
        raise InputError("p-values must be between 0 and 1; one of those given is not.")
    found = given.copy()
    if known.any():
        order = np.argsort(given[known], kind="stable")
        sorted_back = np.empty(len(order))
        sorted_back[order] = rule(given[known][order])
        found[known] = sorted_back
    return [float(each) for each in found]


def _holm(ordered: Numbers) -> Numbers:
    left = np.arange(len(ordered), 0, -1)
    return np.minimum(1, np.maximum.accumulate(left * ordered))


def _benjamini_hochberg(ordered: Numbers) -> Numbers:
    count = len(ordered)
    scaled = ordered * (count / np.arange(1, count + 1))
    return np.minimum(1, np.minimum.accumulate(scaled[::-1])[::-1])


def _unchanged(ordered: Numbers) -> Numbers:
    return ordered
