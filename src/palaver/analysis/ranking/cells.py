"""Votes counted by cell: one cell per pair of systems and outcome.

Votes of one cell are alike to the Bradley–Terry model, so a million of them are a few thousand
counts, and a bootstrap sample is another row of counts.
"""

from dataclasses import dataclass

from palaver.analysis.ranking.votes import FIRST, SECOND, TIE, Votes
from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class _Runs:
    """Columns brought into the order of their systems: where each system's run starts."""

    order: Numbers
    starts: Numbers
    systems: Numbers

    @classmethod
    def of(cls, owners: Numbers) -> "_Runs":
        order = np.argsort(owners, kind="stable")
        systems, starts = np.unique(owners[order], return_index=True)
        return cls(order, starts, systems)

    def sums(self, values: Numbers, width: int) -> Numbers:
        """Rows × columns summed to rows × systems."""
        found = np.zeros((len(values), width))
        if len(self.starts):
            ordered = np.take(values, self.order, axis=1)
            found[:, self.systems] = np.add.reduceat(ordered, self.starts, axis=1)
        return found


@dataclass(frozen=True, slots=True)
class VotedPairs:
    """The pairs of systems that were compared, `low` before `high` in the order of the systems.

    Counts stand in rows of 3 × pairs: all wins of `low`, then all wins of `high`, then all ties.
    """

    systems: int
    low: Numbers
    high: Numbers
    _by_low: _Runs
    _by_high: _Runs

    @classmethod
    def of(cls, systems: int, low: Numbers, high: Numbers) -> "VotedPairs":
        return cls(systems, low, high, _Runs.of(low), _Runs.of(high))

    def __len__(self) -> int:
        return len(self.low)

    def split(self, counts: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Wins of the low one, wins of the high one and ties, of rows of counts."""
        size = len(self)
        return counts[..., :size], counts[..., size : 2 * size], counts[..., 2 * size :]

    def net(self, values: Numbers) -> Numbers:
        """Rows × pairs summed by system: added for the low one, taken from the high one."""
        found: Numbers = self._by_low.sums(values, self.systems) - self._by_high.sums(
            values, self.systems
        )
        return found

    def total(self, values: Numbers) -> Numbers:
        """Rows × pairs summed by system: added for both."""
        found: Numbers = self._by_low.sums(values, self.systems) + self._by_high.sums(
            values, self.systems
        )
        return found


@dataclass(frozen=True, slots=True)
class VoteCells:
    pairs: VotedPairs
    of_vote: Numbers
    counts: Numbers


def count_cells(votes: Votes) -> VoteCells:
    size = len(votes.systems)
    turned = votes.first > votes.second
    keys = np.where(
        turned, votes.second * size + votes.first, votes.first * size + votes.second
    ).astype(np.intp)
    present = np.flatnonzero(np.bincount(keys, minlength=size * size))
    place = np.zeros(size * size, dtype=np.intp)
    place[present] = np.arange(len(present))
    # A decided vote of a turned pair counts for the other side.
    decided = votes.outcome != TIE
    outcome = np.where(turned & decided, FIRST + SECOND - votes.outcome, votes.outcome)
    of_vote = outcome.astype(np.intp) * len(present) + place[keys]
    return VoteCells(
        pairs=VotedPairs.of(size, present // size, present % size),
        of_vote=of_vote,
        counts=np.bincount(of_vote, minlength=3 * len(present)).astype(float),
    )
