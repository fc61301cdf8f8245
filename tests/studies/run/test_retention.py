"""Retention: what is due after how many days, what is deleted then, and what stays."""

from typing import Any

import pytest
from sqlalchemy import text

from palaver.core.labels import Label
from palaver.core.questions.text import FreeText
from palaver.core.units import dialogue_unit
from palaver.storage import Store
from palaver.storage.audit.verification import verify
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_unit
from palaver.storage.people.participants import Assignment, report_problem
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.studies import register_study
from palaver.studies.file.terms import Retention
from palaver.studies.run.retention import DAY, apply, due
from support.made_studies import made_study
from support.seeding import NOW, Seeder

QUESTIONS = {"why": FreeText(name="why", text="Why?")}
STUDY = made_study(
    questions=QUESTIONS, stages=[{"rate": {"ask": ["thumbs", "why"], "data": "d.jsonl"}}]
)


@pytest.fixture
def seeder(store: Store) -> Seeder:
    study_id = store.write_now(
        lambda c: register_study(c, name=STUDY.name, title="S", digest="", definition="", now=0.0)
    )
    return Seeder(store, study_id)


def taken_part(seeder: Seeder, person: str, *, days: float, state: str | None = "finished") -> Any:
    """Somebody whose visit ended so many days ago, with words in a chat, an answer and a report."""
    visit = seeder.visit(person, came=days * DAY, state=state)
    _, key = seeder.dialogue(visit, f"words of {person}", "I see.")

    def work(connection: Any) -> None:
        unit = dialogue_unit(key)
        unit_id = ensure_unit(connection, seeder.study_id, unit)
        rater = ensure_rater(
            connection,
            key=visit.alias,
            kind="person",
            now=NOW,
            participant_id=visit.participant_id,
        )
        for question, value in (("why", f"reason of {person}"), ("thumbs", "up")):
            label = Label(
                unit=unit.key,
                question=question,
                question_version="1",
                rater=visit.alias,
                rater_kind="person",
                value=value,
                time=NOW,
            )
            append_labels(
                connection,
                [
                    NewLabel(
                        label,
                        study_id=seeder.study_id,
                        unit_id=unit_id,
                        rater_id=rater,
                        assignment_id=visit.id,
                    )
                ],
            )
        report_problem(
            connection,
            study_id=seeder.study_id,
            assignment_id=visit.id,
            text=f"trouble of {person}",
            now=NOW,
        )

    seeder.store.write_now(work)
    return visit


def words(store: Store) -> str:
    """Everything in words."""
    return "\n".join(
        str(row)
        for sql in (
            "SELECT data FROM events ORDER BY dialogue_id, seq",
            "SELECT value FROM labels ORDER BY id",
            "SELECT text FROM problems ORDER BY id",
        )
        for row in store.read_now(lambda c, sql=sql: list(c.execute(text(sql))))  # type: ignore[misc]
    )


def ids(store: Store) -> set[str | None]:
    found = store.read_now(lambda c: list(c.execute(text("SELECT external_id FROM participants"))))
    return {row.external_id for row in found}


def counts(retention: Any) -> tuple[int | None, int | None, int | None]:
    return retention.ids, retention.words, retention.standing


def test_what_is_due_is_shown_and_then_deleted(seeder: Seeder) -> None:
    store, study_id = seeder.store, seeder.study_id
    taken_part(seeder, "ann", days=40)
    taken_part(seeder, "ben", days=20)
    taken_part(seeder, "cat", days=3)
    terms = Retention(ids=10, words=30)

    shown = store.read_now(lambda c: due(c, study_id, STUDY, terms, now=NOW))
    assert counts(shown) == (2, 1, None)
    assert ids(store) == {"ann", "ben", "cat"}

    done = apply(store, study_id, STUDY, terms, now=NOW)
    assert counts(done) == (2, 1, None)
    assert ids(store) == {None, "cat"}
    left = words(store)
    assert "ann" not in left
    for kept in ("words of ben", "reason of ben", "trouble of ben", "words of cat", "up"):
        assert kept in left
    # A second time there is nothing left to do.
    again = apply(store, study_id, STUDY, terms, now=NOW)
    assert (counts(again), again.is_empty) == ((0, 0, None), True)
    records = store.read_now(
        lambda c: list(c.execute(text("SELECT events, labels, erasures.by AS who FROM erasures")))
    )
    assert sorted(tuple(row) for row in records) == [
        (0, 0, "retention"),
        (0, 0, "retention"),
        (2, 1, "retention"),
    ]
    # What was deleted leaves its digests behind: nothing looks as if it had been tampered with.
    assert store.read_now(lambda c: verify(c, None)).breaks == ()


def test_numbers_and_ratings_stay(seeder: Seeder) -> None:
    store = seeder.store
    taken_part(seeder, "ann", days=40)
    apply(store, seeder.study_id, STUDY, Retention(words=30), now=NOW)

    values = store.read_now(
        lambda c: list(c.execute(text("SELECT question, value, erased FROM labels ORDER BY id")))
    )
    assert [(row.question, row.value, row.erased is None) for row in values] == [
        ("why", None, False),
        ("thumbs", '"up"', True),
    ]
    events = store.read_now(
        lambda c: list(c.execute(text("SELECT action, data FROM events ORDER BY seq")))
    )
    assert [row.action for row in events] == ["join", "message", "message", "end", "erase"]
    assert [row.data for row in events[1:3]] == [None, None]
    assert ids(store) == {"ann"}


def test_an_unfinished_visit_counts_from_its_beginning_and_ends(seeder: Seeder) -> None:
    store = seeder.store
    visit: Assignment = taken_part(seeder, "ann", days=40, state=None)
    apply(store, seeder.study_id, STUDY, Retention(ids=30), now=NOW)

    [row] = store.read_now(lambda c: list(c.execute(text("SELECT key, state FROM assignments"))))
    assert row.state == "abandoned"
    assert row.key != visit.key  # a cookie opens nothing any more
    assert ids(store) == {None}


def test_what_is_remembered_has_its_own_time(seeder: Seeder) -> None:
    store, study_id = seeder.store, seeder.study_id
    visit = seeder.visit("ann", came=40 * DAY)
    store.write_now(
        lambda c: c.execute(
            text("UPDATE assignments SET code = 'C0DE' WHERE id = :id"), {"id": visit.id}
        )
    )
    apply(store, study_id, STUDY, Retention(ids=30), now=NOW)
    count = text("SELECT count(*) FROM tombstones")
    assert store.read_now(lambda c: c.execute(count).scalar()) == 1

    kept = apply(store, study_id, STUDY, Retention(standing=5), now=NOW + 4 * DAY)
    gone = apply(store, study_id, STUDY, Retention(standing=5), now=NOW + 6 * DAY)
    assert (kept.standing, gone.standing) == (0, 1)
    assert store.read_now(lambda c: c.execute(count).scalar()) == 0


def test_without_terms_nothing_is_deleted(seeder: Seeder) -> None:
    taken_part(seeder, "ann", days=4000)
    before = words(seeder.store)

    done = apply(seeder.store, seeder.study_id, STUDY, Retention(), now=NOW)

    assert counts(done) == (None, None, None)
    assert words(seeder.store) == before
