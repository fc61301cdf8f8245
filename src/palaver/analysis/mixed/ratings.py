"""Ratings as the mixed models see them: who was rated, by whom, on what, and what came out."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from palaver.analysis.corrections import SystemPair
from palaver.analysis.means import Values, finite
from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval, html_table
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import flat, if_any, key

# Below this many raters or items their variance is hardly known.
FEW_LEVELS = 15
# A spread below this share of the residual one (or this number of logits) is taken for 0.
BOUNDARY = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(SystemPair):
    """System a minus system b, with its interval and the p-value of no difference."""

    difference: Estimate = flat()


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedResult:
    """What a mixed model says of systems.

    `effects` are the systems' means (linear) or places on the logit scale with the first at 0
    (ordinal). `components` are the variances of the random intercepts by name, with the residual
    one as "residual" in the linear model. `thresholds` are those of the ordinal model.
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
    """Codes of systems and of each random factor, row by row; `offsets` place the factors' levels
    one after the other in one list of random intercepts."""

    values: Numbers
    systems: Numbers
    names: list[str]
    factors: dict[str, Numbers]
    sizes: dict[str, int]

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
    return MixedRatings(
        values=given,
        systems=coded.codes,
        names=[str(level) for level in coded.levels],
        factors={name: each.codes for name, each in found.items()},
        sizes={name: len(each.levels) for name, each in found.items()},
    )


def contrasts(
    names: Sequence[str],
    effects: Numbers,
    covariance: Numbers,
    *,
    confidence: float,
    n: int,
    method: str,
) -> tuple[Contrast, ...]:
    """Every pair of systems, by Wald: difference ± z · standard error."""
    z = float(stats.norm.ppf((1 + confidence) / 2))
    found = []
    for i, j in combinations(range(len(names)), 2):
        apart = float(effects[i] - effects[j])
        variance = float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        error = variance**0.5 if variance > 0 else float("nan")
        ends = Interval(apart - z * error, apart + z * error) if error == error else None
        found.append(
            Contrast(
                a=names[i],
                b=names[j],
                difference=Estimate(value=apart, interval=ends, n=n, method=method),
                p=float(2 * stats.norm.sf(abs(apart) / error)),
            )
        )
    return tuple(found)


def doubts(sizes: Mapping[str, int], spreads: Mapping[str, float], *, converged: bool) -> list[str]:
    """What a reader must know of a fit: no convergence, few levels, spreads at 0."""
    found = []
    if not converged:
        found.append("The fit did not converge: do not rely on these numbers.")
    for name, size in sizes.items():
        if size < FEW_LEVELS:
            found.append(
                f"There are only {size} values of '{name}': their variance is hardly known, and "
                "intervals are likely to be too narrow."
            )
    for name, spread in spreads.items():
        if spread < BOUNDARY:
            found.append(
                f"The variance of '{name}' is at its boundary, 0: the model fits as well without it."
            )
    return found
