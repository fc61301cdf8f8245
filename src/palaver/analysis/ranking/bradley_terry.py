"""Ranking from votes: Bradley–Terry with ties, its intervals, and what can be said of the order.

The model and its fit are in `davidson`, the two ways to say how sure a strength is in
`sandwich` and `bootstrap`, the comparison of ranks in `rank_sets`. Here
they are put together, and what the votes cannot tell is named.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from palaver.analysis.rank_sets import (
    MOST_NAMED,
    SimultaneousComparison,
    open_sentence,
    order_sentence,
    tied_sets,
)
from palaver.analysis.ranking.cells import count_cells
from palaver.analysis.ranking.davidson import Centre, Davidson
from palaver.analysis.ranking.graph import arrows, groups, has_maximum
from palaver.analysis.ranking.result import Ranking, SystemStanding, best_first, tallied
from palaver.analysis.ranking.spread import FittedVotes, IntervalKind, StrengthSpread, find_spread
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.resampling import RESAMPLES, BootstrapSettings, check_settings
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING
from palaver.core.numeric import np
from palaver.core.words import counted, listed

# Fewer clusters than these, or fewer votes on a system, and intervals are known to be too narrow.
FEW_CLUSTERS = 20
FEW_VOTES = 20

MODEL = "Bradley–Terry with ties (Davidson), maximum likelihood"
NO_VOTES = "there are no votes"
ALL_TIES = "every vote is a tie, so nothing distinguishes the systems"
ONE_WAY = "no round of comparisons has more wins than ties, so strengths have no finite estimate"


def bradley_terry(
    votes: Votes,
    *,
    interval: IntervalKind | None = "bootstrap",
    clusters: Sequence[str] = (),
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    planned: int | None = None,
) -> Ranking:
    """Strengths of the systems, log-odds with mean 0, best first.

    `clusters` name what votes share: votes of one rater, or about one dialogue, may then depend on
    each other. Intervals are for each system by itself: the bootstrap (of percentiles without, wild
    with clusters), or the sandwich with a quantile of the normal distribution or, with clusters, of
    Student's t. Ranks and tied sets come from simultaneous comparisons of all pairs.

    Where the likelihood has no finite maximum nothing is added to make one: the largest group of
    systems in which it has one is ranked by the votes within it, the others have no strength and
    a reason. Bootstrap samples of votes without a finite maximum are counted as `separated` and left
    out; if they are more than 5 %, or would be if clusters were drawn, there is no interval. With a
    number of votes `planned` the ranking is provisional until they are in.

    With two systems strengths differ by the log of the ratio of their wins, here log 3:

    >>> votes = Votes.of(["x"] * 6, ["y"] * 6, ["x", "x", "x", "y", "tie", "tie"])
    >>> found = bradley_terry(votes, interval=None)
    >>> [(each.system, round(each.strength, 4)) for each in found.standings]
    [('x', 0.5493), ('y', -0.5493)]
    """
    check_settings(resamples, confidence)
    if interval not in ("sandwich", "bootstrap", None):
        raise InputError(f"An interval is 'sandwich', 'bootstrap' or None; got {interval!r}.")
    votes.factors(clusters)
    if planned is not None and planned < 1:
        raise InputError(f"The planned number of votes is 1 or more; got {planned}.")
    bare = _described(votes, clusters, confidence, planned)
    if not len(votes):
        return _undefined(bare, NO_VOTES)
    cells = count_cells(votes)
    wins, ties = arrows(cells.pairs, cells.counts)
    found = groups(wins + ties > 0, wins + ties)
    if len(found) > 1:
        return _of_largest_group(
            votes, found, bare, interval, clusters, resamples, confidence, seed
        )
    if not wins.any():
        return _undefined(bare, ALL_TIES)
    if not has_maximum(cells.pairs, cells.counts):
        return _undefined(bare, ONE_WAY)
    model = Davidson(cells.pairs)
    fits = model.fit(cells.counts[None, :])
    if not fits.converged[0]:
        return _undefined(bare, "the search for the maximum of the likelihood did not converge")
    centre = model.centre(cells.counts, fits.strengths[0], float(fits.log_tie[0]))
    spread = find_spread(
        FittedVotes(votes, cells, model, centre),
        interval,
        clusters,
        BootstrapSettings(resamples=resamples, confidence=confidence, seed=seed),
    )
    return _ranked(bare, votes, centre, spread, clusters if interval else ())


def _described(
    votes: Votes, clusters: Sequence[str], confidence: float, planned: int | None
) -> Ranking:
    """A ranking that counts the votes and ranks nothing yet."""
    return Ranking(
        standings=tuple(best_first(tallied(votes))),
        votes=len(votes),
        ties=votes.ties,
        both_bad=int(votes.both_bad.sum()),
        dropped=votes.dropped,
        self_comparisons=votes.self_comparisons,
        method=MODEL,
        assumption=_assumption(clusters),
        confidence=confidence,
        groups=(votes.systems,) if votes.systems else (),
        planned=planned,
        warnings=tuple(_left_out(votes)),
    )


def _left_out(votes: Votes) -> list[str]:
    found = []
    if votes.self_comparisons:
        found.append(
            f"{votes.self_comparisons:,} votes compare a system with itself and are left out."
        )
    if votes.dropped:
        found.append(f"{votes.dropped:,} votes that call both bad are left out.")
    return found


def _assumption(clusters: Sequence[str]) -> str:
    if not clusters:
        return (
            "Every vote is assumed to be independent of every other. If one rater gave several, "
            "cluster by rater; otherwise the intervals are too narrow."
        )
    return (
        f"Votes that share a {' or a '.join(clusters)} may depend on each other; all others are "
        f"assumed to be independent."
    )


def _undefined(bare: Ranking, reason: str) -> Ranking:
    standings = tuple(replace(standing, reason=reason) for standing in bare.standings)
    return replace(
        bare,
        standings=standings,
        answer=f"No ranking: {reason}",
        warnings=(
            *bare.warnings,
            f"No strengths: {reason}." + (" Collect more votes." if bare.votes else ""),
        ),
    )


def _of_largest_group(
    votes: Votes,
    found: list[list[int]],
    bare: Ranking,
    interval: IntervalKind | None,
    clusters: Sequence[str],
    resamples: int,
    confidence: float,
    seed: int,
) -> Ranking:
    """The largest group ranked by the votes within it; the others are named with the reason."""
    by_name = [[votes.systems[place] for place in group] for group in found]
    bare = replace(bare, groups=tuple(tuple(group) for group in by_name))
    whole = {standing.system: standing for standing in bare.standings}
    if len(by_name[0]) < 2:
        return _undefined(bare, "no two systems have both won against or tied with each other")
    inner = bradley_terry(
        votes.among(by_name[0]),
        interval=interval,
        clusters=clusters,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        planned=bare.planned if bare.state == "provisional" else None,
    )
    ranked = [
        replace(
            standing,
            wins=whole[standing.system].wins,
            ties=whole[standing.system].ties,
            losses=whole[standing.system].losses,
        )
        for standing in inner.standings
    ]
    outside = [
        replace(whole[name], reason=_apart(whole[name], by_name[0]))
        for group in by_name[1:]
        for name in group
    ]
    note = (
        f"The votes do not compare all systems with each other; strengths are those of "
        f"{listed(by_name[0], most=MOST_NAMED)}, from the {inner.votes:,} votes between them. "
        "Without a strength: "
        + "; ".join(f"{each.system} ({each.reason})" for each in outside)
        + "."
    )
    return replace(
        inner,
        standings=(*ranked, *best_first(outside)),
        votes=bare.votes,
        planned=bare.planned,
        ties=bare.ties,
        both_bad=bare.both_bad,
        dropped=bare.dropped,
        self_comparisons=bare.self_comparisons,
        groups=bare.groups,
        answer=f"{listed([each.system for each in outside], most=MOST_NAMED)} cannot be placed; "
        f"of the others, {_continued(inner.answer)}",
        warnings=(*bare.warnings, note, *inner.warnings),
    )


def _continued(sentence: str) -> str:
    """A sentence inside of another; one that begins with a system's name keeps its letter."""
    begins = sentence.startswith(("No system ", "No ranking", "No comparisons"))
    return f"n{sentence[1:]}" if begins else sentence


