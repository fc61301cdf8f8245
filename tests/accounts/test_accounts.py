"""Accounts and tokens on a real store of each kind."""

from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher, extract_parameters

from palaver.accounts import passwords, register
from palaver.accounts.tokens import list_tokens, make_token, revoke_token
from palaver.core.accounts import Account, Role, allows, lesser, role_named
from palaver.core.audit import Actor
from palaver.core.errors import AccessError, InputError, StoreError
from palaver.storage import Store
from palaver.storage.people import accounts
from palaver.storage.people.accounts import find_token, touch_token

HASH = "$argon2id$stand-in"


def make(store: Store, name: str = "mara", role: Role = "owner") -> Account:
    return store.write_now(
        lambda c: register.add_account(c, name=name, role=role, password_hash=HASH, now=1.0)
    )


def token(store: Store, account: Account, role: Role, days: str = "") -> str:
    return store.write_now(
        lambda c: make_token(c, account, name="ci", role=role, days=days, now=10.0)
    ).secret


def test_roles_are_ordered() -> None:
    order: list[Role] = ["member", "viewer", "reviewer", "owner"]
    for i, role in enumerate(order):
        for j, needed in enumerate(order):
            assert allows(role, needed) == (i >= j)
            assert lesser(role, needed) == order[min(i, j)]
    with pytest.raises(InputError, match="one of member, viewer, reviewer, owner; got 'admin'"):
        role_named("admin")


def test_a_password_is_verified_and_an_old_hash_is_noticed() -> None:
    stored = passwords.hash_password("correct horse")
    assert "correct horse" not in stored
    assert passwords.verify_password(stored, "correct horse") == passwords.Verified(True)
    assert not passwords.verify_password(stored, "correct house").ok
    old = PasswordHasher(time_cost=1, memory_cost=1024).hash("correct horse")
    assert passwords.verify_password(old, "correct horse") == passwords.Verified(True, rehash=True)


def test_the_same_letters_composed_differently_are_one_password() -> None:
    stored = passwords.hash_password("caf\u00e9 au lait")
    assert passwords.verify_password(stored, "cafe\u0301 au lait").ok


