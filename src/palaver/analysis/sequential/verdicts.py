"""The verdict that sequences and strengths support at this moment.

Two systems are judged by the confidence sequence of their win rate, more by differences of strengths:
Bonferroni's share of the error for each pair, so that what is decided holds for all pairs and at all
moments at once. Where a strength has no finite estimate because somebody won everything, the direct
comparisons of the pair decide, at the same share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isinf, log, sqrt
from typing import Protocol

from palaver.analysis.rank_sets import open_sentence, order_sentence, tied_sets
from palaver.analysis.ranking.result import SystemStanding
from palaver.analysis.ranking.verdict import PairVerdict, SystemVerdict, VoteVerdict
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.strengths import LEAST_RATERS, NO_STRENGTH, LiveStrengths
from palaver.analysis.win_rates import no_votes
from palaver.core.estimates import Estimate, Interval
from palaver.core.numeric import Numbers, np
from palaver.core.words import listed

METHOD_OF_TWO = (
    "confidence sequence by hedged betting on one value per rater (the mean of the rater's votes), "
    "in the order in which raters finished"
)
METHOD_OF_MORE = (
    "Bradley–Terry with ties (Davidson); differences of strengths by an asymptotic confidence sequence "
    "with errors robust to raters, Student's t, Bonferroni over all pairs, from "
    f"{LEAST_RATERS} raters of a system on; win rates by hedged betting on one value per rater"
)
NOT_COMPARED = "they were not compared with each other"
SELF_ONLY = "No system can lead: every comparison is of a system with itself"


class Readings(Protocol):
    """Confidence sequences as they stand; systems by number, a rate as the lower number sees it."""

    def of_system(self, place: int) -> Interval | None:
        """The win rate of a system; None while nobody who judged it has finished."""

    def of_pair(self, low: int, high: int, *, confidence: float) -> Interval | None:
        """The rate of the direct comparisons of two."""

    def e_value(self, low: int, high: int) -> float | None:
        """The evidence of the direct comparisons against one half."""


class NoReadings:
    """No sequences of rates: strengths alone are looked at, which is quicker for simulations."""

    def of_system(self, place: int) -> Interval | None:
        """Nothing."""
        return None

    def of_pair(self, low: int, high: int, *, confidence: float) -> Interval | None:
        """Nothing."""
        return None

    def e_value(self, low: int, high: int) -> float | None:
        """Nothing."""
        return None


@dataclass(frozen=True)
class Moment:
    """All that is known of the systems at one moment; `names` are those of the votes, then others."""

    names: tuple[str, ...]
    votes: Votes
    tallies: Sequence[SystemStanding]
    raters: int
    strengths: LiveStrengths
    readings: Readings
    waiting: int
    within: float | None
    confidence: float

    @property
    def pairs(self) -> int:
        return max(1, len(self.names) * (len(self.names) - 1) // 2)

    @property
    def share(self) -> float:
        """The confidence at which one pair is judged, so that all hold together."""
        return 1 - (1 - self.confidence) / self.pairs

    @cached_property
    def met(self) -> Numbers:
        """Systems × systems: wins of the row's over the column's, a tie as half for each."""
        size = len(self.names)
        found = np.zeros((size, size))
        score = np.array([1.0, 0.0, 0.5])[self.votes.outcome]
        np.add.at(found, (self.votes.first, self.votes.second), score)
        np.add.at(found, (self.votes.second, self.votes.first), 1 - score)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The systems that have votes, best first."""
        known = [place for place, each in enumerate(self.tallies) if each.votes]
        values = self.strengths.values
        if np.isnan(values[known]).any():
            values = self._smoothed
        return sorted(
            known,
            key=lambda n: (-round(float(values[n]), 9), -self.tallies[n].win_rate, self.names[n]),
        )

    @cached_property
    def _smoothed(self) -> Numbers:
        """Strengths for the order alone, where somebody won everything: half a win more each way."""
        met = self.met + 0.5 * (self.met + self.met.T > 0)
        whole, strength = met + met.T, np.ones(len(met))
        for _ in range(200):
            shared = whole / (strength[:, None] + strength[None, :])
            strength = np.maximum(met.sum(axis=1), 1e-9) / np.maximum(shared.sum(axis=1), 1e-9)
            strength /= np.exp(np.log(strength).mean())
        found: Numbers = np.log(strength)
        return found

    def system(self, place: int) -> SystemVerdict:
        """One system; its possible ranks are filled in by `verdict`."""
        tally = self.tallies[place]
        value = float(self.strengths.values[place])
        strength = Estimate.undefined(NO_STRENGTH, n=tally.votes)
        if value == value:
            ends = self._strength_ends(place, value)
            strength = Estimate(value=value, interval=ends, n=tally.votes)
        read = self.readings.of_system(place)
        return SystemVerdict(
            system=self.names[place],
            wins=tally.wins,
            ties=tally.ties,
            losses=tally.losses,
            rate=Estimate(
                value=tally.win_rate,
                interval=_including(read, tally.win_rate) or Interval(0.0, 1.0),
                n=tally.votes,
            ),
            strength=strength,
        )

    def _strength_ends(self, place: int, value: float) -> Interval | None:
        if len(self.names) == 2:
            ends = self.difference(place, 1 - place).interval
            return Interval(ends.low / 2, ends.high / 2) if ends else None
        reach = self.strengths.own_reach(place, confidence=self.confidence)
        return None if isinf(reach) else Interval(value - reach, value + reach)

    def direct(self, one: int, other: int, *, confidence: float) -> Interval | None:
        """The sequence of the direct comparisons of two, as the first sees it, with their rate in."""
        won, lost = float(self.met[one, other]), float(self.met[other, one])
        read = self.readings.of_pair(min(one, other), max(one, other), confidence=confidence)
        if read is None or not won + lost:
            return None
        if one > other:
            read = Interval(1 - read.high, 1 - read.low)
        return _including(read, won / (won + lost))

    def difference(self, one: int, other: int) -> Estimate:
        """How much stronger the first is; the interval holds for all pairs at once."""
        values = self.strengths.values
        value = float(values[one] - values[other])
        if value != value:
            return Estimate.undefined("one of the two has no strength", n=len(self.votes))
        if len(self.names) == 2:
            read = self.direct(one, other, confidence=self.share)
            ends = None
            if read is not None:
                tie = float(np.exp(self.strengths.log_tie))
                low, high = (difference_at(rate, tie) for rate in (read.low, read.high))
                ends = Interval(min(low, value), max(high, value))
        else:
            reach = self.strengths.reach(one, other, confidence=self.share)
            ends = None if isinf(reach) else Interval(value - reach, value + reach)
        return Estimate(value=value, interval=ends, n=len(self.votes))

    def pair(self, one: int, other: int) -> PairVerdict:
        """Two systems, the one that stands higher first."""
        won, lost = float(self.met[one, other]), float(self.met[other, one])
        rate = Estimate.undefined(NOT_COMPARED)
        if won + lost:
            rate = Estimate(
                value=won / (won + lost),
                interval=self.direct(one, other, confidence=self.confidence) or Interval(0.0, 1.0),
                n=round(won + lost),
            )
        difference = self.difference(one, other)
        ends = self.rate_ends(one, other, difference)
        within = self.within
        return PairVerdict(
            higher=self.names[one],
            lower=self.names[other],
            rate=rate,
            difference=difference,
            decided=ends is not None and ends.low > 0.5,
            equal=within is not None
            and ends is not None
            and 0.5 - within <= ends.low <= 0.5 <= ends.high <= 0.5 + within,
            e_value=self.readings.e_value(min(one, other), max(one, other)),
        )

    def rate_ends(self, one: int, other: int, difference: Estimate) -> Interval | None:
        """Where the win rate between two lies, for all pairs at once; None while it is too early."""
        if len(self.names) == 2:
            return self.direct(one, other, confidence=self.share)
        if difference.is_defined:
            ends = difference.interval
            if ends is None:
                return None
            return Interval(self.strengths.rate(ends.low), self.strengths.rate(ends.high))
        if self.is_early(one) or self.is_early(other):
            return None
        return self.direct(one, other, confidence=self.share)

    def is_early(self, place: int) -> bool:
        """Whether too few raters have judged a system for its strength to be told."""
        return len(self.names) > 2 and self.strengths.raters[place] < LEAST_RATERS


