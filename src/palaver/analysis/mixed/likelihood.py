"""The restricted likelihood of a linear mixed model, as a function of its variance ratios.

With θ_k = σ_k / σ and V = I + Σ θ_k² Z_k Z_kᵀ, minus twice the restricted log-likelihood, profiled over
the means, is

    log |V| + log |Xᵀ V⁻¹ X| + (n − p) log(2π σ²) + r / σ²,      r = yᵀ V⁻¹ (y − Xβ),

and at its smallest σ² = r / (n − p). The factor with most levels and its slope are cleared first: its
levels never meet, a cell of the slope meets its own level alone, so that part of V is inverted by
division. What remains is a matrix of the size of the other factors.

D. Bates, M. Mächler, B. Bolker and S. Walker (2015), Fitting linear mixed-effects models using lme4,
Journal of Statistical Software 67(1), for the profiled likelihood.
"""

from dataclasses import dataclass
from math import log, pi

from palaver.analysis.mixed.ratings import MixedRatings
from palaver.analysis.student import MOST_DEGREES
from palaver.core.numeric import Numbers, np, sparse

# Variances are moved by this share of themselves to see how the likelihood bends, and by this share
# of the residual variance at least.
STEP = 0.02
LEAST_STEP = 1e-3
# Of the values' sum of squares at least this share is left to the residual.
LEAST_REST = 1e-14
# Tables of more numbers than this are held without their zeros.
MOST_DENSE = 400_000


@dataclass(frozen=True, slots=True)
class Profile:
    """The likelihood at some ratios θ² and σ² = 1: its `size` without σ², r, and their slopes."""

    ratios: Numbers
    size: float
    rest: float
    size_slope: Numbers
    rest_slope: Numbers
    effects: Numbers
    inverse: Numbers
    freedom: int

    @property
    def variance(self) -> float:
        """σ², where the likelihood is largest."""
        return self.rest / self.freedom

    @property
    def criterion(self) -> float:
        """Minus twice the log-likelihood at that σ²."""
        return self.size + self.freedom * (1 + log(2 * pi * self.variance))

    @property
    def slope(self) -> Numbers:
        """That of the criterion in the ratios."""
        return self.size_slope + self.rest_slope / self.variance

    def slope_at(self, variance: float) -> Numbers:
        """That of minus twice the log-likelihood in the variances themselves, σ² the last."""
        steep = (self.size_slope + self.rest_slope / variance) / variance
        own = self.freedom / variance - self.rest / variance**2 - steep @ self.ratios
        return np.append(steep, own)


