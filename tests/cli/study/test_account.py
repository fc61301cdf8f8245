"""`palaver account`: who may sign in."""

import re
from pathlib import Path

import pytest

from palaver.accounts.passwords import verify_password
from palaver.storage import Store
from palaver.storage.people.accounts import find_account
from palaver.storage.studies.studies import register_study

from ..conftest import Palaver


def test_add_prints_a_password_that_works_once_replaced(palaver: Palaver, study: Path) -> None:
    said = palaver("account", "add", "first", "Mara", "--role", "owner")
    assert said.status == 0
    assert "Added 'mara' as owner." in said.out
    password = _password(said.out)
    store = Store(f"sqlite:///{study / 'palaver.db'}", read_only=True)
    try:
        account = store.read_now(lambda c: find_account(c, "mara"))
    finally:
        store.close()
    assert account is not None
    assert account.one_time
    assert verify_password(account.password_hash, password).ok


def test_list_shows_names_and_roles_and_no_password(palaver: Palaver, study: Path) -> None:
    said = palaver("account", "add", "first", "mara", "--role", "owner")
    palaver("account", "add", "first", "bo")
    listed = palaver("account", "list", "first").out
    head, mara, bo = listed.splitlines()
    assert head.split() == ["account", "role", "since", "note"]
    assert re.fullmatch(r"mara +owner +\d{4}-\d\d-\d\d  one-time password not used yet", mara)
    assert bo.split()[:2] == ["bo", "viewer"]
    assert _password(said.out) not in listed


def test_a_new_password_replaces_the_old(palaver: Palaver, study: Path) -> None:
    first = palaver("account", "add", "first", "mara", "--role", "owner")
    second = palaver("account", "password", "first", "mara")
    assert "the old one no longer works" in second.out
    assert _password(first.out) != _password(second.out)


def test_another_role(palaver: Palaver, study: Path) -> None:
    palaver("account", "add", "first", "mara", "--role", "owner")
    palaver("account", "add", "first", "bo")
    said = palaver("account", "role", "first", "bo", "reviewer")
    assert said.out == "'bo' is now reviewer and must sign in again.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "first", "mara"], "An account 'mara' already exists."),
        (["add", "first", "x y"], "got 'x y'"),
        (
            ["add", "first", "bo", "--role", "boss"],
            "one of member, viewer, reviewer, owner; got 'boss'",
        ),
        (["role", "first", "mara", "viewer"], "'mara' is the only owner."),
        (["role", "first", "nobody", "viewer"], "There is no account 'nobody'."),
        (["password", "first", "nobody"], "There is no account 'nobody'."),
    ],
)
def test_mistakes(palaver: Palaver, study: Path, arguments: list[str], message: str) -> None:
    palaver("account", "add", "first", "mara", "--role", "owner")
    said = palaver("account", *arguments)
    assert (said.status, said.out) == (1, "")
    assert message in said.err


def test_an_unknown_subcommand_is_a_usage_error(palaver: Palaver, study: Path) -> None:
    said = palaver("account", "promote", "first", "mara")
    assert (said.status, said.out) == (2, "")
    assert "No such command 'promote'." in said.err


def test_the_first_account_is_an_owner(palaver: Palaver, study: Path) -> None:
    said = palaver("account", "add", "first", "bo")
    assert said.status == 1
    assert "The first account must be an owner; got 'viewer'." in said.err


def test_list_before_anything_is_stored(palaver: Palaver, study: Path) -> None:
    assert "Nothing is stored" in palaver("account", "list", "first").err


def _password(text: str) -> str:
    found = re.search(r"one-time password: (\S+)", text)
    assert found is not None
    return found.group(1)


def test_disabled_enabled_and_removed(palaver: Palaver, study: Path) -> None:
    palaver("account", "add", "first", "mara", "--role", "owner")
    palaver("account", "add", "first", "bo")
    said = palaver("account", "disable", "first", "Bo")
    assert said.out == "'bo' is disabled: its sessions have ended, its tokens are revoked.\n"
    assert "disabled, one-time password" in palaver("account", "list", "first").out
    assert palaver("account", "enable", "first", "bo").out == "'bo' may sign in again.\n"
    removed = palaver("account", "remove", "first", "bo")
    assert removed.out.startswith("'bo' is removed.")
    assert "bo " not in palaver("account", "list", "first").out
    again = palaver("account", "add", "first", "bo")
    assert (again.status, "An account 'bo' was removed." in again.err) == (1, True)
    for act in ("disable", "remove"):
        refused = palaver("account", act, "first", "mara")
        assert (refused.status, "'mara' is the only owner." in refused.err) == (1, True)


def test_a_study_is_granted_and_taken_back(palaver: Palaver, study: Path) -> None:
    palaver("account", "add", "first", "mara", "--role", "owner")
    palaver("account", "add", "first", "bo", "--role", "member")
    store = Store(f"sqlite:///{study / 'palaver.db'}")
    store.write_now(
        lambda c: register_study(c, name="first", title="", digest="", definition="", now=1.0)
    )
    store.close()
    said = palaver("account", "grant", "first", "bo", "first", "reviewer")
    assert said.out == "'bo' is reviewer of 'first' now.\n"
    assert "reviewer of first" in palaver("account", "list", "first").out
    assert palaver("account", "revoke", "first", "bo", "first").status == 0
    for arguments, message in (
        (["revoke", "first", "bo", "first"], "'bo' was granted nothing in 'first'."),
        (["grant", "first", "bo", "other", "viewer"], "There is no study 'other' here."),
        (["grant", "first", "bo", "first", "owner"], "one is viewer or reviewer; got 'owner'"),
        (["reset-factor", "first", "bo"], "'bo' has no second factor."),
    ):
        refused = palaver("account", *arguments)
        assert (refused.status, message in refused.err) == (1, True)
    owner = palaver("account", "grant", "first", "mara", "first", "viewer")
    assert "As owner it sees every study anyway" in owner.out
