"""Whether a study tells the better system from another, by the analysis that its owner would run.

Votes go through `bradley_terry` with sandwich intervals, as in `palaver rank`; ratings and
proportions through the clustered bootstrap of a difference of means, as in `palaver compare`.
"""

from math import ceil

from palaver.analysis.means import difference
from palaver.analysis.planning.assumptions import Assumptions, Cluster
from palaver.analysis.planning.simulated_studies import Drawn
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.votes import Votes
from palaver.core.numeric import Numbers, np

# Fewer draws than for a result that is published: each of many simulated studies has its own.
RESAMPLES: dict[Cluster, int] = {"rater": 400, "dialogue": 400, "both": 200}
# Draws that must lie beyond each end of an interval for the end to mean anything.
BEYOND = 5
CLUSTERS: dict[Cluster, tuple[str, ...]] = {
    "rater": ("rater",),
    "dialogue": ("dialogue",),
    "both": ("rater", "dialogue"),
}


def tells_apart(drawn: Drawn, assumed: Assumptions, *, seed: int) -> bool:
    """Whether the first system is found to be better than the second, at the level assumed."""
    if assumed.outcome == "votes":
        return _by_votes(drawn, assumed)
    return _by_means(drawn, assumed, seed)


def _by_votes(drawn: Drawn, assumed: Assumptions) -> bool:
    names = tuple(f"s{number:04d}" for number in range(assumed.systems))
    votes = Votes(
        systems=names,
        first=drawn.first,
        second=drawn.second,
        outcome=drawn.value,
        both_bad=np.zeros(len(drawn.value), dtype=bool),
        clusters={"rater": drawn.rater, "dialogue": drawn.dialogue},
    )
    found = bradley_terry(
        votes,
        interval="sandwich",
        clusters=CLUSTERS[assumed.cluster],
        confidence=1 - assumed.alpha,
    )
    # A system that won or lost every vote has no strength and no rank: nothing was shown of it.
    ranks = {each.system: each.rank_interval for each in found.standings}
    if ranks[names[0]] is None or ranks[names[1]] is None:
        return False
    order = [each.system for each in found.standings]
    ahead = order.index(names[0]) < order.index(names[1])
    return ahead and not any({names[0], names[1]} <= set(tied) for tied in found.tied_sets)


def _by_means(drawn: Drawn, assumed: Assumptions, seed: int) -> bool:
    one, other = drawn.first == 0, drawn.first == 1
    clusters = {"rater": drawn.rater, "dialogue": drawn.dialogue}

    def of(side: Numbers) -> list[list[int]]:
        # Where each dialogue has one judgement, judgements are the dialogues.
        if assumed.cluster == "dialogue" and assumed.per_dialogue == 1:
            return []
        return [clusters[name][side].tolist() for name in CLUSTERS[assumed.cluster]]

    found = difference(
        drawn.value[one].tolist(),
        drawn.value[other].tolist(),
        of(one),
        of(other),
        resamples=max(RESAMPLES[assumed.cluster], ceil(2 * BEYOND / assumed.level)),
        seed=seed,
        confidence=1 - assumed.level,
    )
    return found.interval is not None and found.interval.low > 0
