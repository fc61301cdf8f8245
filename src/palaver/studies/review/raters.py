"""What each rater of a study did, and how often they say what the others say.

Excluded raters are nobody's others, but their own agreement with the others is still shown: that is
often why they were excluded.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from sqlalchemy import Connection

from palaver.analysis.behaviour import Flag
from palaver.core.audit import Actor
from palaver.core.errors import InputError, MissingError
from palaver.core.labels import RaterKind
from palaver.core.questions.question import Question
from palaver.core.serial import internal
from palaver.core.studies.raters import ExclusionNote, RaterWork, StoredRater
from palaver.storage.audit.entries import record
from palaver.storage.judging.exclusions import exclude, exclusion_notes
from palaver.storage.judging.ratings import Rating, standing_ratings
from palaver.storage.people.rater_work import find_rater, rater_work, raters_of
from palaver.studies.review.answers import coded_answers, facets_of
from palaver.studies.review.behaviour import behaviour_flags
from palaver.studies.review.progress import StudyProgress

# Everybody's answers, or those of one kind of rater.
KINDS = ("all", "person", "model", "simulated", "anonymous")
MOST_REASON = 500
# Below this share of answers like the others', with at least so many compared, a rater is low.
LOW_SHARE, LEAST_COMPARED = 0.5, 10


@dataclass(slots=True, kw_only=True)
class RaterOverview(RaterWork):
    """A rater of a study: what they did, and how often they say what most others say.

    Times are medians in seconds. `alike` of `compared` answers equal that of the most other raters of
    the same unit; a unit where the others are divided, with no answer ahead, cannot be compared.
    `mistakes` are wrong turns on `gold` sheets, `missed` of `checks` attention checks; `passed` is the
    result of the last practice. `flags` say what stands out in how they worked. The last exclusion,
    or its end, has who, when, why.
    """

    derived: ClassVar[tuple[str, ...]] = (
        *("seconds_per_label", "seconds_per_sheet"),
        *("excluded", "excluded_by", "excluded_at", "exclusion_reason"),
    )
    rater: str
    rater_name: str
    kind: RaterKind
    alike: int
    compared: int
    flags: tuple[Flag, ...] = ()
    note: ExclusionNote | None = internal(None)

    @property
    def share(self) -> float | None:
        """The share of answers that equal the others'; None without any to compare."""
        return self.alike / self.compared if self.compared else None

    @property
    def is_low(self) -> bool:
        """Whether so few answers are like the others' that they are worth reading."""
        share = self.share
        return share is not None and share < LOW_SHARE and self.compared >= LEAST_COMPARED

    @property
    def stands_out(self) -> bool:
        """Whether their answers are worth reading: a flag, few like the others', a check failed."""
        return bool(self.flags) or self.is_low or self.missed > 0 or self.passed is False

    @property
    def excluded(self) -> bool:
        """Whether the study does not count this rater's labels."""
        return self.note is not None and self.note.excluded

    @property
    def excluded_by(self) -> str | None:
        """Who decided last whether they count."""
        return None if self.note is None else self.note.account

    @property
    def excluded_at(self) -> float | None:
        """When that was decided."""
        return None if self.note is None else self.note.time

    @property
    def exclusion_reason(self) -> str | None:
        """Why it was decided so."""
        return None if self.note is None else self.note.reason


@dataclass(frozen=True, slots=True)
class RaterList:
    """The raters of a study, in the order they first came."""

    raters: list[RaterOverview]
    # The newest state under each name of a rater's record, by the rater's id.
    records: Mapping[int, Mapping[str, str]] = internal(factory=dict)


