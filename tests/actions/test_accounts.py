"""What changes an account comes to the same through every door, and is refused in the same words."""

import re
from collections.abc import Callable

import pytest

from palaver.accounts.passwords import verify_password
from palaver.core.accounts import Account
from palaver.storage.people.accounts import find_account, list_tokens
from support.doors import Doors, Refused

SETTINGS = "/desk/settings"

Act = Callable[..., None]


def add_by_command(doors: Doors, name: str, role: str) -> None:
    doors.command("account", "add", str(doors.folder), name, "--role", role)


def add_by_desk(doors: Doors, name: str, role: str) -> None:
    doors.send(f"{SETTINGS}/accounts", on=SETTINGS, name=name, role=role)


def role_by_command(doors: Doors, name: str, role: str) -> None:
    doors.command("account", "role", str(doors.folder), name, role)


def role_by_desk(doors: Doors, name: str, role: str) -> None:
    doors.send(f"{SETTINGS}/accounts/change", on=SETTINGS, name=name, role=role)


def reset_by_command(doors: Doors, name: str) -> str:
    told = doors.command("account", "password", str(doors.folder), name)
    found = re.search(r"one-time password: (\S+)", told)
    assert found is not None
    return found.group(1)


def reset_by_desk(doors: Doors, name: str) -> str:
    path = f"{SETTINGS}/accounts/change"
    shown = doors.desk.post(path, on=SETTINGS, name=name, reset="yes")
    found = re.search(r'<code class="secret">([^<]+)</code>', shown.text)
    if found is None:
        doors.send(path, on=SETTINGS, name=name, reset="yes")
    assert found is not None
    return found.group(1)


adding = pytest.mark.parametrize("add", [add_by_command, add_by_desk])
changing = pytest.mark.parametrize("change", [role_by_command, role_by_desk])
resetting = pytest.mark.parametrize("reset", [reset_by_command, reset_by_desk])


def account(doors: Doors, name: str) -> Account:
    found = doors.desk.store.read_now(lambda c: find_account(c, name))
    assert found is not None
    return found


@adding
def test_a_new_account_has_a_one_time_password(doors: Doors, add: Act) -> None:
    add(doors, " Mara", "reviewer")
    made = account(doors, "mara")
    assert (made.name, made.role, made.one_time, made.generation) == ("mara", "reviewer", True, 1)


@adding
@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("VERA", "viewer", "An account 'vera' already exists. Choose another name."),
        ("a b", "viewer", "An account's name has 1 to 64 letters, digits or . @ + - _ and starts"),
        ("mara", "boss", "A role must be one of member, viewer, reviewer, owner; got 'boss'."),
    ],
)
def test_an_account_that_cannot_be(
    doors: Doors, add: Act, name: str, role: str, words: str
) -> None:
    with pytest.raises(Refused) as refused:
        add(doors, name, role)
    assert str(refused.value).startswith(words)


@changing
def test_another_role_signs_out(doors: Doors, change: Act) -> None:
    change(doors, "Ruth", "owner")
    assert (account(doors, "ruth").role, account(doors, "ruth").generation) == ("owner", 2)


@changing
@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("nobody", "viewer", "There is no account 'nobody'. See: palaver account list"),
        ("ruth", "boss", "A role must be one of member, viewer, reviewer, owner; got 'boss'."),
    ],
)
def test_a_role_that_cannot_be(doors: Doors, change: Act, name: str, role: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        change(doors, name, role)
    assert str(refused.value) == words


def test_the_last_owner_stays_one_at_every_door(doors: Doors) -> None:
    with pytest.raises(Refused, match="'olga' is the only owner"):
        role_by_command(doors, "Olga", "viewer")
    # At the desk nobody changes their own account, whatever the case of its letters.
    for name in ("olga", "OLGA"):
        with pytest.raises(Refused, match="Only another owner can change your account"):
            role_by_desk(doors, name, "viewer")
    assert account(doors, "olga").role == "owner"


@resetting
def test_a_new_one_time_password_is_told_once_and_works(
    doors: Doors, reset: Callable[[Doors, str], str]
) -> None:
    password = reset(doors, "vera")
    changed = account(doors, "vera")
    assert (changed.one_time, changed.generation) == (True, 2)
    assert verify_password(changed.password_hash, password).ok


@resetting
def test_nobody_has_no_password(doors: Doors, reset: Callable[[Doors, str], str]) -> None:
    with pytest.raises(Refused, match="There is no account 'nobody'"):
        reset(doors, "nobody")


def test_revoking_a_token_twice_keeps_the_first_time(doors: Doors) -> None:
    headers = {"authorization": f"Bearer {doors.desk.token('vera')}"}
    assert doors.desk.client.get("/api/v1/me", headers=headers).json() == {
        "name": "vera",
        "role": "viewer",
    }
    (token,) = doors.desk.store.read_now(list_tokens)
    doors.send(f"{SETTINGS}/tokens/revoke", on=SETTINGS, id=str(token.id))
    (once,) = doors.desk.store.read_now(list_tokens)
    doors.send(f"{SETTINGS}/tokens/revoke", on=SETTINGS, id=str(token.id))
    assert once.revoked is not None
    assert doors.desk.store.read_now(list_tokens) == [once]
    assert doors.desk.client.get("/api/v1/me", headers=headers).status_code == 401
    with pytest.raises(Refused, match=r"There is no such token, or it is not yours\."):
        doors.send(f"{SETTINGS}/tokens/revoke", on=SETTINGS, id="99")