def _apart(standing: SystemStanding, main: Sequence[str]) -> str:
    if standing.wins and not (standing.ties or standing.losses):
        return "it won every comparison, so its strength has no upper bound"
    if standing.losses and not (standing.ties or standing.wins):
        return "it lost every comparison, so its strength has no lower bound"
    return (
        f"no chain of wins and ties leads both ways between it and {listed(main, most=MOST_NAMED)}"
    )


def _ranked(
    bare: Ranking, votes: Votes, centre: Centre, spread: StrengthSpread, clusters: Sequence[str]
) -> Ranking:
    by_name = {standing.system: standing for standing in bare.standings}
    standings = []
    for place, name in enumerate(votes.systems):
        standings.append(
            replace(
                by_name[name],
                strength=float(centre.strengths[place]),
                interval=spread.intervals[place] if spread.intervals else None,
                rank_interval=(
                    spread.comparison.rank_interval(place) if spread.comparison else None
                ),
            )
        )
    ranked = best_first(standings)
    names = [each.system for each in ranked]
    sets = _sets(names, votes, spread.comparison)
    nu = float(np.exp(centre.log_tie))
    final = bare.state != "provisional"
    return replace(
        bare,
        standings=tuple(ranked),
        tied_sets=tuple(tuple(each) for each in sets),
        tie_chance=nu / (2 + nu),
        method=f"{MODEL}; {spread.method}",
        resamples=spread.resamples,
        separated=spread.separated,
        answer=order_sentence(names, sets, final=final)
        if spread.comparison
        else open_sentence(
            {each.system: each.strength for each in ranked},
            spread.missing or "without intervals the order is open",
            what="strength",
            final=final,
        ),
        errors=_errors(names, votes, spread.comparison),
        critical=spread.comparison.critical if spread.comparison else MISSING,
        warnings=(*bare.warnings, *_small(votes, ranked, clusters, spread), *spread.warnings),
    )


