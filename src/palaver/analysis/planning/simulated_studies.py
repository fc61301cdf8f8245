"""Studies drawn from assumptions: what a simulated crowd says, and whether it tells systems apart.

Dialogues come in blocks that treat every system alike: one dialogue of each, or one comparison of
each pair. Raters take blocks in turn, so that each judges all systems equally often. The dice of a
simulated study are thrown in the same order whatever its size: a larger study is the smaller one with
more dialogues, and the power at two sizes differs by the sizes and not by luck.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import exp, sqrt

from palaver.analysis.means import spread_apart
from palaver.analysis.planning.assumptions import Assumptions, Cluster
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.decisions import decide
from palaver.analysis.ranking.votes import Votes
from palaver.core.numeric import Numbers, np, optimize, special

# Fewer draws than for a result that is published: each of many simulated studies has its own.
RESAMPLES = 400
CLUSTERS: dict[Cluster, tuple[str, ...]] = {
    "rater": ("rater",),
    "dialogue": ("dialogue",),
    "both": ("rater", "dialogue"),
}


@dataclass(frozen=True, slots=True)
class SimulatedStudy:
    """One simulated study, a row per judgement.

    `dialogue` and `rater` are numbers. `first` is the system; of votes `second` is the other one and
    `value` is 0 where the first won, 1 where the second did, 2 for a tie.
    """

    dialogue: Numbers
    rater: Numbers
    first: Numbers
    second: Numbers
    value: Numbers


class StudyDrawing:
    """Draws studies of any size from one set of assumptions."""

    def __init__(self, assumed: Assumptions, *, seed: int) -> None:
        self.assumed = assumed
        self.seed = seed
        sides = list(combinations(range(assumed.systems), 2))
        self._first = np.array([a for a, _ in sides])
        self._second = np.array([b for _, b in sides])
        self._levels = _levels(assumed)

    def study(self, blocks: int, number: int) -> SimulatedStudy:
        """The simulated study of that number, with so many blocks of dialogues."""
        assumed = self.assumed
        per_block, each = assumed.block, assumed.per_dialogue
        raters, dialogues, rest = (np.random.default_rng((self.seed, number, n)) for n in range(3))
        lenience = assumed.rater_sd * raters.standard_normal(assumed.raters)
        tastes = raters.standard_normal((assumed.raters, assumed.systems))
        of_item = assumed.item_sd * dialogues.standard_normal(blocks * per_block)
        judgements = blocks * per_block * each
        dialogue = np.repeat(np.arange(blocks * per_block), each)
        block = dialogue // per_block
        rater = (block * each + np.tile(np.arange(each), blocks * per_block)) % assumed.raters
        kind = dialogue % per_block
        if assumed.raters_are_fixed:
            used = min(assumed.raters, blocks * each)
            tastes = tastes - tastes[:used].mean(axis=0)
        if assumed.outcome == "votes":
            first, second = self._first[kind], self._second[kind]
            tastes = tastes * assumed.rater_sd / sqrt(2)
            lean = self._levels[first] - self._levels[second]
            lean = lean + tastes[rater, first] - tastes[rater, second] + of_item[dialogue]
            value = _vote(lean, _nu(assumed.ties), rest.random(judgements))
            return SimulatedStudy(dialogue, rater, first, second, value)
        tastes = tastes * assumed.taste_sd / sqrt(2)
        lean = self._levels[kind] + lenience[rater] + tastes[rater, kind] + of_item[dialogue]
        if assumed.outcome == "proportion":
            value = (rest.random(judgements) < special.expit(lean)).astype(float)
        else:
            value = lean + assumed.residual_sd * rest.standard_normal(judgements)
        return SimulatedStudy(dialogue, rater, kind, kind, value)


def vote_spread(assumed: Assumptions) -> float:
    """The deviation of the log-odds of votes, over raters and comparisons."""
    return sqrt(assumed.rater_sd**2 + assumed.item_sd**2)


def win_rate(lean: Numbers, ties: float) -> Numbers:
    """The win rate of the first by Davidson's model, a tie as half a win; `lean` is ln π₁/π₂."""
    first, tie = _chances(lean, _nu(ties))
    return first + tie / 2


