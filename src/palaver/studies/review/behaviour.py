"""How the raters of a study worked: who is too fast, straight-lines or pastes, with the evidence.

It reads what is known of each answer and hands it to the pure rules of `analysis`. Raters are
compared with raters of their own kind; only people read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from palaver.analysis.behaviour import (
    LEAST_SHEETS,
    Flag,
    Pasted,
    ReadSheet,
    hurried,
    pasted,
    unread,
)
from palaver.analysis.straight_lines import Chosen, straight_lines
from palaver.core.questions.comparative import SIDES, side_of
from palaver.core.questions.question import Question
from palaver.storage.judging.behaviour import (
    FinishedSheet,
    WorkedAnswer,
    count_words,
    last_sheets,
    quick_people,
    worked_answers,
)
from palaver.storage.judging.exclusions import excluded_raters
from palaver.storage.people.rater_work import raters_of
from palaver.studies.review.answers import value_words

# Who has sheets longer than this has time to read them. Of the others the last sheets are looked at;
# what was on so many before them is known.
READING_LIMIT, MOST_SHEETS, REMEMBERED = 90.0, 30, 200
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
    found: dict[int, list[Flag]] = defaultdict(list)
    for kind in dict.fromkeys(rater.kind for rater in raters_of(connection, study_id).values()):
        work = _Work(questions)
        lines = straight_lines(
            work.chosen(worked_answers(connection, study_id, kind)), excluded=excluded
        )
        fast = hurried(work.times, excluded=excluded)
        if kind == "person":
            fast |= unread(_read_sheets(connection, study_id))
        for flags in (fast, lines, pasted(work.texts, excluded=excluded)):
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


class _Work:
    """What the answers of one kind of rater say of how they worked; read once, as they come."""

    def __init__(self, questions: Mapping[str, Question]) -> None:
        self.questions = questions
        self.times: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.texts: list[Pasted] = []
        # The same few answers come again and again: each is read once.
        self._known: dict[tuple[str, str, str, str | None], _Said] = {}

    def chosen(self, answers: Iterable[WorkedAnswer]) -> Iterator[Chosen]:
        """What was chosen, in words; times and texts are noted beside."""
        # Which side of a pair was chosen depends on the screen; other orders say nothing.
        pairs = {name for name, each in self.questions.items() if each.level == "pairwise"}
        for rater, question, version, unit, value, label, order, seconds, copied in answers:
            if seconds is not None:
                self.times[question][rater].append(seconds)
            key = (question, version, value, order if question in pairs else None)
            said = self._known.get(key)
            if said is None:
                said = _said(self.questions.get(question), *key[1:], label)
                if said.characters is None:  # texts are all different
                    self._known[key] = said
            if said.characters is None:
                yield Chosen(rater, question, unit, said.words, said.place, said.points)
            elif copied is not None:
                self.texts.append(Pasted(rater, said.characters, copied))


def _said(
    question: Question | None, version: str, text: str, shown: str | None, label: str | None
) -> _Said:
    value = _decode(text)
    if question is not None and question.level == "text" and isinstance(value, str):
        return _Said("", characters=len(value))
    if question is None or question.version != version:
        return _Said(label or value_words(None, value))
    if shown is not None and isinstance(value, str) and side_of(value) in SIDES:
        return _Said(SHOWN[_decode(shown).index(side_of(value))])
    points = tuple(getattr(question, "points", ()))
    if question.level == "ordinal" and value in points:
        place = f"{points.index(value) + 1} of {len(points)}"
        return _Said(question.in_words(value), place, len(points))
    return _Said(question.in_words(value))


def _read_sheets(connection: Connection, study_id: int) -> list[ReadSheet]:
    """The last sheets of those who may have been too quick to read, with their new words."""
    people = quick_people(connection, study_id, within=READING_LIMIT)
    new = [
        (rater_id, seconds, keys)
        for rater_id, count in people.items()
        if count >= LEAST_SHEETS
        for seconds, keys in _unseen(last_sheets(connection, study_id, rater_id, REMEMBERED))
    ]
    words = count_words(connection, {key for _, _, keys in new for key in keys})
    return [
        ReadSheet(rater_id, seconds, sum(words.get(key, 0) for key in keys))
        for rater_id, seconds, keys in new
    ]


def _unseen(mine: Sequence[FinishedSheet]) -> list[tuple[float, list[str]]]:
    """The last sheets of a rater with what is new on them: who read a dialogue knows it."""
    seen: set[str] = set()
    found = []
    for sheet in mine:
        keys = [key for key in sheet.dialogues if key not in seen]
        seen.update(keys)
        if keys:
            found.append((sheet.seconds, keys))
    return found[-MOST_SHEETS:]
