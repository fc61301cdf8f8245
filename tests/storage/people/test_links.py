"""Links that are kept: how each stands, and what stays of one whose person was erased."""

import pytest

from palaver.core.studies.links import KeptLink
from palaver.storage import Store
from palaver.storage.people import links
from palaver.storage.studies.studies import register_study

MADE, EXPIRES = 100.0, 200.0


@pytest.fixture
def study_id(store: Store) -> int:
    return store.write_now(
        lambda c: register_study(c, name="s", title="S", digest="", definition="", now=MADE)
    )


def keep(store: Store, study_id: int, *people: str) -> None:
    store.write_now(
        lambda c: links.add_links(
            c,
            study_id,
            [(person, person.title()) for person in people],
            account="ada",
            made=MADE,
            expires=EXPIRES,
        )
    )


def kept(store: Store, person: str, *, now: float = MADE) -> KeptLink:
    found = store.read_now(lambda c: links.link_of(c, person, now=now))
    assert found is not None
    return found


def test_a_link_is_open_used_revoked_or_expired(store: Store, study_id: int) -> None:
    keep(store, study_id, "ann", "ben", "cleo")
    store.write_now(lambda c: links.note_use(c, "ben", now=150.0))
    revoked = kept(store, "cleo").id
    assert store.write_now(lambda c: links.revoke(c, study_id, revoked, now=150.0))
    assert not store.write_now(lambda c: links.revoke(c, study_id, revoked, now=160.0))
    found = store.read_now(lambda c: links.links_of(c, study_id, now=EXPIRES))
    assert [(link.name, link.state) for link in found] == [
        ("Cleo", "revoked"),
        ("Ben", "used"),
        ("Ann", "open"),
    ]
    later = store.read_now(lambda c: links.links_of(c, study_id, now=EXPIRES + 1))
    assert [link.state for link in later] == ["revoked", "expired", "expired"]


def test_a_link_is_used_once_however_often_somebody_comes(store: Store, study_id: int) -> None:
    keep(store, study_id, "ann")
    for now in (110.0, 120.0):
        store.write_now(lambda c, now=now: links.note_use(c, "ann", now=now))
    assert kept(store, "ann").used == 110.0


def test_of_an_erased_link_stays_that_there_was_one(store: Store, study_id: int) -> None:
    keep(store, study_id, "ann")
    store.write_now(lambda c: links.forget_link(c, "ann"))
    assert store.read_now(lambda c: links.link_of(c, "ann", now=MADE)) is None
    (found,) = store.read_now(lambda c: links.links_of(c, study_id, now=MADE))
    assert (found.state, found.name, found.person, found.address) == ("erased", "", None, "")
