"""Whether votes determine strengths: who can be reached from whom by wins and ties.

Draw an arrow from each winner to each loser, and arrows both ways for a tie. Strengths have a
finite maximum of the likelihood only where every system can be reached from every other (Ford's
condition): a system that won everything could always be stronger still. With ties the model has one
parameter more, and one condition more: some round trip must hold more wins than ties. (If there is
none, strengths 2k apart for each win and a tie parameter of k explain the votes better the larger k
is. Two systems of which one only won or tied are the smallest case.) Together they are necessary
and sufficient, as the directions in which the likelihood never falls are those that these arrows
allow.

L. R. Ford (1957), Solution of a ranking problem from binary comparisons, American Mathematical
Monthly 64(8), 28–33. A. Albert and J. A. Anderson (1984), On the existence of maximum likelihood
estimates in logistic regression models, Biometrika 71, 1–10.
"""

from dataclasses import dataclass

from palaver.analysis.ranking.cells import VoteCells, VotedPairs
from palaver.analysis.ranking.votes import FIRST, SECOND, Votes
from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class Backbone:
    """A few arrows that hold the graph together: where all occur, nothing more need be checked.

    Columns of the counts: an arrow occurs where the wins or the ties of its pair do.
    """

    wins: Numbers
    ties: Numbers

    def holds(self, counts: Numbers) -> Numbers:
        """For each row of counts: whether every arrow of the backbone occurs."""
        present = counts[:, self.wins] + counts[:, self.ties] > 0
        return np.asarray(present.all(axis=1))


def arrows(pairs: VotedPairs, counts: Numbers) -> tuple[Numbers, Numbers]:
    """Systems × systems: how often the row's system won, and how often the two tied."""
    low_wins, high_wins, tied = pairs.split(counts)
    wins = np.zeros((pairs.systems, pairs.systems))
    ties = np.zeros((pairs.systems, pairs.systems))
    wins[pairs.low, pairs.high] = low_wins
    wins[pairs.high, pairs.low] = high_wins
    ties[pairs.low, pairs.high] = tied
    ties[pairs.high, pairs.low] = tied
    return wins, ties


def has_maximum(pairs: VotedPairs, counts: Numbers) -> bool:
    """Whether the likelihood of these counts has a finite maximum in the strengths."""
    wins, ties = arrows(pairs, counts)
    if not is_strongly_connected(wins + ties > 0):
        return False
    return not ties.any() or _has_winning_round_trip(wins > 0, ties > 0)


def have_maximum(pairs: VotedPairs, counts: Numbers, backbone: Backbone | None) -> Numbers:
    """`has_maximum` of each row of counts, quickly where the `backbone` holds."""
    low_wins, high_wins, tied = pairs.split(counts)
    there_and_back = ((low_wins > 0) & (high_wins > 0)).any(axis=1) | ~tied.any(axis=1)
    sure = there_and_back & backbone.holds(counts) if backbone else np.zeros(len(counts), bool)
    for row in np.flatnonzero(~sure):
        sure[row] = has_maximum(pairs, counts[row])
    return sure


def is_strongly_connected(arrow: Numbers) -> bool:
    """Whether every system can be reached from every other along the arrows."""
    return bool(_reached(arrow).all() and _reached(arrow.T).all())