def test_an_unknown_name_is_checked_with_as_much_work_as_a_wrong_password() -> None:
    stored, decoy = passwords.hash_password("correct horse"), passwords._decoy()

    assert not passwords.verify_password(None, "wrong password").ok
    assert extract_parameters(decoy) == extract_parameters(stored)


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("", "at least 10 characters; this one has 0"),
        ("nine char", "at least 10 characters; this one has 9"),
        ("x" * 1025, "at most 1,024 characters; this one has 1,025"),
    ],
)
def test_a_password_too_short_or_too_long_is_refused(
    store: Store, password: str, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        passwords.choose_password(make(store), password=password, again=password)


def test_a_damaged_hash_is_an_error_and_not_a_wrong_password() -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        passwords.verify_password("plain text", "correct horse")


def test_one_time_passwords_are_readable_and_differ() -> None:
    made = {passwords.one_time_password().text for _ in range(20)}
    assert len(made) == 20
    for password in made:
        assert [len(group) for group in password.split("-")] == [4, 4, 4, 4]
        assert not set(password) & set("0o1ilaeu")


def test_the_owner_is_made_once(store: Store) -> None:
    made = passwords.one_time_password()
    password = made.text
    assert store.write_now(lambda c: register.ensure_owner(c, password_hash=made.hash, now=5.0))
    hashed = passwords.hash_password("another one")
    assert not store.write_now(lambda c: register.ensure_owner(c, password_hash=hashed, now=6.0))
    owner = store.read_now(lambda c: accounts.find_account(c, "owner"))
    assert owner is not None
    assert (owner.role, owner.one_time, owner.created) == ("owner", True, 5.0)
    assert passwords.verify_password(owner.password_hash, password).ok
    assert password not in repr(owner)
    assert owner.password_hash not in repr(owner)


def test_no_owner_is_made_where_somebody_is(store: Store) -> None:
    make(store, "mara")
    hashed = passwords.hash_password("another one")
    assert not store.write_now(lambda c: register.ensure_owner(c, password_hash=hashed, now=6.0))


def test_names_are_unique_in_any_case(store: Store) -> None:
    make(store, "Mara")
    with pytest.raises(InputError, match="An account 'mara' already exists"):
        make(store, " MARA ")
    found = store.read_now(lambda c: accounts.find_account(c, "mArA"))
    assert found is not None
    assert found.name == "mara"


@pytest.mark.parametrize("name", ["", "  ", "-x", "a b", "a/b", "x" * 65, "a\nb"])
def test_odd_names_are_refused(store: Store, name: str) -> None:
    with pytest.raises(InputError, match="An account's name"):
        make(store, name)


def test_a_new_password_or_role_raises_the_generation(store: Store) -> None:
    make(store, "mara")
    other = make(store, "ole", "viewer")
    changed = store.write_now(
        lambda c: register.reset_password(c, "ole", password_hash="new", now=0.0)
    )
    assert (changed.generation, changed.password_hash, changed.one_time) == (2, "new", True)
    raised = store.write_now(lambda c: register.change_role(c, "ole", "reviewer", now=0.0))
    assert (raised.id, raised.generation, raised.role) == (other.id, 3, "reviewer")
    names = [a.name for a in store.read_now(register.list_accounts)]
    assert names == ["mara", "ole"]


def test_a_refreshed_hash_keeps_the_generation_and_never_undoes_a_change(store: Store) -> None:
    mara = make(store)

    def refresh(old: str, new: str) -> bool:
        return store.write_now(
            lambda c: accounts.refresh_hash(c, mara.id, old_hash=old, new_hash=new)
        )

    assert refresh(HASH, "newer")
    assert not refresh(HASH, "newest")
    found = store.read_now(lambda c: accounts.find_account_by_id(c, mara.id))
    assert found is not None
    assert (found.password_hash, found.generation) == ("newer", 1)


def test_the_last_owner_stays_one(store: Store) -> None:
    make(store, "mara")
    with pytest.raises(InputError, match="'mara' is the only owner"):
        store.write_now(lambda c: register.change_role(c, "Mara", "viewer", now=0.0))
    make(store, "ole")
    assert (
        store.write_now(lambda c: register.change_role(c, "mara", "viewer", now=0.0)).role
        == "viewer"
    )


def test_changing_nobody_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match="no account 'nobody'"):
        store.write_now(lambda c: register.reset_password(c, "nobody", password_hash="x", now=0.0))


def test_a_token_speaks_for_its_account_with_the_lesser_role(store: Store) -> None:
    make(store, "mara")
    ole = make(store, "ole", "owner")
    secret = token(store, ole, "reviewer")
    assert secret.startswith("pv_")
    bearer = store.read_now(lambda c: find_token(c, secret, now=11.0))
    assert bearer is not None
    assert (bearer.account.name, bearer.rights.role) == ("ole", "reviewer")
    store.write_now(lambda c: register.change_role(c, "ole", "viewer", now=0.0))
    bearer = store.read_now(lambda c: find_token(c, secret, now=11.0))
    assert bearer is not None
    assert bearer.rights.role == "viewer"


def test_the_secret_is_not_in_the_database(store: Store, tmp_path: Path) -> None:
    secret = token(store, make(store), "viewer")
    store.close()
    assert secret.encode() not in b"".join(p.read_bytes() for p in tmp_path.iterdir())


