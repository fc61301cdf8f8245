"""Slots: quotas that hold under concurrency, given back exactly once, found by one look-up."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, insert, select, text

from palaver.core.errors import ConflictError
from palaver.core.studies.progress import SlotProgress
from palaver.storage import Store
from palaver.storage.judging import gold_slots, slot_counts, slot_returns, slots
from palaver.storage.people import raters
from palaver.storage.schema import participants
from palaver.storage.schema import slots as slot_rows
from support.sheets import STAGE, Visitor, add_known, add_real, add_study, visitor


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def claim(who: Visitor, *, now: float = 1.0) -> int | None:
    rater = who.rater
    return who.store.write_now(
        lambda c: slots.claim(
            c,
            study_id=who.study_id,
            stage=STAGE,
            participant_id=rater.participant_id,
            assignment_id=rater.assignment_id,
            people=rater.names,
            now=now,
        )
    )


def sheet_name(store: Store, slot_id: int | None) -> str:
    assert slot_id is not None
    slot = store.read_now(lambda c: slots.get_slot(c, slot_id))
    assert slot is not None
    return slot.sheet.name


def sweep(store: Store, study_id: int, *, now: float, limit: float = 60.0) -> int:
    return store.write_now(
        lambda c: slot_returns.abandon_stale(c, now=now, limits={(study_id, STAGE): limit})
    )


def progress(store: Store, study_id: int) -> SlotProgress:
    return store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE))


def rows(store: Store) -> list[Any]:
    return store.read_now(lambda c: c.execute(select(slot_rows).order_by(slot_rows.c.id)).all())


def test_the_lowest_rank_goes_first_and_nobody_gets_a_sheet_twice(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 2, needed=2, order="file")
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")

    got = [sheet_name(store, claim(who)) for who in (ann, ann, ben, ben)]

    assert got == ["t0", "t1", "t0", "t1"]
    assert claim(ann) is None
    assert claim(visitor(store, study_id, "cem")) is None


def test_nobody_gets_two_sheets_of_one_group(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3, group="all the same")
    ann = visitor(store, study_id, "ann")

    assert claim(ann) is not None
    assert claim(ann) is None
    assert claim(visitor(store, study_id, "ben")) is not None


def test_another_visit_of_the_same_person_does_not_help(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1, needed=2)

    assert claim(visitor(store, study_id, "ann", "1")) is not None
    assert claim(visitor(store, study_id, "ann", "2")) is None


def test_nobody_judges_what_they_took_part_in(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1, people=("ann", "p_somebody"))

    assert claim(visitor(store, study_id, "ann")) is None
    assert claim(visitor(store, study_id, "x", alias="p_somebody")) is None
    assert claim(visitor(store, study_id, "ben")) is not None


def test_a_slot_is_completed_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1)
    slot_id = claim(visitor(store, study_id, "ann"))
    assert slot_id is not None

    def complete() -> bool:
        return store.write_now(lambda c: slots.complete(c, slot_id, now=2.0))

    assert [complete(), complete()] == [True, False]
    assert progress(store, study_id) == SlotProgress(1, 0, 0, 1, sheets=1, sheets_done=1)


def test_progress_counts_slots_and_sheets_but_no_gold(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3, needed=2, order="file")
    add_known(store, study_id, "gold", "g", turns=1)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")
    for who in (ann, ben):
        slot_id = claim(who)
        store.write_now(lambda c, slot_id=slot_id: slots.complete(c, slot_id, now=2.0))
    claim(ann)
    hold_gold(ben)

    assert progress(store, study_id) == SlotProgress(
        needed=6, free=3, held=1, done=2, sheets=3, sheets_done=1
    )


def hold_gold(who: Visitor) -> int:
    rater = who.rater

    def work(connection: Any) -> int:
        [sheet_id] = gold_slots.unseen_gold(
            connection,
            study_id=who.study_id,
            stage=STAGE,
            participant_id=rater.participant_id,
            people=rater.names,
        )
        return gold_slots.hold_gold(
            connection,
            sheet_id,
            participant_id=rater.participant_id,
            assignment_id=rater.assignment_id,
            now=1.0,
        )

    return who.store.write_now(work)


def test_what_is_held_too_long_is_abandoned_and_replaced_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 1)
    ann = visitor(store, study_id, "ann")
    slot_id = claim(ann, now=100.0)

    assert sweep(store, study_id, now=160.0) == 0
    mine = ann.rater.assignment_id
    assert store.write_now(lambda c: slots.touch(c, slot_id, assignment_id=mine, now=150.0))
    assert sweep(store, study_id, now=161.0) == 0
    assert sweep(store, study_id, now=211.0) == 1
    assert not store.write_now(lambda c: slots.touch(c, slot_id, assignment_id=mine, now=212.0))
    assert sweep(store, study_id, now=300.0) == 0

    old, new = rows(store)
    assert (old.state, old.participant_id) == ("abandoned", ann.rater.participant_id)
    assert (new.state, new.participant_id, new.number) == ("free", None, 2)
    assert new.rank == old.rank
    assert claim(ann) is None  # the caller gives it back to them by `reclaim`
    assert claim(visitor(store, study_id, "ben")) == new.id


def test_an_abandoned_gold_sheet_is_not_replaced(store: Store, study_id: int) -> None:
    add_known(store, study_id, "gold", "g", turns=1)
    hold_gold(visitor(store, study_id, "ann"))

    assert sweep(store, study_id, now=1000.0) == 1
    assert [row.state for row in rows(store)] == ["abandoned"]


def test_two_processes_that_sweep_at_once_replace_each_slot_once(
    store: Store, study_id: int
) -> None:
    if not store.is_postgres:
        pytest.skip("one process serves a SQLite file")
    add_real(store, study_id, 30, needed=3)
    for n in range(20):
        claim(visitor(store, study_id, f"r{n}"))
    stores = [Store(store.url) for _ in range(3)]
    try:
        with ThreadPoolExecutor(12) as pool:
            swept = list(pool.map(lambda n: sweep(stores[n % 3], study_id, now=1000.0), range(12)))
    finally:
        for each in stores:
            each.close()

    assert sum(swept) == 20
    found = progress(store, study_id)
    assert (found.needed, found.free, found.held) == (90, 90, 0)


def test_finishing_and_sweeping_at_once_leaves_one_of_both(store: Store, study_id: int) -> None:
    other = Store(store.url) if store.is_postgres else store
    add_real(store, study_id, 40)
    held = [claim(visitor(store, study_id, f"r{n}")) for n in range(40)]
    try:
        with ThreadPoolExecutor(8) as pool:
            done = [
                pool.submit(store.write_now, lambda c, s=s: slots.complete(c, s, now=999.0))
                for s in held
            ]
            swept = [pool.submit(sweep, other, study_id, now=1000.0) for _ in range(4)]
            finished = sum(each.result() for each in done)
            abandoned = sum(each.result() for each in swept)
    finally:
        if other is not store:
            other.close()

    found = progress(store, study_id)
    assert finished + abandoned + found.held == 40
    assert (found.needed, found.done, found.free) == (40, finished, abandoned)


def test_a_rater_who_is_being_served_is_not_served_twice(store: Store, study_id: int) -> None:
    if not store.is_postgres:
        pytest.skip("one writer at a time")
    ann = visitor(store, study_id, "ann").rater.participant_id
    locked, done = threading.Event(), threading.Event()

    def hold(connection: Any) -> None:
        raters.lock_rater(connection, ann)
        locked.set()
        done.wait(60)

    other = Store(store.url)
    thread = threading.Thread(target=lambda: other.write_now(hold))
    thread.start()
    try:
        locked.wait(60)
        with pytest.raises(ConflictError):
            store.write_now(lambda c: raters.lock_rater(c, ann))
    finally:
        done.set()
        thread.join()
        other.close()
    store.write_now(lambda c: raters.lock_rater(c, ann))


def test_the_next_slot_is_one_look_up_in_the_index(store: Store, study_id: int) -> None:
    """With many sheets, before and after the database has looked at how they are distributed."""
    add_real(store, study_id, 5_000, needed=3)
    ann = visitor(store, study_id, "ann")
    for _ in range(20):
        claim(ann)

    assert_uses_the_index(store, ann)
    analyse = "ANALYZE slots" if store.is_postgres else "ANALYZE"
    store.write_now(lambda c: c.execute(text(analyse)))
    assert_uses_the_index(store, ann)


def assert_uses_the_index(store: Store, who: Visitor) -> None:
    plan = "\n".join(store.read_now(lambda c: explained(c, who)))
    assert "slots_by_rank" in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan
    assert "Seq Scan on slots" not in plan
    assert "SCAN" not in plan


def explained(connection: Any, who: Visitor) -> list[str]:
    given = {
        "study": who.study_id,
        "stage": STAGE,
        "participant": who.rater.participant_id,
        "people": list(who.rater.names),
        "assignment": who.rater.assignment_id,
        "now": 1.0,
    }
    claiming = slots._CLAIM._write(connection, given)
    explain = "EXPLAIN" if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    driver = connection.connection.driver_connection
    found = driver.execute(f"{explain} {claiming.sql}", claiming.parameters(given))
    return [str(row[-1]) for row in found.fetchall()]


def test_a_restart_keeps_everything(database_url: str) -> None:
    store = Store(database_url)
    study_id = add_study(store)
    add_real(store, study_id, 3, needed=2)
    ann = visitor(store, study_id, "ann")
    slot_id = claim(ann)
    store.close()

    again = Store(database_url)
    try:
        held = again.read_now(
            lambda c: slots.held_by(c, assignment_id=ann.rater.assignment_id, stage=STAGE)
        )
        assert held is not None
        assert held.id == slot_id
        assert progress(again, study_id) == SlotProgress(6, 5, 1, 0, sheets=3, sheets_done=0)
    finally:
        again.close()


def test_a_participant_without_slots_has_an_empty_tally(store: Store, study_id: int) -> None:
    store.write_now(
        lambda c: c.execute(insert(participants).values(alias="p", crowd="link", created=0.0))
    )
    person = store.read_now(lambda c: c.execute(select(func.max(participants.c.id))).scalar_one())

    found = store.read_now(
        lambda c: slot_counts.tally(
            c,
            study_id=study_id,
            stage=STAGE,
            participant_id=person,
            assignment_id=1,
        )
    )

    assert found == slot_counts.StageTally(0, 0, 0, 0, 0, 0, 0, 0, 0)
