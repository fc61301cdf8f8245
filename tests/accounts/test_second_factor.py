"""The second factor of an account: set up, used once per code, and removed."""

import asyncio

import pytest

from palaver.accounts import register, second_factor
from palaver.accounts.one_time_codes import code_of
from palaver.accounts.passwords import hash_password
from palaver.core.accounts import Account
from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.storage import Store

NOW = 3000.0


def make(store: Store, name: str = "mara") -> Account:
    hashed = hash_password("correct horse")
    return store.write_now(
        lambda c: register.add_account(c, name=name, role="owner", password_hash=hashed, now=1.0)
    )


def enrol(store: Store, account: Account) -> tuple[str, tuple[str, ...]]:
    secret = store.write_now(lambda c: second_factor.begin_factor(c, account, now=NOW))
    codes = store.write_now(
        lambda c: second_factor.confirm_factor(c, account, code_of(secret, 100), now=NOW)
    )
    return secret, codes


def check(store: Store, account: Account, code: str, now: float = NOW) -> bool:
    return store.write_now(lambda c: second_factor.check_factor(c, account, code, now=now))


def test_it_counts_once_a_first_code_was_right(store: Store) -> None:
    mara = make(store)
    secret = store.write_now(lambda c: second_factor.begin_factor(c, mara, now=NOW))
    state = store.read_now(lambda c: second_factor.factor_state(c, mara.id))
    assert (state.on, state.pending) == (False, secret)
    assert secret not in repr(state)
    assert not check(store, mara, code_of(secret, 100))
    with pytest.raises(InputError, match="wrong or was used before"):
        store.write_now(lambda c: second_factor.confirm_factor(c, mara, "000000", now=NOW))
    store.write_now(lambda c: second_factor.confirm_factor(c, mara, code_of(secret, 100), now=NOW))
    state = store.read_now(lambda c: second_factor.factor_state(c, mara.id))
    assert (state.on, state.pending, state.codes_left) == (True, "", 10)
    with pytest.raises(InputError, match="Remove it before"):
        store.write_now(lambda c: second_factor.begin_factor(c, mara, now=NOW))


def test_a_code_works_once_and_no_older_one_after_it(store: Store) -> None:
    mara = make(store)
    secret, _ = enrol(store, mara)
    # The code that confirmed it is used up.
    assert not check(store, mara, code_of(secret, 100))
    assert check(store, mara, code_of(secret, 101))
    assert not check(store, mara, code_of(secret, 101))
    assert not check(store, mara, code_of(secret, 100), now=NOW + 1)
    assert check(store, mara, code_of(secret, 102), now=NOW + 60)


def test_each_recovery_code_works_once_and_is_not_in_the_store(store: Store) -> None:
    mara, bo = make(store), make(store, "bo")
    _, codes = enrol(store, mara)
    enrol(store, bo)
    assert len(set(codes)) == second_factor.RECOVERY_CODES
    assert not check(store, bo, codes[0])
    assert check(store, mara, codes[0].upper().replace("-", " "))
    assert not check(store, mara, codes[0])
    assert check(store, mara, codes[1])
    state = store.read_now(lambda c: second_factor.factor_state(c, mara.id))
    assert state.codes_left == 8
    kept = store.read_now(lambda c: c.exec_driver_sql("SELECT digest FROM recovery_codes").all())
    assert all(code.replace("-", "") not in str(kept) for code in codes)


def test_it_is_removed_by_its_owner_with_the_password_or_by_another(store: Store) -> None:
    mara, bo = make(store), make(store, "bo")
    enrol(store, mara)
    with pytest.raises(InputError, match="The password is wrong"):
        asyncio.run(second_factor.prove_password(mara, "wrong"))
    assert asyncio.run(second_factor.prove_password(mara, "correct horse")) == mara
    store.write_now(lambda c: second_factor.remove_factor(c, mara, now=9.0))
    assert not store.read_now(lambda c: second_factor.factor_state(c, mara.id)).on
    with pytest.raises(InputError, match="no second factor"):
        store.write_now(lambda c: second_factor.remove_factor(c, mara, now=9.0))

    enrol(store, bo)
    with pytest.raises(InputError, match="your own second factor with your password"):
        store.write_now(lambda c: second_factor.reset_factor(c, "bo", now=9.0, actor=Actor("bo")))
    assert store.read_now(second_factor.accounts_with_factor) == {bo.id}
    store.write_now(lambda c: second_factor.reset_factor(c, "BO", now=9.0, actor=Actor("mara")))
    assert store.read_now(second_factor.accounts_with_factor) == set()
    with pytest.raises(InputError, match="There is no account 'nobody'"):
        store.write_now(lambda c: second_factor.reset_factor(c, "nobody", now=9.0))
