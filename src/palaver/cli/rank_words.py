"""A ranking in words, for the terminal, and as one JSON document."""

from collections.abc import Iterator
from functools import partial
from math import isfinite
from typing import Any

from palaver.analysis.ranking.elo import Elo
from palaver.analysis.ranking.standings import Ranking, SystemStanding
from palaver.cli.tables import table_lines, with_interval
from palaver.core.serial import plain
from palaver.core.words import UNDEFINED, decimals, measured, percent

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
    head = ["system", with_interval("strength", ranking.confidence), "rank", "votes", "win rate"]
    digits = 3 if ranking.scale_name == "log" else 1
    rows = [_row(each, digits) for each in ranking.standings]
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
