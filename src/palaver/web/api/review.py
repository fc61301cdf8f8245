"""Questions and raters as the API tells them: from what was measured to its models."""

from statistics import median

from sqlalchemy import Connection

from palaver.storage.studies import list_studies
from palaver.studies.deployment import RunningStudy
from palaver.studies.rater_review import RaterOverview, rater_overviews
from palaver.studies.review import (
    FacetOverview,
    QuestionOverview,
    asked_questions,
    question_overviews,
    read_answers,
)
from palaver.web.api import models
from palaver.web.desk.answers import code_words, facet_words
from palaver.web.desk.frame import questions_of


def read_questions(
    connection: Connection,
    study_id: int,
    served: RunningStudy | None,
    raters: models.RaterKindFilter,
) -> models.QuestionList:
    """The questions of a study, measured."""
    stored = next(study for study in list_studies(connection) if study.id == study_id)
    answers = read_answers(connection, study_id, raters=raters)
    questions = questions_of(served, stored)
    asked = asked_questions(served.definition) if served is not None else questions
    found = question_overviews(questions, answers, asked=asked)
    return models.QuestionList(
        raters=raters,
        excluded=answers.excluded,
        questions=[_question(overview) for overview in found],
    )


def read_raters(
    connection: Connection,
    study_id: int,
    served: RunningStudy | None,
    raters: models.RaterKindFilter = "all",
) -> models.RaterList:
    """The raters of a study."""
    stored = next(study for study in list_studies(connection) if study.id == study_id)
    found = rater_overviews(connection, study_id, questions_of(served, stored), raters=raters)
    return models.RaterList(raters=[_rater(overview) for overview in found])


def read_rater(
    connection: Connection, study_id: int, served: RunningStudy | None, key: str
) -> models.RaterState:
    """One rater of a study."""
    found = read_raters(connection, study_id, served).raters
    return next(rater for rater in found if rater.rater == key)


def _question(overview: QuestionOverview) -> models.QuestionState:
    question = overview.question
    return models.QuestionState(
        name=overview.name,
        text=question.text if question is not None else "",
        level=question.level if question is not None else None,
        labels=overview.labels,
        raters=overview.raters,
        units=overview.units,
        shared=overview.shared,
        older=overview.older,
        reason=overview.reason,
        facets=[_facet(overview, found) for found in overview.facets],
    )


def _facet(overview: QuestionOverview, found: FacetOverview) -> models.FacetState:
    measured, question = found.agreement, overview.question
    interval = measured.interval
    return models.FacetState(
        name=facet_words(question, found.facet),
        level=measured.level,
        alpha=measured.alpha,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        reason=measured.reason,
        percent=measured.percent,
        units=measured.units,
        raters=measured.raters,
        pairs=measured.pairs,
        counts=[
            models.AnswerCount(answer=code_words(question, found.facet, code), count=count)
            for code, count in sorted(found.counts.items(), key=lambda each: str(each[0]))
        ],
    )


def _rater(overview: RaterOverview) -> models.RaterState:
    effort, note = overview.effort, overview.note
    return models.RaterState(
        rater=overview.rater.key,
        kind=overview.rater.kind,
        labels=effort.labels,
        abstained=effort.abstained,
        sheets=effort.sheets,
        seconds_per_label=median(effort.label_seconds) if effort.label_seconds else None,
        seconds_per_sheet=median(effort.sheet_seconds) if effort.sheet_seconds else None,
        alike=overview.alike,
        compared=overview.compared,
        gold=effort.gold,
        mistakes=effort.mistakes,
        checks=effort.checks,
        missed=effort.missed,
        passed=effort.passed,
        excluded=overview.excluded,
        excluded_by=None if note is None else note.account,
        excluded_at=None if note is None else note.time,
        exclusion_reason=None if note is None else note.reason,
    )
