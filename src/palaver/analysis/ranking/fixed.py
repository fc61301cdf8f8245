"""What the votes of a finished study say: who is better than whom, looked at once.

Strengths (`bradley_terry`) decide, as opponents and their numbers nearly always differ; where they
have no finite estimate because somebody won everything, win rates and raters do (`direct`). Systems
that the votes do not connect, not even through others, are not compared: those with most votes are.
Whatever else shows or says who is better reads the verdict made here.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from palaver.analysis.rank_sets import MOST_NAMED, open_sentence, order_sentence, tied_sets
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.decisions import Decisions, decide
from palaver.analysis.ranking.graph import unconnected
from palaver.analysis.ranking.result import Ranking
from palaver.analysis.ranking.verdict import PairVerdict, SystemVerdict, VoteVerdict
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.resampling import RESAMPLES
from palaver.analysis.win_rates import no_votes
from palaver.core.estimates import Estimate
from palaver.core.words import listed

SELF_ONLY = "No system can lead: every comparison is of a system with itself"


def fixed_verdict(
    votes: Votes,
    *,
    clusters: Sequence[str] = ("rater",),
    systems: Sequence[str] = (),
    final: bool = True,
    within: float | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 1,
) -> VoteVerdict:
    """Who is better than whom by these votes, for a study that is looked at once.

    `systems` are listed even without votes. Two systems are `equal` where the win rate between them
    is surely `within` of one half. Without `clusters` votes are taken to be independent.

    >>> votes = Votes.of(["x"] * 12, ["y"] * 12, ["x"] * 8 + ["y"] * 4,
    ...                  clusters={"rater": range(12)})
    >>> fixed_verdict(votes, systems=["x", "y", "z"]).answer
    'No system leads; x and y cannot be distinguished; z has no votes yet'
    """
    ranking = bradley_terry(
        votes, clusters=clusters, confidence=confidence, resamples=resamples, seed=seed
    )
    return verdict_of(
        ranking, votes, clusters=clusters, systems=systems, final=final, within=within
    )


def verdict_of(
    ranking: Ranking,
    votes: Votes,
    *,
    clusters: Sequence[str] = (),
    systems: Sequence[str] = (),
    final: bool = True,
    within: float | None = None,
) -> VoteVerdict:
    """The verdict that a ranking of these votes, clustered in the same way, supports."""
    decided = decide(ranking, votes, clusters, within)
    order = decided.order
    named = dict.fromkeys((*systems, *votes.systems))
    unseen = [name for name in named if name not in order]
    sets = tied_sets(order, lambda one, other: (one, other) in decided.better)
    said = _answer(decided, sets, final)
    return VoteVerdict(
        inference="fixed",
        systems=(*(_system(decided, name) for name in order), *map(_without_votes, unseen)),
        pairs=tuple(_pair(decided, one, other) for one, other in combinations(order, 2)),
        tied_sets=tuple(tuple(each) for each in sets),
        answer="; ".join(filter(None, (said, no_votes(unseen) if order else ""))),
        method=f"{ranking.method}. {ranking.assumption}",
        votes=ranking.votes,
        raters=decided.raters,
        confidence=ranking.confidence,
        warnings=ranking.warnings,
    )


def _answer(decided: Decisions, sets: list[list[str]], final: bool) -> str:
    ranking, order = decided.ranking, decided.order
    if not ranking.votes:
        return SELF_ONLY if ranking.self_comparisons else order_sentence([], [], final=final)
    if ranking.ties == ranking.votes:
        many = f"all {ranking.votes:,} votes are ties"
        return f"No system leads: {'the one vote is a tie' if ranking.votes == 1 else many}"
    if decided.lone:
        rates = {name: decided.rate(name).value for name in order}
        return open_sentence(rates, decided.lone, what="win rate", final=final)
    apart = unconnected(decided.votes)
    if not apart:
        return order_sentence(order, sets, final=final)
    main = [name for name in order if name not in apart]
    inner = tied_sets(main, lambda one, other: (one, other) in decided.better)
    text = order_sentence(main, inner, final=final)
    text = f"n{text[1:]}" if text.startswith("No ") else text
    named = listed([name for name in order if name in apart], most=MOST_NAMED)
    return f"{named} cannot be placed; of the others, {text}"


def _system(decided: Decisions, name: str) -> SystemVerdict:
    standing = decided.ranking.of(name)
    strength = (
        Estimate(
            value=standing.strength,
            interval=standing.interval,
            n=standing.votes,
            reason=standing.reason,
        )
        if standing.strength == standing.strength
        else Estimate.undefined(standing.reason, n=standing.votes)
    )
    return SystemVerdict(
        system=name,
        wins=standing.wins,
        ties=standing.ties,
        losses=standing.losses,
        rate=decided.rate(name),
        strength=strength,
        rank_interval=decided.rank_interval(name),
    )


def _pair(decided: Decisions, one: str, other: str) -> PairVerdict:
    return PairVerdict(
        higher=one,
        lower=other,
        rate=decided.direct_rate(one, other),
        difference=decided.difference(one, other),
        decided=(one, other) in decided.better,
        equal=(one, other) in decided.equal,
    )


def _without_votes(name: str) -> SystemVerdict:
    none = Estimate.undefined("it has no votes")
    return SystemVerdict(system=name, rate=none, strength=replace(none))
