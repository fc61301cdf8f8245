"""How sure strengths are: their intervals and the comparison of all pairs, in every way there is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palaver.analysis.rank_sets import (
    MOST_NAMED,
    SimultaneousComparison,
    compare_at,
    compare_draws,
    compare_normal,
)
from palaver.analysis.ranking.bootstrap import StrengthDraws, bootstrap
from palaver.analysis.ranking.cells import VoteCells
from palaver.analysis.ranking.cluster_scores import sole
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.analysis.ranking.graph import separation_chance
from palaver.analysis.ranking.sandwich import Sandwich, sandwich
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.ranking.wild import critical_values
from palaver.analysis.resampling import LEAST_DEFINED, BootstrapSettings, widened
from palaver.analysis.student import quantile
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np
from palaver.core.words import listed, percent

IntervalKind = Literal["sandwich", "bootstrap"]

# A critical value wants no fewer draws.
LEAST_DRAWS = 200
# From so many effective clusters on none has a say of its own in the comparison of all pairs.
MANY_DEGREES = 50
# Samples without strengths are worth a word from this share on.
SELDOM = 0.001
TOO_FEW = "there are too few votes for intervals"
TOO_FEW_CLUSTERS = "there are too few {}s"


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


@dataclass(frozen=True, slots=True)
class FittedVotes:
    """Votes, their counts, and the model at its maximum."""

    votes: Votes
    cells: VoteCells
    model: Davidson
    centre: Centre


def find_spread(
    fitted: FittedVotes,
    interval: IntervalKind | None,
    clusters: Sequence[str],
    settings: BootstrapSettings,
) -> StrengthSpread:
    """How sure the strengths are, in the way that was asked for."""
    votes, centre, confidence = fitted.votes, fitted.centre, settings.confidence
    if interval is None or (interval == "bootstrap" and settings.resamples < 2):
        return StrengthSpread(method="no intervals")
    lone = _lone(votes, fitted.cells, clusters)
    if lone:
        return StrengthSpread(method="no intervals", missing=lone)
    if interval == "bootstrap" and not clusters:
        drawn = bootstrap(
            fitted.model, fitted.cells, centre, resamples=settings.resamples, seed=settings.seed
        )
        return spread_of_draws(centre, drawn, confidence=confidence, votes=len(votes))
    factors = votes.factors(clusters)
    separation = _separation(fitted.cells, clusters, factors)
    if separation.is_frequent:
        return StrengthSpread(method="no intervals", missing=TOO_FEW, separation=separation.words)
    found = sandwich(fitted.model, fitted.cells, centre, factors)
    if not clusters:
        return spread_of_votes(centre, found, confidence=confidence, seed=settings.seed)
    spread = spread_of_clusters(
        centre,
        found,
        clusters,
        studentised=interval == "bootstrap",
        confidence=confidence,
        draws=max(settings.resamples, LEAST_DRAWS),
        seed=settings.seed,
    )
    return replace(spread, separation=separation.words)


@dataclass(frozen=True, slots=True)
class _Separation:
    """How often samples of clusters have no strengths: too often for intervals, and in words."""

    is_frequent: bool = False
    words: str = ""


def _separation(
    cells: VoteCells, clusters: Sequence[str], factors: Sequence[Numbers]
) -> _Separation:
    chances = {
        name: separation_chance(cells, codes) for name, codes in zip(clusters, factors, strict=True)
    }
    name = max(chances, key=chances.__getitem__, default="")
    if not name or chances[name] <= SELDOM:
        return _Separation()
    return _Separation(
        chances[name] > 1 - LEAST_DEFINED,
        f"in about {percent(chances[name])} of samples of {name}s a system is missing, or won or "
        "lost everything",
    )


def _lone(votes: Votes, cells: VoteCells, clusters: Sequence[str]) -> str:
    """What there is only one of, so that nothing can be said of others; empty if nothing."""
    for name in clusters:
        codes = votes.clusters[name]
        if int(codes.max()) == 0:
            return f"all votes share one {name}"
        alone = [votes.systems[place] for place in np.flatnonzero(sole(cells, codes))]
        if alone:
            return (
                f"only the votes of one {name} compare {listed(alone, most=MOST_NAMED)} with the "
                f"other{'' if len(votes.systems) - len(alone) == 1 else 's'}"
            )
    return "there is one vote only" if len(votes) == 1 else ""


def spread_of_votes(
    centre: Centre, found: Sandwich, *, confidence: float, seed: int
) -> StrengthSpread:
    """Normal intervals from the covariance of independent votes."""
    return StrengthSpread(
        intervals=_around(centre.strengths, quantile(confidence), found.covariance),
        comparison=compare_normal(
            centre.strengths, found.covariance, confidence=confidence, seed=seed
        ),
        method=f"{confidence * 100:g} % sandwich intervals of single votes",
    )


def spread_of_clusters(
    centre: Centre,
    found: Sandwich,
    clusters: Sequence[str],
    *,
    studentised: bool,
    confidence: float,
    draws: int,
    seed: int,
) -> StrengthSpread:
    """Intervals from the covariance of clusters, by Student's t, or by the draws of the wild
    bootstrap if `studentised` and these reach further; all pairs are always compared by those.

    """
    degrees = found.degrees
    by = " and ".join(clusters)
    few = float(degrees.min())
    errors = np.array([quantile(confidence, float(each)) for each in degrees])
    method = (
        f"{confidence * 100:g} % sandwich intervals clustered by {by}, Student's t with "
        f"{written_degrees(degrees)} degrees of freedom"
    )
    if found.scores is None:
        comparison = compare_normal(
            centre.strengths, found.covariance, confidence=confidence, freedom=few, seed=seed
        )
        return StrengthSpread(
            intervals=_around(centre.strengths, errors, found.covariance),
            comparison=comparison,
            method=method,
        )
    drawn = critical_values(found.scores, confidence=confidence, draws=draws, seed=seed)
    critical = max(drawn.pairs, _least_critical(centre, found, confidence=confidence, seed=seed))
    if studentised:
        # Where one cluster has most votes its sign is that of every draw, and draws are too alike.
        errors = np.maximum(drawn.systems, errors)
        method = (
            f"{confidence * 100:g} % wild cluster bootstrap of "
            f"{' and '.join(f'{name}s' for name in clusters)}, {draws:,} samples"
        )
    else:
        method += f"; pairs by the wild cluster bootstrap, {draws:,} samples"
    if not np.isfinite(errors).all() or not np.isfinite(critical):
        return StrengthSpread(method="no intervals", missing=TOO_FEW_CLUSTERS.format(by))
    return StrengthSpread(
        intervals=_around(centre.strengths, errors, found.covariance),
        comparison=compare_at(centre.strengths, found.covariance, critical),
        method=method,
        resamples=draws if studentised else 0,
    )


def written_degrees(degrees: Numbers) -> str:
    """From the fewest to the most, in whole numbers where these are."""
    low, high = (f"{float(each):.1f}".removesuffix(".0") for each in (degrees.min(), degrees.max()))
    return low if low == high else f"{low} to {high}"


def _least_critical(centre: Centre, found: Sandwich, *, confidence: float, seed: int) -> float:
    """How many standard errors are asked of all pairs at least.

    Where few clusters have most votes their signs are those of every draw. The multivariate t
    distribution with the effective number of clusters knows that; of many clusters one pair's
    quantile will do.
    """
    few = float(found.degrees.mean())
    if few >= MANY_DEGREES:
        return quantile(confidence, few)
    return compare_normal(
        centre.strengths, found.covariance, confidence=confidence, freedom=few, seed=seed
    ).critical


def _around(strengths: Numbers, errors: Numbers | float, covariance: Numbers) -> list[Interval]:
    half = errors * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    ends = zip(strengths - half, strengths + half, strict=True)
    return [Interval(float(low), float(high)) for low, high in ends]


def spread_of_draws(
    centre: Centre, drawn: StrengthDraws, *, confidence: float, votes: int
) -> StrengthSpread:
    """Percentile intervals from bootstrap samples of votes, none where too many have no strengths.

    They are `widened` for the number of votes that are drawn.
    """
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
            missing=TOO_FEW,
            separation=separation,
            separated=drawn.separated,
            resamples=drawn.samples,
            warnings=tuple(warnings),
        )
    wide = widened(confidence, votes)
    tails = [(1 - wide) / 2, (1 + wide) / 2]
    low, high = np.quantile(drawn.strengths, tails, axis=0)
    return StrengthSpread(
        intervals=[Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)],
        comparison=compare_draws(centre.strengths, drawn.strengths, confidence=wide),
        method=f"{confidence * 100:g} % percentile bootstrap of votes, {drawn.samples:,} samples",
        warnings=tuple(warnings),
        separation=separation,
        separated=drawn.separated,
        resamples=drawn.samples,
    )
