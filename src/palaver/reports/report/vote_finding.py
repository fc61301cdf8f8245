"""What votes found: who leads, how sure that is, and how many more votes would tell."""

from palaver.analysis.planning import Continuation, assume, continuation, first_guess
from palaver.analysis.planning.continuation import POWER
from palaver.analysis.rank_sets import leader_of
from palaver.analysis.ranking.bradley_terry import FEW_VOTES
from palaver.analysis.ranking.result import Ranking
from palaver.analysis.win_rates import (
    WinRates,
    WinTally,
    rank,
)
from palaver.core.studies.headline import Headline
from palaver.core.words import counted, percent
from palaver.reports.report.more_answers import (
    ASSUMED,
    MOST_NAMED,
    SHARPER,
    judge_unseen,
    roughly,
    too_close,
    would_tell,
)
from palaver.reports.report.ranking import RankedVotes

# With fewer, raters who all agree may do so by chance (2 × 0.5⁵ > 0.05).
FEW_RATERS = 6


def finding_of_votes(ranked: RankedVotes) -> Headline:
    """The headline of one comparative question."""
    found = ranked.found
    if not found.votes:
        return Headline("No two systems were compared", next="Collect votes on pairs of systems.")
    return Headline(
        ranked.answer, _vote_certainty(ranked, ranked.rates), _more_votes(ranked, ranked.rates)
    )


def _vote_certainty(ranked: RankedVotes, rates: WinRates) -> str:
    found, systems = ranked.found, len(ranked.found.standings)
    raters = ranked.raters
    by = f" by {counted(raters, 'rater')}" if raters else ""
    text = f"{_win_words(ranked, rates)}; {counted(found.votes, 'vote')}{by}."
    if ranked.compares_all and systems > 2:
        text += f" All {systems * (systems - 1) // 2:,} pairs are compared at once."
    if found.state == "provisional" and found.planned:
        text += f" {found.votes:,} of {found.planned:,} planned votes are in: provisional."
    return text


def _win_words(ranked: RankedVotes, rates: WinRates) -> str:
    """The win rates: the leader's, those of few systems, or from where to where they go."""
    order = rank(rates)
    first = _leader(ranked)
    if first is not None:
        return f"{first} wins {_share(rates.systems[first])} of its comparisons"
    if len(order) <= MOST_NAMED:
        return "Win rates: " + ", ".join(f"{name} {_share(rates.systems[name])}" for name in order)
    low, high = (rates.systems[name].rate or 0.0 for name in (order[-1], order[0]))
    return f"Win rates go from {percent(low, 0)} to {percent(high, 0)}"


def _leader(ranked: RankedVotes) -> str | None:
    """The one that the finding says is first; None where it names nobody."""
    found = ranked.found
    if not ranked.compares_all and (ranked.raters == 1 or found.votes == 1):
        return None
    return leader_of(ranked.order, ranked.sets)


def _share(tally: WinTally) -> str:
    ends = tally.interval
    if tally.rate is None or ends is None:
        return "–"
    return (
        f"{percent(tally.rate, 0)} (95 % interval {ends.low * 100:.0f} to {percent(ends.high, 0)})"
    )


def _more_votes(ranked: RankedVotes, rates: WinRates) -> str:
    """What to do about those without votes, and then what would tell the others apart."""
    unseen = ranked.votes.unseen
    if not unseen:
        return _more_of_same(ranked, rates)
    have = judge_unseen(unseen, "compared with the others", "votes", f"{FEW_VOTES} or more")
    return have if len(rank(rates)) < 2 else f"{have} {_more_of_same(ranked, rates)}"


