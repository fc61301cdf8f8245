"""Ratings as the mixed models see them: who was rated, by whom, on what, and what came out."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.corrections import SystemPair
from palaver.analysis.means import Values, finite
from palaver.analysis.mixed.slopes import Slopes, slopes_of
from palaver.analysis.resampling import encode
from palaver.analysis.student import quantile, two_sided
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import flat, if_any, key
from palaver.core.words import listed

# Below this many raters or items their variance is hardly known.
FEW_LEVELS = 10
# A spread below this share of the residual one (or this number of logits) is taken for 0.
BOUNDARY = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(SystemPair):
    """System a minus system b, with its interval and the p-value of no difference.

    Both are Student's t with `degrees` of freedom.
    """

    difference: Estimate = flat()
    degrees: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedResult:
    """What a mixed model says of systems.

    `effects` are the systems' means (linear) or places on the logit scale with the first at 0
    (ordinal). `components` are the variances of the random intercepts and slopes ("rater × system")
    by name, with the residual one as "residual" in the linear model. `thresholds` are those of the
    ordinal model.
    """

    name: str = key("model")
    effects: Mapping[str, float]
    contrasts: tuple[Contrast, ...]
    components: Mapping[str, float]
    levels: Mapping[str, int]
    n: int
    log_likelihood: float
    converged: bool
    method: str
    thresholds: tuple[float, ...] = if_any(())
    reason: str = if_any("")
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        rows = [
            {
                "a": contrast.a,
                "b": contrast.b,
                "difference": str(contrast.difference),
                "p": contrast.p,
            }
            for contrast in self.contrasts
        ]
        return html_table(rows, caption=self.method)


@dataclass(frozen=True, slots=True)
class MixedRatings:
    """Codes of systems and of each random factor, row by row; slopes stand among the factors.

    `slope_of` says which factor a slope is of, `notes` why another factor has none.
    """

    values: Numbers
    systems: Numbers
    names: list[str]
    factors: dict[str, Numbers]
    sizes: dict[str, int]
    slope_of: dict[str, str]
    notes: dict[str, str]

    @property
    def levels(self) -> int:
        """How many random intercepts there are, with those of the slopes."""
        return sum(self.sizes.values())

    @property
    def places(self) -> Numbers:
        """Rows × factors: which of all random intercepts a row has."""
        starts = np.cumsum([0, *self.sizes.values()])[:-1]
        columns = [
            codes + start for codes, start in zip(self.factors.values(), starts, strict=True)
        ]
        return np.column_stack(columns) if columns else np.zeros((len(self.values), 0), dtype=int)

    @property
    def factor_of(self) -> Numbers:
        """For each random intercept, the number of its factor."""
        return np.repeat(np.arange(len(self.sizes)), list(self.sizes.values()))


def gathered(
    values: Values,
    systems: Sequence[str],
    factors: Mapping[str, Sequence[Hashable]],
    *,
    with_slopes: bool = True,
) -> MixedRatings:
    """The ratings, checked: equal lengths, two or more systems, and factors that repeat."""
    given = finite(values)
    for name, column in {"system": systems, **factors}.items():
        if len(column) != len(given):
            raise InputError(f"There are {len(given)} ratings and {len(column)} of '{name}'.")
        if any(each is None for each in column):
            raise InputError(f"A rating has no '{name}'; leave such ratings out.")
    coded = encode(systems)
    if len(coded.levels) < 2:
        raise InputError(f"Two or more systems are compared; got {len(coded.levels)}.")
    found = {name: encode(column) for name, column in factors.items()}
    for name, each in found.items():
        if len(each.levels) < 2:
            raise InputError(f"'{name}' has one value only; it cannot be a random factor.")
        if len(each.levels) == len(given):
            raise InputError(
                f"Every rating has its own '{name}'; a random factor needs several ratings each."
            )
    own = {name: each.codes for name, each in found.items()}
    slopes = slopes_of(own, coded.codes) if with_slopes else Slopes({}, {}, {})
    every = own | slopes.codes
    return MixedRatings(
        values=given,
        systems=coded.codes,
        names=[str(level) for level in coded.levels],
        factors=every,
        sizes={name: int(codes.max()) + 1 for name, codes in every.items()},
        slope_of=slopes.factor_of,
        notes=slopes.notes,
    )


def contrasts(
    names: Sequence[str],
    effects: Numbers,
    covariance: Numbers,
    degrees: Numbers,
    *,
    confidence: float,
    n: int,
    method: str,
) -> tuple[Contrast, ...]:
    """Every pair of systems: difference ± t · standard error, with the degrees of each pair."""
    found = []
    for place, (i, j) in enumerate(combinations(range(len(names)), 2)):
        apart, freedom = float(effects[i] - effects[j]), float(degrees[place])
        variance = float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        error = variance**0.5 if variance > 0 else float("nan")
        half = quantile(confidence, freedom) * error
        ends = Interval(apart - half, apart + half) if half == half else None
        found.append(
            Contrast(
                a=names[i],
                b=names[j],
                difference=Estimate(value=apart, interval=ends, n=n, method=method),
                p=two_sided(apart / error, freedom),
                degrees=freedom,
            )
        )
    return tuple(found)


def random_parts(names: Sequence[str]) -> str:
    """What is random in a model, in words."""
    return "random intercepts of " + (listed(list(names)) if names else "nothing")


def doubts(ratings: MixedRatings, spreads: Mapping[str, float], *, converged: bool) -> list[str]:
    """What a reader must know of a fit: no convergence, few levels, spreads at 0, missing slopes."""
    found = []
    if not converged:
        found.append("The fit did not converge: do not rely on these numbers.")
    for name, size in ratings.sizes.items():
        if size < FEW_LEVELS and name not in ratings.slope_of:
            found.append(
                f"There are only {size} values of '{name}': how far they differ is hardly known, so "
                "intervals are wide."
            )
    for name, spread in spreads.items():
        if spread < BOUNDARY:
            found.append(
                f"The variance of '{name}' is at its boundary, 0: the model fits as well without it."
            )
    return [*found, *ratings.notes.values()]
