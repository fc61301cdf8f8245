"""Which of how many: the number that a rater sees grows by one with every sheet, check or not."""

import pytest

from palaver.annotation.assignment import Handed, finish, hand_out
from palaver.annotation.plan import Check, RatePlan
from palaver.annotation.workload import Workload, workload
from palaver.storage import Store
from palaver.storage.judging.slot_returns import abandon_stale
from support.sheets import STAGE, Visitor, add_known, add_real, add_study, rate_plan, visitor


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def check(after: int, every: int | None = None) -> Check:
    return Check(after=after, every=every, allowed_mistakes=9, on_fail="warn")


def seen(who: Visitor, plan: RatePlan) -> Workload:
    found = who.store.read_now(lambda c: workload(c, plan, who.rater))
    assert found is not None
    return found


def next_sheet(who: Visitor, plan: RatePlan, *, now: float = 1.0) -> Handed | None:
    handed = who.store.write_now(lambda c: hand_out(c, plan, who.rater, now=now))
    return handed if isinstance(handed, Handed) else None


def whole_visit(who: Visitor, plan: RatePlan) -> tuple[str, list[tuple[int, int]]]:
    """The purposes of all sheets of a visit, and what stood above each."""
    purposes, counted = "", []
    while (handed := next_sheet(who, plan)) is not None:
        purposes += handed.sheet.purpose[0]
        found = seen(who, plan)
        counted.append((found.position, found.total))
        who.store.write_now(lambda c, h=handed: finish(c, plan, who.rater, h.slot_id, now=1.0))
    return purposes, counted


@pytest.mark.parametrize(
    ("gold", "known", "purposes"),
    [
        (None, 0, "rrrr"),
        (check(0), 1, "grrrr"),
        (check(1), 1, "rgrrr"),
        (check(2), 1, "rrgrr"),
        (check(3), 1, "rrrgr"),
        (check(4), 1, "rrrrg"),
        (check(5), 1, "rrrr"),
        (check(0, 1), 9, "grgrgrgrg"),
        (check(1, 2), 9, "rgrrgr"),
        (check(1, 1), 2, "rgrgrr"),
        (check(1), 0, "rrrr"),
    ],
)
def test_a_check_counts_like_any_other_sheet(
    store: Store, study_id: int, gold: Check | None, known: int, purposes: str
) -> None:
    add_real(store, study_id, 12)
    for n in range(known):
        add_known(store, study_id, "gold", str(n), turns=1)
    plan = rate_plan(study_id, per_visit=4, gold=gold)

    found, counted = whole_visit(visitor(store, study_id, "ann"), plan)

    assert found == purposes
    assert counted == [(n + 1, len(purposes)) for n in range(len(purposes))]


def test_a_second_visit_counts_anew_within_the_limits_of_the_person(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 12)
    add_known(store, study_id, "gold", "0", turns=1)
    plan = rate_plan(study_id, per_visit=3, per_rater=5, gold=check(4))

    first = whole_visit(visitor(store, study_id, "ann", visit="1"), plan)
    second = whole_visit(visitor(store, study_id, "ann", visit="2"), plan)

    assert first == ("rrr", [(1, 3), (2, 3), (3, 3)])
    assert second == ("rgr", [(1, 3), (2, 3), (3, 3)])


def test_what_is_left_is_told_where_there_is_less_than_the_limit(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 3, needed=2)
    add_known(store, study_id, "gold", "0", turns=1)
    plan = rate_plan(study_id, per_visit=10, gold=check(3))

    assert whole_visit(visitor(store, study_id, "ann"), plan) == (
        "rrrg",
        [(1, 4), (2, 4), (3, 4), (4, 4)],
    )


def test_the_total_falls_when_others_are_quicker_and_never_below_the_place(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 4)
    plan = rate_plan(study_id, per_visit=3)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")

    assert next_sheet(ann, plan)
    assert seen(ann, plan) == Workload(1, 3)
    assert whole_visit(ben, plan)[0] == "rrr"

    assert seen(ann, plan) == Workload(1, 1)


def test_sheets_of_one_group_are_counted_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 5, needed=2, group="one")
    plan = rate_plan(study_id, per_visit=4)

    assert whole_visit(visitor(store, study_id, "ann"), plan) == ("r", [(1, 1)])


def test_an_abandoned_sheet_that_comes_back_is_counted(store: Store, study_id: int) -> None:
    add_real(store, study_id, 2)
    plan = rate_plan(study_id, per_visit=2)
    ann = visitor(store, study_id, "ann")
    assert next_sheet(ann, plan)
    limits = {(study_id, STAGE): 10.0}
    store.write_now(lambda c: abandon_stale(c, now=100.0, limits=limits))

    assert whole_visit(ann, plan) == ("rr", [(1, 2), (2, 2)])


def test_without_a_limit_nothing_is_counted(store: Store, study_id: int) -> None:
    add_real(store, study_id, 2)
    ann, plan = visitor(store, study_id, "ann"), rate_plan(study_id)

    assert store.read_now(lambda c: workload(c, plan, ann.rater)) is None
