"""The part on one comparative question: strengths, ranks, win rates, and who beat whom."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from palaver.analysis.comparisons import sign_test
from palaver.analysis.figures import (
    Figure,
    ForestRow,
    HeatCell,
    forest,
    heat_map,
    rank_plot,
)
from palaver.analysis.proportions import rare_share
from palaver.analysis.rank_sets import MOST_NAMED, open_sentence, order_sentence, tied_sets
from palaver.analysis.ranking.bradley_terry import FEW_VOTES, bradley_terry
from palaver.analysis.ranking.result import Ranking, SystemStanding
from palaver.analysis.ranking.votes import FIRST, SECOND, TIE, Votes
from palaver.analysis.win_rates import (
    CountedPreference,
    WinRates,
    WinTally,
    no_votes,
    rank,
    told_apart,
    win_rates,
)
from palaver.core.numeric import np
from palaver.core.words import counted, listed, percent
from palaver.reports.report.commands import rank_command
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import QuestionVotes, ReportSettings

MOST_SYSTEMS = 24
LEVEL = 0.05


def rank_clusters(votes: QuestionVotes) -> tuple[str, ...]:
    """Votes of one rater may depend on each other, where it is known who voted."""
    return ("rater",) if all(each is not None for each in votes.frame.column("rater")) else ()


@dataclass(frozen=True, slots=True)
class RankedVotes:
    """A comparative question with its votes as they were read, and the ranking they support."""

    votes: QuestionVotes
    read: Votes
    found: Ranking

    @property
    def raters(self) -> int:
        """How many people or models voted; 0 where that is not known."""
        return len({name for name in self.votes.frame.texts("rater") if name is not None})

    @property
    def rates(self) -> WinRates:
        """The win rates of the same votes."""
        cells = zip(
            self.read.first.tolist(),
            self.read.second.tolist(),
            self.read.outcome.tolist(),
            strict=True,
        )
        counts = Counter(cells)
        names, values = self.read.systems, {FIRST: "first", SECOND: "second", TIE: "tie"}
        return win_rates(
            (
                CountedPreference(names[one], names[other], values[outcome], count)
                for (one, other, outcome), count in counts.items()
            ),
            self.votes.systems,
        )

    @property
    def compares_all(self) -> bool:
        """Whether strengths with intervals order all systems that have votes.

        Where some have no strength (one that won everything, say), those that have one are not all
        that there is: win rates have intervals for all.
        """
        return bool(self.found.gaps) and len(self.found.groups) <= 1

    @property
    def order(self) -> list[str]:
        """The systems that have votes, best first."""
        if self.compares_all:
            return [each.system for each in self.found.standings]
        return rank(self.rates)

    @property
    def sets(self) -> list[list[str]]:
        """The sets of systems that cannot be distinguished.

        By win rates, as all votes were independent, and by raters, each of whom counts once: votes
        of few who differ are not many votes.
        """
        if self.compares_all:
            return [list(each) for each in self.found.tied_sets]
        rates, order = self.rates, self.order
        pairs = max(1, len(order) * (len(order) - 1) // 2)
        return tied_sets(
            order,
            lambda one, other: (
                told_apart(rates, one, other) and self._raters_tell(one, other, LEVEL / pairs)
            ),
        )

    def _raters_tell(self, better: str, worse: str, level: float) -> bool:
        """Whether raters put one above the other by the exact sign test; unknown raters do."""
        if not rank_clusters(self.votes):
            return True
        raters = self.read.clusters["rater"]
        scores = np.zeros((int(raters.max()) + 1, len(self.read.systems)))
        won = (self.read.outcome == FIRST).astype(float) - (self.read.outcome == SECOND)
        np.add.at(scores, (raters, self.read.first), won)
        np.add.at(scores, (raters, self.read.second), -won)
        one, other = (scores[:, self.read.systems.index(name)] for name in (better, worse))
        p = sign_test(one, other, alternative="greater").p
        return 2 * p < level

    @property
    def answer(self) -> str:
        """Who leads and who has no votes, decided once for the headline and for the question's part.

        Where strengths have no intervals (somebody won everything, say) win rates still have theirs.
        """
        return "; ".join(filter(None, (self._order, no_votes(self.votes.unseen))))

    @property
    def _order(self) -> str:
        found, final = self.found, self.found.state != "provisional"
        if found.votes and found.ties == found.votes:
            ties = (
                "the one vote is a tie"
                if found.votes == 1
                else f"all {found.votes:,} votes are ties"
            )
            return f"No system leads: {ties}"
        if self.compares_all or not found.votes:
            return found.answer
        rates = self.rates
        if self.raters == 1 or found.votes == 1:
            one = "there is one vote only" if found.votes == 1 else "all votes are by one rater"
            known = {name: rates.systems[name].rate or 0.0 for name in rank(rates)}
            return open_sentence(known, one, what="win rate", final=final)
        return order_sentence(self.order, self.sets, final=final)


def ranking_part(ranked: RankedVotes, settings: ReportSettings) -> ReportPart:
    """The ranking that a question's votes support, with tables and figures."""
    votes, counted_votes, found = ranked.votes, ranked.read, ranked.found
    clusters = rank_clusters(votes)
    state, words = found.state or "", ranked.answer
    return ReportPart(
        anchor=f"votes-{votes.slug}",
        title=f"Ranking: {votes.name}",
        question=votes.text,
        answer=words,
        state=state,
        told=len(ranked.sets) > 1 if found.votes else None,
        lead=_counts(votes, found, state),
        figures=_figures(votes, counted_votes, found, words),
        tables=(
            _standings(votes, found, rank_command(votes, settings, clusters)),
            _pairs(votes, counted_votes, found),
        ),
        warnings=(*found.warnings, *_rare(found)),
        notes=(f"{found.method}. {found.assumption}",),
        methods=_methods(votes, found),
    )


