"""Elo ratings, for those who ask for them: they depend on the order of the votes.

After each vote the two ratings move by K (S − E), where S is 1, ½ or 0 for the first system and
E = 1 / (1 + 10^{(R₂ − R₁)/400}) what its rating made one expect. The last votes weigh most, so the
same votes in another order give other ratings; that is what players who grow stronger need, and not
what systems that stay the same need. The mean over shuffled orders is steadier. Prefer
`bradley_terry`.

A. E. Elo (1978), The rating of chessplayers, past and present, Arco.
"""

from dataclasses import dataclass
from math import isfinite

from palaver.analysis.ranking.votes import Votes
from palaver.core.errors import InputError
from palaver.core.estimates import html_table
from palaver.core.numeric import np

K = 4.0
START = 1000.0
_SCORES = (1.0, 0.0, 0.5)
ORDER_MATTERS = (
    "Elo ratings depend on the order of the votes and have no interval here; "
    "systems that do not change are better ranked by their strengths."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elo:
    """Ratings by system, best first; `shuffles` is 0 where the votes were taken in their order."""

    ratings: dict[str, float]
    k: float
    start: float
    votes: int
    shuffles: int
    warnings: tuple[str, ...] = (ORDER_MATTERS,)

    def _repr_html_(self) -> str:
        rows = [{"system": name, "rating": rating} for name, rating in self.ratings.items()]
        return html_table(rows, caption=ORDER_MATTERS)


def elo(
    votes: Votes, *, k: float = K, start: float = START, shuffles: int = 0, seed: int = 1
) -> Elo:
    """Elo ratings in the order of the votes, or their mean over `shuffles` random orders.

    >>> found = elo(Votes.of(["a", "a"], ["b", "b"], ["first", "tie"]), k=32)
    >>> {name: round(rating, 2) for name, rating in found.ratings.items()}
    {'a': 1014.53, 'b': 985.47}
    """
    if not (isfinite(k) and k > 0) or not isfinite(start) or shuffles < 0:
        raise InputError(
            f"Elo takes a K above 0, a finite start and 0 or more shuffles; "
            f"got {k}, {start} and {shuffles}."
        )
    orders = [np.arange(len(votes))]
    if shuffles:
        dice = np.random.default_rng(seed)
        orders = [dice.permutation(len(votes)) for _ in range(shuffles)]
    total = [0.0] * len(votes.systems)
    for order in orders:
        played = _play(
            len(votes.systems),
            votes.first[order].tolist(),
            votes.second[order].tolist(),
            votes.outcome[order].tolist(),
            k / 400,
        )
        total = [old + new for old, new in zip(total, played, strict=True)]
    mean = {
        name: start + 400 * sum_ / len(orders)
        for name, sum_ in zip(votes.systems, total, strict=True)
    }
    ranked = dict(sorted(mean.items(), key=lambda item: (-item[1], item[0])))
    return Elo(ratings=ranked, k=k, start=start, votes=len(votes), shuffles=shuffles)


def _play(
    systems: int, first: list[int], second: list[int], outcome: list[int], k: float
) -> list[float]:
    """Ratings in units of 400 around 0, after all votes."""
    ratings = [0.0] * systems
    for one, other, said in zip(first, second, outcome, strict=True):
        expected = 1 / (1 + 10 ** (ratings[other] - ratings[one]))
        moved = k * (_SCORES[said] - expected)
        ratings[one] += moved
        ratings[other] -= moved
    return ratings