class RestrictedLikelihood:
    """Cross-products of the columns of one data set; its cost does not grow with the ratings."""

    def __init__(self, ratings: MixedRatings) -> None:
        names, sizes = list(ratings.sizes), ratings.sizes
        self.freedom = len(ratings.values) - len(ratings.names)
        self.centre = float(ratings.values.mean())
        self.factors = len(names)
        first = largest_factor(ratings)
        slope = next((each for each, of in ratings.slope_of.items() if of == first), None)
        rest = [name for name in names if name not in (first, slope)]
        self._factor_of = np.repeat(
            np.array([names.index(name) for name in rest], dtype=np.intp), [sizes[n] for n in rest]
        )
        columns = _columns(ratings, rest)
        self._whole = (columns.T @ columns).toarray()
        self._first = (
            None
            if first is None
            else _FirstFactor(
                place=names.index(first),
                slope=names.index(slope) if slope else None,
                levels=ratings.factors[first],
                cells=ratings.factors[slope or first],
                columns=columns,
            )
        )

    def profile(self, ratios: Numbers) -> Profile:
        """The likelihood at these θ², one for each factor and slope in their order."""
        whole, size = self._whole, 0.0
        if self._first is not None:
            cleared, size = self._first.clear(ratios)
            whole = whole - cleared
        q = len(self._factor_of)
        scale = np.sqrt(ratios[self._factor_of])
        of_z, of_f = whole[:q, :q], whole[:q, q:]
        lower = np.linalg.cholesky(scale[:, None] * of_z * scale + np.eye(q))
        root = np.linalg.solve(lower, np.diag(scale)) if q else np.empty((0, 0))
        turned = root.T @ (root @ of_f)
        left = whole[q:, q:] - of_f.T @ turned
        inverse = np.linalg.inv(left[:-1, :-1])
        effects = inverse @ left[:-1, -1]
        size += 2 * float(np.log(np.diag(lower)).sum())
        size += float(np.linalg.slogdet(left[:-1, :-1])[1])
        # How `size` and `rest` follow each of the cross-products, and from there each ratio.
        bent = np.append(-effects, 1.0)
        onto = np.vstack([-turned, np.eye(len(bent))])
        pull = onto @ np.pad(inverse, (0, 1)) @ onto.T
        pull[:q, :q] += root.T @ root
        residual = onto @ bent
        slopes = np.zeros((2, len(ratios)))
        if q:
            met = of_f - of_z @ turned
            each = np.diag(of_z) - ((root @ of_z) ** 2).sum(axis=0)
            each = each - ((met[:, :-1] @ inverse) * met[:, :-1]).sum(axis=1)
            slopes[0] = np.bincount(self._factor_of, weights=each, minlength=len(ratios))
            squares = (met @ bent) ** 2
            slopes[1] = -np.bincount(self._factor_of, weights=squares, minlength=len(ratios))
        if self._first is not None:
            slopes += self._first.slopes(ratios, pull, residual)
        return Profile(
            ratios=ratios,
            size=size,
            # Ratings that the model fits without a rest would have a likelihood without bound.
            rest=max(
                float(left[-1, -1] - effects @ left[:-1, -1]), LEAST_REST * self._whole[-1, -1]
            ),
            size_slope=slopes[0],
            rest_slope=slopes[1],
            effects=effects + self.centre,
            inverse=inverse,
            freedom=self.freedom,
        )

    def satterthwaite(self, ratios: Numbers, free: Numbers) -> Numbers:
        """Degrees of freedom of each pair's contrast, in the order of `combinations`.

        2 v² / (gᵀ A g), where v is the contrast's variance, g its slope in the variances that are
        `free` (and σ²) and A twice the inverse of the curvature of minus twice the log-likelihood.
        F. E. Satterthwaite (1946), Biometrics Bulletin 2, 110–114.
        """
        here = self.profile(ratios)
        at = np.append(ratios, 1.0) * here.variance
        used = np.append(free, len(ratios))
        curve, slopes = [], []
        for which in used:
            ends = []
            step = max(STEP * at[which], LEAST_STEP * here.variance)
            for there in (at[which] + step, max(at[which] - step, 0.0)):
                moved = at.copy()
                moved[which] = there
                found = self.profile(moved[:-1] / moved[-1])
                ends.append(
                    (
                        there,
                        found.slope_at(float(moved[-1]))[used],
                        _contrasted(found.inverse) * moved[-1],
                    )
                )
            (high, steep, wide), (low, flat, narrow) = ends
            curve.append((steep - flat) / (high - low))
            slopes.append((wide - narrow) / (high - low))
        bend, gradient = np.array(curve), np.array(slopes)
        inverse = np.linalg.pinv((bend + bend.T) / 2, hermitian=True)
        doubt = 2 * (gradient * (inverse @ gradient)).sum(axis=0)
        spread = _contrasted(here.inverse) * here.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            degrees = np.where(doubt > 0, 2 * spread**2 / doubt, MOST_DEGREES)
        bounded: Numbers = np.clip(degrees, 1.0, MOST_DEGREES)
        return bounded


