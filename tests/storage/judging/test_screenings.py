"""Screenings in the store: attempts and the places of those who are screened."""

import pytest
from sqlalchemy.exc import IntegrityError

from palaver.core.errors import ConflictError
from palaver.storage import Store
from palaver.storage.judging import screenings
from palaver.storage.judging.screenings import Attempt, place_name
from palaver.storage.studies import quotas
from support.sheets import STAGE, add_study, visitor


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def start(store: Store, study_id: int, name: str, visit: str, attempt: int) -> Attempt:
    rater = visitor(store, study_id, name, visit).rater
    return store.write_now(
        lambda c: screenings.start_attempt(
            c,
            study_id=study_id,
            stage=STAGE,
            participant_id=rater.participant_id,
            assignment_id=rater.assignment_id,
            attempt=attempt,
            now=5.0,
        )
    )


def test_attempts_of_a_person_come_back_from_every_visit(store: Store, study_id: int) -> None:
    first = start(store, study_id, "ann", "1", 1)
    second = start(store, study_id, "ann", "2", 2)
    start(store, study_id, "ben", "1", 1)
    store.write_now(
        lambda c: screenings.move_attempt(
            c, first.id, round=1, mending=True, mistakes=((2, 4), (6,))
        )
    )
    store.write_now(
        lambda c: screenings.settle_attempt(c, second.id, passed=True, mistakes=((),), now=9.0)
    )

    ann = visitor(store, study_id, "ann").rater.participant_id
    one, other = store.read_now(
        lambda c: screenings.attempts_of(c, study_id=study_id, stage=STAGE, participant_id=ann)
    )

    assert (one.round, one.mending, one.mistakes, one.passed) == (1, True, ((2, 4), (6,)), None)
    assert (other.passed, other.mending, other.finished) == (True, False, 9.0)
    assert (other.started, other.mistakes) == (5.0, ((),))


def test_an_attempt_of_a_visit_exists_once(store: Store, study_id: int) -> None:
    start(store, study_id, "ann", "1", 1)
    with pytest.raises((ConflictError, IntegrityError)):
        start(store, study_id, "ann", "1", 1)


def test_a_person_is_counted_under_any_visit_of_theirs(store: Store, study_id: int) -> None:
    first, second = (visitor(store, study_id, "ann", visit).rater for visit in "12")
    group = place_name(first.assignment_key, STAGE)

    def counted() -> str | None:
        return store.read_now(
            lambda c: screenings.place_of(
                c, study_id=study_id, stage=STAGE, participant_id=second.participant_id
            )
        )

    assert counted() is None
    store.write_now(
        lambda c: quotas.claim(
            c, study_id, STAGE, screenings.CONDITION, group=group, limited=False, now=1.0
        )
    )
    assert counted() == group
