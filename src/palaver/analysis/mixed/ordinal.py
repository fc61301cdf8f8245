"""The ordinal mixed model of ratings: steps of a scale are ordered, and need not be equally far apart.

Each rating comes from a hidden number: its system's place, plus the rater's leniency, plus the item's
ease, plus logistic noise. The scale cuts the hidden numbers at thresholds. Systems are compared on
the logit scale, where a difference of 1 multiplies the odds of a higher rating by e.

P. McCullagh (1980), Regression models for ordinal data, Journal of the Royal Statistical Society B 42,
109–142. The random intercepts are integrated out by Laplace's approximation, as in R. H. B.
Christensen's `ordinal` package for R, whose published example is among the tests.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from palaver.analysis.means import Values
from palaver.analysis.mixed.ratings import (
    MixedRatings,
    MixedResult,
    contrasts,
    doubts,
    gathered,
)
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np, optimize, special

# More random intercepts than this make a fit too slow to wait for.
MOST_LEVELS = 300
# More steps than this are a continuous scale: the linear model fits it.
MOST_STEPS = 20
# Beyond this many logits a place on the scale is not known: the data are separated.
SEPARATED = 10.0
STEPS = 100
STEP = 1e-3


def ordinal_mixed(
    values: Values,
    systems: Sequence[str],
    factors: Mapping[str, Sequence[Hashable]],
    *,
    confidence: float = 0.95,
) -> MixedResult:
    """Places of systems on the logit scale with random intercepts for each of `factors`.

    logit P(y ≤ j) = κ_j − (β_system + Σ_k σ_k u_k) with u ~ N(0, 1) for each value of factor k,
    κ_1 < κ_2 < …, and β of the first system 0. The values are used for their order alone. With û the
    mode of the penalised log-likelihood ℓ(u) − uᵀu/2 and H minus its second derivative there,
    Laplace's approximation of the log-likelihood is ℓ(û) − ûᵀû/2 − ½ log |H|; it is maximised over
    κ, β and σ. Intervals and p-values are Wald's, from its numerical second derivatives.

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
    found = _fitted(model)
    return _result(ratings, model, found, confidence)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Where the likelihood is largest, whether the search settled, and how large it is."""

    at: Numbers
    converged: bool
    log_likelihood: float


@dataclass(slots=True)
class _Model:
    """The likelihood; `mode` is where the last search for û ended and where the next begins."""

    steps: Numbers  # the step of each rating, from 0
    count: int  # how many steps there are
    design: Numbers  # ratings × systems without the first: 1 where the rating is the system's
    places: Numbers
    factor_of: Numbers
    factors: int
    mode: Numbers

    @property
    def bounds(self) -> list[tuple[float | None, float | None]]:
        """Spreads are 0 or more; widths between thresholds are logarithms; the rest is free."""
        free: list[tuple[float | None, float | None]] = [(None, None)]
        widths: list[tuple[float | None, float | None]] = [(-12.0, 6.0)]
        spreads: list[tuple[float | None, float | None]] = [(0.0, 50.0)]
        return (
            free + widths * (self.count - 2) + [(-30.0, 30.0)] * self.design.shape[1]
        ) + spreads * self.factors

    def thresholds(self, parameters: Numbers) -> Numbers:
        """κ: the first as it is, the others by the logarithms of their distances."""
        widths = np.exp(parameters[1 : self.count - 1])
        found: Numbers = parameters[0] + np.concatenate([[0.0], np.cumsum(widths)])
        return found

    def effects(self, parameters: Numbers) -> Numbers:
        """β of every system but the first, which is at 0."""
        first = self.count - 1
        return parameters[first : first + self.design.shape[1]]

    def spreads(self, parameters: Numbers) -> Numbers:
        """σ of every factor."""
        return parameters[self.count - 1 + self.design.shape[1] :]

    def criterion(self, parameters: Numbers) -> float:
        """Minus Laplace's approximation of the log-likelihood."""
        cuts = np.concatenate([[-np.inf], self.thresholds(parameters), [np.inf]])
        above, below = cuts[self.steps + 1], cuts[self.steps]
        fixed = self.design @ self.effects(parameters)
        scale = self.spreads(parameters)[self.factor_of] if self.factors else np.empty(0)
        mode, size = self._mode(above - fixed, below - fixed, scale)
        here = self._log_likelihood(above - fixed, below - fixed, scale, mode)
        return float(-here + mode @ mode / 2 + size / 2)

    def _moved(self, scale: Numbers, mode: Numbers) -> Numbers:
        found: Numbers = (scale * mode)[self.places].sum(axis=1)
        return found

    def _log_likelihood(self, above: Numbers, below: Numbers, scale: Numbers, u: Numbers) -> float:
        moved = self._moved(scale, u)
        inside = np.log(-np.expm1(below - above))
        return float(
            (special.log_expit(above - moved) + special.log_expit(moved - below) + inside).sum()
        )

    def _mode(self, above: Numbers, below: Numbers, scale: Numbers) -> tuple[Numbers, float]:
        """û by Newton's method, and log |H| there."""
        u = self.mode
        if not len(u):
            return u, 0.0
        for _ in range(STEPS):
            slope, curve = self._derivatives(above, below, scale, u)
            step = np.linalg.solve(curve, slope)
            if float(np.abs(step).max()) < 1e-7:  # the next error is of the order of its square
                u = u + step
                break
            u = self._climbed(above, below, scale, u, step)
        self.mode = u
        _, curve = self._derivatives(above, below, scale, u)
        return u, 2 * float(np.log(np.diag(np.linalg.cholesky(curve))).sum())

    def _climbed(
        self, above: Numbers, below: Numbers, scale: Numbers, u: Numbers, step: Numbers
    ) -> Numbers:
        """u moved by the step, or by as much of it as does not lead downhill."""
        height = self._log_likelihood(above, below, scale, u) - u @ u / 2
        for share in (1.0, 0.5, 0.25, 0.1, 0.01):
            trial: Numbers = u + share * step
            reached = self._log_likelihood(above, below, scale, trial) - trial @ trial / 2
            if reached >= height - 1e-9 * abs(height):
                break
        return trial

    def _derivatives(
        self, above: Numbers, below: Numbers, scale: Numbers, u: Numbers
    ) -> tuple[Numbers, Numbers]:
        """The slope of the penalised log-likelihood in u, and minus its curvature.

        For the logistic distribution F the log-likelihood of a rating has the slope
        F(κ_j − η) + F(κ_{j−1} − η) − 1 in η and the curvature −f(κ_j − η) − f(κ_{j−1} − η).
        """
        moved, q = self._moved(scale, u), len(u)
        upper, lower = special.expit(above - moved), special.expit(below - moved)
        slopes = upper + lower - 1
        weights = upper * (1 - upper) + lower * (1 - lower)
        slope = np.zeros(q)
        curve = np.zeros(q * q)
        for column in self.places.T:
            slope += np.bincount(column, weights=slopes, minlength=q)
            for other in self.places.T:
                curve += np.bincount(column * q + other, weights=weights, minlength=q * q)
        curved = scale[:, None] * curve.reshape(q, q) * scale + np.eye(q)
        return scale * slope - u, curved


