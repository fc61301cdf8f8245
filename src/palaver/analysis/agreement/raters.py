"""Who agrees with whom: each pair of raters, and each rater with all the others."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from palaver.analysis.agreement.alpha import Agreement, alpha_of, alphas
from palaver.analysis.agreement.coefficients import CATEGORIES
from palaver.analysis.agreement.kappas import Closeness, closeness_of, cohen_kappas, pair_patterns
from palaver.analysis.agreement.patterns import collapse
from palaver.analysis.agreement.ratings import (
    Judgement,
    Measured,
    Ratings,
    read_judgements,
)
from palaver.analysis.agreement.sampling import SamplingSettings
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import if_any, internal, key, plain

# How many pairs of answers are looked at together, if a rater alone has no more, and how many counts
# (pairs of raters × pairs of values) are held at once.
TOGETHER = 200_000
CELLS = 4_000_000


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
    """Every pair of `raters`, or those that were asked for; `sharing` pairs judged units in common."""

    raters: tuple[Hashable, ...]
    weights: Closeness
    pairs: tuple[RaterPair, ...]
    sharing: int = internal(0)

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


def pairwise_of(
    ratings: Ratings,
    *,
    weights: Closeness | None = None,
    shared: bool = False,
    most: int | None = None,
) -> Pairwise:
    """Each pair of raters, of ratings that have been read.

    With `shared`, only the pairs who judged something in common: of thousands of raters who see a
    few units each, hardly any pair has. `most` leaves so many of these, who share most units.
    """
    chosen: Closeness = weights or ("identity" if ratings.level == "nominal" else "quadratic")
    values = len(ratings.values)
    closeness = (
        closeness_of(ratings.scores, chosen, values=values) if values <= CATEGORIES else None
    )
    raters = np.unique(ratings.rater)
    keys, units = _shared_units(ratings)
    pieces = _together(ratings)
    if most is not None and most < len(keys):
        # A stable order: of pairs that share equally many units, the first.
        wanted = np.sort(keys[np.argsort(-units, kind="stable")[:most]])
        pieces = (some.only(np.isin(some.key, wanted)) for some in pieces)
    pairs = [pair for some in pieces for pair in _pairs(ratings, some, closeness)]
    found = pairs if shared or most is not None else _with_strangers(ratings, raters, pairs)
    names = tuple(ratings.raters[rater] for rater in raters)
    return Pairwise(names, chosen, tuple(found), len(keys))


def _shared_units(ratings: Ratings) -> tuple[Numbers, Numbers]:
    """The pairs of raters who judged something in common, in order, and how many units each."""
    found = [np.unique(some.key, return_counts=True) for some in _together(ratings)]
    nothing = np.zeros(0, dtype=np.intp)
    keys, units = zip(*found, strict=True) if found else ([nothing], [nothing])
    return np.concatenate(keys), np.concatenate(units)


@dataclass(frozen=True, slots=True)
class _Shared:
    """Rows of two raters' answers about one unit: a `key` of both raters, and their codes."""

    key: Numbers
    first: Numbers
    second: Numbers

    def only(self, rows: Numbers) -> "_Shared":
        return _Shared(self.key[rows], self.first[rows], self.second[rows])


def _together(ratings: Ratings) -> Iterator[_Shared]:
    """Every two answers about one unit, those of a pair of raters in one piece, pairs in order."""
    if not len(ratings.unit):
        return
    # Within a unit by rater: the partners of a row are those behind it.
    by_unit = np.lexsort((ratings.rater, ratings.unit))
    unit, rater, code = (each[by_unit] for each in (ratings.unit, ratings.rater, ratings.code))
    partners = np.searchsorted(unit, unit, side="right") - 1 - np.arange(len(unit))
    by_rater = np.argsort(rater, kind="stable")
    # Pieces end where a rater does, so that no pair is in two of them.
    ends = np.append(np.flatnonzero(np.diff(rater[by_rater])) + 1, len(rater))
    reached = np.cumsum(partners[by_rater])
    start = done = 0
    for end, next_end in zip(ends, [*ends[1:], None], strict=True):
        if next_end is not None and reached[next_end - 1] - done <= TOGETHER:
            continue
        rows = by_rater[start:end]
        start, done = end, int(reached[end - 1])
        counts = partners[rows]
        lower = np.repeat(rows, counts)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        upper = lower + 1 + np.arange(len(lower)) - before
        yield _Shared(rater[lower] * len(ratings.raters) + rater[upper], code[lower], code[upper])


def _pairs(ratings: Ratings, some: _Shared, closeness: Numbers | None) -> Iterator[RaterPair]:
    """The pairs of raters among some answers, in order."""
    if not len(some.key):
        return
    values = len(ratings.values)
    both = pair_patterns(some.first, some.second, values=values, kept=np.arange(len(some.key)))
    patterns = collapse(np.column_stack([both.first, both.second]), values=values)
    unordered = np.zeros((len(both.times), len(patterns.times)))
    unordered[np.arange(len(both.times)), patterns.of_unit] = 1
    keys, of_row = np.unique(some.key, return_inverse=True)
    rows = np.argsort(of_row, kind="stable")
    bounds = np.searchsorted(of_row[rows], np.arange(len(keys) + 1))
    at_once = max(1, CELLS // len(both.times))
    for start in range(0, len(keys), at_once):
        here = keys[start : start + at_once]
        mine = rows[bounds[start] : bounds[min(start + at_once, len(keys))]]
        # How often each pair of raters gave each pair of answers.
        place = (of_row[mine] - start) * len(both.times) + both.of_unit[mine]
        times = np.bincount(place, minlength=len(here) * len(both.times))
        times = times.reshape(len(here), len(both.times))
        units = times.sum(axis=1)
        percents = times[:, both.first == both.second].sum(axis=1) / units
        alpha = alphas(patterns, times @ unordered, level=ratings.level, scores=ratings.scores)
        kappas = (
            np.full(len(here), MISSING)
            if closeness is None
            else cohen_kappas(both, times, closeness)
        )
        for n, key_ in enumerate(here.tolist()):
            one, other = divmod(key_, len(ratings.raters))
            yield RaterPair(
                first=ratings.raters[one],
                second=ratings.raters[other],
                units=int(units[n]),
                percent=float(percents[n]),
                kappa=float(kappas[n]),
                alpha=float(alpha[n]),
            )


def _with_strangers(
    ratings: Ratings, raters: Numbers, pairs: Sequence[RaterPair]
) -> list[RaterPair]:
    """All pairs of raters in order, those who judged nothing in common without a number."""
    known = {(pair.first, pair.second): pair for pair in pairs}
    names = [ratings.raters[rater] for rater in raters]
    return [
        known.get((one, other))
        or RaterPair(
            first=one, second=other, units=0, percent=MISSING, kappa=MISSING, alpha=MISSING
        )
        for one, other in combinations(names, 2)
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