def groups(arrow: Numbers, votes: Numbers) -> list[list[int]]:
    """The largest sets in which each can be reached from each.

    Those with most `votes` (systems × systems) between them come first, then the larger ones.
    """
    reach = arrow | np.eye(len(arrow), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            break
        reach = further
    both = reach & reach.T
    found = {tuple(np.flatnonzero(row).tolist()) for row in both}

    def within(each: list[int]) -> float:
        return float(votes[np.ix_(each, each)].sum())

    return sorted(
        (list(each) for each in found), key=lambda each: (-within(each), -len(each), each)
    )


def unconnected(votes: Votes) -> frozenset[str]:
    """The systems that no chain of comparisons connects with those that have most votes."""
    size = len(votes.systems)
    met = np.zeros((size, size))
    np.add.at(met, (votes.first, votes.second), 1)
    met += met.T
    parts = groups(met > 0, met)
    return frozenset(votes.systems[place] for part in parts[1:] for place in part)


def separation_chance(cells: VoteCells, codes: Numbers) -> float:
    """How often, about, some system would have won or lost everything if clusters were drawn anew.

    A system that k of G clusters ever preferred, or found as good, is without them in (1 − k/G)^G of
    all draws with replacement.
    """
    pairs, clusters = cells.pairs, int(codes.max()) + 1
    outcome, pair = np.divmod(cells.of_vote, len(pairs))
    low, high = codes * pairs.systems + pairs.low[pair], codes * pairs.systems + pairs.high[pair]
    missing = []
    for up, down in ((low, high), (high, low)):
        seen = np.zeros(clusters * pairs.systems, dtype=bool)
        seen[up[outcome != SECOND]] = True
        seen[down[outcome != FIRST]] = True
        share = seen.reshape(clusters, pairs.systems).mean(axis=0)
        # Of two systems one wins what the other loses.
        missing.append((1 - share[: 1 if pairs.systems == 2 else None]) ** clusters)
    return 1 - float(np.prod(1 - np.concatenate(missing)))


def find_backbone(pairs: VotedPairs, counts: Numbers) -> Backbone | None:
    """The strongest arrows to and from the most compared system; None where some are missing."""
    wins, ties = arrows(pairs, counts)
    strength = wins + ties
    centre = int((strength + strength.T).sum(axis=1).argmax())
    chosen = _tree(strength, centre)
    back = _tree(strength.T, centre)
    if chosen is None or back is None:
        return None
    chosen += [(one, other) for other, one in back]
    column = {
        (int(low), int(high)): place
        for place, (low, high) in enumerate(zip(pairs.low, pairs.high, strict=True))
    }
    size = len(pairs)
    return Backbone(
        wins=np.array([_win_column(column, size, a, b) for a, b in chosen], dtype=np.intp),
        ties=np.array([2 * size + column[min(a, b), max(a, b)] for a, b in chosen], dtype=np.intp),
    )


def _win_column(column: dict[tuple[int, int], int], size: int, winner: int, loser: int) -> int:
    if winner < loser:
        return column[winner, loser]
    return size + column[loser, winner]


def _tree(strength: Numbers, root: int) -> list[tuple[int, int]] | None:
    """Arrows from the root to all others, the strongest first; None if one cannot be reached."""
    best = strength[root].copy()
    source = np.full(len(strength), root)
    open_ = np.ones(len(strength), dtype=bool)
    open_[root] = False
    found: list[tuple[int, int]] = []
    while open_.any():
        into = int(np.where(open_, best, -1.0).argmax())
        if best[into] <= 0:
            return None
        found.append((int(source[into]), into))
        open_[into] = False
        better = open_ & (strength[into] > best)
        best[better] = strength[into][better]
        source[better] = into
    return found


def _reached(arrow: Numbers) -> Numbers:
    """Which systems can be reached from the first one."""
    reach = np.zeros(len(arrow), dtype=bool)
    reach[:1] = True
    edge = reach
    while edge.any():
        edge = arrow[edge].any(axis=0) & ~reach
        reach = reach | edge
    return reach


def _has_winning_round_trip(won: Numbers, tied: Numbers) -> bool:
    """Whether a round trip along the arrows holds more wins than ties.

    With −1 for a win and 1 for a tie this is a round trip of negative length, which Bellman's and
    Ford's method finds: shortest ways still shorten after as many rounds as there are systems.
    """
    length = np.where(won, -1.0, np.where(tied, 1.0, np.inf))
    way = np.zeros(len(length))
    for _ in range(len(length) + 1):
        shorter = np.minimum(way, (way[:, None] + length).min(axis=0))
        if (shorter == way).all():
            return False
        way = shorter
    return True