def _model(ratings: MixedRatings) -> _Model:
    levels, steps = np.unique(ratings.values, return_inverse=True)
    if len(levels) < 2:
        raise InputError("Every rating is the same; there is nothing to model.")
    if len(levels) > MOST_STEPS:
        raise InputError(
            f"An ordinal model takes up to {MOST_STEPS} steps; these ratings have {len(levels)}. "
            "Use the linear mixed model."
        )
    if sum(ratings.sizes.values()) > MOST_LEVELS:
        raise InputError(
            f"The model has {sum(ratings.sizes.values()):,} random intercepts; it takes up to "
            f"{MOST_LEVELS:,}. Leave a factor out, or use the linear mixed model."
        )
    return _Model(
        steps=steps.ravel(),
        count=len(levels),
        design=np.eye(len(ratings.names))[ratings.systems, 1:],
        places=ratings.places,
        factor_of=ratings.factor_of,
        factors=len(ratings.sizes),
        mode=np.zeros(len(ratings.factor_of)),
    )


def _fitted(model: _Model) -> _Fit:
    found = optimize.minimize(
        model.criterion,
        _start(model),
        method="L-BFGS-B",
        jac="3-point",
        bounds=model.bounds,
        options={"ftol": 1e-12, "gtol": 1e-5, "maxiter": 300},
    )
    return _Fit(found.x, bool(found.success), -float(found.fun))


