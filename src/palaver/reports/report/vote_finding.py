"""What votes found: who leads, how sure that is, and how many more votes would tell."""

from collections.abc import Sequence

from palaver.analysis.planning import Continuation, assume, continuation, first_guess
from palaver.analysis.planning.continuation import POWER
from palaver.analysis.ranking.bradley_terry import FEW_VOTES
from palaver.analysis.ranking.result import Ranking
from palaver.analysis.ranking.verdict import SystemVerdict
from palaver.core.estimates import Estimate
from palaver.core.studies.headline import Headline
from palaver.core.words import counted, percent
from palaver.evaluation.boards import interval_words
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
    if not ranked.found.votes:
        return Headline("No two systems were compared", next="Collect votes on pairs of systems.")
    return Headline(ranked.verdict.answer, _vote_certainty(ranked), _more_votes(ranked))


def _vote_certainty(ranked: RankedVotes) -> str:
    found, systems = ranked.found, len(ranked.found.standings)
    raters = ranked.verdict.raters
    by = f" by {counted(raters, 'rater')}" if raters else ""
    text = f"{_win_words(ranked)}; {counted(found.votes, 'vote')}{by}."
    if found.compares_all and systems > 2:
        text += f" All {systems * (systems - 1) // 2:,} pairs are compared at once."
    if found.state == "provisional" and found.planned:
        text += f" {found.votes:,} of {found.planned:,} planned votes are in: provisional."
    if ranked.is_live:
        text += f" {interval_words('anytime', over=found.state == 'final')}"
    return text


def _win_words(ranked: RankedVotes) -> str:
    """The win rates: the leader's, those of few systems, or from where to where they go."""
    order = _by_rate(ranked)
    first = ranked.verdict.leader
    for each in order:
        if each.system == first:
            return f"{first} wins {_share(each.rate)} of its comparisons"
    if len(order) <= MOST_NAMED:
        return "Win rates: " + ", ".join(f"{each.system} {_share(each.rate)}" for each in order)
    low, high = order[-1].rate.value, order[0].rate.value
    return f"Win rates go from {percent(low, 0)} to {percent(high, 0)}"


def _by_rate(ranked: RankedVotes) -> list[SystemVerdict]:
    """The systems that have votes, highest rate first."""
    return sorted(ranked.voted, key=lambda each: -each.rate.value)


def _share(rate: Estimate) -> str:
    ends = rate.interval
    if ends is None:
        return percent(rate.value, 0)
    return (
        f"{percent(rate.value, 0)} (95 % interval {ends.low * 100:.0f} to {percent(ends.high, 0)})"
    )


def _more_votes(ranked: RankedVotes) -> str:
    """What to do about those without votes, and then what would tell the others apart."""
    unseen = ranked.votes.unseen
    if not unseen:
        return _more_of_same(ranked)
    have = judge_unseen(unseen, "compared with the others", "votes", f"{FEW_VOTES} or more")
    return have if len(ranked.voted) < 2 else f"{have} {_more_of_same(ranked)}"


def _more_of_same(ranked: RankedVotes) -> str:
    found = ranked.found
    if found.ties == found.votes:
        return SHARPER
    if ranked.is_live:
        return _while_running(ranked)
    if not found.compares_all:
        return f"{_by_rates(ranked)} {_more_raters(ranked)}".strip()
    open_ = {
        pair: _continued(found, gap) for pair, gap in found.gaps.items() if gap <= found.critical
    }
    names = [each.system for each in found.standings]
    of = " of the others" if ranked.votes.unseen else ""
    if not open_:
        known = "No more votes are needed: all systems are told apart."
        return "The others need no more: they are told apart." if of else known
    nearest = min(open_, key=lambda pair: open_[pair].needed or float("inf"))
    if ranked.verdict.leader is not None:
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


def _while_running(ranked: RankedVotes) -> str:
    """What is left to do in a study that is looked at while votes come."""
    if ranked.verdict.is_settled:
        return "No more votes are needed: no pair is open."
    planned, have = ranked.votes.planned, ranked.found.votes
    if planned is not None and planned > have:
        return f"Collect the {counted(planned - have, 'planned vote')} still missing."
    return "Collect more votes, of more raters." if ranked.found.state != "final" else ""


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
    if ranked.verdict.raters == 1:
        return "Have several people vote: one says nothing about others."
    if 1 < ranked.verdict.raters < FEW_RATERS and ranked.verdict.leader is None:
        return f"Have more people vote: {ranked.verdict.raters} say little about others."
    return ""


def _by_rates(ranked: RankedVotes) -> str:
    """From the textbook's number for win rates, where strengths have no intervals."""
    found, order = ranked.found, _by_rate(ranked)
    if len(order) < 2:
        return "Compare two systems or more."
    one, other = (each.system for each in order[:2])
    a, b = (each.rate.value for each in order[:2])
    if ranked.verdict.raters == 1 and found.votes >= FEW_VOTES:
        return ""
    if ranked.verdict.leader is not None:
        of = " of the others" if ranked.votes.unseen else ""
        return f"No more votes are needed to say that {one} is the best{of}."
    few = _missing(order)
    if a == b:
        even = f"{one} and {other} are exactly even so far: no number of votes can be given."
        return _at_least(order) if few else even
    assumed = assume(
        "votes",
        min((a - b) / 2, 0.45),
        max(1, ranked.verdict.raters),
        systems=len(order),
        cluster="dialogue",
        ties=min(found.ties / found.votes, 0.9),
    )
    wanted = Continuation(
        have=found.votes, needed=first_guess(assumed, POWER) * assumed.block, is_told=False
    )
    if few >= (wanted.more or 0) or (few and wanted.is_far):
        return _at_least(order)
    if wanted.is_far:
        return too_close(wanted, "votes", (one, other))
    return _enough(ranked, (one, other), wanted)


def _missing(voted: Sequence[SystemVerdict]) -> int:
    """How many votes bring every system to the least; a vote counts for two systems."""
    lacks = [max(0, FEW_VOTES - each.votes) for each in voted]
    return max(max(lacks), -(-sum(lacks) // 2))


def _at_least(voted: Sequence[SystemVerdict]) -> str:
    few = [each.system for each in voted if each.votes < FEW_VOTES]
    on = f" on {few[0]}" if len(few) == 1 else ""
    has = "it has" if on else "every system has"
    return (
        f"Collect {counted(_missing(voted), 'more vote')}{on}, so that {has} {FEW_VOTES}: with fewer "
        "there are no intervals worth the name."
    )