def mean_over(function: Callable[[Numbers], Numbers], centre: float, spread: float) -> float:
    """The mean of a function of a normal variable, by Gauss–Hermite quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    return float(weights @ function(centre + spread * points) / weights.sum())


def odds_deviation(deviation: float, rate: float, ties: float = 0.0) -> float:
    """A deviation of proportions around `rate` as one of log-odds, by the slope of the curve there."""
    lean = _solve(lambda x: win_rate(x, ties), 0.0, rate)
    step = 1e-4
    ends = win_rate(np.array([lean - step, lean + step]), ties)
    slope = float(ends[1] - ends[0]) / (2 * step)
    return deviation / max(slope, exp(-20))


def tells_apart(drawn: SimulatedStudy, assumed: Assumptions, *, seed: int) -> bool:
    """Whether the first system is found to be better than the second, at the level assumed.

    The analysis is the one that a study's owner gets: votes are decided as `palaver rank` and the
    report decide them; ratings and proportions as `palaver compare` does by itself, by the
    cluster-robust interval of the difference of means.
    """
    if assumed.outcome == "votes":
        return _by_votes(drawn, assumed, seed)
    return _by_means(drawn, assumed)


def _levels(assumed: Assumptions) -> Numbers:
    """What each system adds: the first is better than all others, which are alike.

    Raters and dialogues that differ in log-odds pull proportions towards ½, so that the level which
    gives the wanted proportion *on average over them* is found by quadrature.
    """
    levels = np.zeros(assumed.systems)
    if assumed.outcome == "rating":
        levels[0] = assumed.difference
    elif assumed.outcome == "votes":
        spread = vote_spread(assumed)
        levels[0] = _solve(
            lambda lean: win_rate(lean, assumed.ties), spread, 0.5 + assumed.difference
        )
    else:
        spread = sqrt(assumed.rater_sd**2 + assumed.item_sd**2 + assumed.taste_sd**2 / 2)
        base = assumed.base or 0.0
        levels[:] = _solve(special.expit, spread, base)
        levels[0] = _solve(special.expit, spread, base + assumed.difference)
    return levels


def _solve(function: Callable[[Numbers], Numbers], spread: float, wanted: float) -> float:
    wide = 40 + 10 * spread
    return float(
        optimize.brentq(lambda x: mean_over(function, x, spread) - wanted, -wide, wide, xtol=1e-10)
    )


def _nu(ties: float) -> float:
    return 2 * ties / (1 - ties)


def _chances(lean: Numbers, nu: float) -> tuple[Numbers, Numbers]:
    """The chances of first and tie: π₁ and ν√(π₁π₂) over π₁ + π₂ + ν√(π₁π₂)."""
    half = np.exp(-np.abs(lean) / 2)
    total = 1 + half**2 + nu * half
    better = 1 / total
    return np.where(lean >= 0, better, half**2 * better), nu * half / total


def _vote(lean: Numbers, nu: float, dice: Numbers) -> Numbers:
    first, tie = _chances(lean, nu)
    return np.where(dice < first, 0, np.where(dice < first + tie, 2, 1)).astype(np.int8)


def _by_votes(drawn: SimulatedStudy, assumed: Assumptions, seed: int) -> bool:
    names = tuple(f"s{number:04d}" for number in range(assumed.systems))
    votes = Votes(
        systems=names,
        first=drawn.first,
        second=drawn.second,
        outcome=drawn.value,
        both_bad=np.zeros(len(drawn.value), dtype=bool),
        clusters={"rater": drawn.rater, "dialogue": drawn.dialogue},
    )
    clusters = CLUSTERS[assumed.cluster]
    ranking = bradley_terry(
        votes,
        interval="sandwich",
        clusters=clusters,
        resamples=RESAMPLES,
        confidence=1 - assumed.alpha,
        seed=seed,
    )
    return names[:2] in decide(ranking, votes, clusters, None).better


def _by_means(drawn: SimulatedStudy, assumed: Assumptions) -> bool:
    one, other = drawn.first == 0, drawn.first == 1
    clusters = {"rater": drawn.rater, "dialogue": drawn.dialogue}
    named = [clusters[name] for name in CLUSTERS[assumed.cluster]]
    a, b = drawn.value[one], drawn.value[other]
    spread = spread_apart(a, b, [codes[one] for codes in named], [codes[other] for codes in named])
    if spread is None or not spread.variance > 0:
        return False
    apart = float(a.mean() - b.mean())
    return spread.interval(apart, confidence=1 - assumed.level).low > 0
