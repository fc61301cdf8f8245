"""How many answers of studies stand and count, and by how many raters."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    and_,
    func,
    select,
    text,
    union,
)

from palaver.storage.engine.statements import different, few
from palaver.storage.judging.exclusions import excluded_pairs, not_excluded
from palaver.storage.judging.ratings import newer, stands
from palaver.storage.schema import APART, exclusions, labels, raters, slots, studies, written


@dataclass(frozen=True, slots=True)
class StudyAnswerCounts:
    """How many answers a study has, by question, and how many raters gave them."""

    by_question: Mapping[str, int] = field(default_factory=dict)
    raters: int = 0

    @property
    def labels(self) -> int:
        return sum(self.by_question.values())


def count_answers(
    connection: Connection, study_ids: Collection[int]
) -> dict[int, StudyAnswerCounts]:
    """The answers of some studies that were given for real, stand and count.

    All labels are counted in an index alone; those that are not answers, and the few that do not
    count, are taken off.
    """
    gone = labels.c.id.in_(_void(connection, study_ids))
    void = _by_question(connection, select(*_KEY).where(gone, _is_answer()))
    apart = _by_question(connection, select(*_KEY).where(text(f"({APART})")))
    by_study: dict[int, dict[str, int]] = {}
    for study_id in study_ids:
        for question in different(connection, labels.c.question, labels.c.study_id == study_id):
            key = (study_id, question)
            left = count_labels(connection, *key) - apart.get(key, 0) - void.get(key, 0)
            if left:
                by_study.setdefault(study_id, {})[question] = left
    by_raters = _raters(connection, study_ids)
    return {
        study_id: StudyAnswerCounts(questions, by_raters.get(study_id, 0))
        for study_id, questions in by_study.items()
    }


def _is_answer() -> ColumnElement[bool]:
    """That a label is an answer given for real: one without a value is abstained or erased."""
    return and_(
        labels.c.purpose == "real", labels.c.abstained.is_(False), labels.c.erased.is_(None)
    )


def count_labels(connection: Connection, study_id: int, question: str) -> int:
    """How many labels a question has, whatever became of them."""
    return connection.execute(
        select(func.count())
        .select_from(labels)
        .where(labels.c.study_id == study_id, labels.c.question == question)
    ).scalar_one()


_KEY = (labels.c.study_id, labels.c.question)


def _by_question(connection: Connection, some: Select[Any]) -> dict[tuple[int, str], int]:
    """How many of some labels, which are few, each question of each study has."""
    found = few(some)
    rows = connection.execute(select(*found.c, func.count()).group_by(*found.c))
    return {(row[0], row[1]): row[2] for row in rows}


def _void(connection: Connection, study_ids: Collection[int]) -> Select[Any] | CompoundSelect[Any]:
    """The labels that were replaced, belong to an abandoned slot, or are by an excluded rater."""
    # Of all studies: with a study in these, a database would begin with all of its labels and slots.
    replaced = select(newer.c.supersedes).where(newer.c.supersedes.is_not(None))
    abandoned = select(slots.c.id).where(slots.c.state == written("abandoned"))
    excluded = connection.execute(
        excluded_pairs().where(exclusions.c.study_id.in_(study_ids))
    ).all()
    return union(
        replaced,
        select(labels.c.id).where(labels.c.slot_id.in_(abandoned)),
        *(
            select(labels.c.id).where(labels.c.study_id == study, labels.c.rater_id == rater)
            for study, rater in excluded
        ),
    )


def _raters(connection: Connection, study_ids: Collection[int]) -> dict[int, int]:
    """How many raters gave answers that count, by study: one look into an index for each of them."""
    counts = (
        select(labels.c.id)
        .outerjoin(newer, newer.c.supersedes == labels.c.id)
        .outerjoin(slots, slots.c.id == labels.c.slot_id)
        .where(
            labels.c.rater_id == raters.c.id,
            labels.c.study_id == studies.c.id,
            _is_answer(),
            stands(),
            not_excluded(labels),
        )
        .correlate(raters, studies)
    )
    rows = connection.execute(
        select(studies.c.id, func.count())
        .select_from(studies)
        .join(raters, counts.exists())
        .where(studies.c.id.in_(study_ids))
        .group_by(studies.c.id)
    )
    return {row[0]: row[1] for row in rows}
