"""How the raters of a study worked: who is too fast, straight-lines or pastes, with the evidence.

It reads what is known of each answer and hands it to the pure rules of `analysis`. Raters are
compared with raters of their own kind; only people read.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from palaver.analysis.behaviour import (
    LEAST_SHEETS,
    Flag,
    Pasted,
    ReadSheet,
    Timed,
    hurried,
    pasted,
    unread,
)
from palaver.analysis.straight_lines import Chosen, straight_lines
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Question
from palaver.storage.judging.behaviour import (
    FinishedSheet,
    WorkedAnswer,
    count_words,
    finished_sheets,
    worked_answers,
)
from palaver.storage.judging.exclusions import excluded_raters
from palaver.storage.people.rater_work import raters_of
from palaver.studies.review.answers import value_words

# Who has a sheet longer than this has time to read it; of the others the last sheets are looked at.
READING_LIMIT, MOST_SHEETS = 90.0, 30
SHOWN = ("the one shown first", "the one shown second")

_decode = msgspec.json.Decoder().decode


class _Said(NamedTuple):
    """An answer in words, its place on a scale of so many points, and its length if it is a text."""

    words: str
    place: str | None = None
    points: int = 0
    characters: int | None = None


def behaviour_flags(
    connection: Connection, study_id: int, questions: Mapping[str, Question]
) -> dict[int, tuple[Flag, ...]]:
    """What stands out in how the raters of a study worked, by the rater's id; most have nothing."""
    excluded = excluded_raters(connection, study_id)
    by_kind: dict[str, list[WorkedAnswer]] = defaultdict(list)
    for each in worked_answers(connection, study_id):
        by_kind[each.kind].append(each)
    found: dict[int, list[Flag]] = defaultdict(list)
    early = unread(_read_sheets(connection, study_id))
    for kind, answers in by_kind.items():
        times = [Timed(a.rater_id, a.question, a.seconds) for a in answers if a.seconds is not None]
        chosen, texts = _chosen(answers, questions)
        for flags in (
            hurried(times, excluded=excluded) | (early if kind == "person" else {}),
            straight_lines(chosen, excluded=excluded),
            pasted(texts, excluded=excluded),
        ):
            for rater_id, flag in flags.items():
                found[rater_id].append(flag)
    return {rater_id: tuple(flags) for rater_id, flags in found.items()}


def flagged_raters(
    connection: Connection, study_id: int, questions: Mapping[str, Question]
) -> dict[str, tuple[Flag, ...]]:
    """Those who count in a study although something stands out in how they worked, and what."""
    excluded = excluded_raters(connection, study_id)
    flags = behaviour_flags(connection, study_id, questions)
    known = raters_of(connection, study_id) if flags else {}
    return {
        rater.key: flags[rater.id]
        for rater in known.values()
        if rater.id in flags and rater.id not in excluded
    }


def _chosen(
    answers: Sequence[WorkedAnswer], questions: Mapping[str, Question]
) -> tuple[list[Chosen], list[Pasted]]:
    """What was chosen, in words, and how much of the texts was pasted where that is known."""
    chosen, texts = [], []
    # The same few answers come again and again: each is read once.
    known: dict[tuple[str, str, str, str | None], _Said] = {}
    for each in answers:
        question = questions.get(each.question)
        shown = each.shown_order if question is not None and question.level == "pairwise" else None
        key = (each.question, each.version, each.value, shown)
        said = known.get(key)
        if said is None:
            said = known[key] = _said(question, each, shown)
        if said.characters is None:
            chosen.append(
                Chosen(
                    each.rater_id, each.question, each.unit_id, said.words, said.place, said.points
                )
            )
        elif each.pasted is not None:
            texts.append(Pasted(each.rater_id, said.characters, each.pasted))
    return chosen, texts


def _said(question: Question | None, answer: WorkedAnswer, shown: str | None) -> _Said:
    value = _decode(answer.value)
    if question is None or question.version != answer.version:
        return _Said(answer.label or value_words(None, value))
    if question.level == "text":
        return _Said("", characters=len(value))
    if shown is not None and value in SIDES:
        return _Said(SHOWN[_decode(shown).index(value)])
    points = tuple(getattr(question, "points", ()))
    if question.level == "ordinal" and value in points:
        place = f"{points.index(value) + 1} of {len(points)}"
        return _Said(question.in_words(value), place, len(points))
    return _Said(question.in_words(value))


def _read_sheets(connection: Connection, study_id: int) -> list[ReadSheet]:
    """The last sheets of those who may have been too quick to read, with their new words."""
    by_rater: dict[int, list[FinishedSheet]] = defaultdict(list)
    for sheet in finished_sheets(connection, study_id):
        by_rater[sheet.rater_id].append(sheet)
    new = [
        (sheet, keys)
        for mine in by_rater.values()
        if len(mine) >= LEAST_SHEETS and median(sheet.seconds for sheet in mine) < READING_LIMIT
        for sheet, keys in list(_unseen(mine))[-MOST_SHEETS:]
    ]
    words = count_words(connection, {key for _, keys in new for key in keys})
    return [
        ReadSheet(sheet.rater_id, sheet.seconds, sum(words.get(key, 0) for key in keys))
        for sheet, keys in new
    ]


def _unseen(mine: Sequence[FinishedSheet]) -> Iterator[tuple[FinishedSheet, Collection[str]]]:
    """The sheets of one rater with what is new on them: who read a dialogue knows it."""
    seen: set[str] = set()
    for sheet in mine:
        keys = [key for key in sheet.dialogues if key not in seen]
        seen.update(keys)
        if keys:
            yield sheet, keys
