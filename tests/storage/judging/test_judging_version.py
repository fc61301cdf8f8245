"""The mark of what has been judged changes with whatever changes a number, and with nothing else."""

import pytest
from sqlalchemy import update

from palaver.storage import Store
from palaver.storage.judging.exclusions import exclude
from palaver.storage.judging.ratings import judging_version
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.rater_work import find_rater
from palaver.storage.schema import slots
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW


@pytest.fixture
def judging(store: Store) -> Judging:
    study_id = store.write_now(
        lambda c: register_study(
            c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
        )
    )
    return Judging(store, study_id)


def mark(judging: Judging) -> str:
    return judging.store.read_now(lambda c: judging_version(c, judging.study_id))


def test_answers_and_exclusions_change_it(judging: Judging) -> None:
    empty = mark(judging)
    key = judging.dialogue()
    assert mark(judging) == empty
    judging.say("quality", key, "ann", 3)
    answered = mark(judging)
    assert answered != empty
    assert mark(judging) == answered
    judging.say("quality", key, "ann", 4)
    changed = mark(judging)
    assert changed != answered
    rater = judging.store.read_now(lambda c: find_rater(c, "ann"))
    assert rater is not None
    judging.store.write_now(
        lambda c: exclude(
            c, study_id=judging.study_id, rater_id=rater.id, excluded=True, account="o", now=NOW
        )
    )
    assert mark(judging) != changed


def test_erasing_what_somebody_said_changes_it(judging: Judging) -> None:
    held = judging.sheet("person", judging.dialogue())
    held.say("quality", judging.dialogue(), 3)
    before = mark(judging)
    judging.store.write_now(lambda c: erase_assignment(c, held.assignment_id, now=NOW))
    assert mark(judging) != before


def test_a_sheet_that_was_given_up_changes_it(judging: Judging) -> None:
    key = judging.dialogue()
    held = judging.sheet("person", key, took=None)
    held.say("quality", key, 3)
    before = mark(judging)
    judging.store.write_now(
        lambda c: c.execute(
            update(slots).where(slots.c.id == held.slot_id).values(state="abandoned")
        )
    )
    assert mark(judging) != before
