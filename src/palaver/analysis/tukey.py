"""Randomised Tukey HSD: which of many systems differ, when all pairs are looked at together.

Every system was scored on the same topics. If systems did not matter, the scores of a topic could
have come in any order. So each topic's scores are shuffled, the largest difference between two
systems' means is noted, and this is repeated. A pair differs if chance alone rarely makes *any* pair
differ as much: the error rate holds for the whole family of pairs, and no shape is assumed.

B. Carterette (2012), Multiple testing in statistical analysis of systems-based information retrieval
experiments, ACM Transactions on Information Systems 30(1), article 4. T. Sakai (2018), Laboratory
experiments in information retrieval, Springer, chapters 4 and 5, for the effect size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from palaver.analysis.corrections import SystemPair
from palaver.analysis.tukey_trials import TrialProgress, largest_differences
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import if_any, plain

TRIALS = 10_000
# Means that differ by less than this share of the largest score differ by rounding only.
TOLERANCE = 1e-12
# Below this many topics the warning about few topics is given.
FEW_TOPICS = 10
NO_RESIDUAL = "the scores leave no residual variance to divide by"


@dataclass(frozen=True, slots=True, kw_only=True)
class TukeyPair(SystemPair):
    """Two systems: mean of `a` minus mean of `b`, its p-value, and the standardised difference."""

    difference: float
    effect: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TukeyResult:
    """Every pair of systems, and what the p-values were made of.

    `variance` is the residual variance that effects are standardised with; `reason` says why
    effects are undefined where they are.
    """

    pairs: tuple[TukeyPair, ...]
    means: dict[str, float]
    topics: int
    trials: int
    seed: int
    variance: float
    method: str
    reason: str = if_any("")
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return html_table(plain(self.pairs), caption=self.method)


def randomised_tukey(
    matrix: Any,
    names: Sequence[str],
    *,
    trials: int = TRIALS,
    seed: int = 1,
    legacy: bool = False,
    tolerance: float = TOLERANCE,
) -> TukeyResult:
    """The p-value and effect size of every pair of systems; `matrix` is topics × systems.

    With h_b the largest minus the smallest mean after the b-th of B shuffles,

        p(i, j) = (#{b : h_b ≥ |mean_i − mean_j|} + 1) / (B + 1)

    where the data as they came count as one more shuffle, so p is never 0 and the test keeps its
    level. Differences that should be equal are compared with a `tolerance` (a share of the largest
    score in absolute value): scores with few decimals tie often, and rounding would break the ties.

    The effect size is (mean_i − mean_j) / √V_E with the residual variance of the two-way layout,
    V_E = Σ (x_ts − mean_t − mean_s + mean)² / ((n − 1)(m − 1)) for n topics and m systems.

    With `legacy`, p is #{…} / B, and V_E that of the one-way layout, Σ (x_ts − mean_s)² / m(n − 1),
    in which the differences between topics stay: what shared tasks have published.

    >>> scores = [[.7, .5, .0], [.6, .2, .1], [.8, .6, .3], [.7, .5, .2]]
    >>> found = randomised_tukey(scores, ["a", "b", "c"], trials=999)
    >>> [(pair.a, pair.b, round(pair.difference, 3)) for pair in found.pairs]
    [('a', 'b', 0.25), ('a', 'c', 0.55), ('b', 'c', 0.3)]
    >>> found.pairs[1].p < 0.05
    True
    """
    (found,) = randomised_tukeys(
        [matrix], names, trials=trials, seed=seed, legacy=legacy, tolerance=tolerance
    )
    return found


def randomised_tukeys(
    matrices: Sequence[Any],
    names: Sequence[str],
    *,
    trials: int = TRIALS,
    seed: int = 1,
    legacy: bool = False,
    tolerance: float = TOLERANCE,
    progress: TrialProgress | None = None,
) -> list[TukeyResult]:
    """The test for several measures of the same systems on the same topics.

    Each result is that of `randomised_tukey`; together they take less time, because one shuffle of a
    topic serves all measures.
    """
    scores = [_checked(matrix, names, trials, tolerance) for matrix in matrices]
    if len({each.shape for each in scores}) > 1:
        raise InputError("Measures that are tested together need the same topics.")
    if not scores:
        return []
    largest = largest_differences(np.stack(scores, axis=2), trials, seed, progress)
    return [
        _result(one, np.sort(column), names, seed, legacy, tolerance)
        for one, column in zip(scores, largest.T, strict=True)
    ]


def _result(
    scores: Numbers,
    largest: Numbers,
    names: Sequence[str],
    seed: int,
    legacy: bool,
    tolerance: float,
) -> TukeyResult:
    """Every pair, given the largest differences of all trials in ascending order."""
    topics, systems = scores.shape
    trials = len(largest)
    means = scores.mean(axis=0)
    noise = tolerance * float(np.abs(scores).max())
    variance = _residual_variance(scores, legacy=legacy)
    scale = variance**0.5 if variance > noise**2 else MISSING
    first, second = np.triu_indices(systems, k=1)
    differences = means[first] - means[second]
    reached = trials - np.searchsorted(largest, np.abs(differences) - noise)
    p_values = reached / trials if legacy else (reached + 1) / (trials + 1)
    pairs = [
        TukeyPair(a=a, b=b, difference=difference, p=p, effect=difference / scale)
        for (a, b), difference, p in zip(
            combinations(names, 2), differences.tolist(), p_values.tolist(), strict=True
        )
    ]
    return TukeyResult(
        pairs=tuple(pairs),
        means=dict(zip(names, map(float, means), strict=True)),
        topics=topics,
        trials=trials,
        seed=seed,
        variance=variance,
        method=_method(trials, legacy),
        reason="" if scale == scale else NO_RESIDUAL,
        warnings=_warnings(topics, trials, legacy),
    )


def _checked(matrix: Any, names: Sequence[str], trials: int, tolerance: float) -> Numbers:
    try:
        scores = np.asarray(matrix, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"The matrix should hold numbers, topics × systems: {error}.") from error
    if scores.ndim != 2 or scores.shape[1] != len(names):
        raise InputError(
            f"The matrix should have one row per topic and one column for each of the "
            f"{len(names)} systems; got the shape {' × '.join(map(str, scores.shape))}."
        )
    if len(set(names)) != len(names):
        raise InputError("Two systems have the same name; each column needs its own name.")
    if scores.shape[0] < 2 or scores.shape[1] < 2:
        raise InputError(
            f"The test compares 2 or more systems on 2 or more topics; got {scores.shape[1]} "
            f"and {scores.shape[0]}."
        )
    if trials < 1:
        raise InputError(f"The test takes 1 trial or more; got {trials}.")
    if not 0 <= tolerance < 1:
        raise InputError(f"The tolerance must be between 0 and 1; got {tolerance}.")
    holes = np.argwhere(~np.isfinite(scores))
    if len(holes):
        row, column = holes[0]
        raise InputError(
            f"Topic {row + 1} has no score of the system '{names[column]}' "
            f"({len(holes)} of {scores.size} cells are empty or not finite). Every system needs a "
            f"score on every topic; leave incomplete topics out."
        )
    return scores


def _residual_variance(scores: Numbers, *, legacy: bool) -> float:
    topics, systems = scores.shape
    apart = scores - scores.mean(axis=0)
    if legacy:
        return float((apart**2).sum() / (systems * (topics - 1)))
    apart = apart - apart.mean(axis=1, keepdims=True)
    return float((apart**2).sum() / ((systems - 1) * (topics - 1)))


def _method(trials: int, legacy: bool) -> str:
    counted = "b/B" if legacy else "(b + 1)/(B + 1)"
    layout = "one-way" if legacy else "two-way"
    return (
        f"randomised Tukey HSD, {trials:,} trials, p = {counted}; effect = difference / √ of the "
        f"{layout} residual variance; assumes independent topics, and p holds for all pairs together"
    )


def _warnings(topics: int, trials: int, legacy: bool) -> tuple[str, ...]:
    found = []
    if topics < FEW_TOPICS:
        found.append(
            f"There are only {topics} topics: few shuffles differ, and small p-values are out of reach."
        )
    if trials < 1000:
        found.append(
            f"With {trials} trials a p-value is known to about ±{1 / (trials**0.5):.2f} at worst."
        )
    if legacy:
        found.append(
            f"A p of 0 only means below 1/{trials}: here p is the share of trials, as published."
        )
    return tuple(found)
