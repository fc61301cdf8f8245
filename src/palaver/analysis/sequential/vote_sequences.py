"""The sequences of a board, kept up to date vote by vote.

`live_verdict` reads all votes anew; this takes in one vote and then knows as much. A vote of a rater
at work waits, and `finish` hands the rater's values to the sequences: O(grid) for each system and pair
that the rater judged. Strengths are fitted when a verdict is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palaver.analysis.ranking.davidson import Centre
from palaver.analysis.ranking.result import tallied
from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.ranking.votes import FIRST, SECOND, TIE, Votes
from palaver.analysis.sequential.betting import BettingSequences
from palaver.analysis.sequential.checks import check_confidence
from palaver.analysis.sequential.live import SCORES, check_margin
from palaver.analysis.sequential.strengths import fit_strengths
from palaver.analysis.sequential.verdicts import Moment, verdict
from palaver.core.errors import InputError
from palaver.core.estimates import Interval
from palaver.core.numeric import np

Key = tuple[int, ...]


@dataclass
class _Sums:
    """What a rater at work has said so far, by system (one number) and pair (two)."""

    scores: dict[Key, float] = field(default_factory=dict)
    votes: dict[Key, int] = field(default_factory=dict)

    def add(self, key: Key, score: float) -> None:
        self.scores[key] = self.scores.get(key, 0.0) + score
        self.votes[key] = self.votes.get(key, 0) + 1


class VoteSequences:
    """Votes of a fixed list of systems, one after the other.

    >>> board = VoteSequences(["x", "y"])
    >>> for number in range(40):
    ...     board.add("x", "y", FIRST if number % 8 else TIE)
    >>> board.verdict().answer
    'x leads; y follows'
    """

    def __init__(self, systems: Sequence[str], *, confidence: float = 0.95) -> None:
        check_confidence(confidence)
        self.systems = tuple(sorted(dict.fromkeys(systems)))
        self.confidence = confidence
        self._place = {name: number for number, name in enumerate(self.systems)}
        self._sequences = BettingSequences(confidence=confidence)
        self._number: dict[Key, int] = {}
        self._at_work: dict[str, _Sums] = {}
        self._raters: dict[str, int] = {}
        self._columns = np.zeros((4, 1024), dtype=np.int64)
        self._near: Centre | None = None
        self._votes = self._alone = self._waiting = 0

    def __len__(self) -> int:
        return self._votes

    def add(self, first: str, second: str, outcome: int, rater: str | None = None) -> None:
        """Take in one vote (0 the first won, 1 the second, 2 a tie).

        The vote of a known rater waits until they `finish`; one without a rater stands by itself.
        """
        one, other = self._find(first), self._find(second)
        if outcome not in (FIRST, SECOND, TIE) or one == other:
            raise InputError(
                f"A vote compares two systems and is {FIRST}, {SECOND} or {TIE}; got "
                f"'{first}', '{second}' and {outcome}."
            )
        self._keep(one, other, outcome, rater)
        score = SCORES[outcome]
        if one > other:
            one, other, score = other, one, 1 - score
        said = _Sums() if rater is None else self._at_work.setdefault(rater, _Sums())
        for key, value in (((one,), score), ((other,), 1 - score), ((one, other), score)):
            said.add(key, value)
        if rater is None:
            self._take(said)
        else:
            self._waiting += 1

    def finish(self, rater: str) -> None:
        """What a rater said so far counts from now on; what they say later is a new value."""
        said = self._at_work.pop(rater, None)
        if said is not None:
            self._waiting -= sum(n for key, n in said.votes.items() if len(key) == 2)
            self._take(said)

    def verdict(self, *, within: float | None = None) -> VoteVerdict:
        """Who is better than whom by the votes so far."""
        check_margin(within)
        first, second, outcome, rater = self._columns[:, : self._votes]
        votes = Votes(
            systems=self.systems,
            first=first,
            second=second,
            outcome=outcome,
            both_bad=np.zeros(self._votes, dtype=bool),
            clusters={"rater": rater},
        )
        strengths = fit_strengths(votes, rater, near=self._near)
        self._near = strengths.centre
        return verdict(
            Moment(
                names=self.systems,
                votes=votes,
                tallies=tallied(votes),
                raters=self._alone + len(self._raters),
                strengths=strengths,
                readings=self,
                waiting=self._waiting,
                within=within,
                confidence=self.confidence,
            )
        )

    def of_system(self, place: int) -> Interval | None:
        """The win rate of a system, as `Readings` has it."""
        return self._interval((place,), self.confidence)

    def of_pair(self, low: int, high: int, *, confidence: float) -> Interval | None:
        """The rate of the direct comparisons of two, as `Readings` has it."""
        return self._interval((low, high), confidence)

    def e_value(self, low: int, high: int) -> float | None:
        """The evidence of the direct comparisons, as `Readings` has it."""
        number = self._number.get((low, high))
        return None if number is None else self._sequences.e_value(number)

    def _interval(self, key: Key, confidence: float) -> Interval | None:
        number = self._number.get(key)
        return None if number is None else self._sequences.interval(number, confidence=confidence)

    def _find(self, name: str) -> int:
        if name not in self._place:
            raise InputError(f"No system '{name}' here. There are: {', '.join(self.systems)}.")
        return self._place[name]

    def _keep(self, first: int, second: int, outcome: int, rater: str | None) -> None:
        if self._votes == self._columns.shape[1]:
            self._columns = np.pad(self._columns, ((0, 0), (0, self._votes)))
        if rater is None:
            code = self._alone + len(self._raters)
            self._alone += 1
        else:
            code = self._raters.setdefault(rater, self._alone + len(self._raters))
        self._columns[:, self._votes] = first, second, outcome, code
        self._votes += 1

    def _take(self, said: _Sums) -> None:
        for key, score in said.scores.items():
            if key not in self._number:
                self._number[key] = self._sequences.open()
            self._sequences.add(self._number[key], score / said.votes[key])
