"""The linear mixed model of ratings: systems are fixed, raters and items are random and crossed.

A rating is its system's mean, plus how lenient the rater is and how much the rater favours this
system, plus how easy the item is and how well it suits this system, plus noise. Means of systems are
compared after that, and their standard errors know that ratings of one rater, or of one item, go
together. The likelihood is in `likelihood`, which slopes there are in `slopes`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from palaver.analysis.means import Values
from palaver.analysis.mixed.likelihood import Profile, RestrictedLikelihood, largest_factor
from palaver.analysis.mixed.ratings import (
    BOUNDARY,
    MixedRatings,
    MixedResult,
    contrasts,
    doubts,
    gathered,
    random_parts,
)
from palaver.analysis.mixed.slopes import crossed, is_nested
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np, optimize

# More random intercepts than this, slopes counted, make a fit too slow to wait for; and so do more
# outside the largest factor, for which a full matrix is factored again and again.
MOST_LEVELS = 20_000
MOST_BESIDE = 600


def linear_mixed(
    values: Values,
    systems: Sequence[str],
    factors: Mapping[str, Sequence[Hashable]],
    *,
    confidence: float = 0.95,
) -> MixedResult:
    """Means of systems with random intercepts and slopes for each of `factors`, by REML.

    y = μ_system + Σ_k (u_k + w_k,system) + ε, with u_k ~ N(0, σ_k²) for each value of factor k,
    w_k,system ~ N(0, τ_k²) for each value and system, ε ~ N(0, σ²). Intervals and p-values are
    Student's t. Its degrees of freedom are Satterthwaite's; where a factor's variance or its slope's
    comes out as 0, which says little of few levels, they are at most its levels minus one. With few
    raters or items intervals are rather too wide than too narrow.

    >>> rater = ["r1", "r2", "r3", "r4"] * 3
    >>> system = ["a", "b", "c"] * 4
    >>> found = linear_mixed([3, 2, 4, 5, 1, 4, 3, 3, 2, 4, 4, 5], system, {"rater": rater})
    >>> [(each.a, each.b, round(each.difference.value, 3)) for each in found.contrasts][:1]
    [('a', 'b', 1.25)]
    """
    ratings = gathered(values, systems, factors)
    fit = fitted(ratings)
    names = list(ratings.sizes)
    variances = [float(each) for each in fit.ratios * fit.profile.variance]
    method = (
        "linear mixed model, REML, Student's t with Satterthwaite's degrees of freedom; "
        + random_parts(names)
    )
    spreads = dict(zip(names, map(float, np.sqrt(fit.ratios)), strict=True))
    return MixedResult(
        name="linear mixed",
        effects=dict(zip(ratings.names, map(float, fit.profile.effects), strict=True)),
        contrasts=contrasts(
            ratings.names,
            fit.profile.effects,
            fit.profile.variance * fit.profile.inverse,
            fit.degrees,
            confidence=confidence,
            n=len(ratings.values),
            method=method,
        ),
        components=dict(zip(names, variances, strict=True))
        | {"residual": float(fit.profile.variance)},
        levels=ratings.sizes,
        n=len(ratings.values),
        log_likelihood=-fit.profile.criterion / 2,
        converged=fit.converged,
        method=method,
        warnings=tuple(doubts(ratings, spreads, converged=fit.converged)),
    )


@dataclass(frozen=True, slots=True)
class LinearFit:
    """The most likely ratios θ², the likelihood there, and the degrees of each contrast."""

    ratios: Numbers
    profile: Profile
    degrees: Numbers
    converged: bool


def fitted(ratings: MixedRatings) -> LinearFit:
    """The fit; InputError where the ratings are too few, all the same, or too many to wait for."""
    _check_size(ratings)
    if len(ratings.values) <= len(ratings.names) + 1:
        raise InputError("There are too few ratings for a model with this many systems.")
    if not np.ptp(ratings.values) > 0:
        raise InputError("Every rating is the same; there is nothing to model.")
    likelihood = RestrictedLikelihood(ratings)
    ratios, converged = _most_likely(likelihood)
    degrees = likelihood.satterthwaite(ratios, np.flatnonzero(ratios))
    return LinearFit(
        ratios=ratios,
        profile=likelihood.profile(ratios),
        degrees=np.minimum(degrees, _contained(ratings, ratios)),
        converged=converged,
    )


def _check_size(ratings: MixedRatings) -> None:
    first = largest_factor(ratings)
    own = [name for name in ratings.sizes if first in (name, ratings.slope_of.get(name))]
    beside = ratings.levels - sum(ratings.sizes[name] for name in own)
    if ratings.levels > MOST_LEVELS or beside > MOST_BESIDE:
        raise InputError(
            f"The model has {ratings.levels:,} random intercepts, slopes counted, {beside:,} of them "
            f"not of '{first}'; it takes up to {MOST_LEVELS:,}, and {MOST_BESIDE:,} beside the "
            "largest factor. Average the ratings of an item, or leave a factor out."
        )


def _most_likely(likelihood: RestrictedLikelihood) -> tuple[Numbers, bool]:
    """The ratios θ² that the data make most likely, and whether the search settled.

    The search is over variances and not over spreads: at a spread of 0 the likelihood is level
    whether or not it rises from there.
    """
    if not likelihood.factors:
        return np.empty(0), True

    def unlikely(ratios: Numbers) -> tuple[float, Numbers]:
        here = likelihood.profile(ratios)
        return here.criterion, here.slope

    found = optimize.minimize(
        unlikely,
        np.full(likelihood.factors, 0.3),
        method="L-BFGS-B",
        jac=True,
        bounds=[(0.0, 1e6)] * likelihood.factors,
        options={"ftol": 1e-12, "gtol": 1e-4},
    )
    return np.where(found.x < BOUNDARY**2, 0.0, found.x), bool(found.success)


def _contained(ratings: MixedRatings, ratios: Numbers) -> float:
    """The fewest levels, less one, of factors of which a variance came out as 0.

    Only variances that a contrast has count: those of a factor with a slope, and that of a factor
    whose levels each met one system (less the systems then).
    """
    flat = dict(zip(ratings.sizes, ratios == 0, strict=True))
    levels = [
        ratings.sizes[of] - 1 for slope, of in ratings.slope_of.items() if flat[slope] or flat[of]
    ]
    for name in ratings.notes:
        cells = crossed(ratings.factors[name], ratings.systems)
        if flat[name] and is_nested(ratings.factors[name], cells):
            levels.append(max(ratings.sizes[name] - len(ratings.names), 1))
    return float(min(levels, default=np.inf))
