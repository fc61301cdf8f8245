"""What votes say while they come in: a verdict that holds however often one looks.

Raters are the unit. Votes of one rater depend on each other, so a sequence of votes is not what
confidence sequences are about; a sequence of raters is. Each rater gives one value to a sequence, the
mean of their votes on it, at the moment at which they finish. Votes of raters who are still at work
wait. Raters who are not known are taken for as many as there are votes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from palaver.analysis.ranking.result import SystemStanding, tallied
from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.betting import SequenceBatch
from palaver.analysis.sequential.checks import check_confidence
from palaver.analysis.sequential.strengths import fit_strengths
from palaver.analysis.sequential.verdicts import Moment, verdict
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np

SCORES = (1.0, 0.0, 0.5)


def live_verdict(
    votes: Votes,
    *,
    counted: Numbers | None = None,
    systems: Sequence[str] = (),
    within: float | None = None,
    confidence: float = 0.95,
) -> VoteVerdict:
    """Who is better than whom by the votes so far; true at all moments at once.

    Votes stand in the order of time. `counted` says which are of raters who have finished; without it
    all are. `systems` are listed even without votes. Two systems are `equal` where the win rate
    between them is surely `within` of one half.

    >>> votes = Votes.of(["x"] * 40, ["y"] * 40, ["x"] * 34 + ["y"] * 6)
    >>> live_verdict(votes).answer
    'x leads; y follows'
    """
    check_confidence(confidence)
    check_margin(within)
    rater = raters_of(votes)
    names = (
        *votes.systems,
        *(name for name in dict.fromkeys(systems) if name not in votes.systems),
    )
    whole = np.ones(len(votes), dtype=bool) if counted is None else np.asarray(counted, dtype=bool)
    if len(whole) != len(votes):
        raise InputError(f"{len(votes)} votes need as many marks of what counts; got {len(whole)}.")
    return verdict(
        Moment(
            names=names,
            votes=votes,
            tallies=padded(tallied(votes), names),
            raters=int(rater.max()) + 1 if len(rater) else 0,
            strengths=fit_strengths(votes, rater).padded(len(names)),
            readings=RaterReadings(votes, rater, whole, confidence),
            waiting=int((~whole).sum()),
            within=within,
            confidence=confidence,
        )
    )


def check_margin(within: float | None) -> None:
    """InputError unless a margin is above 0 and below one half."""
    if within is not None and not 0 < within < 0.5:
        raise InputError(f"A margin of equality is above 0 and below 0.5; got {within}.")


def raters_of(votes: Votes) -> Numbers:
    """The number of each vote's rater; each vote has its own where raters are not known."""
    found: Numbers = votes.clusters.get("rater", np.arange(len(votes)))
    return found


def padded(tallies: Sequence[SystemStanding], names: Sequence[str]) -> list[SystemStanding]:
    """The tallies, and an empty one for every further name."""
    return [*tallies, *(SystemStanding(system=name) for name in names[len(tallies) :])]


@dataclass(frozen=True)
class RaterReadings:
    """The sequences of all systems and pairs, from all votes at once."""

    votes: Votes
    rater: Numbers
    counted: Numbers
    confidence: float

    def of_system(self, place: int) -> Interval | None:
        return self._systems.get(place)

    def of_pair(self, low: int, high: int, *, confidence: float) -> Interval | None:
        if confidence == self.confidence:
            return self._pairs.get(low * self._size + high)
        number = self._pair_numbers.get(low * self._size + high)
        if number is None:
            return None
        lows, highs = self._at(confidence)
        return Interval(float(lows[number]), float(highs[number]))

    def e_value(self, low: int, high: int) -> float | None:
        number = self._pair_numbers.get(low * self._size + high)
        return None if number is None else float(self._evidence[number])

    @property
    def _size(self) -> int:
        return max(1, len(self.votes.systems))

    @cached_property
    def _finished(self) -> Numbers:
        """By rater: the place in time of the last of their votes that count."""
        found = np.zeros(int(self.rater.max()) + 1 if len(self.rater) else 0, dtype=np.intp)
        np.maximum.at(found, self.rater[self.counted], np.flatnonzero(self.counted))
        return found

    @cached_property
    def _systems(self) -> dict[int, Interval]:
        chosen = self.counted
        first, second = self.votes.first[chosen], self.votes.second[chosen]
        score = np.array(SCORES)[self.votes.outcome[chosen]]
        keys, batch = self._batch(
            np.concatenate([first, second]),
            np.concatenate([score, 1 - score]),
            np.tile(self.rater[chosen], 2),
        )
        lows, highs = batch.intervals(confidence=self.confidence)
        return {
            int(key): Interval(float(low), float(high))
            for key, low, high in zip(keys, lows, highs, strict=True)
        }

    @cached_property
    def _pair_batch(self) -> tuple[Numbers, SequenceBatch]:
        chosen = self.counted
        first, second = self.votes.first[chosen], self.votes.second[chosen]
        score = np.array(SCORES)[self.votes.outcome[chosen]]
        turned = first > second
        key = np.minimum(first, second) * self._size + np.maximum(first, second)
        return self._batch(key, np.where(turned, 1 - score, score), self.rater[chosen])

    @cached_property
    def _pair_numbers(self) -> dict[int, int]:
        return {int(key): number for number, key in enumerate(self._pair_batch[0])}

    @cached_property
    def _pairs(self) -> dict[int, Interval]:
        lows, highs = self._at(self.confidence)
        return {
            key: Interval(float(lows[number]), float(highs[number]))
            for key, number in self._pair_numbers.items()
        }

    @cached_property
    def _evidence(self) -> Numbers:
        return self._pair_batch[1].e_values()

    @cached_property
    def _kept(self) -> dict[float, tuple[Numbers, Numbers]]:
        return {}

    def _at(self, confidence: float) -> tuple[Numbers, Numbers]:
        """Both ends for all pairs at this confidence, made once."""
        if confidence not in self._kept:
            self._kept[confidence] = self._pair_batch[1].intervals(confidence=confidence)
        return self._kept[confidence]

    def _batch(self, key: Numbers, score: Numbers, rater: Numbers) -> tuple[Numbers, SequenceBatch]:
        """One value per key and rater, by key and then in the order in which raters finished."""
        raters = len(self._finished) + 1
        both, number = np.unique(key.astype(np.int64) * raters + rater, return_inverse=True)
        mean = np.bincount(number, weights=score, minlength=len(both)) / np.bincount(
            number, minlength=len(both)
        )
        owner = both // raters
        order = np.lexsort((self._finished[both % raters], owner))
        keys, sizes = np.unique(owner, return_counts=True)
        return keys, SequenceBatch.of(
            np.clip(mean[order], 0.0, 1.0), sizes, confidence=self.confidence
        )
