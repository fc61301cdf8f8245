"""Intervals of strengths and the comparison of all pairs, from a sandwich or from bootstrap samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from palaver.analysis.rank_sets import SimultaneousComparison, compare_draws, compare_normal
from palaver.analysis.ranking.bootstrap import StrengthDraws
from palaver.analysis.ranking.davidson import Centre
from palaver.analysis.ranking.sandwich import Sandwich
from palaver.analysis.resampling import LEAST_DEFINED, widened
from palaver.core.estimates import Interval
from palaver.core.numeric import np, special


@dataclass(frozen=True, slots=True)
class StrengthSpread:
    """Intervals by system and the simultaneous comparison; both None where there are none."""

    intervals: list[Interval] | None = None
    comparison: SimultaneousComparison | None = None
    method: str = ""
    separated: int = 0
    resamples: int = 0
    warnings: tuple[str, ...] = ()
    # Why there are no intervals, and how often a sample had no strengths; empty where neither.
    missing: str = ""
    separation: str = ""


def spread_of_sandwich(
    centre: Centre, found: Sandwich, clusters: Sequence[str], *, confidence: float, seed: int
) -> StrengthSpread:
    """Intervals from a covariance: normal, or Student's t with G − 1 degrees for G clusters."""
    what = f"clustered by {' and '.join(clusters)}" if clusters else "of single votes"
    method = f"{confidence * 100:g} % sandwich intervals {what}"
    freedom = found.clusters - 1 if clusters else None
    tail = (1 + confidence) / 2
    quantile = float(special.stdtrit(freedom, tail)) if freedom else NormalDist().inv_cdf(tail)
    half = quantile * np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
    comparison = compare_normal(
        centre.strengths, found.covariance, confidence=confidence, freedom=freedom, seed=seed
    )
    warnings = []
    if found.mended:
        warnings.append(
            "Clustering by several factors gave a negative variance in some direction, which was "
            "set to 0; with few clusters prefer the bootstrap."
        )
    ends = zip(centre.strengths - half, centre.strengths + half, strict=True)
    return StrengthSpread(
        intervals=[Interval(float(low), float(high)) for low, high in ends],
        comparison=comparison,
        method=method + (f", Student's t with {freedom} degrees of freedom" if freedom else ""),
        warnings=tuple(warnings),
    )


def spread_of_draws(
    centre: Centre,
    drawn: StrengthDraws,
    clusters: Sequence[str],
    *,
    confidence: float,
    independent: int,
) -> StrengthSpread:
    """Percentile intervals from bootstrap samples, none where too many have no strengths.

    They are `widened` for the number of clusters (or votes) that are drawn.
    """
    what = " and ".join(f"{name}s" for name in clusters) or "votes"
    drawing = "pigeonhole bootstrap" if len(clusters) > 1 else "percentile bootstrap"
    warnings = []
    separation = ""
    if drawn.separated:
        separation = (
            f"in {drawn.separated:,} of {drawn.samples:,} bootstrap samples a system is missing, or "
            f"won or lost everything"
        )
    if drawn.unsolved:
        warnings.append(f"{drawn.unsolved:,} bootstrap samples could not be fitted; left out.")
    if len(drawn.strengths) < max(2, LEAST_DEFINED * drawn.samples):
        return StrengthSpread(
            method="no intervals",
            missing="there are too few votes for intervals",
            separation=separation,
            separated=drawn.separated,
            resamples=drawn.samples,
            warnings=tuple(warnings),
        )
    wide = widened(confidence, independent)
    tails = [(1 - wide) / 2, (1 + wide) / 2]
    low, high = np.quantile(drawn.strengths, tails, axis=0)
    return StrengthSpread(
        intervals=[Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)],
        comparison=compare_draws(centre.strengths, drawn.strengths, confidence=wide),
        method=f"{confidence * 100:g} % {drawing} of {what}, {drawn.samples:,} samples",
        warnings=tuple(warnings),
        separation=separation,
        separated=drawn.separated,
        resamples=drawn.samples,
    )
