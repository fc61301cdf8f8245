"""The ordinal mixed model of ratings: steps of a scale are ordered, and need not be equally far apart.

Each rating comes from a hidden number: its system's place, plus the rater's leniency and liking for
the system, plus the item's ease and how it suits the system, plus logistic noise. The scale cuts the
hidden numbers at thresholds. Systems are compared on the logit scale, where a difference of 1
multiplies the odds of a higher rating by e.

P. McCullagh (1980), Regression models for ordinal data, Journal of the Royal Statistical Society B 42,
109–142. The random intercepts are integrated out by Laplace's approximation, as in R. H. B.
Christensen's `ordinal` package for R, whose published example is among the tests.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from palaver.analysis.means import Values
from palaver.analysis.mixed.laplace import OrdinalLikelihood
from palaver.analysis.mixed.linear import fitted
from palaver.analysis.mixed.ratings import (
    BOUNDARY,
    MixedRatings,
    MixedResult,
    contrasts,
    doubts,
    gathered,
    random_parts,
)
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np, optimize, special

# More random intercepts than this make a fit too slow to wait for.
MOST_LEVELS = 600
# More steps than this are a continuous scale: the linear model fits it.
MOST_STEPS = 20
# Beyond this many logits a place on the scale is not known: the data are separated.
SEPARATED = 10.0
# Where a spread came out as 0, the likelihood is also tried here.
SMALL_SPREAD = 0.15
# How far parameters are moved to see how the likelihood bends.
STEP = 1e-4


def ordinal_mixed(
    values: Values,
    systems: Sequence[str],
    factors: Mapping[str, Sequence[Hashable]],
    *,
    confidence: float = 0.95,
) -> MixedResult:
    """Places of systems on the logit scale with random intercepts and slopes for each of `factors`.

    logit P(y ≤ j) = κ_j − (β_system + Σ_k σ_k u_k) with u ~ N(0, 1) for each value of factor k, and
    for each value and system (`slopes`), κ_1 < κ_2 < …, and β of the first system 0. The values are
    used for their order alone. Laplace's approximation of the log-likelihood (`laplace`) is maximised
    over κ, β and σ. Standard errors come from its second derivatives. Intervals and p-values are
    Student's t, with the degrees of freedom that the linear model of the same steps has: they depend
    on which variance is large against which, and hardly on the scale.

    Without factors it is the proportional-odds model. The approximation is good where each value of
    a factor has several ratings, and draws variances towards 0 where it has one or two.

    >>> system = ["a", "b"] * 30
    >>> rater = [f"r{n // 6}" for n in range(60)]
    >>> score = [1, 2, 2, 3, 1, 3] * 6 + [2, 3, 3, 3, 1, 2] * 4
    >>> found = ordinal_mixed(score, system, {"rater": rater})
    >>> found.converged, found.contrasts[0].difference.value < 0
    (True, True)
    """
    ratings = gathered(values, systems, factors)
    model = _model(ratings)
    steps = fitted(replace(ratings, values=model.steps.astype(float)))
    return _result(ratings, model, _fitted(model), steps.degrees, confidence)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Where the likelihood is largest, whether the search settled, and how large it is."""

    at: Numbers
    converged: bool
    log_likelihood: float


def _model(ratings: MixedRatings) -> OrdinalLikelihood:
    levels, steps = np.unique(ratings.values, return_inverse=True)
    if len(levels) < 2:
        raise InputError("Every rating is the same; there is nothing to model.")
    if len(levels) > MOST_STEPS:
        raise InputError(
            f"An ordinal model takes up to {MOST_STEPS} steps; these ratings have {len(levels)}. "
            "Use the linear mixed model."
        )
    if ratings.levels > MOST_LEVELS:
        raise InputError(
            f"The model has {ratings.levels:,} random intercepts, slopes counted; it takes up to "
            f"{MOST_LEVELS:,}. Leave a factor out, or use the linear mixed model."
        )
    return OrdinalLikelihood(
        steps=steps.ravel(),
        count=len(levels),
        design=np.eye(len(ratings.names))[ratings.systems, 1:],
        places=ratings.places,
        factor_of=ratings.factor_of,
        factors=len(ratings.sizes),
        mode=np.zeros(len(ratings.factor_of)),
    )


