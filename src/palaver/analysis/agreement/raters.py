"""Who agrees with whom: each pair of raters, and each rater with all the others."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.agreement.alpha import Agreement, alpha_of, alphas
from palaver.analysis.agreement.coefficients import CATEGORIES
from palaver.analysis.agreement.kappas import Closeness, closeness_of, cohen_kappas, pair_patterns
from palaver.analysis.agreement.patterns import collapse
from palaver.analysis.agreement.ratings import (
    ABSENT,
    Judgement,
    Measured,
    Ratings,
    read_judgements,
)
from palaver.analysis.agreement.sampling import SamplingSettings
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import if_any, key, plain

# How many raters are held against one at once.
TOGETHER = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Two raters on the `units` that both judged; a number that is undefined is NaN."""

    first: Hashable = key("a")
    second: Hashable = key("b")
    units: int
    percent: float
    kappa: float
    alpha: float


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Every pair of `raters`."""

    raters: tuple[Hashable, ...]
    weights: Closeness
    pairs: tuple[RaterPair, ...]

    def matrix(self, name: str) -> list[list[float]]:
        """Raters × raters of `units`, `percent`, `kappa` or `alpha`; NaN where there is no number.

        The diagonal of a coefficient is 1, that of `units` NaN.
        """
        place = {rater: n for n, rater in enumerate(self.raters)}
        own = MISSING if name == "units" else 1.0
        cells = [
            [own if row == column else MISSING for column in place.values()]
            for row in place.values()
        ]
        for pair in self.pairs:
            one, other = place[pair.first], place[pair.second]
            cells[one][other] = cells[other][one] = float(getattr(pair, name))
        return cells

    def _repr_html_(self) -> str:
        return html_table(plain(self.pairs))


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """One rater against the rest.

    `percent` of the `pairs` of their answers with another rater's on the same unit are equal, on
    `units` that somebody else judged too. `alpha_without` is α of everybody else on all units, and
    `gain` how much α rises when this rater is left out: above 0, the others agree better among
    themselves. What is undefined is NaN.
    """

    rater: Hashable
    judgements: int
    units: int
    pairs: int
    percent: float
    alpha_without: float
    gain: float
    reason: str = if_any("")


def pairwise(
    judgements: Iterable[Judgement],
    *,
    level: Measured,
    order: Sequence[Any] = (),
    weights: Closeness | None = None,
) -> Pairwise:
    """Percent, Cohen's κ and Krippendorff's α of each pair of raters.

    >>> said = [Judgement(unit, rater, value) for rater, row in {"A": "aab", "B": "abb"}.items()
    ...         for unit, value in enumerate(row)]
    >>> pairwise(said, level="nominal").pairs[0].units
    3
    """
    return pairwise_of(read_judgements(judgements, level=level, order=order), weights=weights)


def pairwise_of(ratings: Ratings, *, weights: Closeness | None = None) -> Pairwise:
    """Each pair of raters, of ratings that have been read."""
    chosen: Closeness = weights or ("identity" if ratings.level == "nominal" else "quadratic")
    values = len(ratings.values)
    closeness = (
        closeness_of(ratings.scores, chosen, values=values) if values <= CATEGORIES else None
    )
    raters = np.unique(ratings.rater)
    pairs: list[RaterPair] = []
    for number, one in enumerate(raters):
        mine = ratings.rater == one
        said = np.full(len(ratings.units), ABSENT)
        said[ratings.unit[mine]] = ratings.code[mine]
        for start in range(number + 1, len(raters), TOGETHER):
            others = raters[start : start + TOGETHER]
            pairs += _pairs(ratings, int(one), said, others, closeness)
    return Pairwise(tuple(ratings.raters[rater] for rater in raters), chosen, tuple(pairs))


def _pairs(
    ratings: Ratings, one: int, said: Numbers, others: Numbers, closeness: Numbers | None
) -> list[RaterPair]:
    """A rater, of whom it is known what they `said` of each unit, with each of some others."""
    among = (ratings.rater >= others[0]) & (ratings.rater <= others[-1])
    shared = np.flatnonzero(among & (said[ratings.unit] >= 0))
    first, second = said[ratings.unit[shared]], ratings.code[shared]
    both = pair_patterns(first, second, values=len(ratings.values), kept=shared)
    # How often each other rater and this one gave each pair of answers.
    place = np.searchsorted(others, ratings.rater[shared]) * len(both.times) + both.of_unit
    times = np.bincount(place, minlength=len(others) * len(both.times))
    times = times.reshape(len(others), len(both.times))
    units = times.sum(axis=1)
    percents = np.full(len(others), MISSING)
    kappas, alpha = percents, percents
    if len(shared):
        with np.errstate(invalid="ignore"):
            percents = times[:, both.first == both.second].sum(axis=1) / units
        patterns = collapse(np.column_stack([both.first, both.second]), values=len(ratings.values))
        unordered = np.zeros((len(both.times), len(patterns.times)))
        unordered[np.arange(len(both.times)), patterns.of_unit] = 1
        alpha = alphas(patterns, times @ unordered, level=ratings.level, scores=ratings.scores)
        if closeness is not None:
            kappas = cohen_kappas(both, times, closeness)
    return [
        RaterPair(
            first=ratings.raters[one],
            second=ratings.raters[other],
            units=int(units[n]),
            percent=float(percents[n]),
            kappa=float(kappas[n]),
            alpha=float(alpha[n]),
        )
        for n, other in enumerate(others)
    ]


def per_rater(
    judgements: Iterable[Judgement], *, level: Measured, order: Sequence[Any] = ()
) -> tuple[RaterAgreement, ...]:
    """Each rater against the rest, in the order in which they first judged."""
    return per_rater_of(read_judgements(judgements, level=level, order=order))


def per_rater_of(ratings: Ratings) -> tuple[RaterAgreement, ...]:
    """Each rater of ratings that have been read, against the rest."""
    settings = SamplingSettings(resamples=0)
    whole = alpha_of(ratings, settings=settings)
    others = np.bincount(ratings.unit, minlength=len(ratings.units))[ratings.unit] - 1
    _, place, counts = np.unique(
        ratings.unit * len(ratings.values) + ratings.code, return_inverse=True, return_counts=True
    )
    alike = counts[place] - 1
    return tuple(
        _rater(
            ratings,
            int(rater),
            others,
            alike,
            whole,
            alpha_of(ratings.only(ratings.rater != rater), settings=settings),
        )
        for rater in np.unique(ratings.rater)
    )


def _rater(
    ratings: Ratings,
    rater: int,
    others: Numbers,
    alike: Numbers,
    whole: Agreement,
    rest: Agreement,
) -> RaterAgreement:
    mine = ratings.rater == rater
    pairs = int(others[mine].sum())
    before = MISSING if whole.alpha is None else whole.alpha
    without = MISSING if rest.alpha is None else rest.alpha
    return RaterAgreement(
        rater=ratings.raters[rater],
        judgements=int(mine.sum()),
        units=int((others[mine] > 0).sum()),
        pairs=pairs,
        percent=float(alike[mine].sum()) / pairs if pairs else MISSING,
        alpha_without=without,
        gain=without - before,
        reason=f"among the others, {rest.reason}" if rest.reason else "",
    )
