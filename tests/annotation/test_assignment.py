"""Handing out sheets: to whom, how many, in which order, and to many people at once."""

import asyncio
import contextlib
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from palaver.annotation.assignment import (
    Finished,
    Handed,
    Nothing,
    Rater,
    finish,
    hand_out,
    held,
    in_turn,
    touch,
)
from palaver.annotation.plan import RatePlan
from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.storage import Store
from palaver.storage.judging import slot_counts, slot_returns
from palaver.storage.judging.sheets import add_sheets
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.schema import sheets as sheet_rows
from palaver.storage.schema import slots as slot_rows
from support.sheets import STAGE, Visitor, add_real, add_study, new_sheet, rate_plan, visitor


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def get(who: Visitor, plan: RatePlan, *, now: float = 1.0) -> Handed | Nothing:
    return who.store.write_now(lambda c: hand_out(c, plan, who.rater, now=now))


def get_sheet(who: Visitor, plan: RatePlan, *, now: float = 1.0) -> Handed:
    handed = get(who, plan, now=now)
    assert isinstance(handed, Handed)
    return handed


def done(who: Visitor, plan: RatePlan, handed: Handed, *, now: float = 2.0) -> Finished:
    return who.store.write_now(lambda c: finish(c, plan, who.rater, handed.slot_id, now=now))


def do_one(who: Visitor, plan: RatePlan, *, now: float = 1.0) -> str:
    handed = get_sheet(who, plan, now=now)
    done(who, plan, handed, now=now)
    return handed.sheet.name


def test_a_rater_keeps_a_sheet_until_it_is_done(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3, order="file")
    ann, plan = visitor(store, study_id, "ann"), rate_plan(study_id)
    assert store.read_now(lambda c: held(c, plan, ann.rater)) is None

    first = get_sheet(ann, plan)
    again = get_sheet(ann, plan)
    assert again == first == store.read_now(lambda c: held(c, plan, ann.rater))
    assert done(ann, plan, first) == Finished(None, "fine")
    second = get_sheet(ann, plan)

    assert [first.sheet.name, second.sheet.name] == ["t0", "t1"]


def test_a_sheet_is_finished_once_and_by_its_rater(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1)
    plan = rate_plan(study_id)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")
    handed = get_sheet(ann, plan)

    with pytest.raises(AccessError, match="somebody else"):
        done(ben, plan, handed)
    done(ann, plan, handed)
    with pytest.raises(InputError, match="This was already sent"):
        done(ann, plan, handed)
    with pytest.raises(AccessError):
        store.write_now(lambda c: finish(c, plan, ann.rater, 10_000, now=1.0))


@pytest.mark.parametrize("order", ["balanced", "file", "random"])
def test_each_order_hands_out_everything(store: Store, study_id: int, order: str) -> None:
    add_real(store, study_id, 6, needed=2, order=order)
    plan = rate_plan(study_id)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")

    by_ann = [do_one(ann, plan) for _ in range(6)]
    by_ben = [do_one(ben, plan) for _ in range(6)]

    assert sorted(by_ann) == sorted(by_ben) == [f"t{n}" for n in range(6)]
    assert (by_ann == by_ben == sorted(by_ann)) == (order == "file")
    assert get(ann, plan) == Nothing("none_left")


def test_balanced_gives_every_sheet_one_rater_before_any_gets_two(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 6, needed=3)
    plan = rate_plan(study_id)
    raters = [visitor(store, study_id, f"r{n}") for n in range(6)]

    first = [do_one(who, plan) for who in raters]
    second = [do_one(who, plan) for who in raters]

    assert len(set(first)) == 6
    assert max(Counter(first + second).values()) <= 3


def test_limits_per_visit_and_per_person(store: Store, study_id: int) -> None:
    add_real(store, study_id, 10)
    plan = rate_plan(study_id, per_visit=2, per_rater=3)
    first, second = (visitor(store, study_id, "ann", visit) for visit in "12")

    for _ in range(2):
        do_one(first, plan)
    assert get(first, plan) == Nothing("visit_full")
    do_one(second, plan)
    assert get(second, plan) == Nothing("rater_full")
    assert get(first, plan) == Nothing("rater_full")
    do_one(visitor(store, study_id, "ben"), plan)


