"""The part on one comparative question: strengths, ranks, win rates, and who beat whom."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from palaver.analysis.figures import (
    Figure,
    ForestRow,
    HeatCell,
    forest,
    heat_map,
    rank_plot,
)
from palaver.analysis.proportions import rare_share
from palaver.analysis.rank_sets import MOST_NAMED
from palaver.analysis.ranking.bradley_terry import FEW_VOTES, bradley_terry
from palaver.analysis.ranking.decisions import turned
from palaver.analysis.ranking.fixed import verdict_of
from palaver.analysis.ranking.result import Ranking, SystemStanding
from palaver.analysis.ranking.verdict import SystemVerdict, VoteVerdict
from palaver.analysis.ranking.votes import FIRST, SECOND, TIE, Votes
from palaver.analysis.win_rates import WinTally
from palaver.core.estimates import Estimate
from palaver.core.words import counted, listed, percent
from palaver.evaluation.boards import interval_words
from palaver.evaluation.verdicts import study_verdict
from palaver.reports.report.commands import rank_command
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import QuestionVotes, ReportSettings
from palaver.studies.review.turns import cast_of

MOST_SYSTEMS = 24


def rank_clusters(votes: QuestionVotes) -> tuple[str, ...]:
    """Votes of one rater may depend on each other, where it is known who voted."""
    return ("rater",) if all(each is not None for each in votes.frame.column("rater")) else ()


@dataclass(frozen=True, slots=True)
class RankedVotes:
    """A comparative question with its votes as they were read, their ranking, and what is decided."""

    votes: QuestionVotes
    read: Votes
    found: Ranking
    verdict: VoteVerdict

    @property
    def is_live(self) -> bool:
        """Whether votes are looked at while they come, so that intervals hold at every look."""
        return self.verdict.inference == "anytime"

    @property
    def standings(self) -> list[SystemStanding]:
        """The standings of the ranking, with the intervals and ranks that were decided."""
        told = {each.system: each for each in self.voted}
        return [
            replace(
                standing,
                interval=told[standing.system].strength.interval,
                rank_interval=told[standing.system].rank_interval,
            )
            for standing in self.found.standings
            if standing.system in told
        ]

    @property
    def voted(self) -> tuple[SystemVerdict, ...]:
        """The systems that have votes, best first."""
        return tuple(each for each in self.verdict.systems if each.votes)


def ranking_part(ranked: RankedVotes, settings: ReportSettings) -> ReportPart:
    """The ranking that a question's votes support, with tables and figures."""
    votes, found, verdict = ranked.votes, ranked.found, ranked.verdict
    clusters = rank_clusters(votes)
    state, words = found.state or ("provisional" if ranked.is_live else ""), verdict.answer
    warnings = verdict.warnings if ranked.is_live else (*found.warnings, *_rare(found))
    method = verdict.method if ranked.is_live else f"{found.method}. {found.assumption}"
    return ReportPart(
        anchor=f"votes-{votes.slug}",
        title=f"Ranking: {votes.name}",
        question=votes.text,
        answer=words,
        state=state,
        told=len(verdict.tied_sets) > 1 if found.votes else None,
        lead=_counts(ranked, state),
        figures=_figures(ranked, words),
        tables=(_standings(ranked, rank_command(votes, settings, clusters)), _pairs(ranked)),
        warnings=warnings,
        notes=(method,),
        methods=_live_methods(ranked) if ranked.is_live else _methods(votes, found, clusters),
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
    return RankedVotes(votes, read, found, _verdict(votes, read, found, settings, clusters))


def _verdict(
    votes: QuestionVotes,
    read: Votes,
    found: Ranking,
    settings: ReportSettings,
    clusters: tuple[str, ...],
) -> VoteVerdict:
    """What the votes say, of a running study as its board shows it."""
    if votes.inference == "fixed":
        final = found.state != "provisional"
        return verdict_of(
            found, read, clusters=clusters, systems=votes.systems, final=final, within=votes.within
        )
    one, other = votes.frame.texts("model_a"), votes.frame.texts("model_b")
    kept = [a != b for a, b in zip(one, other, strict=True)]
    return study_verdict(
        cast_of(votes.frame, read, kept),
        systems=votes.systems,
        final=found.state == "final",
        stopped=found.state == "final",
        within=votes.within,
        confidence=settings.confidence,
    )


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


def _counts(ranked: RankedVotes, state: str) -> str:
    votes, found = ranked.votes, ranked.found
    said = f"{counted(found.votes, 'vote')}, {found.ties:,} of them ties"
    if found.both_bad:
        said += f" ({found.both_bad:,} of these say that neither is good)"
    if votes.planned is not None and votes.stop is None:
        said += f"; {votes.planned:,} are planned"
    told = [f"{said}."]
    if votes.stop is not None:
        told.append(votes.stop.words)
    if votes.planned is not None and state == "provisional":
        told.append("The ranking is provisional until they are in.")
    if ranked.is_live:
        told.append(interval_words("anytime", over=state == "final"))
    return " ".join(told)


def _methods(votes: QuestionVotes, found: Ranking, clusters: Sequence[str]) -> str:
    rates = "with the design effect of votes by one rater" if clusters else "of independent votes"
    asked = f" on the question “{votes.text}”" if votes.text else f" on '{votes.name}'"
    share = percent(found.ties / found.votes, 0) if found.votes else "0 %"
    return (
        f"Systems were ranked by {counted(found.votes, 'vote')}{asked} ({share} ties) with the "
        f"Bradley–Terry model with ties (Davidson, 1970), fitted by maximum likelihood; strengths "
        f"are log-odds with mean 0. Intervals: {found.method.partition('; ')[2]}. "
        f"{found.assumption} Ranks and sets of systems that cannot be distinguished come from "
        f"simultaneous {percent(found.confidence, 0)} comparisons of all pairs. Win rates count a "
        f"tie as half a win and have Wilson intervals {rates}."
    )


def _live_methods(ranked: RankedVotes) -> str:
    votes, verdict = ranked.votes, ranked.verdict
    asked = f" on the question “{votes.text}”" if votes.text else f" on '{votes.name}'"
    return (
        f"Systems were compared by {counted(verdict.votes, 'vote')} of "
        f"{counted(verdict.raters, 'rater')}{asked} while votes were coming in. Intervals hold at all "
        f"moments at once: {verdict.method}."
    )


def _figures(ranked: RankedVotes, words: str) -> tuple[Figure, ...]:
    found, slug = ranked.found, ranked.votes.slug
    figures: list[Figure] = []
    if any(isfinite(standing.strength) for standing in found.standings):
        strengths = rank_plot(ranked.standings, title=words)
        figures.append(replace(strengths, name=f"ranks-{slug}"))
    figures.append(_rates(ranked))
    if 3 <= len(found.standings) <= MOST_SYSTEMS:
        figures.append(_beaten(ranked))
    return tuple(figures)


def _rates(ranked: RankedVotes) -> Figure:
    rows = [
        ForestRow(each.system, each.rate.value, each.rate.interval, note=f"n = {each.votes:,}")
        for each in sorted(ranked.voted, key=lambda each: -each.rate.value)
    ]
    return forest(
        rows,
        name=f"win-rates-{ranked.votes.slug}",
        title="Share of comparisons won, ties as half",
        axis="Win rate, 95 % interval",
        reference=0.5,
        ends=(0.0, 1.0),
        percent=True,
    )


def _beaten(ranked: RankedVotes) -> Figure:
    names = [standing.system for standing in ranked.found.standings]
    rates: dict[tuple[str, str], Estimate] = {}
    for pair in ranked.verdict.pairs:
        rates[pair.higher, pair.lower] = pair.rate
        rates[pair.lower, pair.higher] = turned(pair.rate)
    nothing = Estimate.undefined("")
    cells = [
        HeatCell(one, other, rate.value, f"n = {rate.n}")
        for one in names
        for other in names
        for rate in [rates.get((one, other), nothing)]
    ]
    return heat_map(
        cells,
        name=f"beaten-{ranked.votes.slug}",
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


def _standings(ranked: RankedVotes, command: str) -> ResultTable:
    votes = ranked.votes
    places = Places(votes)
    rows: list[dict[str, Any]] = [
        {
            "system": each.system,
            "strength": each.strength.value,
            "interval": each.strength.interval,
            "ranks": each.rank_interval,
            "rate": each.rate.value,
            "rate_interval": each.rate.interval,
            "wins": each.wins,
            "ties": each.ties,
            "losses": each.losses,
            "votes": each.votes,
            EVIDENCE: places.of(each.system),
        }
        for each in ranked.voted
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


def _pairs(ranked: RankedVotes) -> ResultTable:
    votes = ranked.votes
    places = Places(votes)
    tallies, neither = _direct(ranked.read), _neither(ranked.read)
    told = (ReportColumn("neither", "Ties: neither good", "whole"),) if neither else ()
    rows = [
        {
            "pair": f"{pair.higher} against {pair.lower}",
            "rate": pair.rate.value,
            "interval": pair.rate.interval,
            "wins": tally.wins,
            "ties": tally.ties,
            "losses": tally.losses,
            "neither": neither[frozenset((pair.higher, pair.lower))],
            EVIDENCE: places.of(pair.higher),
        }
        for pair in ranked.verdict.pairs
        if (tally := tallies.get((pair.higher, pair.lower), WinTally())).n
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
        note="Each interval is for its pair alone; which systems differ is decided for all at once."
        + (" A vote that neither is good counts as a tie." if neither else ""),
    )