def difference_at(rate: float, tie: float) -> float:
    """The difference of strengths at which Davidson's model has this win rate.

    >>> round(difference_at(0.75, 0.0), 4) == round(log(3), 4), difference_at(0.5, 0.7)
    (True, 0.0)
    """
    if rate <= 0 or rate >= 1:
        return float("inf") if rate >= 1 else -float("inf")
    lean = tie * (rate - 0.5)
    return 2 * log((lean + sqrt(lean**2 + 4 * rate * (1 - rate))) / (2 * (1 - rate)))


def verdict(moment: Moment) -> VoteVerdict:
    """What can be said at this moment."""
    order = moment.order
    unseen = [place for place in range(len(moment.names)) if place not in set(order)]
    pairs = [moment.pair(one, other) for one, other in combinations(order, 2)]
    pairs += [_unjudged(moment, one, other) for other in unseen for one in order]
    better = {(pair.higher, pair.lower) for pair in pairs if pair.decided}
    ranked = [moment.names[place] for place in order]
    sets = tied_sets(ranked, lambda one, other: (one, other) in better)
    systems = [_placed(moment.system(place), better, len(order)) for place in order]
    return VoteVerdict(
        inference="anytime",
        systems=(*systems, *(_without_votes(moment.names[place]) for place in unseen)),
        pairs=tuple(pairs),
        tied_sets=tuple(tuple(each) for each in sets),
        answer=_answer(moment, sets, pairs, [moment.names[place] for place in unseen]),
        method=METHOD_OF_TWO if len(moment.names) == 2 else METHOD_OF_MORE,
        votes=len(moment.votes),
        raters=moment.raters,
        waiting=moment.waiting,
        confidence=moment.confidence,
    )