def rank_votes(votes: QuestionVotes, settings: ReportSettings) -> RankedVotes:
    """The ranking of a question's votes, clustered by rater where raters are known."""
    frame, clusters = votes.frame, rank_clusters(votes)
    read = Votes.of(
        frame.texts("model_a"),
        frame.texts("model_b"),
        frame.texts("winner"),
        clusters={name: frame.texts(name) for name in clusters},
        row=frame.row,
    )
    found = bradley_terry(
        read,
        clusters=clusters,
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
        planned=votes.planned,
    )
    return RankedVotes(votes, read, found)


def _rare(found: Ranking) -> Iterator[str]:
    """The systems that won, or lost, nearly everything: the intervals of their rates are rough.

    Where a system has few votes, the one sentence on these has said so.
    """
    rough = [
        standing.system
        for standing in found.standings
        if standing.votes >= FEW_VOTES
        and rare_share(standing.wins + standing.ties / 2, standing.votes)
    ]
    if rough:
        yield (
            f"{listed(rough, most=MOST_NAMED)} won or lost nearly everything: an interval of such a "
            "win rate may contain the truth only 84 times in 100. Compare with systems of about the "
            "same strength."
        )


def _counts(votes: QuestionVotes, found: Ranking, state: str) -> str:
    said = f"{counted(found.votes, 'vote')}, {found.ties:,} of them ties"
    if found.both_bad:
        said += f" ({found.both_bad:,} of these say that neither is good)"
    if votes.planned is None:
        return f"{said}."
    until = " The ranking is provisional until they are in." if state == "provisional" else ""
    return f"{said}; {votes.planned:,} are planned.{until}"


def _methods(votes: QuestionVotes, found: Ranking) -> str:
    asked = f" on the question “{votes.text}”" if votes.text else f" on '{votes.name}'"
    share = percent(found.ties / found.votes, 0) if found.votes else "0 %"
    return (
        f"Systems were ranked by {counted(found.votes, 'vote')}{asked} ({share} ties) with the "
        f"Bradley–Terry model with ties (Davidson, 1970), fitted by maximum likelihood; strengths "
        f"are log-odds with mean 0. Intervals: {found.method.partition('; ')[2]}. "
        f"{found.assumption} Ranks and sets of systems that cannot be distinguished come from "
        f"simultaneous {percent(found.confidence, 0)} comparisons of all pairs. Win rates count a "
        f"tie as half a win and have Wilson intervals."
    )


def _figures(votes: QuestionVotes, read: Votes, found: Ranking, words: str) -> tuple[Figure, ...]:
    figures: list[Figure] = []
    if any(isfinite(standing.strength) for standing in found.standings):
        strengths = rank_plot(found.standings, title=words)
        figures.append(replace(strengths, name=f"ranks-{votes.slug}"))
    figures.append(_rates(votes, found))
    if 3 <= len(found.standings) <= MOST_SYSTEMS:
        figures.append(_beaten(votes, read, found))
    return tuple(figures)


def _rates(votes: QuestionVotes, found: Ranking) -> Figure:
    rows = [
        ForestRow(
            standing.system,
            standing.win_rate,
            _tally(standing).interval,
            note=f"n = {standing.votes:,}",
        )
        for standing in sorted(found.standings, key=lambda each: -_rate(each))
    ]
    return forest(
        rows,
        name=f"win-rates-{votes.slug}",
        title="Share of comparisons won, ties as half",
        axis="Win rate, 95 % Wilson interval",
        reference=0.5,
        ends=(0.0, 1.0),
        percent=True,
    )


