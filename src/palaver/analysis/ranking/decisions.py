"""Which pairs of systems are decided, and by what: strengths, or win rates and raters.

`equal` maps the interval of a difference d of strengths to a win rate by Davidson's model: with tie
parameter ν it is ½ + (e^{d/2} − e^{−d/2}) / (2 (e^{d/2} + e^{−d/2} + ν)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp

from palaver.analysis.ranking.direct import DirectComparison
from palaver.analysis.ranking.graph import unconnected
from palaver.analysis.ranking.rates import Rates, rates_by_pair, rates_by_system
from palaver.analysis.ranking.result import Ranking
from palaver.analysis.ranking.votes import Votes
from palaver.core.estimates import Estimate, Interval

Pair = tuple[str, str]

NO_DIFFERENCE = "one of the two has no finite strength"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Systems with votes, best first; the pairs of which the first is surely `better`, and those that
    are `equal` within the margin; `lone` says why nothing is decided, empty where something may be."""

    ranking: Ranking
    votes: Votes
    order: list[str]
    better: frozenset[Pair]
    equal: frozenset[Pair]
    lone: str
    systems: Rates
    pairs: Rates

    @property
    def raters(self) -> int:
        """How many raters voted; 0 where that is not known."""
        codes = self.votes.clusters.get("rater")
        return 0 if codes is None or not len(codes) else int(codes.max()) + 1

    def rate(self, name: str) -> Estimate:
        return self.systems.estimate(
            self.votes.systems.index(name), confidence=self.ranking.confidence, lone=self.lone
        )

    def direct_rate(self, one: str, other: str) -> Estimate:
        """The rate of direct comparisons as the one sees them."""
        a, b = (self.votes.systems.index(name) for name in (one, other))
        found = self.pairs.estimate(
            min(a, b) * len(self.votes.systems) + max(a, b),
            confidence=self.ranking.confidence,
            lone=self.lone or "all of these votes are by one rater",
        )
        return found if a < b else turned(found)

    def difference(self, one: str, other: str) -> Estimate:
        """The difference of two strengths, with an interval that holds for all pairs at once."""
        a, b = (self.ranking.of(name).strength for name in (one, other))
        if a != a or b != b:
            return Estimate.undefined(NO_DIFFERENCE)
        ends = self.ranking.simultaneous(one, other) if not self.lone else None
        return Estimate(value=a - b, interval=ends, reason="" if ends else self.lone)

    def rank_interval(self, name: str) -> tuple[int, int] | None:
        """The ranks that a system can have among those with votes; None where nothing is decided."""
        if self.lone or not len(self.votes):
            return None
        above = sum(1 for _, worse in self.better if worse == name)
        below = sum(1 for best, _ in self.better if best == name)
        return 1 + above, len(self.order) - below


def decide(
    ranking: Ranking, votes: Votes, clusters: Sequence[str], within: float | None
) -> Decisions:
    """What is decided by votes and their ranking."""
    factors = votes.factors(clusters)
    by_strength = _has_strengths(ranking, votes)
    voted = [each for each in ranking.standings if each.votes]
    if not by_strength:
        voted.sort(key=lambda each: -each.win_rate)
    order = [each.system for each in voted]
    lone = _lone(votes, clusters)
    better: set[Pair] = set()
    equal: set[Pair] = set()
    systems, pairs = rates_by_system(votes, factors), rates_by_pair(votes, factors)
    if by_strength:
        better = {pair for pair, gap in ranking.gaps.items() if gap > ranking.critical}
        equal = {pair for pair in combinations(order, 2) if _is_within(ranking, pair, within)}
    elif len(votes) and not lone:
        direct = DirectComparison(votes, factors, systems, pairs, confidence=ranking.confidence)
        place = {name: number for number, name in enumerate(votes.systems)}
        for one, other in combinations(order, 2):
            a, b = place[one], place[other]
            if direct.is_better(a, b):
                better.add((one, other))
            if within is not None and direct.is_within(a, b, within):
                equal.add((one, other))
    return Decisions(
        ranking=ranking,
        votes=votes,
        order=order,
        better=frozenset(better),
        equal=frozenset(equal),
        lone=lone,
        systems=systems,
        pairs=pairs,
    )


def _has_strengths(ranking: Ranking, votes: Votes) -> bool:
    """Whether strengths with intervals order all systems that the votes connect."""
    if ranking.compares_all or not ranking.errors:
        return ranking.compares_all
    connected = set(votes.systems) - unconnected(votes)
    return set(ranking.groups[0]) == connected


def turned(rate: Estimate) -> Estimate:
    """A rate as the other side sees it."""
    if not rate.is_defined:
        return rate
    ends = rate.interval
    return Estimate(
        value=1 - rate.value,
        interval=Interval(1 - ends.high, 1 - ends.low) if ends else None,
        n=rate.n,
        reason=rate.reason,
    )


def win_chance(difference: float, tie_chance: float) -> float:
    """P(win) + P(tie) / 2 at a difference of strengths, where equal systems tie with `tie_chance`.

    >>> win_chance(0.0, 0.2), round(win_chance(1.0, 0.0), 6)
    (0.5, 0.731059)
    """
    nu = 2 * tie_chance / (1 - tie_chance)
    up, down = exp(difference / 2), exp(-difference / 2)
    return 0.5 + (up - down) / (2 * (up + down + nu))


def _is_within(ranking: Ranking, pair: Pair, within: float | None) -> bool:
    ends = ranking.simultaneous(*pair)
    if within is None or ends is None:
        return False
    low, high = (win_chance(end, ranking.tie_chance) for end in (ends.low, ends.high))
    return 0.5 - within <= low and high <= 0.5 + within


def _lone(votes: Votes, clusters: Sequence[str]) -> str:
    if len(votes) == 1:
        return "there is one vote only"
    for name in clusters:
        if len(votes) and int(votes.clusters[name].max()) == 0:
            return (
                f"all votes are by one {name}" if name == "rater" else f"all votes share one {name}"
            )
    return ""
