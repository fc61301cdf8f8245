"""Answers that are kept until they are sent: what is merged, what is refused, and when they go."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from palaver.annotation import kept_answers
from palaver.annotation.assignment import Handed, Nothing, hand_out
from palaver.annotation.kept_answers import MOST_CHARACTERS, Save, ScreenPlace, mark_sent
from palaver.annotation.plan import RatePlan
from palaver.annotation.sent_sheets import SentSheet
from palaver.core.errors import InputError
from palaver.storage import Store
from palaver.storage.judging.drafts import draft_of, forget_taken
from palaver.storage.judging.slot_returns import abandon_stale
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.participants import finish, move_on
from palaver.storage.schema import drafts
from support.sheets import STAGE, Visitor, add_real, add_study, rate_plan, visitor

SCREEN = "screen"
RED, BLUE = {"colour": {"": ["red"]}}, {"colour": {"": ["blue"]}}
TALL = {"height": {"": ["tall"]}}


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


@pytest.fixture
def ann(store: Store, study_id: int) -> Visitor:
    return visitor(store, study_id, "ann")


def place(who: Visitor, slot_id: int | None = None) -> ScreenPlace:
    return ScreenPlace(
        who.rater.assignment_id, who.rater.participant_id, f"stage:{STAGE}", SCREEN, slot_id
    )


def keep(who: Visitor, fields: Any, *, slot_id: int | None = None, **given: Any) -> bool:
    """Save some fields, from page "p" as its first save unless told otherwise."""
    save = replace(Save(page="p", number=1, sent=0, fields=fields), **given)
    at = place(who, slot_id)
    return who.store.write_now(lambda c: kept_answers.keep(c, at, save, now=5.0))


def kept(who: Visitor) -> Any:
    return who.store.read_now(lambda c: draft_of(c, who.rater.assignment_id, SCREEN)).fields


def rows(store: Store) -> int:
    return len(store.read_now(lambda c: c.execute(select(drafts.c.screen)).all()))


def take(who: Visitor, plan: RatePlan, *, now: float = 1.0) -> Handed | Nothing:
    return who.store.write_now(lambda c: hand_out(c, plan, who.rater, now=now))


def test_saves_add_up_question_by_question(ann: Visitor) -> None:
    assert keep(ann, RED)
    assert keep(ann, TALL, page="another tab")
    assert keep(ann, BLUE, number=2)

    assert kept(ann) == {**BLUE, **TALL}


def test_an_older_save_that_comes_late_changes_nothing(ann: Visitor) -> None:
    assert keep(ann, BLUE, number=2)
    assert keep(ann, RED, number=1)

    assert kept(ann) == BLUE


def test_an_answer_that_was_taken_back_is_kept_as_taken_back(ann: Visitor) -> None:
    keep(ann, RED)
    keep(ann, {"colour": {}}, number=2)

    assert kept(ann) == {"colour": {}}


def test_what_was_sent_does_not_come_back(ann: Visitor) -> None:
    keep(ann, RED)
    ann.store.write_now(lambda c: mark_sent(c, place(ann), now=6.0))

    assert kept(ann) == {}
    assert not keep(ann, BLUE, number=2)
    assert kept(ann) == {}
    # The page that was shown afterwards knows of the sending.
    assert keep(ann, BLUE, page="next", sent=1)
    assert kept(ann) == BLUE


def test_a_sheet_that_was_sent_leaves_nothing_and_takes_nothing(
    store: Store, study_id: int, ann: Visitor
) -> None:
    add_real(store, study_id, 2)
    plan = rate_plan(study_id)
    handed = take(ann, plan)
    assert isinstance(handed, Handed)
    assert keep(ann, RED, slot_id=handed.slot_id)
    sent = SentSheet(plan, ann.rater, handed.slot_id, (), 6.0)
    store.write_now(lambda c: sent.together(c, [sent]))

    assert rows(store) == 0
    assert not keep(ann, BLUE, slot_id=handed.slot_id, number=2)
    assert rows(store) == 0


def test_a_save_is_a_sign_of_work(store: Store, study_id: int, ann: Visitor) -> None:
    add_real(store, study_id, 1)
    handed = take(ann, rate_plan(study_id))
    assert isinstance(handed, Handed)
    keep(ann, RED, slot_id=handed.slot_id)  # at 5.0; it was handed out at 1.0

    limits = {(study_id, STAGE): 10.0}
    assert store.write_now(lambda c: abandon_stale(c, now=12.0, limits=limits)) == 0
    assert store.write_now(lambda c: abandon_stale(c, now=16.0, limits=limits)) == 1


def test_a_sheet_that_was_given_back_keeps_its_answers_until_somebody_else_has_it(
    store: Store, study_id: int, ann: Visitor
) -> None:
    add_real(store, study_id, 1)
    plan = rate_plan(study_id)
    handed = take(ann, plan)
    assert isinstance(handed, Handed)
    keep(ann, RED, slot_id=handed.slot_id)
    store.write_now(lambda c: abandon_stale(c, now=100.0, limits={(study_id, STAGE): 10.0}))

    assert store.write_now(forget_taken) == 0
    assert not keep(ann, BLUE, slot_id=handed.slot_id, number=2)
    assert kept(ann) == RED

    assert isinstance(take(visitor(store, study_id, "ben"), plan, now=101.0), Handed)
    assert store.write_now(forget_taken) == 1
    assert rows(store) == 0


def test_a_rater_who_comes_back_in_time_finds_the_answers(
    store: Store, study_id: int, ann: Visitor
) -> None:
    add_real(store, study_id, 1)
    plan = rate_plan(study_id)
    handed = take(ann, plan)
    assert isinstance(handed, Handed)
    keep(ann, RED, slot_id=handed.slot_id)
    store.write_now(lambda c: abandon_stale(c, now=100.0, limits={(study_id, STAGE): 10.0}))

    again = take(ann, plan, now=101.0)
    store.write_now(forget_taken)

    assert isinstance(again, Handed)
    assert again.slot_id == handed.slot_id
    assert kept(ann) == RED


def test_whoever_withdraws_leaves_nothing_and_a_late_save_is_refused(
    store: Store, ann: Visitor
) -> None:
    keep(ann, RED)
    assignment_id = ann.rater.assignment_id
    store.write_now(
        lambda c: finish(
            c, assignment_id, state="withdrawn", reason="withdrawn", code=None, now=6.0
        )
    )
    store.write_now(lambda c: erase_assignment(c, assignment_id, now=6.0))

    assert rows(store) == 0
    assert not keep(ann, BLUE, number=2)
    assert rows(store) == 0


def test_a_visit_that_has_moved_on_takes_no_save(store: Store, ann: Visitor) -> None:
    step = f"stage:{STAGE}"
    store.write_now(lambda c: move_on(c, ann.rater.assignment_id, step="stage:2", from_step=step))

    assert not keep(ann, RED)


def test_somebody_elses_sheet_takes_no_save(store: Store, study_id: int, ann: Visitor) -> None:
    add_real(store, study_id, 2)
    theirs = take(visitor(store, study_id, "ben"), rate_plan(study_id))
    assert isinstance(theirs, Handed)

    assert not keep(ann, RED, slot_id=theirs.slot_id)
    assert rows(store) == 0


def test_too_much_is_refused_in_words_and_what_was_kept_stays(ann: Visitor) -> None:
    keep(ann, RED)
    long = {"why": {"": ["x" * MOST_CHARACTERS]}}

    with pytest.raises(InputError, match="at most 200,000 can be kept"):
        keep(ann, long, number=2)
    assert kept(ann) == RED


def test_a_draft_is_no_label(store: Store, ann: Visitor) -> None:
    keep(ann, RED, opened=("guide",))

    found = store.read_now(lambda c: draft_of(c, ann.rater.assignment_id, SCREEN))
    assert found.opened == ("guide",)
    assert store.read_now(lambda c: c.exec_driver_sql("SELECT count(*) FROM labels").scalar()) == 0