def _beaten(votes: QuestionVotes, read: Votes, found: Ranking) -> Figure:
    names = [standing.system for standing in found.standings]
    tallies = _direct(read)
    cells = []
    for one in names:
        for other in names:
            tally = tallies.get((one, other), WinTally())
            rate = tally.rate if one != other else None
            cells.append(
                HeatCell(one, other, float("nan") if rate is None else rate, f"n = {tally.n}")
            )
    return heat_map(
        cells,
        name=f"beaten-{votes.slug}",
        title="How often the row won against the column, ties as half",
        ends=(0.0, 1.0),
    )


def _direct(read: Votes) -> dict[tuple[str, str], WinTally]:
    """The direct comparisons of each ordered pair, as its first one sees them."""
    found: dict[tuple[str, str], WinTally] = {}
    kinds = {FIRST: "wins", SECOND: "losses", TIE: "ties"}
    votes = zip(read.first.tolist(), read.second.tolist(), read.outcome.tolist(), strict=True)
    for (first, second, outcome), count in Counter(votes).items():
        one, other = read.systems[first], read.systems[second]
        tally = WinTally(**{kinds[outcome]: count})
        found[one, other] = found.get((one, other), WinTally()) + tally
        found[other, one] = found.get((other, one), WinTally()) + tally.reversed()
    return found


def _neither(read: Votes) -> Counter[frozenset[str]]:
    """How often neither of two systems was good."""
    pairs = zip(
        read.first[read.both_bad].tolist(), read.second[read.both_bad].tolist(), strict=True
    )
    return Counter(frozenset((read.systems[one], read.systems[other])) for one, other in pairs)


def _rate(standing: SystemStanding) -> float:
    return standing.win_rate if isfinite(standing.win_rate) else -1.0


def _tally(standing: SystemStanding) -> WinTally:
    return WinTally(standing.wins, standing.ties, standing.losses)


def _standings(votes: QuestionVotes, found: Ranking, command: str) -> ResultTable:
    places = Places(votes)
    rows: list[dict[str, Any]] = [
        {
            "system": standing.system,
            "strength": standing.strength,
            "interval": standing.interval,
            "ranks": standing.rank_interval,
            "rate": standing.win_rate,
            "rate_interval": _tally(standing).interval,
            "wins": standing.wins,
            "ties": standing.ties,
            "losses": standing.losses,
            "votes": standing.votes,
            EVIDENCE: places.of(standing.system),
        }
        for standing in found.standings
    ]
    return ResultTable(
        slug=f"ranking-{votes.slug}",
        title="Systems, strongest first",
        columns=(
            ReportColumn("system", "System"),
            ReportColumn("strength", "Strength", "number"),
            ReportColumn("interval", "95 % interval", "number"),
            ReportColumn("ranks", "Ranks", "whole"),
            ReportColumn("rate", "Win rate", "percent"),
            ReportColumn("rate_interval", "95 % interval of the rate", "percent"),
            ReportColumn("wins", "Wins", "whole"),
            ReportColumn("ties", "Ties", "whole"),
            ReportColumn("losses", "Losses", "whole"),
            ReportColumn("votes", "Votes", "whole"),
        ),
        rows=rows,
        command=command,
        note="Ranks are those that the simultaneous comparison of all pairs leaves open.",
    )


def _pairs(votes: QuestionVotes, read: Votes, found: Ranking) -> ResultTable:
    places = Places(votes)
    order = [standing.system for standing in found.standings]
    tallies = _direct(read)
    neither = _neither(read)
    told = (ReportColumn("neither", "Ties: neither good", "whole"),) if neither else ()
    rows = [
        {
            "pair": f"{one} against {other}",
            "rate": tally.rate,
            "interval": tally.interval,
            "wins": tally.wins,
            "ties": tally.ties,
            "losses": tally.losses,
            "neither": neither[frozenset((one, other))],
            EVIDENCE: places.of(one),
        }
        for n, one in enumerate(order)
        for other in order[n + 1 :]
        if (tally := tallies.get((one, other), WinTally())).n
    ]
    return ResultTable(
        slug=f"pairs-{votes.slug}",
        title="Direct comparisons, from the first system's side",
        columns=(
            ReportColumn("pair", "Systems"),
            ReportColumn("rate", "Win rate", "percent"),
            ReportColumn("interval", "95 % interval", "percent"),
            ReportColumn("wins", "Wins", "whole"),
            ReportColumn("ties", "Ties", "whole"),
            ReportColumn("losses", "Losses", "whole"),
            *told,
        ),
        rows=rows,
        note="Wilson intervals; they assume independent votes."
        + (" A vote that neither is good counts as a tie." if neither else ""),
    )