def _more_of_same(ranked: RankedVotes, rates: WinRates) -> str:
    found = ranked.found
    if found.ties == found.votes:
        return SHARPER
    if not ranked.compares_all:
        return f"{_by_rates(ranked, rates)} {_more_raters(ranked)}".strip()
    open_ = {
        pair: _continued(found, gap) for pair, gap in found.gaps.items() if gap <= found.critical
    }
    names = [each.system for each in found.standings]
    of = " of the others" if ranked.votes.unseen else ""
    if not open_:
        known = "No more votes are needed: all systems are told apart."
        return "The others need no more: they are told apart." if of else known
    nearest = min(open_, key=lambda pair: open_[pair].needed or float("inf"))
    if leader_of(names, found.tied_sets) is not None:
        known = f"No more votes are needed to name the best{of}."
        if open_[nearest].is_far:
            return f"{known} {too_close(open_[nearest], 'votes')}"
        return f"{known} {_enough(ranked, nearest, open_[nearest])}"
    # Of those that may be first, the one that stands next to the first decides who leads.
    first = min((pair for pair in open_ if pair[0] == names[0]), key=found.gaps.__getitem__)
    if not open_[first].is_far:
        return _enough(ranked, first, open_[first])
    even = too_close(open_[first], "votes", first)
    return even if open_[nearest].is_far else f"{even} {_enough(ranked, nearest, open_[nearest])}"


def _continued(found: Ranking, gap: float) -> Continuation:
    """What tells two systems apart; where every rater is exactly even, nothing says how many."""
    if found.critical > 0:
        return continuation(found.votes, gap, found.critical)
    return Continuation(have=found.votes, needed=None, is_told=False)


def _enough(ranked: RankedVotes, pair: tuple[str, str], wanted: Continuation) -> str:
    planned = ranked.votes.planned
    if planned is not None and wanted.needed is not None and wanted.have < wanted.needed <= planned:
        left = planned - wanted.have
        missing = (
            "The one planned vote that is missing"
            if left == 1
            else f"The {left:,} planned votes that are missing"
        )
        return (
            f"{missing} should tell {pair[0]} from {pair[1]}: about {roughly(wanted.more or 1)} "
            f"would do ({ASSUMED})."
        )
    return would_tell(wanted, "votes", pair)


def _more_raters(ranked: RankedVotes) -> str:
    """That so few say little of others, however many votes they give."""
    if ranked.raters == 1:
        return "Have several people vote: one says nothing about others."
    if 1 < ranked.raters < FEW_RATERS and _leader(ranked) is None:
        return f"Have more people vote: {ranked.raters} say little about others."
    return ""


def _by_rates(ranked: RankedVotes, rates: WinRates) -> str:
    """From the textbook's number for win rates, where strengths have no intervals."""
    found, order = ranked.found, rank(rates)
    if len(order) < 2:
        return "Compare two systems or more."
    one, other = order[:2]
    a, b = (rates.systems[name].rate or 0.0 for name in (one, other))
    if ranked.raters == 1 and found.votes >= FEW_VOTES:
        return ""
    if _leader(ranked) is not None:
        of = " of the others" if ranked.votes.unseen else ""
        return f"No more votes are needed to say that {one} is the best{of}."
    few = _missing(rates)
    if a == b:
        even = f"{one} and {other} are exactly even so far: no number of votes can be given."
        return _at_least(rates) if few else even
    assumed = assume(
        "votes",
        min((a - b) / 2, 0.45),
        max(1, ranked.raters),
        systems=len(order),
        cluster="dialogue",
        ties=min(found.ties / found.votes, 0.9),
    )
    wanted = Continuation(
        have=found.votes, needed=first_guess(assumed, POWER) * assumed.block, is_told=False
    )
    if few >= (wanted.more or 0) or (few and wanted.is_far):
        return _at_least(rates)
    if wanted.is_far:
        return too_close(wanted, "votes", (one, other))
    return _enough(ranked, (one, other), wanted)


def _missing(rates: WinRates) -> int:
    """How many votes bring every system to the least; a vote counts for two systems."""
    lacks = [max(0, FEW_VOTES - rates.systems[name].n) for name in rank(rates)]
    return max(max(lacks), -(-sum(lacks) // 2))


def _at_least(rates: WinRates) -> str:
    few = [name for name in rank(rates) if rates.systems[name].n < FEW_VOTES]
    on = f" on {few[0]}" if len(few) == 1 else ""
    has = "it has" if on else "every system has"
    return (
        f"Collect {counted(_missing(rates), 'more vote')}{on}, so that {has} {FEW_VOTES}: with fewer "
        "there are no intervals worth the name."
    )
