"""`palaver rank --anytime`: the verdict that holds however often one looks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import click

from palaver.analysis.ranking.result import SCALES
from palaver.analysis.ranking.verdict import PairVerdict, SystemVerdict, VoteVerdict
from palaver.cli.output import print_json, table_lines, with_interval
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate
from palaver.core.serial import plain
from palaver.core.words import UNDEFINED, counted, decimals, percent
from palaver.evaluation.verdicts import CastVotes, study_verdict

AT_ANY_TIME = (
    "These intervals hold whenever one looks and however often: the votes may be looked at after each "
    "of them, and collecting may stop because of what is seen."
)
UNKNOWN_RATERS = (
    "Every vote is taken for one of another rater; if one rater gave several, name the column of "
    "raters with --cluster."
)


def say_anytime(found: VoteVerdict, *, as_json: bool) -> None:
    """Print what votes say at this moment."""
    if as_json:
        print_json(plain(found))
    else:
        click.echo("\n".join(anytime_words(found)))


def anytime_verdict(
    cast: CastVotes,
    clusters: Sequence[str],
    *,
    systems: Sequence[str] = (),
    within: float | None = None,
    confidence: float,
) -> VoteVerdict:
    """What votes say, with the one cluster for the rater; InputError for several."""
    if len(clusters) > 1:
        raise InputError(
            f"With --anytime votes are clustered by rater alone; got {', '.join(clusters)}."
        )
    named = {"rater": cast.votes.factors(clusters)[0]} if clusters else {}
    found = study_verdict(
        replace(cast, votes=replace(cast.votes, clusters=named)),
        systems=systems,
        final=False,
        within=within,
        confidence=confidence,
    )
    return found if clusters else replace(found, warnings=(*found.warnings, UNKNOWN_RATERS))


def anytime_words(found: VoteVerdict) -> Iterator[str]:
    """The answer, the tables, how it was made and what to beware of."""
    yield f"{found.answer}."
    yield ""
    head = ["system", with_interval("strength", found.confidence), "rank", "votes"]
    head.append(with_interval("win rate", found.confidence))
    yield from table_lines([head, *map(_system_row, found.systems)])
    yield ""
    head = ["pair", with_interval("win rate", found.confidence), "difference", "e-value", "so far"]
    yield from table_lines([head, *map(_pair_row, found.pairs)])
    yield ""
    who = f"{counted(found.votes, 'vote')} of {counted(found.raters, 'rater')}"
    waits = f"; {found.waiting:,} wait until their raters are done" if found.waiting else ""
    yield f"{who}{waits}. Strength: {SCALES['log']}."
    yield f"{found.method[:1].upper()}{found.method[1:]}."
    yield AT_ANY_TIME
    yield "Ranks and differences hold for all pairs at once; each win rate has its own confidence."
    yield from (f"Warning: {warning}" for warning in found.warnings)


def _system_row(each: SystemVerdict) -> list[str]:
    ranks = each.rank_interval
    return [
        each.system,
        _strength(each.strength),
        "–" if ranks is None else " to ".join(map(str, dict.fromkeys(ranks))),
        f"{each.votes:,}",
        each.rate.written(percent) if each.rate.is_defined else UNDEFINED,
    ]


def _pair_row(pair: PairVerdict) -> list[str]:
    return [
        f"{pair.higher}, {pair.lower}",
        pair.rate.written(percent) if pair.rate.is_defined else UNDEFINED,
        _strength(pair.difference),
        UNDEFINED if pair.e_value is None else f"{pair.e_value:.3g}",
        "decided" if pair.decided else "equal" if pair.equal else "open",
    ]


def _strength(value: Estimate) -> str:
    return value.written(partial(decimals, digits=3)) if value.is_defined else UNDEFINED
