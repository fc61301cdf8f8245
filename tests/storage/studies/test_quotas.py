"""Places: quotas that hold under concurrency, and come back when they are abandoned."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from palaver.core.events import Event
from palaver.core.scenario import Scenario
from palaver.core.studies.progress import ConditionProgress
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.dialogues.summaries import count_scenarios
from palaver.storage.engine.appends import Append, append
from palaver.storage.people.participants import enter
from palaver.storage.schema import places
from palaver.storage.studies import quotas
from palaver.storage.studies.studies import register_study
from palaver.studies.review.progress import read_progress
from palaver.studies.run.freeing import ABANDON_SECONDS, abandon_stale


@pytest.fixture
def study_id(store: Store) -> int:
    return store.write_now(
        lambda c: register_study(c, name="s", title="S", digest="", definition="", now=0.0)
    )


def set_quotas(store: Store, study_id: int, **needed: int | None) -> None:
    store.write_now(lambda c: quotas.set_quotas(c, study_id, 0, needed))


def claim(store: Store, study_id: int, condition: str, group: str, *, limited: bool = True) -> bool:
    return store.write_now(
        lambda c: quotas.claim(c, study_id, 0, condition, group=group, limited=limited, now=1.0)
    )


def progress(store: Store, study_id: int, **needed: int | None) -> list[ConditionProgress]:
    return store.read_now(lambda c: quotas.progress(c, study_id, 0, needed))


def test_a_place_is_claimed_given_back_and_done(store: Store, study_id: int) -> None:
    set_quotas(store, study_id, a=2)
    assert claim(store, study_id, "a", "g1")
    assert claim(store, study_id, "a", "g2")
    assert not claim(store, study_id, "a", "g3")
    assert progress(store, study_id, a=2) == [ConditionProgress("a", 2, held=2, done=0)]

    store.write_now(lambda c: quotas.complete(c, "g1"))
    store.write_now(lambda c: quotas.release(c, "g1"))  # what is done stays done
    store.write_now(lambda c: quotas.release(c, "g2"))
    store.write_now(lambda c: quotas.release(c, "g2"))

    assert progress(store, study_id, a=2) == [ConditionProgress("a", 2, held=0, done=1)]
    assert claim(store, study_id, "a", "g3")
    assert not claim(store, study_id, "a", "g4")


def test_a_quota_that_grows_or_shrinks_takes_nothing_from_those_who_sit(
    store: Store, study_id: int
) -> None:
    set_quotas(store, study_id, a=3)
    for group in ("g1", "g2", "g3"):
        claim(store, study_id, "a", group)
    set_quotas(store, study_id, a=1)
    assert progress(store, study_id, a=1)[0].held == 3
    assert progress(store, study_id, a=1)[0].free == 0

    set_quotas(store, study_id, a=5)
    assert claim(store, study_id, "a", "g4")
    assert claim(store, study_id, "a", "g5")
    assert not claim(store, study_id, "a", "g6")


def test_without_a_quota_there_is_always_a_place(store: Store, study_id: int) -> None:
    set_quotas(store, study_id, a=None)
    assert all(claim(store, study_id, "a", f"g{n}", limited=False) for n in range(5))
    store.write_now(lambda c: quotas.release(c, "g2"))
    assert claim(store, study_id, "a", "g9", limited=False)
    assert progress(store, study_id, a=None) == [ConditionProgress("a", None, held=5, done=0)]


@pytest.mark.parametrize("limited", [True, False])
def test_many_stores_at_once_never_pass_the_quota(
    store: Store, study_id: int, limited: bool
) -> None:
    """Several stores are what several processes are to the database."""
    if not store.is_postgres:
        pytest.skip("one process serves a SQLite file")
    set_quotas(store, study_id, a=7 if limited else None)
    stores = [Store(store.url) for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as pool:
            claims = [
                pool.submit(claim, stores[n % 4], study_id, "a", f"g{n}", limited=limited)
                for n in range(24)
            ]
            got = sum(claimed.result() for claimed in claims)
    finally:
        for each in stores:
            each.close()
    # A place that another transaction holds for a moment is passed over, never doubled.
    assert got == progress(store, study_id, a=None)[0].held
    assert got == (7 if limited else 24)


# Places of single scenarios


def set_cells(store: Store, study_id: int, each: int, *scenarios: str) -> None:
    store.write_now(
        lambda c: quotas.set_scenario_quotas(
            c, study_id, 0, "a", each=dict.fromkeys(scenarios, each)
        )
    )


def claim_cell(store: Store, study_id: int, group: str, *last: str) -> str | None:
    place = store.write_now(
        lambda c: quotas.claim_scenario(c, study_id, 0, "a", group=group, last=last, now=1.0)
    )
    return None if place is None else place.scenario


def cells(store: Store, study_id: int) -> Counter[tuple[str, str]]:
    rows = store.read_now(
        lambda c: c.execute(
            select(places.c.scenario, places.c.state).where(places.c.study_id == study_id)
        ).all()
    )
    return Counter((row.scenario, row.state) for row in rows)


def test_every_scenario_is_claimed_once_before_one_is_claimed_twice(
    store: Store, study_id: int
) -> None:
    set_cells(store, study_id, 2, "x", "y", "z")
    set_cells(store, study_id, 2, "x", "y", "z")  # a restart changes nothing
    claimed = [claim_cell(store, study_id, f"g{n}") for n in range(7)]
    assert sorted(claimed[:3]) == sorted(claimed[3:6]) == ["x", "y", "z"]
    assert claimed[6] is None

    store.write_now(lambda c: quotas.release(c, "g4"))
    assert claim_cell(store, study_id, "again") == claimed[4]


def test_a_scenario_is_complete_when_all_its_places_are_done(store: Store, study_id: int) -> None:
    set_cells(store, study_id, 2, "x", "y")
    groups = {claim_cell(store, study_id, f"g{n}"): f"g{n}" for n in range(2)}
    groups |= {f"{claim_cell(store, study_id, f'h{n}')}2": f"h{n}" for n in range(2)}
    for name in ("x", "x2", "y"):
        store.write_now(lambda c, group=groups[name]: quotas.complete(c, group))  # type: ignore[misc]
    [found] = store.read_now(lambda c: count_scenarios(c, study_id))
    assert (found.condition, found.scenarios, found.done) == ("a", 2, 1)
    [shown] = store.read_now(lambda c: read_progress(c, {}))[0].conditions
    assert (shown.needed, shown.done, shown.scenarios, shown.scenarios_done) == (4, 3, 2, 1)


def test_what_somebody_has_met_is_claimed_last(store: Store, study_id: int) -> None:
    set_cells(store, study_id, 1, "x", "y", "z")
    assert claim_cell(store, study_id, "g1", "x", "y") == "z"
    assert claim_cell(store, study_id, "g2", "x", "y") in {"x", "y"}


def test_scenarios_that_leave_the_file_take_only_free_places_along(
    store: Store, study_id: int
) -> None:
    set_cells(store, study_id, 2, "x", "y")
    for n in range(2):
        claim_cell(store, study_id, f"g{n}")
    set_cells(store, study_id, 1, "x", "w")
    assert cells(store, study_id) == {("x", "held"): 1, ("y", "held"): 1, ("w", "free"): 1}
    set_cells(store, study_id, 3, "x", "w")
    assert cells(store, study_id) == {
        ("x", "held"): 1,
        ("x", "free"): 2,
        ("y", "held"): 1,
        ("w", "free"): 3,
    }


def test_a_condition_may_go_from_one_kind_of_quota_to_the_other(
    store: Store, study_id: int
) -> None:
    set_quotas(store, study_id, a=3)
    claim(store, study_id, "a", "g1")
    set_cells(store, study_id, 1, "x", "y")
    assert cells(store, study_id) == {(None, "held"): 1, ("x", "free"): 1, ("y", "free"): 1}
    [seen] = store.read_now(
        lambda c: quotas.progress(c, study_id, 0, {"a": None}, by_scenario=["a"])
    )
    assert (seen.needed, seen.free) == (3, 2)
    set_quotas(store, study_id, a=2)
    assert {scenario for scenario, _ in cells(store, study_id)} == {None}


def test_many_stores_at_once_never_pass_the_quota_of_a_scenario(
    store: Store, study_id: int
) -> None:
    if not store.is_postgres:
        pytest.skip("one process serves a SQLite file")
    set_cells(store, study_id, 3, "x", "y")
    stores = [Store(store.url) for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as pool:
            claims = [pool.submit(claim_cell, stores[n % 4], study_id, f"g{n}") for n in range(24)]
            got = Counter(claimed.result() for claimed in claims)
    finally:
        for each in stores:
            each.close()
    assert (got["x"], got["y"], got[None]) == (3, 3, 18)


class Visit:
    """Somebody who was seated in a dialogue and holds a place."""

    def __init__(self, store: Store, study_id: int, name: str, *events: tuple[str, float]) -> None:
        def work(connection: Any) -> tuple[int, str]:
            quotas.set_quotas(connection, study_id, 0, {"a": 1})
            visit = enter(
                connection,
                study_id=study_id,
                crowd="link",
                person=name,
                assignment="1",
                first_step="stage:0",
                now=0.0,
            )
            quotas.claim(connection, study_id, 0, "a", group="g", limited=True, now=0.0)
            dialogue_id, _ = create_dialogue(
                connection,
                study_id=study_id,
                stage=0,
                condition="a",
                scenario=Scenario(),
                occupants=[Occupant(assignment_id=visit.id), Occupant(system="a")],
                now=0.0,
                group="g",
            )
            happened = [
                Event(seq=n, seat=0, action=action, data={"reason": "x"}, time=time)
                for n, (action, time) in enumerate(events, start=1)
            ]
            append(connection, Append(dialogue_id, happened))
            return visit.id, visit.key

        self.id, self.key = store.write_now(work)


@pytest.mark.parametrize(
    ("events", "stale"),
    [
        ([], True),  # never came in
        ([("join", 0.0)], False),  # left to the time limits of the dialogue
        ([("join", 0.0), ("end", 5.0)], True),  # ended, and the person never went on
        ([("join", 0.0), ("end", ABANDON_SECONDS)], False),  # a moment ago
    ],
)
def test_a_place_of_somebody_who_is_gone_comes_back(
    store: Store, study_id: int, events: list[tuple[str, float]], stale: bool
) -> None:
    Visit(store, study_id, "ann", *events)

    early = store.write_now(lambda c: abandon_stale(c, now=ABANDON_SECONDS - 1, studies={}))
    found = store.write_now(lambda c: abandon_stale(c, now=ABANDON_SECONDS + 10, studies={}))

    assert early == set()
    assert found == ({"g"} if stale else set())
    assert progress(store, study_id, a=1)[0].held == (0 if stale else 1)
