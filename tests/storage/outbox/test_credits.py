"""Credits: of which studies, and for how long what the panel sent is kept."""

import pytest
from sqlalchemy import select

from palaver.core.studies.credits import Credit
from palaver.storage import Store
from palaver.storage.outbox.box import mark_sent, postpone, refuse, take
from palaver.storage.outbox.credits import (
    CREDITS,
    credits_in,
    enqueue_credit,
    list_credits,
    revive_credits,
)
from palaver.storage.people.erasure import forget_person
from palaver.storage.people.participants import Assignment, enter
from palaver.storage.schema import credits
from palaver.storage.studies.studies import register_study

NOW = 1_700_000_000.0


class Course:
    """A study whose people earn credits."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.id = store.write_now(
            lambda c: register_study(c, name=name, title=name, digest="", definition="", now=NOW)
        )

    def earn(self, person: str) -> Assignment:
        """Somebody whose visit earned a credit."""
        visit = self.store.write_now(
            lambda c: enter(
                c,
                study_id=self.id,
                crowd="sona",
                person=person,
                assignment="1",
                first_step="consent",
                now=NOW,
            )
        )
        self.store.write_now(
            lambda c: enqueue_credit(
                c,
                study_id=self.id,
                assignment_id=visit.id,
                sent_values=(person, "7", ""),
                now=NOW,
            )
        )
        return visit

    def take(self, *, now: float = NOW) -> Credit:
        box = credits_in([self.id])
        found = self.store.write_now(lambda c: take(c, box, "me", now=now))
        assert found is not None
        return found

    def kept(self) -> list[str]:
        """What is kept of what the panel sent, oldest first."""
        rows = select(credits.c.sent_values).where(credits.c.study_id == self.id)
        return self.store.read_now(lambda c: list(c.execute(rows.order_by(credits.c.id)).scalars()))


@pytest.fixture
def course(store: Store) -> Course:
    return Course(store, "course")


def test_credits_are_taken_for_the_studies_that_are_served(store: Store, course: Course) -> None:
    other = Course(store, "other")
    course.earn("ann")
    other.earn("ben")
    taken = other.take()
    assert (taken.study_id, taken.sent_values) == (other.id, ("ben", "7", ""))
    nothing = store.write_now(lambda c: take(c, credits_in([other.id]), "me", now=NOW))
    assert nothing is None
    assert store.write_now(lambda c: take(c, credits_in([]), "me", now=NOW)) is None
    assert store.read_now(lambda c: list_credits(c, course.id)).waiting == 1


def test_what_the_panel_sent_is_forgotten_once_the_credit_is_given(
    store: Store, course: Course
) -> None:
    course.earn("ann")
    credit = course.take()
    store.write_now(lambda c: mark_sent(c, CREDITS, credit, now=NOW, reason="had it"))
    listed = store.read_now(lambda c: list_credits(c, course.id))
    assert (listed.waiting, listed.sent, listed.failed) == (0, 1, 0)
    assert (listed.credits[0].reason, course.kept()) == ("had it", [""])


def test_a_credit_that_failed_can_be_tried_again_with_what_was_kept(
    store: Store, course: Course
) -> None:
    course.earn("ann")
    credit = course.take()
    store.write_now(lambda c: refuse(c, CREDITS, credit, "No such study."))
    assert course.kept() == ['["ann","7",""]']
    assert store.write_now(lambda c: revive_credits(c, course.id, now=NOW)) == 1
    assert course.take().sent_values == ("ann", "7", "")


def test_of_somebody_erased_nothing_is_kept_once_the_credit_has_failed(
    store: Store, course: Course
) -> None:
    before, during = course.earn("ann"), course.earn("ben")
    first, second = course.take(), course.take()
    store.write_now(lambda c: refuse(c, CREDITS, first, "No."))
    store.write_now(lambda c: forget_person(c, before.id, now=NOW))
    # One that waits is still sent: only once it fails is nothing kept.
    store.write_now(lambda c: forget_person(c, during.id, now=NOW))
    store.write_now(lambda c: postpone(c, CREDITS, second, "Busy.", due=NOW + 10))
    assert course.kept() == ["", '["ben","7",""]']
    again = course.take(now=NOW + 10)
    store.write_now(lambda c: refuse(c, CREDITS, again, "No."))
    assert course.kept() == ["", ""]
    assert store.write_now(lambda c: revive_credits(c, course.id, now=NOW)) == 0