def _start(model: _Model) -> Numbers:
    """Thresholds of the ratings as a whole, systems alike, spreads of one half."""
    shares = np.cumsum(np.bincount(model.steps, minlength=model.count))[:-1] / len(model.steps)
    cuts = special.logit(shares)
    widths = np.log(np.diff(cuts))
    return np.concatenate(
        [cuts[:1], widths, np.zeros(model.design.shape[1]), np.full(model.factors, 0.5)]
    )


def _result(ratings: MixedRatings, model: _Model, fit: _Fit, confidence: float) -> MixedResult:
    at = fit.at
    names = list(ratings.sizes)
    spreads = dict(zip(names, map(float, model.spreads(at)), strict=True))
    effects = np.concatenate([[0.0], model.effects(at)])
    covariance = _covariance(model, at)
    warnings = doubts(ratings.sizes, spreads, converged=fit.converged)
    if covariance is None:
        warnings.append("The likelihood is flat at its top, so there are no intervals.")
        covariance = np.full((len(effects), len(effects)), np.nan)
    if (np.abs(effects) > SEPARATED).any():
        warnings.append(
            "A system's ratings lie at one end of the scale: its distance from the others has no bound."
        )
    method = (
        "cumulative logit mixed model, Laplace approximation, Wald intervals on the logit scale; "
    )
    method += "random intercepts of " + (" and ".join(names) or "nothing")
    return MixedResult(
        name="ordinal mixed",
        effects=dict(zip(ratings.names, map(float, effects), strict=True)),
        contrasts=contrasts(
            ratings.names,
            effects,
            covariance,
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


def _covariance(model: _Model, at: Numbers) -> Numbers | None:
    """That of all systems' places (0 for the first), from second differences.

    A spread at its boundary stays there.
    """
    bounds = [low for low, _ in model.bounds]
    free = [
        n for n, value in enumerate(at) if bounds[n] is None or value > float(bounds[n] or 0) + 1e-3
    ]
    size = len(free)
    curve = np.zeros((size, size))
    middle = model.criterion(at)

    def moved(*steps: tuple[int, float]) -> float:
        there = at.copy()
        for which, how_far in steps:
            there[which] += how_far * STEP
        return model.criterion(there)

    for i, one in enumerate(free):
        curve[i, i] = (moved((one, 1)) - 2 * middle + moved((one, -1))) / STEP**2
        for j, other in enumerate(free[:i]):
            across = moved((one, 1), (other, 1)) - moved((one, 1), (other, -1))
            across -= moved((one, -1), (other, 1)) - moved((one, -1), (other, -1))
            curve[i, j] = curve[j, i] = across / (4 * STEP**2)
    try:
        np.linalg.cholesky(curve)
    except np.linalg.LinAlgError:
        return None
    inverse = np.linalg.inv(curve)
    places = [free.index(model.count - 1 + n) for n in range(model.design.shape[1])]
    return np.pad(inverse[np.ix_(places, places)], ((1, 0), (1, 0)))
