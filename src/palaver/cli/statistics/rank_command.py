"""`palaver rank`: a ranking from votes, in a table or in a study."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.elo import START, Elo, K, elo
from palaver.analysis.ranking.fixed import verdict_of
from palaver.analysis.ranking.result import Ranking, Scale, SystemStanding
from palaver.analysis.ranking.spread import IntervalKind
from palaver.analysis.ranking.verdict import Inference
from palaver.analysis.ranking.votes import BOTH_BAD_WORDS, BothBad, Votes
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, QUESTION
from palaver.cli.output import print_json, table_lines, with_interval
from palaver.cli.sources import is_of_study
from palaver.cli.statistics.rank_anytime import anytime_verdict, say_anytime
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.serial import plain
from palaver.core.words import UNDEFINED, decimals, measured, percent
from palaver.evaluation.boards import Raters
from palaver.evaluation.verdicts import CastVotes
from palaver.formats.frames import Frame, read_frame
from palaver.reports.target import OpenStudy, opened_study
from palaver.studies.review.boards import plan_votes
from palaver.studies.review.evidence import VOTE_COLUMNS, StudyEvidence
from palaver.studies.review.turns import TURN, cast_of, with_turns

COLUMNS = {"a": "model_a", "b": "model_b", "winner": "winner"}
COMMANDLINE = ParameterSource.COMMANDLINE
# What is not there while votes come.
FIXED_ONLY = {
    "interval": "--interval",
    "bootstrap": "--bootstrap",
    "scale": "--scale",
    "with_elo": "--elo",
    "elo_k": "--elo-k",
    "elo_start": "--elo-start",
    "elo_shuffles": "--elo-shuffles",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A table of votes, the names of its three columns, and what the study plans.

    Of a study that is looked at while votes come, intervals are `anytime` ones.
    """

    frame: Frame
    columns: dict[str, str]
    clusters: tuple[str, ...]
    planned: int | None = None
    inference: Inference = "fixed"
    systems: tuple[str, ...] = ()
    within: float | None = None


@click.command("rank")
@DATA_PATH
@options.column("a", "One system of a comparison.", usual="model_a")
@options.column("b", "The other system.", usual="model_b")
@options.column("winner", "Which of them won.", usual="winner")
@click.option(
    "--cluster",
    "clusters",
    multiple=True,
    metavar="COL",
    help="What votes share (a rater, a dialogue); may be given more than once. "
    "A study's default: rater.",
)
@click.option(
    "--interval",
    type=click.Choice(["bootstrap", "sandwich"]),
    default="bootstrap",
    show_default=True,
    help="How intervals are made.",
)
@options.bootstrap()
@click.option(
    "--bothbad",
    type=click.Choice(["tie", "drop"]),
    default="tie",
    show_default=True,
    help="What a vote that calls both bad counts as.",
)
@click.option(
    "--scale",
    type=click.Choice(["log", "elo"]),
    default="log",
    show_default=True,
    help="The scale of the strengths.",
)
@click.option("--elo", "with_elo", is_flag=True, help="Also show Elo ratings, in the file's order.")
@click.option("--elo-k", default=K, show_default=True, help="How much a vote moves Elo ratings.")
@click.option("--elo-start", default=START, show_default=True, help="Where Elo ratings start.")
@click.option(
    "--elo-shuffles",
    default=0,
    show_default=True,
    help="Mean Elo ratings over this many random orders instead of the file's.",
)
@click.option(
    "--anytime/--fixed",
    default=None,
    help="Intervals that hold however often one looks (votes stand in the order of time), or those of "
    "one look. Default: anytime for a study whose votes are not all in, else fixed.",
)
@options.confidence()
@options.seed()
@click.option(
    "--planned",
    type=click.IntRange(min=1),
    help="The ranking is provisional until this many votes are in. Default: as the study says.",
)
@options.study()
@QUESTION
@options.raters()
@options.SECTIONS
@HOME
@JSON
def command(
    path: Path,
    a: str,
    b: str,
    winner: str,
    clusters: tuple[str, ...],
    interval: str,
    bootstrap: int,
    bothbad: str,
    scale: str,
    with_elo: bool,
    elo_k: float,
    elo_start: float,
    elo_shuffles: int,
    anytime: bool | None,
    confidence: float,
    seed: int,
    planned: int | None,
    study: str | None,
    question: str | None,
    raters: str,
    sections: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> None:
    """Rank systems by votes: Bradley–Terry with ties, intervals, and who cannot be distinguished.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json; - for CSV from a pipe) with one row per vote.
    """
    if is_of_study(path):
        with opened_study(path, study=study, home=home) as opened:
            evidence = opened.evidence(
                raters=raters,
                sections=sections,
                asked=lambda _, each: each.level == "pairwise",
                columns=(),
            )
            asked = _of_study(opened, evidence, question, raters, clusters, anytime)
    else:
        asked = _of_table(path, {"a": a, "b": b, "winner": winner}, clusters, anytime)
    votes = _votes(asked, cast(BothBad, bothbad))
    if asked.inference == "anytime":
        _refuse_fixed_only()
        found = anytime_verdict(
            _cast(asked, votes, bothbad),
            asked.clusters,
            systems=asked.systems,
            within=asked.within,
            confidence=confidence,
        )
        say_anytime(found, as_json=as_json)
        return
    kind = cast(IntervalKind, interval) if bootstrap or interval == "sandwich" else None
    ranking = bradley_terry(
        votes,
        interval=kind,
        clusters=asked.clusters,
        resamples=bootstrap,
        confidence=confidence,
        seed=seed,
        planned=planned or asked.planned,
    )
    if kind is not None:
        ranking = _as_decided(ranking, votes, asked.clusters)
    ranking = ranking.on_scale(cast(Scale, scale))
    ratings = None
    if with_elo or elo_shuffles:
        ratings = elo(votes, k=elo_k, start=elo_start, shuffles=elo_shuffles, seed=seed)
    _say(ranking, ratings, as_json)


def _refuse_fixed_only() -> None:
    """UsageError where an option was given that intervals at any time have no use for."""
    of = click.get_current_context().get_parameter_source
    given = [option for name, option in FIXED_ONLY.items() if of(name) is COMMANDLINE]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} {'is' if len(given) == 1 else 'are'} for intervals of one look; give "
            "--fixed too. While votes come, such intervals do not hold."
        )


