"""Intervals of shares that respect raters and situations.

A share p̂ of n situations has Wilson's interval with n divided by the design effect, and with a
quantile of Student's t. The design effect is 1 + V_r / (p̃(1 − p̃)/n), where p̃ is Wilson's centre (so
that none of 200 is no point) and V_r what raters add (`tastes`): a rater's taste ρ moves the score of
each situation they judged by ρ times the chance that their judgement decides it, which is the share
of deciding judgements among those of the rarer side. The degrees of freedom are Satterthwaite's:
2 V² / Var(V_r), never more than n − 1.

Without anybody who judged twice, V_r is 0, t is the normal quantile for the limit of many situations
and the interval is Wilson's. docs/design/advice-intervals.md says how often it holds the truth.
"""

from dataclasses import dataclass
from math import isnan, sqrt

from palaver.analysis.advice.looks import ONCE, Looks
from palaver.analysis.advice.tastes import Tastes, pair_weight, tastes
from palaver.analysis.advice.votes import ModelVotes
from palaver.analysis.proportions import binary_variance, score_ends
from palaver.analysis.student import MOST_DEGREES, quantile
from palaver.core.estimates import MISSING, Estimate, Interval
from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class RaterPart:
    """What raters add to the variance of a share, and the variance of that estimate."""

    variance: float = 0.0
    uncertainty: float = 0.0

    def degrees(self, base: float, most: float) -> float:
        """Satterthwaite's degrees of freedom of base + variance."""
        if self.uncertainty <= 0:
            return MOST_DEGREES
        found = 2 * (base + self.variance) ** 2 / self.uncertainty
        return max(1.0, min(found, most))

    def __add__(self, other: "RaterPart") -> "RaterPart":
        return RaterPart(self.variance + other.variance, self.uncertainty + other.uncertainty)


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share with its interval, and the p-value of its being one half; NaN where it is too early."""

    value: float
    low: float
    high: float
    p: float

    @property
    def interval(self) -> Interval | None:
        return None if isnan(self.low) else Interval(self.low, self.high)


@dataclass(frozen=True, slots=True)
class ScoreTastes:
    """What raters add to situations' scores: their tastes, and how often a judgement decides."""

    tastes: Tastes
    decides: float

    def part(self, votes: ModelVotes, situations: int) -> RaterPart:
        """What it adds to the mean score of these situations."""
        shared = np.bincount(votes.rater, minlength=1).astype(float)
        pairs = float((shared * (shared - 1)).sum()) * (self.decides / situations) ** 2
        return RaterPart(pairs * self.tastes.rater, pairs * pairs * self.tastes.rater_variance)


def score_tastes(votes: ModelVotes) -> ScoreTastes:
    """How raters move the scores of a model."""
    rarer = float(votes.chosen.mean() <= 0.5)
    decisive = votes.pivots[votes.chosen == rarer]
    decides = float(decisive.mean()) if len(decisive) else 0.0
    return ScoreTastes(tastes(votes.chosen, votes.rater, votes.situation), decides)


def share_interval(
    value: float,
    n: int,
    part: RaterPart,
    *,
    level: float,
    spread: float | None = None,
    looks: Looks = ONCE,
    situations: int | None = None,
) -> ShareInterval:
    """Wilson's interval of a share of n things to which raters add their part.

    `spread` is the variance of one of the things where they are not just 0 and 1. `looks` says how
    many standard errors it reaches, by the number of `situations` where the things are not these. It
    has no ends where it is too early to look.
    """
    judged = n if situations is None else situations
    z = quantile(level, MOST_DEGREES)
    binary = binary_variance(value, n, confidence=level)
    # Values between 0 and 1 vary less than 0 and 1 do; z² imagined ones keep that from being nothing.
    own = binary if spread is None else min(binary, (n * spread + z * z * binary) / (n + z * z))
    base = own / n
    size = binary / (base + part.variance)
    degrees = part.degrees(base, n - 1)
    reach = looks.reach(level, degrees, judged)
    if isnan(reach):
        return ShareInterval(value, MISSING, MISSING, MISSING)
    ends = score_ends(value, size, reach)
    statistic = (value - 0.5) / sqrt(0.25 / size)
    p = looks.p(statistic, degrees, judged, level=level)
    return ShareInterval(value, ends.low, ends.high, p)


def score_interval(
    votes: ModelVotes, found: ScoreTastes, *, level: float, looks: Looks = ONCE
) -> ShareInterval:
    """The share of situations in which the model is preferred."""
    scores = votes.scores
    part = found.part(votes, len(scores))
    return share_interval(float(scores.mean()), len(scores), part, level=level, looks=looks)


def judged_share(
    values: Numbers,
    rater: Numbers,
    situation: Numbers,
    *,
    level: float,
    method: str = "",
    looks: Looks = ONCE,
) -> Estimate:
    """The share of judgements that are 1, whoever gave them and whatever they are about."""
    n = len(values)
    if not n:
        return Estimate.undefined("nothing was judged")
    found = tastes(values, rater, situation)
    equal = np.full(n, 1 / n)
    by_rater, alike = pair_weight(equal, rater), pair_weight(equal, situation)
    part = RaterPart(
        by_rater * found.rater + alike * found.situation, by_rater**2 * found.rater_variance
    )
    share = share_interval(
        float(values.mean()),
        n,
        part,
        level=level,
        looks=looks,
        situations=len(np.unique(situation)),
    )
    return Estimate(value=share.value, interval=share.interval, n=n, method=method)


def degree_share(
    votes: ModelVotes, *, level: float, method: str = "", looks: Looks = ONCE
) -> Estimate:
    """The mean of the situations' Σ w·[model] / Σ w."""
    shares = votes.degree_shares
    n = len(shares)
    total = np.bincount(votes.situation, votes.weight)
    sizes = votes.sizes[votes.situation]
    # The mean of these over the judgements of a situation is its share.
    values = sizes * votes.weight * votes.chosen / total[votes.situation]
    found = tastes(values, votes.rater, votes.situation)
    pairs = pair_weight(1 / (n * sizes), votes.rater)
    part = RaterPart(pairs * found.rater, pairs**2 * found.rater_variance)
    spread = float(shares.var(ddof=1)) if n > 1 else None
    share = share_interval(float(shares.mean()), n, part, level=level, spread=spread, looks=looks)
    return Estimate(value=share.value, interval=share.interval, n=n, method=method)