def test_how_many_a_person_may_hold_at_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 10)
    visits = [visitor(store, study_id, "ann", visit) for visit in "123"]
    one, two = rate_plan(study_id), rate_plan(study_id, at_once=2)

    handed = get_sheet(visits[0], one)
    assert get(visits[1], one) == Nothing("at_once")
    get_sheet(visits[1], two)
    assert get(visits[2], two) == Nothing("at_once")
    done(visits[0], two, handed)
    get_sheet(visits[2], two)


def test_nothing_left_or_taken_by_others(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1, people=("eve",))
    plan = rate_plan(study_id)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")
    eve = visitor(store, study_id, "eve")

    handed = get_sheet(ann, plan)
    assert get(ben, plan) == Nothing("taken")
    assert get(eve, plan) == Nothing("none_left")
    done(ann, plan, handed)
    assert get(ben, plan) == Nothing("none_left")


def sweep(store: Store, plan: RatePlan, *, now: float) -> int:
    limits = {(plan.study_id, plan.stage): plan.time_limit}
    return store.write_now(lambda c: slot_returns.abandon_stale(c, now=now, limits=limits))


def test_an_abandoned_sheet_comes_back_to_its_rater_while_nobody_took_it(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 2, order="file")
    plan = rate_plan(study_id, time_limit=60.0)
    ann, later = (visitor(store, study_id, "ann", visit) for visit in "12")
    handed = get_sheet(ann, plan, now=100.0)
    store.write_now(lambda c: touch(c, ann.rater, handed.slot_id, now=150.0))
    assert sweep(store, plan, now=200.0) == 0
    assert sweep(store, plan, now=211.0) == 1

    with pytest.raises(InputError, match="given back"):
        done(ann, plan, handed)
    with pytest.raises(InputError, match="given back"):
        store.write_now(lambda c: touch(c, ann.rater, handed.slot_id, now=212.0))
    again = get_sheet(later, plan, now=300.0)

    assert (again.slot_id, again.sheet) == (handed.slot_id, handed.sheet)
    assert states(store) == Counter(held=1, free=1)
    done(later, plan, again, now=301.0)
    assert store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE)).needed == 2


def test_an_abandoned_sheet_that_somebody_took_is_gone_for_its_rater(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 1)
    plan = rate_plan(study_id, time_limit=60.0)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")
    get_sheet(ann, plan, now=0.0)
    sweep(store, plan, now=100.0)

    handed = get_sheet(ben, plan, now=100.0)
    assert get(ann, plan, now=101.0) == Nothing("none_left")
    done(ben, plan, handed, now=102.0)

    assert states(store) == Counter(abandoned=1, done=1)


def test_what_a_withdrawn_visit_judged_is_judged_by_somebody_else(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 2, order="file")
    plan = rate_plan(study_id)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")
    do_one(ann, plan)
    get_sheet(ann, plan)

    store.write_now(lambda c: erase_assignment(c, ann.rater.assignment_id, now=9.0))

    assert states(store) == Counter(abandoned=2, free=2)
    assert [do_one(ben, plan), do_one(ben, plan)] == ["t0", "t1"]


def states(store: Store) -> Counter[str]:
    return Counter(store.read_now(lambda c: c.execute(select(slot_rows.c.state)).scalars().all()))


def test_a_restart_in_the_middle_changes_nothing(database_url: str) -> None:
    store = Store(database_url)
    study_id = add_study(store)
    add_real(store, study_id, 4, order="file")
    plan, ann = rate_plan(study_id), visitor(store, study_id, "ann")
    do_one(ann, plan)
    before = get_sheet(ann, plan)
    store.close()

    again = Store(database_url)
    try:
        ann.store = again
        assert get_sheet(ann, plan) == before
        assert done(ann, plan, before) == Finished(None, "fine")
        assert get_sheet(ann, plan).sheet.name == "t2"
    finally:
        again.close()


def finish_now(plan: RatePlan, rater: Rater, slot_id: int, connection: Any) -> Finished:
    return finish(connection, plan, rater, slot_id, now=time.time())