def _including(read: Interval | None, value: float) -> Interval | None:
    """The interval, made to hold the rate that is shown."""
    return read and Interval(min(read.low, value), max(read.high, value))


def _placed(system: SystemVerdict, better: set[tuple[str, str]], count: int) -> SystemVerdict:
    above = sum(1 for _, lower in better if lower == system.system)
    below = sum(1 for higher, _ in better if higher == system.system)
    return replace(system, rank_interval=(1 + above, count - below))


def _without_votes(name: str) -> SystemVerdict:
    none = Estimate.undefined("it has no votes")
    return SystemVerdict(system=name, rate=none, strength=none)


def _unjudged(moment: Moment, one: int, other: int) -> PairVerdict:
    none = Estimate.undefined(NOT_COMPARED)
    return PairVerdict(
        higher=moment.names[one], lower=moment.names[other], rate=none, difference=none
    )


def _answer(
    moment: Moment, sets: list[list[str]], pairs: Sequence[PairVerdict], unseen: Sequence[str]
) -> str:
    order = moment.order
    if not order:
        return SELF_ONLY if moment.votes.self_comparisons else order_sentence([], [])
    ranked = [moment.names[place] for place in order]
    early = [place for place in order if moment.is_early(place)]
    if early and not any(pair.decided or pair.equal for pair in pairs):
        text = open_sentence(
            {moment.names[n]: moment.tallies[n].win_rate for n in order},
            _too_early(moment, early),
            what="win rate",
            final=False,
        )
    else:
        text = order_sentence(ranked, sets, final=not any(pair.is_open for pair in pairs))
    return "; ".join(filter(None, (text, _equal(moment, pairs), no_votes(unseen))))


def _too_early(moment: Moment, early: Sequence[int]) -> str:
    """Why nothing is decided yet."""
    least = min(int(moment.strengths.raters[place]) for place in early)
    return (
        f"undecided until {LEAST_RATERS} raters have judged each system "
        f"(the least judged has {least})"
    )


def _equal(moment: Moment, pairs: Sequence[PairVerdict]) -> str:
    """Which differ by less than the margin; empty where none do."""
    same = [listed([pair.higher, pair.lower]) for pair in pairs if pair.equal]
    if not same or moment.within is None:
        return ""
    return f"equal to within {100 * moment.within:g} points: {'; '.join(same)}"
