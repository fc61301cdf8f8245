"""Sessions, and accounts that are disabled, enabled, removed and granted studies."""

import asyncio

import pytest

from palaver.accounts import register, sessions
from palaver.accounts import tokens as account_tokens
from palaver.accounts.rights import grant_study, revoke_study
from palaver.core.accounts import Account, BrowserSession, Role
from palaver.core.audit import Actor
from palaver.core.errors import AccessError, InputError
from palaver.storage import Store
from palaver.storage.people.accounts import find_account
from palaver.storage.people.grants import rights_of
from palaver.storage.studies.studies import register_study

DAY = 86400.0


def make(store: Store, name: str = "mara", role: Role = "owner") -> Account:
    return store.write_now(
        lambda c: register.add_account(c, name=name, role=role, password_hash="x", now=1.0)
    )


def sign_in(store: Store, account: Account, now: float = 100.0, proof: str | None = None) -> str:
    return store.write_now(
        lambda c: sessions.open_session(
            c, account, agent="Mozilla/5.0 Firefox/1", address="192.0.2.77", now=now, proof=proof
        )
    )


def whose(store: Store, secret: str, now: float = 101.0) -> str | None:
    found = asyncio.run(sessions.find_session(store, secret, now=now))
    return None if found is None else found.account.name


def listed(store: Store, account: Account, now: float = 101.0) -> list[BrowserSession]:
    return store.read_now(lambda c: sessions.list_sessions(c, account.id, now=now))


def test_a_session_ends_when_it_is_ended_and_after_some_hours(store: Store) -> None:
    mara, bo = make(store), make(store, "bo")
    one, two, his = sign_in(store, mara), sign_in(store, mara), sign_in(store, bo)
    assert [whose(store, each) for each in (one, two, his)] == ["mara", "mara", "bo"]
    assert whose(store, one, now=100.0 + sessions.HOURS * 3600) is None
    newest, oldest = listed(store, mara)
    assert (oldest.address, oldest.browser) == ("192.0.2.0/24", "Firefox")
    with pytest.raises(InputError, match="no such session of yours"):
        store.write_now(lambda c: sessions.end_session(c, newest.id, by=bo, now=102.0))
    store.write_now(lambda c: sessions.end_session(c, oldest.id, by=mara, now=102.0))
    assert [whose(store, each) for each in (one, two, his)] == [None, "mara", "bo"]
    three = sign_in(store, mara)
    ended = store.write_now(lambda c: sessions.end_other_sessions(c, newest.id, by=mara, now=103.0))
    assert ended == 1
    assert [whose(store, each) for each in (two, three, his)] == ["mara", None, "bo"]


def test_the_secret_is_not_in_the_store_and_nothing_else_opens_it(store: Store) -> None:
    secret = sign_in(store, make(store))
    kept = store.read_now(lambda c: c.exec_driver_sql("SELECT digest FROM sessions").all())
    assert secret not in str(kept)
    for wrong in ("", kept[0][0], secret[:-1], secret + "x"):
        assert whose(store, wrong) is None


def test_what_proved_one_sign_in_proves_no_other(store: Store) -> None:
    mara = make(store)
    sign_in(store, mara, proof="nonce-1")
    with pytest.raises(AccessError, match="used before"):
        sign_in(store, mara, proof="nonce-1")
    sign_in(store, mara, proof="nonce-2")
    assert len(listed(store, mara)) == 2


def test_that_it_was_seen_is_written_every_ten_minutes(store: Store) -> None:
    mara = make(store)
    secret = sign_in(store, mara)
    seen = []
    for now in (400.0, 699.0, 700.0, 900.0):
        assert whose(store, secret, now=now) == "mara"
        seen.append(listed(store, mara, now)[0].seen)
    assert seen == [100.0, 100.0, 700.0, 700.0]


def test_a_session_row_is_forgotten_after_some_weeks(store: Store) -> None:
    mara = make(store)
    sign_in(store, mara, now=100.0)
    sign_in(store, mara, now=100.0 + (sessions.KEPT_DAYS + 1) * DAY)
    rows = store.read_now(lambda c: c.exec_driver_sql("SELECT opened FROM sessions").all())
    assert len(rows) == 1


