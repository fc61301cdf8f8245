"""`palaver rank`: a ranking from votes, in a table or in a study."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from palaver.analysis.ranking.bradley_terry import IntervalKind, bradley_terry
from palaver.analysis.ranking.elo import START, Elo, K, elo
from palaver.analysis.ranking.standings import Ranking, Scale
from palaver.analysis.ranking.votes import BothBad, Votes
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, QUESTION
from palaver.cli.printing import print_json
from palaver.cli.rank_words import as_document, ranking_words
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.formats.frames import Frame, read_frame
from palaver.reports.opening import OpenStudy, opened_study
from palaver.studies.evidence import VOTE_COLUMNS
from palaver.studies.results import board_question, votes_needed

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
    home: Path | None,
    as_json: bool,
) -> None:
    """Rank systems by votes: Bradley–Terry with ties, intervals, and who cannot be told apart.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json; - for CSV from a pipe) with one row per vote.
    """
    if is_of_study(path):
        with opened_study(path, study=study, home=home) as opened:
            asked = _of_study(opened, question, raters, clusters)
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
    opened: OpenStudy, question: str | None, raters: str, clusters: tuple[str, ...]
) -> _Asked:
    evidence = opened.evidence(raters=raters)
    known = evidence.votes
    if not known:
        raise InputError(
            f"The study '{evidence.study}' has no votes by {raters} raters: a ranking needs "
            "answers to a comparative question."
        )
    board = board_question(opened.definition) if opened.definition else None
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
    planned = None
    if opened.definition is not None and chosen == board:
        planned = votes_needed(opened.definition)
    return _Asked(known[chosen], COLUMNS, clusters or ("rater",), planned or None)


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
