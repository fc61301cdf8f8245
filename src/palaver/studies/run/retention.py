"""Retention: what a study promised to delete some days after a visit, and deleting it.

The study file names the days (`retention`); a server deletes what is due when it starts and once a
day, `palaver retention` shows it and deletes it by hand. Times count from the end of a visit, or from
its beginning where it never ended.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.people import retention as storage
from palaver.storage.people.tombstones import count_tombstones, drop_tombstones
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Retention
from palaver.studies.run.dues import counts_as_taking_part
from palaver.studies.run.plans import practised_qualifications

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class StudyRetention:
    """How much of a study is due to be deleted, or was: visits with ids, with words, and hashes.

    None where the study keeps that for good.
    """

    study: str
    ids: int | None
    words: int | None
    standing: int | None
    applied: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to delete."""
        return not (self.ids or self.words or self.standing)


def due(
    connection: Connection, study_id: int, study: Study, terms: Retention, *, now: float
) -> StudyRetention:
    """What is due by these terms."""
    ids = words = standing = None
    if terms.ids is not None:
        before = now - terms.ids * DAY
        ids = len(storage.visits_with_ids(connection, study_id, before=before))
    if terms.words is not None:
        before = now - terms.words * DAY
        found = storage.visits_with_words(
            connection, study_id, before=before, questions=text_questions(study)
        )
        words = len(found)
    if terms.standing is not None:
        standing = count_tombstones(connection, study_id, before=now - terms.standing * DAY)
    return StudyRetention(study.name, ids, words, standing, applied=False)


def apply(
    store: Store,
    study_id: int,
    study: Study,
    terms: Retention,
    *,
    now: float,
    actor: Actor = SERVER,
) -> StudyRetention:
    """Delete what is due by these terms, in batches; this blocks."""
    ids = words = standing = None
    if terms.words is not None:
        words = _in_batches(store, lambda c: _words_batch(c, study_id, study, terms, now=now))
    if terms.ids is not None:
        ids = _in_batches(store, lambda c: _ids_batch(c, study_id, study, terms, now=now))
    if terms.standing is not None:
        before = now - terms.standing * DAY
        standing = store.write_now(lambda c: drop_tombstones(c, study_id, before=before))
    if ids or words:
        store.scrub_now()
    done = StudyRetention(study.name, ids, words, standing, applied=True)
    if not done.is_empty:
        told = {"ids": ids, "words": words, "standing": standing}
        store.write_now(
            lambda c: record(
                c,
                "retention.apply",
                by=actor,
                now=now,
                subject=study.name,
                study_id=study_id,
                detail=told,
            )
        )
    return done


def text_questions(study: Study) -> set[str]:
    """The questions that are answered in words."""
    return {name for name, question in study.questions.items() if question.level == "text"}


def _in_batches(store: Store, work: Callable[[Connection], int]) -> int:
    total = 0
    while done := store.write_now(work):
        total += done
    return total


def _words_batch(
    connection: Connection, study_id: int, study: Study, terms: Retention, *, now: float
) -> int:
    before = now - (terms.words or 0) * DAY
    questions = text_questions(study)
    found = storage.visits_with_words(
        connection, study_id, before=before, questions=questions, limit=storage.BATCH
    )
    for visit in found:
        storage.delete_words(
            connection, study_id, visit, before=before, questions=questions, now=now
        )
    return len(found)


def _ids_batch(
    connection: Connection, study_id: int, study: Study, terms: Retention, *, now: float
) -> int:
    before = now - (terms.ids or 0) * DAY
    found = storage.visits_with_ids(connection, study_id, before=before, limit=storage.BATCH)
    practised = practised_qualifications(study_id, study)
    for visit, code in found:
        completed = counts_as_taking_part(study, code)
        storage.delete_ids(connection, visit, completed=completed, practised=practised, now=now)
    return len(found)
