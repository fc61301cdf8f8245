"""How far two shares differ: risk differences and odds ratios, of separate answers and of pairs."""

from dataclasses import dataclass
from math import exp

from palaver.analysis.proportions import wilson_interval
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval
from palaver.core.numeric import stats

NO_ANSWERS = "a side has no answers"
NO_DISCORDANT = "both systems have the same answer in every pair"


@dataclass(frozen=True, slots=True)
class Successes:
    """How many of n answers were a success."""

    successes: int
    n: int

    def __post_init__(self) -> None:
        if self.n < 0 or not 0 <= self.successes <= self.n:
            raise InputError(f"A share needs 0 ≤ successes ≤ n; got {self.successes} of {self.n}.")

    @property
    def share(self) -> float:
        """successes / n; NaN without answers."""
        return self.successes / self.n if self.n else float("nan")


@dataclass(frozen=True, slots=True)
class PairedTable:
    """Pairs of answers by what a and b had: both a success, only a, only b, neither."""

    both: int
    only_a: int
    only_b: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.both, self.only_a, self.only_b, self.neither) < 0:
            raise InputError("A table of pairs holds counts of 0 or more.")

    @property
    def n(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def a(self) -> Successes:
        return Successes(self.both + self.only_a, self.n)

    @property
    def b(self) -> Successes:
        return Successes(self.both + self.only_b, self.n)


def risk_difference(a: Successes, b: Successes, *, confidence: float = 0.95) -> Estimate:
    """share a − share b, with Newcombe's hybrid score interval.

    With the Wilson intervals [l_a, u_a] and [l_b, u_b], the ends are
    d − √((a − l_a)² + (u_b − b)²) and d + √((u_a − a)² + (b − l_b)²).

    R. G. Newcombe (1998), Interval estimation for the difference between independent proportions,
    Statistics in Medicine 17, 873–890, method 10; the example is its table II, first column.

    >>> found = risk_difference(Successes(56, 70), Successes(48, 80))
    >>> f"{found.value:.4f} {found.interval.low:.4f} {found.interval.high:.4f}"
    '0.2000 0.0524 0.3339'
    """
    return _hybrid(a, b, 0.0, a.n + b.n, confidence, "answers")


def paired_risk_difference(table: PairedTable, *, confidence: float = 0.95) -> Estimate:
    """(only a − only b) / n of pairs, with Newcombe's hybrid score interval for pairs.

    As for separate answers, with −2φ(a − l_a)(u_b − b) under the first root and
    −2φ(u_a − a)(b − l_b) under the second; φ is the correlation of the two answers, with its
    numerator, both × neither − only a × only b, moved towards 0 by n/2 where it is positive.

    R. G. Newcombe (1998), Improved confidence intervals for the difference between binomial
    proportions based on paired data, Statistics in Medicine 17, 2635–2650, method 10.

    >>> found = paired_risk_difference(PairedTable(36, 12, 2, 0))
    >>> f"{found.value:.4f} {found.interval.low:.4f} {found.interval.high:.4f}"
    '0.2000 0.0569 0.3404'
    """
    return _hybrid(table.a, table.b, _phi(table), table.n, confidence, "pairs")


def odds_ratio(a: Successes, b: Successes, *, confidence: float = 0.95) -> Estimate:
    """The odds of a over the odds of b, with Woolf's interval on the logarithm.

    log OR ± z √(Σ 1/count) over the four counts. Where a count is 0, one half is added to all four
    (Haldane and Anscombe), and a warning says so.

    >>> round(odds_ratio(Successes(10, 20), Successes(5, 20)).value, 4)
    3.0
    """
    if not a.n or not b.n:
        return Estimate.undefined(NO_ANSWERS, n=a.n + b.n)
    counts = [float(each) for each in (a.successes, a.n - a.successes)]
    counts += [float(each) for each in (b.successes, b.n - b.successes)]
    warnings: tuple[str, ...] = ()
    if min(counts) == 0:
        counts = [count + 0.5 for count in counts]
        warnings = ("A count is 0: one half was added to all four for the odds ratio.",)
    value = counts[0] * counts[3] / (counts[1] * counts[2])
    factor = float(stats.norm.ppf((1 + confidence) / 2)) * sum(1 / count for count in counts) ** 0.5
    spread = exp(factor)
    return Estimate(
        value=value,
        interval=Interval(value / spread, value * spread),
        n=a.n + b.n,
        method="Woolf's interval; assumes independent answers",
        warnings=warnings,
    )


def paired_odds_ratio(table: PairedTable, *, confidence: float = 0.95) -> Estimate:
    """only a / only b: the odds ratio within pairs, with the exact conditional interval.

    Given the discordant pairs, `only a` is binomial with share OR / (1 + OR); the ends come from the
    Clopper–Pearson interval of that share. Where only b is 0 the ratio is infinite, so undefined.

    >>> round(paired_odds_ratio(PairedTable(36, 12, 2, 0)).value, 4)
    6.0
    """
    discordant = table.only_a + table.only_b
    if not discordant:
        return Estimate.undefined(NO_DISCORDANT, n=table.n)
    if not table.only_b:
        return Estimate.undefined("b alone never succeeds, so the ratio has no bound", n=table.n)
    tail = (1 - confidence) / 2
    low = 0.0
    if table.only_a:
        low = float(stats.beta.ppf(tail, table.only_a, table.only_b + 1))
    high = float(stats.beta.ppf(1 - tail, table.only_a + 1, table.only_b))
    return Estimate(
        value=table.only_a / table.only_b,
        interval=Interval(low / (1 - low), high / (1 - high)),
        n=table.n,
        method="exact conditional interval; assumes independent pairs",
    )


def _hybrid(
    a: Successes, b: Successes, phi: float, n: int, confidence: float, what: str
) -> Estimate:
    around_a = wilson_interval(a.successes, a.n, confidence=confidence)
    around_b = wilson_interval(b.successes, b.n, confidence=confidence)
    if around_a is None or around_b is None:
        return Estimate.undefined(NO_ANSWERS, n=n)
    value = a.share - b.share
    low = value - _root(a.share - around_a.low, around_b.high - b.share, phi)
    high = value + _root(around_a.high - a.share, b.share - around_b.low, phi)
    return Estimate(
        value=value,
        interval=Interval(low, high),
        n=n,
        method=f"Newcombe's hybrid score interval; assumes independent {what}",
    )


def _root(one: float, other: float, phi: float) -> float:
    return float(max(0.0, one * one - 2 * phi * one * other + other * other) ** 0.5)


def _phi(table: PairedTable) -> float:
    across = (
        (table.both + table.only_a)
        * (table.only_b + table.neither)
        * (table.both + table.only_b)
        * (table.only_a + table.neither)
    )
    numerator = float(table.both * table.neither - table.only_a * table.only_b)
    if numerator > 0:
        numerator = max(0.0, numerator - table.n / 2)
    return numerator / across**0.5 if across else 0.0
