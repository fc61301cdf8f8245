"""Who is better where there are no finite strengths: by win rates, and by raters.

Somebody won everything, say. Two systems that met the same opponents equally often are then told
apart by their win rates, any others by their direct comparisons alone: a rate against weak opponents
is no better than one against strong ones. Both must say so: the intervals (at a confidence of
1 − α / m for m pairs, Bonferroni) and the raters, each of whom counts once, by the exact sign test at
α / m. Votes of few raters who differ are not many votes.
"""

from collections.abc import Sequence

from palaver.analysis.comparisons import sign_test
from palaver.analysis.ranking.rates import Rates, first_scores
from palaver.analysis.ranking.votes import Votes
from palaver.core.estimates import Interval
from palaver.core.numeric import Numbers, np


class DirectComparison:
    """Pairs of systems compared by rates at a joint confidence."""

    def __init__(
        self,
        votes: Votes,
        factors: Sequence[Numbers],
        systems: Rates,
        pairs: Rates,
        *,
        confidence: float,
    ) -> None:
        size = len(votes.systems)
        self.level = (1 - confidence) / max(1, size * (size - 1) // 2)
        self.factors = factors
        self.systems, self.pairs = systems, pairs
        self._votes = votes
        self._met = np.zeros((size, size))
        np.add.at(self._met, (votes.first, votes.second), 1)
        self._met += self._met.T

    def is_better(self, one: int, other: int) -> bool:
        """Whether the one is surely better than the other."""
        if self._same_opponents(one, other):
            a, b = (self._ends(self.systems, each) for each in (one, other))
            apart = a is not None and b is not None and a.low > b.high
        else:
            ends = self.between(one, other)
            apart = ends is not None and ends.low > 0.5
        return apart and all(self._clusters_tell(codes, one, other) for codes in self.factors)

    def is_within(self, one: int, other: int, margin: float) -> bool:
        """Whether the rate of their direct comparisons is surely within the margin of one half."""
        ends = self.between(one, other)
        return ends is not None and 0.5 - margin <= ends.low and ends.high <= 0.5 + margin

    def between(self, one: int, other: int) -> Interval | None:
        """The interval of the rate of direct comparisons, as the one sees them."""
        low, high = min(one, other), max(one, other)
        ends = self._ends(self.pairs, low * len(self._met) + high)
        if ends is None or one == low:
            return ends
        return Interval(1 - ends.high, 1 - ends.low)

    def _ends(self, rates: Rates, group: int) -> Interval | None:
        return rates.estimate(group, confidence=1 - self.level, lone="").interval

    def _same_opponents(self, one: int, other: int) -> bool:
        others = np.ones(len(self._met), dtype=bool)
        others[[one, other]] = False
        return bool((self._met[one, others] == self._met[other, others]).all())

    def _clusters_tell(self, codes: Numbers, one: int, other: int) -> bool:
        """Whether raters put the one above the other by the exact sign test."""
        votes = self._votes
        score = 2 * first_scores(votes) - 1
        pair = {one, other}
        if not self._same_opponents(one, other):
            among = np.isin(votes.first, list(pair)) & np.isin(votes.second, list(pair))
            score = np.where(among, score, 0.0)
        found = np.zeros((2, int(codes.max()) + 1))
        for row, system in enumerate((one, other)):
            for side, sign in ((votes.first, 1), (votes.second, -1)):
                mine = side == system
                found[row] += np.bincount(codes[mine], sign * score[mine], minlength=found.shape[1])
        return 2 * sign_test(found[0], found[1], alternative="greater").p < self.level
