"""A ranking in words, for the terminal, and as one JSON document."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

from palaver.analysis.ranking.elo import Elo
from palaver.analysis.ranking.standings import Ranking, SystemStanding
from palaver.cli.tables import aligned
from palaver.core.serial import plain

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
        yield "Tied sets, within which systems cannot be told apart:"
        yield from (f"  {', '.join(each)}" for each in tied_sets)
    warnings = [*ranking.warnings, *(ratings.warnings if ratings else ())]
    yield from (f"Warning: {each}" for each in warnings)


def _table(ranking: Ranking, ratings: Elo | None) -> Iterator[str]:
    head = [
        "system",
        "strength",
        f"{ranking.confidence * 100:g} % interval",
        "rank",
        "votes",
        "win rate",
    ]
    digits = 3 if ranking.scale_name == "log" else 1
    rows = [_row(each, digits) for each in ranking.standings]
    if ratings is not None:
        head.append("Elo")
        for row, each in zip(rows, ranking.standings, strict=True):
            row.append(f"{ratings.ratings[each.system]:.1f}")
    yield from aligned([head, *rows], left=range(1))


def _row(standing: SystemStanding, digits: int) -> list[str]:
    ends, ranks = standing.interval, standing.rank_interval
    known = isfinite(standing.strength)
    return [
        standing.system,
        f"{standing.strength:.{digits}f}" if known else "undefined",
        f"{ends.low:.{digits}f} to {ends.high:.{digits}f}" if ends else _DASH,
        _ranks(ranks) if ranks else _DASH,
        f"{standing.votes:,}",
        f"{standing.win_rate * 100:.1f} %" if standing.votes else _DASH,
    ]


def _ranks(ranks: tuple[int, int]) -> str:
    first, last = ranks
    return str(first) if first == last else f"{first} to {last}"