class _FirstFactor:
    """The factor with most levels and its slope, if it has one.

    Of the ratings of one level, V = I + θ² 11ᵀ + τ² Σ 1_c 1_cᵀ over its cells c. With
    h_c = 1/(1 + τ² n_c) and N = Σ n_c h_c, its inverse takes away τ² h_c of the square of each cell's
    sum, and θ²/(1 + θ² N) of the square of the sum over cells weighted by h_c.
    """

    def __init__(
        self,
        *,
        place: int,
        slope: int | None,
        levels: Numbers,
        cells: Numbers,
        columns: "sparse.csr_array",
    ) -> None:
        self._place, self._slope = place, slope
        self._counts = np.bincount(cells).astype(float)
        self._owner = np.zeros(len(self._counts), dtype=np.intp)
        self._owner[cells] = levels
        table = _summed(cells, columns)
        self._is_dense = table.shape[0] * table.shape[1] <= MOST_DENSE
        self._table = table.toarray() if self._is_dense else table
        self._gather = _indicator(self._owner)
        if self._is_dense and slope is not None:
            self._gather = self._gather.toarray()

    def clear(self, ratios: Numbers) -> tuple[Numbers, float]:
        """What the factor takes from the cross-products of the other columns, and its log |V|."""
        kept = self._parts(ratios)
        taken = _squared(kept.sums, kept.by_level)
        if kept.of_cell:
            taken = taken + _squared(self._table, kept.of_cell * kept.shrunk)
        size = np.log1p(kept.of_level * kept.levels).sum() - np.log(kept.shrunk).sum()
        return taken, float(size)

    def slopes(self, ratios: Numbers, pull: Numbers, residual: Numbers) -> Numbers:
        """How `size` (first row) and r (second) follow the ratios of the factor and its slope."""
        kept = self._parts(ratios)
        found = np.zeros((2, len(ratios)))
        by_level = kept.by_level
        steep = 1 / (1 + kept.of_level * kept.levels) ** 2
        pulled, aside = kept.sums @ pull, kept.sums @ residual
        own = _along(kept.sums, pulled)
        found[0, self._place] = (kept.levels * np.sqrt(steep) - steep * own).sum()
        found[1, self._place] = -(steep * aside**2).sum()
        if self._slope is None:
            return found
        squares = (self._counts * kept.shrunk) ** 2
        fall = np.bincount(self._owner, weights=squares)
        turn = -self._counts * kept.shrunk**2
        across = _along(self._table, pulled[self._owner])
        of_cell = _along(self._table, self._table @ pull)
        beside = self._table @ residual
        found[0, self._slope] = (
            (self._counts * kept.shrunk).sum()
            - (by_level * fall).sum()
            - (kept.shrunk**2 * of_cell).sum()
            - (by_level**2 * fall * own).sum()
            - 2 * (by_level[self._owner] * turn * across).sum()
        )
        found[1, self._slope] = -(
            (kept.shrunk**2 * beside**2).sum()
            + (by_level**2 * fall * aside**2).sum()
            + 2 * (by_level[self._owner] * turn * beside * aside[self._owner]).sum()
        )
        return found

    def _parts(self, ratios: Numbers) -> "_Parts":
        of_level = float(ratios[self._place])
        of_cell = 0.0 if self._slope is None else float(ratios[self._slope])
        shrunk = 1 / (1 + of_cell * self._counts)
        levels = np.bincount(self._owner, weights=self._counts * shrunk)
        sums = self._table
        if self._slope is not None:
            sums = self._gather @ _weighted(self._table, shrunk)
        return _Parts(of_level, of_cell, shrunk, levels, of_level / (1 + of_level * levels), sums)


@dataclass(frozen=True, slots=True)
class _Parts:
    """θ², τ², h, N, θ²/(1 + θ² N) and the weighted sums of each level."""

    of_level: float
    of_cell: float
    shrunk: Numbers
    levels: Numbers
    by_level: Numbers
    sums: "Numbers | sparse.csr_array"


def largest_factor(ratings: MixedRatings) -> str | None:
    """The factor that has most random intercepts, those of its slope counted."""
    own = {name: size for name, size in ratings.sizes.items() if name not in ratings.slope_of}
    for slope, factor in ratings.slope_of.items():
        own[factor] += ratings.sizes[slope]
    return max(own, key=lambda name: own[name], default=None)


def _columns(ratings: MixedRatings, rest: list[str]) -> "sparse.csr_array":
    """Indicators of the levels of `rest`, then of the systems, then the centred values."""
    codes = [*(ratings.factors[name] for name in rest), ratings.systems]
    values = ratings.values - ratings.values.mean()
    parts = [_indicator(each).T for each in codes]
    return sparse.hstack([*parts, sparse.csr_array(values[:, None])], format="csr")


def _indicator(codes: Numbers) -> "sparse.csr_array":
    """Codes × rows: 1 where the row has the code."""
    rows = np.arange(len(codes))
    return sparse.csr_array((np.ones(len(codes)), (codes, rows)))


def _summed(codes: Numbers, columns: "sparse.csr_array") -> "sparse.csr_array":
    """The sums of the rows that have the same code."""
    return _indicator(codes) @ columns


def _weighted(
    table: "Numbers | sparse.csr_array", weights: Numbers
) -> "Numbers | sparse.csr_array":
    if isinstance(table, np.ndarray):
        return weights[:, None] * table
    return table.multiply(weights[:, None]).tocsr()


def _squared(table: "Numbers | sparse.csr_array", weights: Numbers) -> Numbers:
    """tableᵀ diag(weights) table."""
    found = table.T @ _weighted(table, weights)
    return found if isinstance(found, np.ndarray) else found.toarray()


def _along(table: "Numbers | sparse.csr_array", other: Numbers) -> Numbers:
    """The products of each row of the two, summed."""
    if isinstance(table, np.ndarray):
        dense: Numbers = (table * other).sum(axis=1)
        return dense
    found: Numbers = np.asarray(table.multiply(other).sum(axis=1)).ravel()
    return found


def _contrasted(covariance: Numbers) -> Numbers:
    """The variance of each pair's difference."""
    own = np.diag(covariance)
    i, j = np.triu_indices(len(own), 1)
    found: Numbers = own[i] + own[j] - 2 * covariance[i, j]
    return found