def _of_table(
    path: Path, columns: dict[str, str], clusters: tuple[str, ...], anytime: bool | None
) -> _Asked:
    """The votes of a table; of those of a running study its column `turn` says which count."""
    every = read_frame(path)
    wanted = dict.fromkeys([*columns.values(), *clusters])
    if anytime and TURN in every.columns:
        wanted[TURN] = None
    frame = Frame(every.name, {name: every.column(name) for name in wanted}, every.first_row)
    return _Asked(frame, columns, clusters, inference="anytime" if anytime else "fixed")


def _as_decided(ranking: Ranking, votes: Votes, clusters: tuple[str, ...]) -> Ranking:
    """The ranking with what the report and the board say of the same votes.

    Where strengths order all systems it is what the ranking says already; where some have none, win
    rates decide.
    """
    final = ranking.state != "provisional"
    verdict = verdict_of(ranking, votes, clusters=clusters, final=final)
    ranks = {each.system: each.rank_interval for each in verdict.systems}
    if not any(ranks.values()):
        return replace(ranking, answer=verdict.answer)
    return replace(
        ranking,
        answer=verdict.answer,
        tied_sets=verdict.tied_sets,
        standings=tuple(
            replace(each, rank_interval=ranks[each.system]) for each in ranking.standings
        ),
    )


def _of_study(
    opened: OpenStudy,
    evidence: StudyEvidence,
    question: str | None,
    raters: str,
    clusters: tuple[str, ...],
    anytime: bool | None,
) -> _Asked:
    known = evidence.votes
    if not known:
        raise InputError(
            f"The study '{evidence.study}' has no votes by {raters} raters: a ranking needs "
            "answers to a comparative question."
        )
    board = opened.definition.board_question if opened.definition else None
    chosen = question or (board if board in known else next(iter(known)))
    if chosen not in known:
        raise InputError(
            f"The study '{evidence.study}' has no votes on '{chosen}'."
            f"{near(chosen, known)} It has: {', '.join(known)}."
        )
    if question is None and len(known) > 1 and board not in known:
        raise InputError(
            f"The study '{evidence.study}' has votes on several questions; "
            f"name one with --question: {', '.join(known)}."
        )
    for name in clusters:
        if name not in VOTE_COLUMNS:
            raise InputError(
                f"A study's votes have no column '{name}'. They have: {', '.join(VOTE_COLUMNS)}."
            )
    return _planned(opened, evidence, chosen, raters, clusters or ("rater",), anytime)


def _planned(
    opened: OpenStudy,
    evidence: StudyEvidence,
    question: str,
    raters: str,
    clusters: tuple[str, ...],
    anytime: bool | None,
) -> _Asked:
    """The votes on a question with what the study plans, and the intervals that its board shows."""
    frame, study, plan = evidence.votes[question], opened.definition, None
    whose: Raters = "simulated" if raters == "simulated" else "all"
    if study is not None and study.board_question is not None:
        plan = opened.store.read_now(lambda c: plan_votes(c, study, raters=whose))
    # A study whose board is open is looked at while votes come, whatever the question.
    counted = study.board_question if study is not None else None
    votes = len(evidence.votes.get(counted or "", ()))
    inference: Inference = plan.inference(votes) if plan is not None else "fixed"
    if anytime is not None:
        inference = "anytime" if anytime else "fixed"
    if inference == "anytime":
        stored = evidence.stored_name(question)
        frame = opened.store.read_now(lambda c: with_turns(c, opened.stored.id, stored, frame))
    return _Asked(
        frame,
        COLUMNS,
        clusters,
        plan.awaited(len(frame)) if plan is not None and question == counted else None,
        inference,
        tuple(sorted(study.compared_systems(question))) if study is not None else (),
        plan.within if plan is not None else None,
    )