def _errors(
    names: Sequence[str], votes: Votes, comparison: SimultaneousComparison | None
) -> dict[tuple[str, str], float]:
    if comparison is None:
        return {}
    place = {name: number for number, name in enumerate(votes.systems)}
    return {
        (one, other): float(comparison.errors[place[one], place[other]])
        for one, other in combinations(names, 2)
    }


def _sets(
    names: list[str], votes: Votes, comparison: SimultaneousComparison | None
) -> list[list[str]]:
    if comparison is None:
        return []
    place = {name: number for number, name in enumerate(votes.systems)}
    better = comparison.better
    return tied_sets(names, lambda a, b: bool(better[place[a], place[b]]))


def _small(
    votes: Votes,
    ranked: Sequence[SystemStanding],
    clusters: Sequence[str],
    spread: StrengthSpread,
) -> list[str]:
    """One sentence: where votes are too few for the intervals, and what to collect."""
    numbers = {name: int(votes.clusters[name].max()) + 1 for name in clusters}
    thin = {name: number for name, number in numbers.items() if number < FEW_CLUSTERS}
    few = [each.system for each in ranked if each.votes < FEW_VOTES]
    why = [f"votes are of {counted(number, name)}" for name, number in thin.items()]
    if few:
        have = "has" if len(few) == 1 else "have"
        why.append(f"{listed(few, most=MOST_NAMED)} {have} fewer than {FEW_VOTES} votes")
    why += [spread.separation] if spread.separation else []
    if not why and not spread.missing:
        return []
    then = "there are no intervals" if spread.missing else "intervals are rough"
    todo = ["votes until every system has " + str(FEW_VOTES)] if few else ["more votes"]
    todo += [f"from {FEW_CLUSTERS} {name}s or more" for name in thin]
    text = listed(why) or spread.missing
    return [f"{text[:1].upper()}{text[1:]}, so {then}: collect {', '.join(todo)}."]
