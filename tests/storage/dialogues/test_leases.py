"""Leases: exactly one process drives a dialogue."""

from typing import Any

import pytest
from sqlalchemy import text

from palaver.core.events import END, Event
from palaver.core.scenario import Scenario
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.dialogues.leases import (
    new_lease,
    orphans,
    release_lease,
    renew_leases,
    surrender_leases,
    take_lease,
)
from palaver.storage.engine.appends import Append, Lease, append
from palaver.storage.studies.studies import register_study


@pytest.fixture
def lease(store: Store) -> Lease:
    def work(connection: Any) -> Lease:
        study_id = register_study(
            connection, name="s", title="S", digest="", definition="", now=0.0
        )
        dialogue_id, _ = create_dialogue(
            connection,
            study_id=study_id,
            stage=0,
            condition="a",
            scenario=Scenario(),
            occupants=[Occupant(system="a")],
            now=0.0,
        )
        return new_lease(connection, dialogue_id, "one")

    return store.write_now(work)


def expire(store: Store) -> None:
    store.write_now(lambda c: c.execute(text("UPDATE leases SET expires = 0")))


def take(store: Store, lease: Lease, holder: str) -> Lease | None:
    return store.write_now(lambda c: take_lease(c, lease.dialogue_id, holder))


def lost_to(store: Store, holder: str) -> list[int]:
    return store.read_now(lambda c: orphans(c, holder))


def test_a_lease_that_is_held_is_nobody_elses(store: Store, lease: Lease) -> None:
    if not store.is_postgres:
        pytest.skip("on SQLite a new process takes all leases")
    assert take(store, lease, "two") is None
    assert lost_to(store, "two") == []


def test_an_expired_lease_is_taken_once_with_a_new_epoch(store: Store, lease: Lease) -> None:
    expire(store)
    assert lost_to(store, "two") == [lease.dialogue_id]

    taken = take(store, lease, "two")

    assert taken == Lease(lease.dialogue_id, "two", 2)
    if store.is_postgres:
        assert take(store, lease, "three") is None
    assert store.write_now(lambda c: renew_leases(c, "one")) == []
    assert store.write_now(lambda c: renew_leases(c, "two")) == [lease.dialogue_id]


def test_a_renewed_lease_does_not_expire(store: Store, lease: Lease) -> None:
    expire(store)
    assert store.write_now(lambda c: renew_leases(c, "one")) == [lease.dialogue_id]
    if store.is_postgres:
        assert lost_to(store, "two") == []


def test_a_surrendered_lease_is_free_at_once(store: Store, lease: Lease) -> None:
    store.write_now(lambda c: surrender_leases(c, "one"))
    assert lost_to(store, "two") == [lease.dialogue_id]
    assert take(store, lease, "two") is not None


def test_an_old_holder_cannot_release_what_is_no_longer_theirs(store: Store, lease: Lease) -> None:
    expire(store)
    taken = take(store, lease, "two")
    assert taken is not None
    store.write_now(lambda c: release_lease(c, lease))
    assert store.write_now(lambda c: renew_leases(c, "two")) == [lease.dialogue_id]
    store.write_now(lambda c: release_lease(c, taken))
    assert lost_to(store, "three") == []


def test_an_ended_dialogue_whose_process_died_is_still_tidied_up(
    store: Store, lease: Lease
) -> None:
    end = Event(seq=1, seat=None, action=END, time=1.0, data={"reason": "idle"})
    store.write_now(lambda c: append(c, Append(lease.dialogue_id, [end])))
    expire(store)
    assert lost_to(store, "two") == [lease.dialogue_id]
