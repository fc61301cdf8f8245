"""Strengths as votes come in: fitted to all votes, with errors that are robust to raters.

What `ranking` fits when a study is over is fitted here at any moment: Davidson's model, and the
sandwich with raters as clusters. A difference is judged by `asymptotic.boundary`, which holds at all
moments at once, at the number of raters who judged the lesser judged of the two systems; a normal
quantile of that size is exchanged for Student's with as many degrees of freedom, less one.
"""

from dataclasses import dataclass

from palaver.analysis import student
from palaver.analysis.ranking.cells import count_cells
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.analysis.ranking.graph import arrows, groups, has_maximum
from palaver.analysis.ranking.sandwich import sandwich
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.asymptotic import boundary
from palaver.core.numeric import Numbers, np, special

# Before so many raters have judged a system, nothing is decided about its strength.
LEAST_RATERS = 50
# The number of raters around which intervals of strengths are tightest.
BEST_AT = 100.0

NO_STRENGTH = "votes do not yet lead both ways, by wins and ties, between it and the others"


@dataclass(frozen=True, slots=True)
class LiveStrengths:
    """By system: the strength (mean 0; NaN where there is none) and how many raters judged it.

    `covariance` has NaN where there is no strength. `log_tie` is that of Davidson's model.
    """

    values: Numbers
    covariance: Numbers
    raters: Numbers
    log_tie: float
    # The fit itself, from which one of a few more votes starts.
    centre: Centre | None = None

    def reach(self, one: int, other: int, *, confidence: float) -> float:
        """How far the difference of two strengths reaches to each side; ∞ where too few judged."""
        whole = self.covariance
        variance = float(whole[one, one] + whole[other, other] - 2 * whole[one, other])
        return self._reach(variance, min(self.raters[one], self.raters[other]), confidence)

    def own_reach(self, place: int, *, confidence: float) -> float:
        """How far one strength reaches to each side."""
        return self._reach(float(self.covariance[place, place]), self.raters[place], confidence)

    def _reach(self, variance: float, raters: float, confidence: float) -> float:
        if raters < LEAST_RATERS or not variance > 0:
            return float("inf")
        return float(np.sqrt(variance)) * errors_wanted(int(raters), confidence=confidence)

    def padded(self, size: int) -> "LiveStrengths":
        """The same with room for further systems, which have no strength."""
        more = size - len(self.values)
        return LiveStrengths(
            np.pad(self.values, (0, more), constant_values=np.nan),
            np.pad(self.covariance, (0, more), constant_values=np.nan),
            np.pad(self.raters, (0, more)),
            self.log_tie,
            self.centre,
        )

    def rate(self, difference: float) -> float:
        """The win rate of a system whose strength is that much larger, a tie as half a win."""
        tie = float(np.exp(self.log_tie))
        half = difference / 2
        top = max(abs(half), 0.0)
        up, down, even = np.exp(half - top), np.exp(-half - top), tie * np.exp(-top)
        return float((up + even / 2) / (up + down + even))


def errors_wanted(raters: int, *, confidence: float) -> float:
    """How many standard errors a difference needs after so many raters, at any moment.

    >>> round(errors_wanted(50, confidence=0.95), 3), round(errors_wanted(1000, confidence=0.95), 3)
    (3.241, 3.265)
    """
    wanted = boundary(raters, confidence=confidence, best_at=BEST_AT)
    return student.quantile(1 - 2 * float(special.ndtr(-wanted)), raters - 1)


def fit_strengths(votes: Votes, rater: Numbers, *, near: Centre | None = None) -> LiveStrengths:
    """The strengths of the systems that votes connect; of several groups, the one with most votes.

    `near` is a fit of nearly the same votes to start from.
    """
    size = len(votes.systems)
    values, covariance = np.full(size, np.nan), np.full((size, size), np.nan)
    raters = _raters(votes, rater)
    found = LiveStrengths(values, covariance, raters, -np.inf)
    if not len(votes):
        return found
    inner, places, codes = _connected(votes, rater)
    if len(places) < 2:
        return found
    raters[places] = _raters(inner, codes)
    cells = count_cells(inner)
    if not has_maximum(cells.pairs, cells.counts):
        return found
    model = Davidson(cells.pairs)
    if near is not None and len(near.strengths) == len(places):
        fits = model.fit_near(cells.counts[None, :], near)
    else:
        fits = model.fit(cells.counts[None, :])
    if not fits.converged[0]:
        return found
    centre = model.centre(cells.counts, fits.strengths[0], float(fits.log_tie[0]))
    values[places] = centre.strengths
    covariance[np.ix_(places, places)] = sandwich(model, cells, centre, [codes]).covariance
    return LiveStrengths(values, covariance, raters, centre.log_tie, centre)


def _connected(votes: Votes, rater: Numbers) -> tuple[Votes, Numbers, Numbers]:
    """The votes within the group of systems that has most of them, its places, and the raters."""
    cells = count_cells(votes)
    wins, ties = arrows(cells.pairs, cells.counts)
    found = groups(wins + ties > 0, wins + ties)
    if len(found) == 1:
        return votes, np.array(found[0]), rater
    between = wins + wins.T + ties
    best = max(found, key=lambda group: float(between[np.ix_(group, group)].sum()))
    named = [votes.systems[place] for place in best]
    inside = np.isin(votes.first, best) & np.isin(votes.second, best)
    kept: Numbers = np.unique(rater[inside], return_inverse=True)[1]
    return votes.among(named), np.array(best), kept


def _raters(votes: Votes, rater: Numbers) -> Numbers:
    """How many raters judged each system."""
    size = len(votes.systems)
    if not len(votes):
        return np.zeros(size, dtype=np.intp)
    sides = np.concatenate([votes.first, votes.second])
    seen = np.sort(np.concatenate([rater, rater]).astype(np.int64) * size + sides)
    seen = seen[np.concatenate([[True], seen[1:] != seen[:-1]])]
    found: Numbers = np.bincount(seen % size, minlength=size)
    return found