def _cast(asked: _Asked, votes: Votes, bothbad: str) -> CastVotes:
    """The votes with their turns; some rows of the table are no votes."""
    one, other, won = (asked.frame.texts(asked.columns[name]) for name in ("a", "b", "winner"))
    dropped = BOTH_BAD_WORDS if bothbad == "drop" else ()
    kept = [
        a != b and str(winner).strip().lower() not in dropped
        for a, b, winner in zip(one, other, won, strict=True)
    ]
    return cast_of(asked.frame, votes, kept)


def _votes(asked: _Asked, bothbad: BothBad) -> Votes:
    frame = asked.frame
    if not len(frame):
        raise InputError(f"{frame.name} has no votes; a ranking needs at least one row.")
    return Votes.of(
        frame.texts(asked.columns["a"]),
        frame.texts(asked.columns["b"]),
        frame.texts(asked.columns["winner"]),
        clusters={name: frame.texts(name) for name in asked.clusters},
        bothbad=bothbad,
        row=frame.row,
    )


def _say(ranking: Ranking, ratings: Elo | None, as_json: bool) -> None:
    if as_json:
        print_json(as_document(ranking, ratings))
    else:
        click.echo("\n".join(ranking_words(ranking, ratings)))


_DASH = "–"


def as_document(ranking: Ranking, ratings: Elo | None) -> dict[str, Any]:
    """The ranking as JSON, with Elo ratings beside the strengths if they were asked for."""
    document: dict[str, Any] = plain(ranking)
    if ratings is not None:
        told = plain(ratings)
        rated = told.pop("ratings")
        for system in document["systems"]:
            system["elo"] = rated.get(system["system"])
        document["elo"] = told
        document["warnings"] += told.pop("warnings")
    return document


def ranking_words(ranking: Ranking, ratings: Elo | None) -> Iterator[str]:
    """The answer, the table, how it was made and what to beware of."""
    yield f"{ranking.answer}."
    if ranking.state == "provisional":
        yield f"Provisional: {ranking.votes:,} of {ranking.planned:,} planned votes are in."
    elif ranking.state == "final":
        yield f"Final: all {ranking.planned:,} planned votes are in."
    yield ""
    yield from _table(ranking, ratings)
    yield ""
    tied = f", {ranking.ties:,} of them ties" if ranking.ties else ""
    bad = f" ({ranking.both_bad:,} call both bad)" if ranking.both_bad else ""
    yield f"{ranking.votes:,} votes{tied}{bad}. Strength: {ranking.scale}."
    yield f"{ranking.method}."
    yield ranking.assumption
    if ranking.tied_sets:
        yield "Ranks are simultaneous: all of them hold together with this confidence."
    tied_sets = [each for each in ranking.tied_sets if len(each) > 1]
    if tied_sets:
        yield "Tied sets, within which systems cannot be distinguished:"
        yield from (f"  {', '.join(each)}" for each in tied_sets)
    warnings = [*ranking.warnings, *(ratings.warnings if ratings else ())]
    yield from (f"Warning: {warning}" for warning in warnings)


def _table(ranking: Ranking, ratings: Elo | None) -> Iterator[str]:
    head = ["system", with_interval("strength", ranking.confidence), "rank", "votes", "win rate"]
    digits = 3 if ranking.scale_name == "log" else 1
    rows = [_row(standing, digits) for standing in ranking.standings]
    if ratings is not None:
        head.append("Elo")
        for row, each in zip(rows, ranking.standings, strict=True):
            row.append(decimals(ratings.ratings[each.system], 1))
    yield from table_lines([head, *rows])


def _row(standing: SystemStanding, digits: int) -> list[str]:
    ends, ranks = standing.interval, standing.rank_interval
    low, high = (ends.low, ends.high) if ends else (None, None)
    strength = standing.strength if isfinite(standing.strength) else None
    return [
        standing.system,
        measured(strength, low, high, write=partial(decimals, digits=digits)),
        _ranks(ranks) if ranks else _DASH,
        f"{standing.votes:,}",
        percent(standing.win_rate) if standing.votes else UNDEFINED,
    ]


def _ranks(ranks: tuple[int, int]) -> str:
    first, last = ranks
    return str(first) if first == last else f"{first} to {last}"