class Crowd:
    """Many raters at once, each served by two threads, on two processes where that is possible."""

    def __init__(self, store: Store, plan: RatePlan) -> None:
        self.plan = plan
        self.stores = [store, Store(store.url)] if store.is_postgres else [store, store]

    def run(self, raters: list[Rater]) -> None:
        """Work until nothing is left for anybody."""
        try:
            with ThreadPoolExecutor(2 * len(raters)) as pool:
                for each in [
                    pool.submit(self._work, store, rater)
                    for rater in raters
                    for store in self.stores
                ]:
                    each.result()
        finally:
            if self.stores[1] is not self.stores[0]:
                self.stores[1].close()

    def _work(self, store: Store, rater: Rater) -> None:
        while True:
            handed = self._ask(store, lambda c: hand_out(c, self.plan, rater, now=time.time()))
            if handed == Nothing("taken"):
                time.sleep(0.001)
                continue
            if isinstance(handed, Nothing):
                return
            # The other thread of this rater may have sent it first.
            with contextlib.suppress(InputError):
                self._ask(store, partial(finish_now, self.plan, rater, handed.slot_id))

    @staticmethod
    def _ask(store: Store, work: Any) -> Any:
        while True:
            try:
                return store.write_now(work)
            except ConflictError:
                time.sleep(0.001)


def judged_by(store: Store) -> list[Any]:
    """Who has done which sheet of which group."""
    statement = (
        select(sheet_rows.c.name, sheet_rows.c.group_key, slot_rows.c.participant_id)
        .join(slot_rows, slot_rows.c.sheet_id == sheet_rows.c.id)
        .where(slot_rows.c.state == "done")
    )
    return store.read_now(lambda c: c.execute(statement).all())


def test_fifty_threads_at_once_never_hand_out_too_much(store: Store, study_id: int) -> None:
    """Every sheet gets exactly its raters; nobody gets a group twice or their own dialogue."""
    new = [
        new_sheet(f"t{n}", n, group=f"g{n // 2}", needed=3, people=(f"r{n % 25}",))
        for n in range(40)
    ]
    store.write_now(lambda c: add_sheets(c, study_id, STAGE, "real", new, order="balanced", seed=1))
    people = [visitor(store, study_id, f"r{n}") for n in range(25)]

    Crowd(store, rate_plan(study_id)).run([who.rater for who in people])

    found = judged_by(store)
    names = {who.rater.participant_id: f"r{n}" for n, who in enumerate(people)}
    assert Counter(row.name for row in found) == Counter({sheet.name: 3 for sheet in new})
    assert max(Counter((row.group_key, row.participant_id) for row in found).values()) == 1
    assert not [row for row in found if int(row.name[1:]) % 25 == int(names[row[2]][1:])]
    assert states(store) == Counter(done=120)


def test_limits_hold_for_one_person_in_many_visits_at_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 60)
    plan = rate_plan(study_id, per_visit=4, per_rater=10, at_once=5)
    visits = [visitor(store, study_id, "ann", str(n)).rater for n in range(10)]

    Crowd(store, plan).run(visits)

    by_visit = Counter(
        store.read_now(
            lambda c: (
                c.execute(select(slot_rows.c.assignment_id).where(slot_rows.c.state == "done"))
                .scalars()
                .all()
            )
        )
    )
    assert sum(by_visit.values()) <= 10
    assert max(by_visit.values()) <= 4


def test_requests_of_one_rater_take_turns(store: Store, study_id: int) -> None:
    add_real(store, study_id, 5)
    plan, ann = rate_plan(study_id), visitor(store, study_id, "ann")
    other = Store(store.url) if store.is_postgres else store

    async def click_twice() -> list[Any]:
        return await asyncio.gather(
            *(
                in_turn(each, lambda c: hand_out(c, plan, ann.rater, now=1.0))
                for each in (store, other) * 5
            )
        )

    try:
        handed = asyncio.run(click_twice())
    finally:
        if other is not store:
            other.close()

    assert len({each.slot_id for each in handed}) == 1
