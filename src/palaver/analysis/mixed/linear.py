"""The linear mixed model of ratings: systems are fixed, raters and items are random and crossed.

A rating is its system's mean, plus how lenient the rater is, plus how easy the item is, plus noise.
Means of systems are compared after that, and their standard errors know that ratings of one rater, or
of one item, go together.

D. Bates, M. Mächler, B. Bolker and S. Walker (2015), Fitting linear mixed-effects models using lme4,
Journal of Statistical Software 67(1), for the profiled likelihood.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import log, pi

from palaver.analysis.means import Values
from palaver.analysis.mixed.ratings import MixedRatings, MixedResult, contrasts, doubts, gathered
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np, optimize

# More random intercepts than this make a fit too slow to wait for.
MOST_LEVELS = 5_000


def linear_mixed(
    values: Values,
    systems: Sequence[str],
    factors: Mapping[str, Sequence[Hashable]],
    *,
    confidence: float = 0.95,
) -> MixedResult:
    """Means of systems with random intercepts for each of `factors`, by restricted likelihood (REML).

    y = μ_system + Σ_k u_k + ε, with u_k ~ N(0, σ_k²) for each value of factor k, ε ~ N(0, σ²).
    With θ_k = σ_k / σ and V = I + Σ θ_k² Z_k Zᵏᵀ, minus twice the restricted log-likelihood,
    profiled over σ² and the means, is

        log |V| + log |Xᵀ V⁻¹ X| + (n − p)(1 + log(2π r / (n − p))),

    r = yᵀ V⁻¹ (y − Xβ). All of it comes from cross-products of the columns, so its cost grows with
    the number of raters and items and not of ratings. Intervals and p-values are Wald's: they take
    the variances for known, so with few raters and items intervals are somewhat narrow.

    >>> rater = ["r1", "r2", "r3", "r4"] * 3
    >>> system = ["a", "b", "c"] * 4
    >>> found = linear_mixed([3, 2, 4, 5, 1, 4, 3, 3, 2, 4, 4, 5], system, {"rater": rater})
    >>> [(each.a, each.b, round(each.difference.value, 3)) for each in found.contrasts][:1]
    [('a', 'b', 1.25)]
    """
    ratings = gathered(values, systems, factors)
    if sum(ratings.sizes.values()) > MOST_LEVELS:
        raise InputError(
            f"The model has {sum(ratings.sizes.values()):,} random intercepts; it takes up to "
            f"{MOST_LEVELS:,}. Average the ratings of an item, or leave a factor out."
        )
    if len(ratings.values) <= len(ratings.names) + 1:
        raise InputError("There are too few ratings for a model with this many systems.")
    sums = _cross_products(ratings)
    if not np.ptp(ratings.values) > 0:
        raise InputError("Every rating is the same; there is nothing to model.")
    theta, converged = _fitted(sums, len(ratings.sizes))
    found = _profile(sums, theta)
    names = list(ratings.sizes)
    components = {
        name: float(ratio**2 * found.variance) for name, ratio in zip(names, theta, strict=True)
    }
    method = "linear mixed model, REML, Wald intervals; random intercepts of " + (
        " and ".join(names) or "nothing"
    )
    spreads = dict(zip(names, map(float, theta), strict=True))
    return MixedResult(
        name="linear mixed",
        effects=dict(zip(ratings.names, map(float, found.effects), strict=True)),
        contrasts=contrasts(
            ratings.names,
            found.effects,
            found.variance * found.inverse,
            confidence=confidence,
            n=len(ratings.values),
            method=method,
        ),
        components=components | {"residual": float(found.variance)},
        levels=ratings.sizes,
        n=len(ratings.values),
        log_likelihood=-found.criterion / 2,
        converged=converged,
        method=method,
        warnings=tuple(doubts(ratings.sizes, spreads, converged=converged)),
    )


@dataclass(frozen=True, slots=True)
class _Sums:
    """Cross-products of the random (z), fixed (x) and observed (y) columns."""

    zz: Numbers
    zx: Numbers
    zy: Numbers
    xx: Numbers
    xy: Numbers
    yy: float
    n: int
    factor_of: Numbers
    centre: float


@dataclass(frozen=True, slots=True)
class _Profile:
    criterion: float
    effects: Numbers
    inverse: Numbers
    variance: float


def _cross_products(ratings: MixedRatings) -> _Sums:
    centred = ratings.values - ratings.values.mean()
    places, q, p = ratings.places, len(ratings.factor_of), len(ratings.names)
    zz, zx, zy = np.zeros((q, q)), np.zeros((q, p)), np.zeros(q)
    for column in places.T:
        np.add.at(zx, (column, ratings.systems), 1.0)
        np.add.at(zy, column, centred)
        for other in places.T:
            np.add.at(zz, (column, other), 1.0)
    counts = np.bincount(ratings.systems, minlength=p).astype(float)
    return _Sums(
        zz=zz,
        zx=zx,
        zy=zy,
        xx=np.diag(counts),
        xy=np.bincount(ratings.systems, weights=centred, minlength=p),
        yy=float(centred @ centred),
        n=len(ratings.values),
        factor_of=ratings.factor_of,
        centre=float(ratings.values.mean()),
    )


def _fitted(sums: _Sums, factors: int) -> tuple[Numbers, bool]:
    """The ratios of spreads that the data make most likely, and whether the search settled."""
    if not factors:
        return np.empty(0), True
    found = optimize.minimize(
        lambda theta: _profile(sums, theta).criterion,
        np.full(factors, 0.7),
        method="L-BFGS-B",
        jac="3-point",
        bounds=[(0.0, 1e3)] * factors,
        options={"ftol": 1e-12, "gtol": 1e-5},
    )
    return found.x, bool(found.success)


def _profile(sums: _Sums, theta: Numbers) -> _Profile:
    """Minus twice the restricted log-likelihood, with the best means and variance, at θ.

    V⁻¹ = I − Zθ (I + θZᵀZθ)⁻¹ θZᵀ: only a matrix of the size of the smaller factors is factored.
    """
    scale = theta[sums.factor_of]
    inner = scale[:, None] * sums.zz * scale + np.eye(len(scale))
    right = scale[:, None] * np.column_stack([sums.zx, sums.zy])
    # Intercepts of one factor never meet: the block of the largest is diagonal and is cleared first.
    first = sums.factor_of == np.bincount(sums.factor_of, minlength=1).argmax()
    own = np.diag(inner)[first][:, None]
    across, of_first = inner[np.ix_(first, ~first)], right[first]
    lower = np.linalg.cholesky(inner[np.ix_(~first, ~first)] - across.T @ (across / own))
    whitened = np.vstack(
        [
            of_first / np.sqrt(own),
            np.linalg.solve(lower, right[~first] - across.T @ (of_first / own)),
        ]
    )
    of_x, of_y = whitened[:, :-1], whitened[:, -1]
    precision = sums.xx - of_x.T @ of_x
    inverse = np.linalg.inv(precision)
    moments = sums.xy - of_x.T @ of_y
    effects = inverse @ moments
    rest = max(sums.yy - float(of_y @ of_y) - float(effects @ moments), 1e-300)
    freedom = sums.n - len(effects)
    variance = rest / freedom
    size = 2 * float(np.log(np.diag(lower)).sum()) + float(np.log(own).sum())
    size += float(np.linalg.slogdet(precision)[1])
    return _Profile(
        criterion=size + freedom * (1 + log(2 * pi * variance)),
        effects=effects + sums.centre,
        inverse=inverse,
        variance=variance,
    )
