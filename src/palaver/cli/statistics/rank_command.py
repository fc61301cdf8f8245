"""`palaver rank`: a ranking from votes, in a table or in a study."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, cast

import click

from palaver.analysis.ranking.bradley_terry import IntervalKind, bradley_terry
from palaver.analysis.ranking.elo import START, Elo, K, elo
from palaver.analysis.ranking.result import Ranking, Scale, SystemStanding
from palaver.analysis.ranking.votes import BothBad, Votes
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, QUESTION
from palaver.cli.output import print_json, table_lines, with_interval
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.serial import plain
from palaver.core.words import UNDEFINED, decimals, measured, percent
from palaver.formats.frames import Frame, read_frame
from palaver.reports.target import OpenStudy, opened_study
from palaver.studies.review.boards import plan_votes
from palaver.studies.review.evidence import VOTE_COLUMNS, StudyEvidence

COLUMNS = {"a": "model_a", "b": "model_b", "winner": "winner"}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A table of votes, the names of its three columns, and how many votes are planned."""

    frame: Frame
    columns: dict[str, str]
    clusters: tuple[str, ...]
    planned: int | None = None


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
            evidence = opened.evidence(raters=raters, sections=sections)
            asked = _of_study(opened, evidence, question, raters, clusters)
    else:
        columns = {"a": a, "b": b, "winner": winner}
        frame = read_frame(path, wanted=dict.fromkeys([*columns.values(), *clusters]))
        asked = _Asked(frame, columns, clusters)
    votes = _votes(asked, cast(BothBad, bothbad))
    ranking = bradley_terry(
        votes,
        interval=cast(IntervalKind, interval) if bootstrap or interval == "sandwich" else None,
        clusters=asked.clusters,
        resamples=bootstrap,
        confidence=confidence,
        seed=seed,
        planned=planned or asked.planned,
    ).on_scale(cast(Scale, scale))
    ratings = None
    if with_elo or elo_shuffles:
        ratings = elo(votes, k=elo_k, start=elo_start, shuffles=elo_shuffles, seed=seed)
    _say(ranking, ratings, as_json)


def _of_study(
    opened: OpenStudy,
    evidence: StudyEvidence,
    question: str | None,
    raters: str,
    clusters: tuple[str, ...],
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
    planned, study = None, opened.definition
    if study is not None and chosen == board:
        plan = opened.store.read_now(lambda connection: plan_votes(connection, study))
        planned = plan.awaited(len(known[chosen]))
    return _Asked(known[chosen], COLUMNS, clusters or ("rater",), planned)


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