def test_an_expired_revoked_or_unknown_token_is_nobody(store: Store) -> None:
    mara = make(store)
    short, long = token(store, mara, "viewer", days="1"), token(store, mara, "viewer")

    def finds(secret: str, now: float) -> bool:
        return store.read_now(lambda c: find_token(c, secret, now=now)) is not None

    assert finds(short, 86409.9)
    assert not finds(short, 86410.0)
    assert finds(long, 1e10)
    listed = store.read_now(lambda c: list_tokens(c, mara.id))
    assert [(t.account, t.name, t.expires, t.revoked) for t in listed] == [
        ("mara", "ci", 86410.0, None),
        ("mara", "ci", None, None),
    ]
    last = listed[1].id
    vik = make(store, "vik", "viewer")
    with pytest.raises(InputError, match="There is no such token, or it is not yours"):
        store.write_now(lambda c: revoke_token(c, last, by=vik, now=30.0))
    for now in (30.0, 31.0):
        assert store.write_now(lambda c, now=now: revoke_token(c, last, by=mara, now=now)) == (
            replace(listed[1], revoked=30.0)
        )
    assert not finds(long, 30.0)
    for wrong in ["", "pv_", "pv_" + "x" * 43, long + "x", long[3:], "pv_é" + "x" * 42]:
        assert not finds(wrong, 11.0)


def test_the_time_of_use_is_written_at_most_once_a_minute(store: Store) -> None:
    secret = token(store, make(store), "viewer")

    def use(now: float) -> tuple[bool, float | None]:
        bearer = store.read_now(lambda c: find_token(c, secret, now=now))
        assert bearer is not None
        store.write_now(lambda c: touch_token(c, bearer.token_id, now=now))
        (listed,) = store.read_now(list_tokens)
        return bearer.stale, listed.used

    assert [use(now) for now in (100.0, 130.0, 159.9, 160.0)] == [
        (True, 100.0),
        (False, 100.0),
        (False, 100.0),
        (True, 160.0),
    ]


def test_a_token_is_not_more_than_its_account_nor_born_expired(store: Store) -> None:
    make(store, "mara")
    viewer = make(store, "vik", "viewer")
    with pytest.raises(AccessError, match="'vik' is viewer; its tokens cannot be owner"):
        token(store, viewer, "owner")
    for days in ("0", "-1", "3651", "soon"):
        with pytest.raises(InputError, match=f"1 to 3650 days, or never expires; got '{days}'"):
            token(store, viewer, "viewer", days=days)


def test_one_does_not_change_ones_own_account_in_any_case_of_letters(store: Store) -> None:
    make(store, "mara")
    make(store, "ole")
    for name in ("mara", " MARA"):
        with pytest.raises(InputError, match="Only another owner can change your account"):
            store.write_now(
                lambda c, name=name: register.change_role(
                    c, name, "viewer", actor=Actor("mara"), now=0.0
                )
            )
        with pytest.raises(InputError, match="Only another owner can change your account"):
            store.write_now(
                lambda c, name=name: register.reset_password(
                    c, name, password_hash="x", actor=Actor("mara"), now=0.0
                )
            )
    assert store.write_now(
        lambda c: register.change_role(c, "mara", "viewer", actor=Actor("ole"), now=0.0)
    ).role


def test_a_chosen_password_is_typed_twice_new_and_asked_for_with_the_present_one() -> None:
    mara = Account(
        id=1,
        name="mara",
        role="owner",
        password_hash=passwords.hash_password("correct horse"),
        one_time=False,
        generation=1,
        created=0.0,
    )
    for given, words in [
        ({"password": "a new password", "again": "another"}, "two passwords differ"),
        ({"password": "correct horse", "again": "correct horse"}, "your current password"),
        (
            {"password": "a new password", "again": "a new password", "present": "wrong"},
            "current password is wrong",
        ),
    ]:
        with pytest.raises(InputError, match=words):
            passwords.choose_password(mara, **given)
    chosen = passwords.choose_password(
        mara, password="a new password", again="a new password", present="correct horse"
    )
    assert passwords.verify_password(chosen, "a new password").ok
    with pytest.raises(InputError, match="Nobody is signed in"):
        passwords.choose_password(None, password="a new password", again="a new password")
