"""The rows that a crowd service is handed: one comparison each, with its two sides in a drawn order.

The service shows every worker of a row the same order. With one row per rater each has an order of
their own, half of them with people's advice first; each row is then to be judged once. `legacy` gives
one row for all raters of a comparison, as TuringAdvice did.
"""

import csv
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TextIO

from palaver.core.situations import CONTROL, Situation
from palaver.formats.advice.crowd_text import text_cell, title_cell
from palaver.formats.spreadsheets import escaped_row

Side = Literal["a", "b"]
SIDES: tuple[Side, Side] = ("a", "b")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvicePair:
    """People's best advice on a situation, and a model's; `raters` shall compare them."""

    situation: Situation
    people: str
    model: str
    advice: str
    raters: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdRow:
    """One row, in the order of its columns; `human_label` is the side of people's advice."""

    permalink: str
    title: str
    selftext: str
    human_label: Side
    machine: str
    qtype: str
    advicea: str
    adviceb: str


COLUMNS = tuple(each.name for each in fields(CrowdRow))


def pairs_of(
    situations: Iterable[Situation],
    answers: Mapping[str, Mapping[str, str]],
    *,
    raters: int = 3,
    control: bool = True,
) -> Iterator[AdvicePair]:
    """Every model beside people's best advice, situation by situation.

    With `control` people's second advice takes part like a model's. A situation without advice of
    people, or without an answer of a model, has no pair.
    """
    for situation in situations:
        best, *others = situation.ranked or (None,)
        if best is None:
            continue
        said = {
            model: given[situation.id] for model, given in answers.items() if situation.id in given
        }
        if control and others:
            said[CONTROL] = others[0].body
        for model, advice in said.items():
            yield AdvicePair(
                situation=situation, people=best.body, model=model, advice=advice, raters=raters
            )


def crowd_rows(
    pairs: Sequence[AdvicePair], *, seed: int = 1, legacy: bool = False
) -> Iterator[CrowdRow]:
    """A row for each rater of each pair; the pairs follow each other, then once more for the next rater.

    The sides of a pair are drawn so that people's advice stands first as often as second; where the
    raters of a pair are odd in number, that holds over all pairs.
    """
    dice = random.Random(seed)
    if legacy:
        yield from (_row(pair, dice.choice(SIDES)) for pair in pairs)
        return
    odd = [SIDES[n % 2] for n in range(len(pairs))]
    dice.shuffle(odd)
    sides = [_sides(pair, extra, dice) for pair, extra in zip(pairs, odd, strict=True)]
    for turn in range(max((pair.raters for pair in pairs), default=0)):
        for pair, drawn in zip(pairs, sides, strict=True):
            if turn < pair.raters:
                yield _row(pair, drawn[turn])


def write_rows(rows: Iterable[CrowdRow], stream: TextIO) -> int:
    """Write the rows with their head as CSV that no spreadsheet takes for formulas; how many."""
    out = csv.writer(stream, lineterminator="\n")
    out.writerow(COLUMNS)
    count = 0
    for row in rows:
        out.writerow(escaped_row(getattr(row, name) for name in COLUMNS))
        count += 1
    return count


def link_of(situation: Situation) -> str:
    """What names a situation in these files: its link, or its id where it has none."""
    return situation.permalink or situation.id


def _sides(pair: AdvicePair, extra: Side, dice: random.Random) -> list[Side]:
    drawn = [*SIDES * (pair.raters // 2), *([extra] if pair.raters % 2 else [])]
    dice.shuffle(drawn)
    return drawn


def _row(pair: AdvicePair, human: Side) -> CrowdRow:
    people, model = text_cell(pair.people), text_cell(pair.advice)
    return CrowdRow(
        permalink=link_of(pair.situation),
        title=title_cell(pair.situation.title),
        selftext=text_cell(pair.situation.text),
        human_label=human,
        machine=pair.model,
        qtype=pair.situation.topic,
        advicea=people if human == "a" else model,
        adviceb=model if human == "a" else people,
    )
