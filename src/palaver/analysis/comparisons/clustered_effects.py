"""The effect sizes of a test, with intervals that know of clusters."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from palaver.analysis.comparisons.answers import PairedValues, Side
from palaver.analysis.comparisons.effects import (
    cliffs_delta,
    cohens_d,
    common_language,
    d_z,
    hedges_g,
    rank_biserial,
)
from palaver.analysis.comparisons.result import TestResult
from palaver.core.estimates import Estimate

Effect = Callable[..., Estimate]
OF_SIDES: Mapping[str, Effect] = {
    "Cohen's d": cohens_d,
    "Hedges' g": hedges_g,
    "Cliff's δ": cliffs_delta,
    "common language": common_language,
}
OF_PAIRS: Mapping[str, Effect] = {"d_z": d_z, "rank-biserial": rank_biserial}


def of_sides(test: TestResult, one: Side, other: Side, confidence: float) -> TestResult:
    """The test of two sides; answers that share a rater, an item or a cluster are left out together."""

    def by(effect: Effect) -> Estimate:
        return effect(
            one.values,
            other.values,
            confidence=confidence,
            clusters_a=one.factors,
            clusters_b=other.factors,
        )

    return _renewed(test, OF_SIDES, by)


def of_pairs(test: TestResult, pairs: PairedValues, confidence: float) -> TestResult:
    """The test of pairs; without clusters of the pairs there are no intervals."""

    def by(effect: Effect) -> Estimate:
        return effect(pairs.a, pairs.b, confidence=confidence, clusters=pairs.clusters)

    return _renewed(test, OF_PAIRS if pairs.clusters else {}, by)


def _renewed(
    test: TestResult, known: Mapping[str, Effect], by: Callable[[Effect], Estimate]
) -> TestResult:
    """Known effect sizes computed anew; others lose an interval that takes answers for independent."""
    effects = {
        name: by(known[name]) if name in known else replace(each, interval=None, method="")
        for name, each in test.effects.items()
    }
    return replace(test, effects=effects)