def test_a_new_password_or_role_ends_every_session(store: Store) -> None:
    mara, bo = make(store), make(store, "bo")
    for change in (
        lambda c: register.reset_password(c, "bo", password_hash="new", now=3.0),
        lambda c: register.change_role(c, "bo", "viewer", now=3.0),
        lambda c: register.replace_password(c, bo, password_hash="newer", now=3.0),
    ):
        now_bo = store.read_now(lambda c: find_account(c, "bo"))
        assert now_bo is not None
        secret = sign_in(store, now_bo)
        assert whose(store, secret) == "bo"
        store.write_now(change)
        assert whose(store, secret) is None
    # Whoever signed in with the old password while it was being changed gets nothing either.
    assert whose(store, sign_in(store, bo)) is None
    assert whose(store, sign_in(store, mara)) == "mara"


def test_a_disabled_account_opens_nothing_until_it_is_enabled(store: Store) -> None:
    make(store)
    bo = make(store, "bo", "viewer")
    secret = sign_in(store, bo)
    token = store.write_now(
        lambda c: account_tokens.make_token(c, bo, name="t", role="viewer", now=5.0)
    ).secret
    with pytest.raises(InputError, match="Only another owner"):
        store.write_now(lambda c: register.disable_account(c, "mara", now=6.0, actor=Actor("mara")))
    disabled = store.write_now(
        lambda c: register.disable_account(c, "bo", now=6.0, actor=Actor("mara"))
    )
    assert disabled.disabled == 6.0
    assert whose(store, secret) is None
    assert asyncio.run(account_tokens.find_bearer(store, token, now=7.0)) is None
    store.write_now(lambda c: register.enable_account(c, "bo", now=3.0, actor=Actor("mara")))
    # What ended stays ended; a new session is good.
    assert whose(store, secret) is None
    assert asyncio.run(account_tokens.find_bearer(store, token, now=7.0)) is None
    again = store.read_now(lambda c: find_account(c, "bo"))
    assert again is not None
    assert whose(store, sign_in(store, again)) == "bo"


def test_a_removed_account_is_gone_and_its_name_stays_taken(store: Store) -> None:
    make(store)
    bo = make(store, "bo", "member")
    secret = sign_in(store, bo)
    store.write_now(lambda c: register.remove_account(c, "bo", now=6.0))
    assert whose(store, secret) is None
    assert [each.name for each in store.read_now(register.list_accounts)] == ["mara"]
    assert store.read_now(lambda c: find_account(c, "bo")) is None
    with pytest.raises(InputError, match="There is no account 'bo'"):
        store.write_now(lambda c: register.change_role(c, "bo", "owner", now=3.0))
    with pytest.raises(InputError, match="An account 'bo' was removed"):
        make(store, "bo")


def test_the_last_owner_who_may_sign_in_stays(store: Store) -> None:
    make(store)
    make(store, "bo")
    store.write_now(lambda c: register.disable_account(c, "bo", now=2.0))
    for act in (
        lambda c: register.disable_account(c, "mara", now=3.0),
        lambda c: register.remove_account(c, "mara", now=3.0),
        lambda c: register.change_role(c, "mara", "viewer", now=3.0),
    ):
        with pytest.raises(InputError, match="'mara' is the only owner"):
            store.write_now(act)
    store.write_now(lambda c: register.remove_account(c, "bo", now=4.0))


def test_a_study_is_granted_changed_and_taken_back(store: Store) -> None:
    make(store)
    bo = make(store, "bo", "member")
    store.write_now(
        lambda c: register_study(c, name="pilot", title="Pilot", digest="", definition="", now=1.0)
    )
    rights = store.read_now(lambda c: rights_of(c, bo))
    assert (rights.only, rights.may("viewer", "pilot")) == (frozenset(), False)
    for role, may in (("viewer", [True, False]), ("reviewer", [True, True])):
        store.write_now(lambda c, role=role: grant_study(c, "bo", "pilot", role, now=2.0))
        rights = store.read_now(lambda c: rights_of(c, bo))
        assert [rights.may(each, "pilot") for each in ("viewer", "reviewer")] == may
        assert not rights.may("viewer")
        assert not rights.may("viewer", "other")
    assert rights.at_most("viewer").granted == {"pilot": "viewer"}
    store.write_now(lambda c: revoke_study(c, "bo", "pilot", now=2.0))
    assert store.read_now(lambda c: rights_of(c, bo)).only == frozenset()
    for words, act in (
        ("granted nothing in 'pilot'", lambda c: revoke_study(c, "bo", "pilot", now=2.0)),
        (
            "There is no study 'pilo' here. Near: 'pilot'",
            lambda c: grant_study(c, "bo", "pilo", "viewer", now=2.0),
        ),
        (
            "one is viewer or reviewer; got 'owner'",
            lambda c: grant_study(c, "bo", "pilot", "owner", now=2.0),
        ),
    ):
        with pytest.raises(InputError, match=words):
            store.write_now(act)
