"""Sheets that a rater skips: others get them, the rater never again, and no label is made of it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from palaver.annotation.assignment import (
    NO_MORE_SKIPS,
    Handed,
    Nothing,
    finish,
    hand_out,
    skip,
    skips_left,
)
from palaver.annotation.plan import RatePlan
from palaver.annotation.workload import workload
from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.storage import Store
from palaver.storage.judging import slot_counts
from palaver.storage.schema import labels, slots
from support.sheets import STAGE, Visitor, add_real, add_study, rate_plan, visitor


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def get(who: Visitor, plan: RatePlan) -> Handed | Nothing:
    return who.store.write_now(lambda c: hand_out(c, plan, who.rater, now=1.0))


def held(who: Visitor, plan: RatePlan) -> Handed:
    handed = get(who, plan)
    assert isinstance(handed, Handed)
    return handed


def pass_on(who: Visitor, plan: RatePlan, slot_id: int) -> None:
    who.store.write_now(lambda c: skip(c, plan, who.rater, slot_id, now=2.0))


def judge(who: Visitor, plan: RatePlan) -> str:
    handed = held(who, plan)
    who.store.write_now(lambda c: finish(c, plan, who.rater, handed.slot_id, now=3.0))
    return handed.sheet.name


def test_what_is_skipped_goes_to_others_and_never_comes_back(store: Store, study_id: int) -> None:
    add_real(store, study_id, 2)
    plan = rate_plan(study_id, skips=5)
    ann, bo = visitor(store, study_id, "ann"), visitor(store, study_id, "bo")
    first = held(ann, plan)
    pass_on(ann, plan, first.slot_id)
    other = judge(ann, plan)
    assert other != first.sheet.name
    # Nothing is left for ann: not even after what was skipped became free.
    assert get(ann, plan) == Nothing("none_left")
    assert judge(bo, plan) == first.sheet.name
    found = store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE))
    assert (found.needed, found.done, found.sheets_done) == (2, 2, 2)
    assert store.read_now(lambda c: c.execute(select(labels.c.id)).all()) == []


def test_a_skip_counts_as_handed_out_but_not_alone(store: Store, study_id: int) -> None:
    add_real(store, study_id, 4)
    plan = rate_plan(study_id, skips=3, per_visit=2)
    ann = visitor(store, study_id, "ann")
    for _ in range(2):
        pass_on(ann, plan, held(ann, plan).slot_id)
    # Two were handed out, but nothing was judged.
    third = held(ann, plan)
    found = store.read_now(lambda c: workload(c, plan, ann.rater))
    assert found is not None
    assert found.position <= found.total
    assert store.read_now(lambda c: skips_left(c, plan, ann.rater)) == 1
    assert judge(ann, plan) == third.sheet.name
    assert get(ann, plan) == Nothing("visit_full")


def test_no_more_than_a_visit_may(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3)
    ann = visitor(store, study_id, "ann")
    plan = rate_plan(study_id, skips=1)
    pass_on(ann, plan, held(ann, plan).slot_id)
    with pytest.raises(InputError, match=NO_MORE_SKIPS):
        pass_on(ann, plan, held(ann, plan).slot_id)
    with pytest.raises(InputError, match=NO_MORE_SKIPS):
        pass_on(ann, rate_plan(study_id), held(ann, plan).slot_id)


def test_nobody_skips_what_is_not_in_their_hands(store: Store, study_id: int) -> None:
    add_real(store, study_id, 2)
    plan = rate_plan(study_id, skips=5)
    ann, bo = visitor(store, study_id, "ann"), visitor(store, study_id, "bo")
    mine = held(ann, plan).slot_id
    held(bo, plan)
    with pytest.raises(AccessError):
        pass_on(bo, plan, mine)
    pass_on(ann, plan, mine)
    with pytest.raises(InputError, match="given back"):
        pass_on(ann, plan, mine)


def test_two_presses_at_once_skip_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3)
    plan = rate_plan(study_id, skips=5)
    ann = visitor(store, study_id, "ann")
    slot_id = held(ann, plan).slot_id

    def press(_: int) -> bool:
        try:
            pass_on(ann, plan, slot_id)
        except (InputError, ConflictError):
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(press, range(2))) == 1
    states = store.read_now(
        lambda c: (
            c.execute(select(slots.c.state).where(slots.c.skipped.is_not(None))).scalars().all()
        )
    )
    assert states == ["abandoned"]
    assert store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE)).needed == 3
