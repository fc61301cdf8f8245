"""Places: quotas that hold under concurrency, and come back when they are abandoned."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from palaver.core.events import Event
from palaver.core.scenario import Scenario
from palaver.core.studies.progress import ConditionProgress
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.engine.appends import Append, append
from palaver.storage.people.participants import enter
from palaver.storage.studies import quotas
from palaver.storage.studies.studies import register_study
from palaver.studies.run.deployment import ABANDON_SECONDS, abandon_stale


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

    early = store.write_now(lambda c: abandon_stale(c, now=ABANDON_SECONDS - 1))
    found = store.write_now(lambda c: abandon_stale(c, now=ABANDON_SECONDS + 10))

    assert early == set()
    assert found == ({"g"} if stale else set())
    assert progress(store, study_id, a=1)[0].held == (0 if stale else 1)