def rater_overviews(
    connection: Connection,
    study_id: int,
    questions: Mapping[str, Question],
    *,
    raters: str = "all",
) -> list[RaterOverview]:
    """Everybody who gave labels in a study (of one kind, or all), in the order they first came."""
    notes = {note.rater_id: note for note in exclusion_notes(connection, study_id=study_id)}
    excluded = {rater_id for rater_id, note in notes.items() if note.excluded}
    known = raters_of(connection, study_id)
    ratings = standing_ratings(connection, study_id, kind=kind_of(raters), with_excluded=True)
    compared = majority_agreement(questions, ratings, excluded)
    done = {work.rater_id: work for work in rater_work(connection, study_id=study_id)}
    flags = behaviour_flags(connection, study_id, questions)

    def overview(rater: StoredRater) -> RaterOverview:
        work = done.get(rater.id) or RaterWork(study_id=study_id, rater_id=rater.id)
        alike, out_of = compared.get(rater.id, (0, 0))
        return RaterOverview(
            **{field.name: getattr(work, field.name) for field in fields(RaterWork)},
            rater=rater.key,
            rater_name=rater.name,
            kind=rater.kind,
            alike=alike,
            compared=out_of,
            flags=flags.get(rater.id, ()),
            note=notes.get(rater.id),
        )

    return [overview(each) for each in known.values() if kind_of(raters) in (None, each.kind)]


def find_rater_in(connection: Connection, study: StudyProgress, key: str) -> StoredRater:
    """The rater of this key who gave labels in a study; MissingError if there is none."""
    rater = find_rater(connection, key)
    if rater is None or rater.id not in raters_of(connection, study.id):
        raise MissingError(f"Nobody called '{key}' has judged in the study '{study.name}'.")
    return rater


def exclude_rater(
    connection: Connection,
    study: StudyProgress,
    key: str,
    *,
    excluded: bool,
    reason: str = "",
    actor: Actor,
    now: float,
) -> ExclusionNote:
    """Leave a rater's labels out of every number of a study, or take them back in.

    Nothing is deleted; `actor` decided it.
    """
    why = reason.strip()
    if len(why) > MOST_REASON:
        raise InputError(f"A reason has at most {MOST_REASON} characters; got {len(why):,}.")
    rater = find_rater_in(connection, study, key)
    record(
        connection,
        "exclusion.change",
        by=actor,
        now=now,
        subject=key,
        study_id=study.id,
        detail={"excluded": excluded, "reason": why},
    )
    return exclude(
        connection,
        study_id=study.id,
        rater_id=rater.id,
        excluded=excluded,
        account=actor.name,
        reason=why,
        now=now,
    )


def majority_agreement(
    questions: Mapping[str, Question], ratings: Iterable[Rating], excluded: Collection[int] = ()
) -> dict[int, tuple[int, int]]:
    """Per rater: how many answers equal the most frequent one of the others, and out of how many.

    Answers are equal when all they say is equal. Where the others are divided, with no answer ahead
    of the rest, there is nothing to compare with. `excluded` raters are compared but are nobody's
    others. Answers in words are left out.
    """
    by_question: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_question.setdefault(rating.question, []).append(rating)
    found: dict[int, tuple[int, int]] = {}
    for name, given in by_question.items():
        for answers in _whole_answers(questions.get(name), given).values():
            for rater, alike in _compared(answers, excluded):
                before = found.get(rater, (0, 0))
                found[rater] = (before[0] + alike, before[1] + 1)
    return found


def kind_of(raters: str) -> str | None:
    """The kind of rater that a filter names; None for all."""
    return None if raters == "all" else raters


def _whole_answers(
    question: Question | None, ratings: Sequence[Rating]
) -> dict[int, dict[int, tuple[Any, ...]]]:
    """By unit: each rater's answer, as the codes of all its facets."""
    facets = () if question is None else facets_of(question, ratings)
    answers: dict[int, dict[int, tuple[Any, ...]]] = {}
    for unit, rater, codes in coded_answers(question, facets, ratings):
        answers.setdefault(unit, {})[rater] = codes
    return answers


def _compared(
    answers: Mapping[int, tuple[Any, ...]], excluded: Collection[int]
) -> Iterator[tuple[int, bool]]:
    """Each rater of one unit and whether they say what most others say, where most say one thing."""
    counted = Counter(code for rater, code in answers.items() if rater not in excluded)
    for rater, code in answers.items():
        others = dict(counted)
        if rater not in excluded:
            others[code] -= 1
        most = max(others.values(), default=0)
        leading = [answer for answer, count in others.items() if count == most]
        if most and len(leading) == 1:
            yield rater, code == leading[0]
