"""The waiting room: who waits, longest first."""

from typing import Any

import pytest

from palaver.storage import Store
from palaver.storage.people.participants import enter
from palaver.storage.people.queue import (
    PRESENT_SECONDS,
    Waiter,
    count_waiting,
    lock_waiter,
    start_waiting,
    stop_waiting,
)
from palaver.storage.studies.studies import register_study


class WaitingRoom:
    """A store with one study and people who wait in it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.study_id = store.write_now(
            lambda c: register_study(c, name="s", title="S", digest="", definition="", now=0.0)
        )

    def person(self, name: str) -> Any:
        return self.store.write_now(
            lambda c: enter(
                c,
                study_id=self.study_id,
                crowd="link",
                person=name,
                assignment="1",
                first_step="stage:0",
                now=0.0,
            )
        )

    def wait(self, person: Any, now: float) -> float:
        return self.store.write_now(
            lambda c: start_waiting(
                c, assignment_id=person.id, study_id=self.study_id, stage=0, now=now
            )
        )

    def next_for(self, person: Any, now: float) -> Waiter | None:
        return self.store.write_now(
            lambda c: lock_waiter(
                c, study_id=self.study_id, stage=0, other_than=person.participant_id, now=now
            )
        )


@pytest.fixture
def room(store: Store) -> WaitingRoom:
    return WaitingRoom(store)


def test_whoever_waits_longest_is_next(room: WaitingRoom) -> None:
    ann, ben, cem = (room.person(name) for name in ("ann", "ben", "cem"))
    room.wait(ben, 1.0)
    room.wait(ann, 2.0)

    assert room.next_for(cem, 3.0) == Waiter(ben.id, ben.participant_id, 1.0)
    assert room.next_for(ben, 3.0) == Waiter(ann.id, ann.participant_id, 2.0)


def test_waiting_again_keeps_the_first_time(room: WaitingRoom) -> None:
    ann = room.person("ann")
    assert room.wait(ann, 1.0) == 1.0
    assert room.wait(ann, 5.0) == 1.0
    assert room.store.write_now(lambda c: stop_waiting(c, ann.id)) == 1.0
    assert room.store.write_now(lambda c: stop_waiting(c, ann.id)) is None


def test_a_page_that_is_not_heard_of_is_not_there(room: WaitingRoom) -> None:
    ann, ben = room.person("ann"), room.person("ben")
    room.wait(ann, 1.0)
    gone = 1.0 + PRESENT_SECONDS + 0.1

    def waiting_at(now: float) -> int:
        return room.store.read_now(
            lambda c: count_waiting(c, study_id=room.study_id, stage=0, now=now)
        )

    assert (waiting_at(2.0), waiting_at(gone)) == (1, 0)
    assert room.next_for(ben, gone) is None
    room.wait(ann, gone)
    assert room.next_for(ben, gone) == Waiter(ann.id, ann.participant_id, 1.0)


def test_somebody_whom_another_process_seats_is_passed_over(room: WaitingRoom) -> None:
    if not room.store.is_postgres:
        pytest.skip("one process serves a SQLite file")
    ann, ben, cem = (room.person(name) for name in ("ann", "ben", "cem"))
    room.wait(ann, 1.0)
    room.wait(ben, 2.0)
    other = Store(room.store.url)
    try:

        def seat_in_the_middle_of_another(connection: Any) -> tuple[Any, Any]:
            first = lock_waiter(
                connection,
                study_id=room.study_id,
                stage=0,
                other_than=cem.participant_id,
                now=3.0,
            )
            second = other.write_now(
                lambda c: lock_waiter(
                    c,
                    study_id=room.study_id,
                    stage=0,
                    other_than=cem.participant_id,
                    now=3.0,
                )
            )
            return first, second

        first, second = room.store.write_now(seat_in_the_middle_of_another)
        assert (first.assignment_id, second.assignment_id) == (ann.id, ben.id)
    finally:
        other.close()