def _fitted(model: OrdinalLikelihood) -> _Fit:
    """The most likely parameters.

    At a spread of 0 the likelihood is level even if it rises from there, so a search that ended there
    begins anew where a small spread is likelier.
    """
    start = _start(model)
    for _ in range(1 + model.factors):
        found = optimize.minimize(
            model.criterion,
            start,
            method="L-BFGS-B",
            jac=True,
            bounds=model.bounds,
            options={"ftol": 1e-12, "gtol": 1e-5, "maxiter": 300},
        )
        start = found.x.copy()
        for which in range(len(start) - model.factors, len(start)):
            trial = start.copy()
            trial[which] = SMALL_SPREAD
            if start[which] < BOUNDARY and model.criterion(trial)[0] < found.fun - 1e-6:
                start = trial
        if (start == found.x).all():
            break
    return _Fit(found.x, bool(found.success), -float(found.fun))


def _start(model: OrdinalLikelihood) -> Numbers:
    """Thresholds of the ratings as a whole, systems alike, spreads of one half."""
    shares = np.cumsum(np.bincount(model.steps, minlength=model.count))[:-1] / len(model.steps)
    cuts = special.logit(shares)
    widths = np.log(np.diff(cuts))
    return np.concatenate(
        [cuts[:1], widths, np.zeros(model.design.shape[1]), np.full(model.factors, 0.5)]
    )


def _result(
    ratings: MixedRatings, model: OrdinalLikelihood, fit: _Fit, degrees: Numbers, confidence: float
) -> MixedResult:
    at = fit.at
    names = list(ratings.sizes)
    spreads = dict(zip(names, map(float, model.spreads(at)), strict=True))
    effects = np.concatenate([[0.0], model.effects(at)])
    covariance = _covariance(model, at)
    warnings = doubts(ratings, spreads, converged=fit.converged)
    if covariance is None:
        warnings.append("The likelihood is flat at its top, so there are no intervals.")
        covariance = np.full((len(effects), len(effects)), np.nan)
    if (np.abs(effects) > SEPARATED).any():
        warnings.append(
            "A system's ratings lie at one end of the scale: its distance from the others has no bound."
        )
    method = (
        "cumulative logit mixed model, Laplace approximation, Student's t on the logit scale with "
        "the linear model's degrees of freedom; " + random_parts(names)
    )
    return MixedResult(
        name="ordinal mixed",
        effects=dict(zip(ratings.names, map(float, effects), strict=True)),
        contrasts=contrasts(
            ratings.names,
            effects,
            covariance,
            degrees,
            confidence=confidence,
            n=len(ratings.values),
            method=method,
        ),
        components={name: spread**2 for name, spread in spreads.items()},
        levels=ratings.sizes,
        n=len(ratings.values),
        log_likelihood=fit.log_likelihood,
        converged=fit.converged,
        method=method,
        thresholds=tuple(map(float, model.thresholds(at))),
        warnings=tuple(warnings),
    )


def _covariance(model: OrdinalLikelihood, at: Numbers) -> Numbers | None:
    """That of all systems' places (0 for the first), from differences of slopes.

    A spread at its boundary stays there.
    """
    bounds = [low for low, _ in model.bounds]
    free = [
        n for n, value in enumerate(at) if bounds[n] is None or value > float(bounds[n] or 0) + 1e-3
    ]

    def slope(which: int, how_far: float) -> Numbers:
        there = at.copy()
        there[which] += how_far
        return model.criterion(there)[1][free]

    rows = [(slope(which, STEP) - slope(which, -STEP)) / (2 * STEP) for which in free]
    curve = (np.array(rows) + np.array(rows).T) / 2
    try:
        np.linalg.cholesky(curve)
    except np.linalg.LinAlgError:
        return None
    inverse = np.linalg.inv(curve)
    places = [free.index(model.count - 1 + n) for n in range(model.design.shape[1])]
    return np.pad(inverse[np.ix_(places, places)], ((1, 0), (1, 0)))
