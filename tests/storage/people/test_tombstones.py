"""Tombstones: what is remembered of the erased, how it comes back, and how it is forgotten."""

from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.core.studies.raters import BARRED, FAILED, LIFTED, PASSED, TRIED, WARNED
from palaver.storage import Store
from palaver.storage.judging.screenings import settle_attempt, start_attempt
from palaver.storage.people import rater_work, tombstones
from palaver.storage.people.erasure import erase_assignment, forget_person
from palaver.storage.people.participants import Assignment, enter
from palaver.storage.studies.studies import register_study

NAME = "care"


@pytest.fixture
def study_id(store: Store) -> int:
    return store.write_now(
        lambda c: register_study(c, name="s", title="S", digest="", definition="", now=0.0)
    )


def came(store: Store, study_id: int, person: str = "ann", *, task: str = "1") -> Assignment:
    return store.write_now(
        lambda c: enter(
            c,
            study_id=study_id,
            crowd="panel",
            person=person,
            assignment=task,
            first_step="consent",
            now=1.0,
        )
    )


def note(store: Store, visit: Assignment, *states: str) -> None:
    def work(connection: Connection) -> None:
        for now, state in enumerate(states, start=2):
            rater_work.record(
                connection,
                participant_id=visit.participant_id,
                name=NAME,
                state=state,
                study_id=visit.study_id,
                now=float(now),
            )

    store.write_now(work)


def erase(store: Store, visit: Assignment, **options: Any) -> None:
    store.write_now(lambda c: erase_assignment(c, visit.id, now=9.0, **options))


def remembered(store: Store, person: str = "ann") -> list[tuple[str, str, int]]:
    found = store.write_now(lambda c: tombstones.tombstones_of(c, "panel", person))
    return [(stone.name, stone.state, stone.count) for stone in found]


@pytest.mark.parametrize(
    ("states", "kept"),
    [
        ((), []),
        ((PASSED,), []),
        ((WARNED,), []),
        ((BARRED,), [(NAME, BARRED, 1)]),
        ((PASSED, BARRED), [(NAME, BARRED, 1)]),
        ((FAILED,), [(NAME, FAILED, 1)]),
        ((BARRED, LIFTED), []),
        ((PASSED, BARRED, LIFTED), []),
    ],
)
def test_what_speaks_against_somebody_is_remembered(
    store: Store, study_id: int, states: tuple[str, ...], kept: list[tuple[str, str, int]]
) -> None:
    visit = came(store, study_id)
    note(store, visit, *states)
    erase(store, visit)

    assert remembered(store) == kept
    assert remembered(store, "ben") == []


def test_a_bar_comes_back_with_the_person_until_it_is_lifted(store: Store, study_id: int) -> None:
    first = came(store, study_id)
    note(store, first, BARRED)
    erase(store, first)

    second = came(store, study_id)
    assert second.participant_id != first.participant_id
    assert store.read_now(lambda c: rater_work.is_barred(c, second.participant_id, NAME))
    note(store, second, LIFTED)
    erase(store, second)

    third = came(store, study_id)
    assert not store.read_now(lambda c: rater_work.is_barred(c, third.participant_id, NAME))
    assert remembered(store) == []


def test_attempts_that_were_used_are_not_given_back(store: Store, study_id: int) -> None:
    practised = {(study_id, 0): NAME}
    for used in (1, 2):
        visit = came(store, study_id)

        def fail(connection: Connection, visit: Assignment = visit) -> None:
            attempt = start_attempt(
                connection,
                study_id=study_id,
                stage=0,
                participant_id=visit.participant_id,
                assignment_id=visit.id,
                attempt=1,
                now=2.0,
            )
            settle_attempt(connection, attempt.id, passed=False, mistakes=((1,),), now=3.0)

        store.write_now(fail)
        erase(store, visit, practised=practised)
        assert remembered(store) == [(NAME, TRIED, used)]
    again = came(store, study_id)
    entries = store.read_now(lambda c: rater_work.entries_of(c, again.participant_id))
    assert tombstones.used_attempts(entries, [], NAME) == 2


def test_that_somebody_completed_is_remembered_for_the_study(store: Store, study_id: int) -> None:
    visit = came(store, study_id)
    erase(store, visit, completed=True)

    assert remembered(store) == [("", tombstones.COMPLETED, 1)]


def test_somebody_with_another_visit_keeps_their_record_and_is_remembered_all_the_same(
    store: Store, study_id: int
) -> None:
    first, second = came(store, study_id), came(store, study_id, task="2")
    note(store, first, BARRED)
    erase(store, first, completed=True)
    assert remembered(store) == [("", tombstones.COMPLETED, 1)]

    store.write_now(lambda c: forget_person(c, second.id, now=10.0))
    assert (NAME, BARRED, 1) in remembered(store)


def test_entirely_leaves_nothing(store: Store, study_id: int) -> None:
    visit = came(store, study_id)
    note(store, visit, BARRED)
    erase(store, visit, completed=True, entirely=True)

    assert remembered(store) == []


def test_the_hash_is_keyed_and_lasting(store: Store) -> None:
    made = [
        store.write_now(lambda c, w=who: tombstones.fingerprint(c, *w))  # type: ignore[misc]
        for who in (("panel", "ann"), ("panel", "ann"), ("link", "ann"), ("panel", "ben"))
    ]

    assert made[0] == made[1]
    assert len(set(made)) == 3
    assert all(len(each) == 64 and "ann" not in each for each in made)
