"""The register of accounts: who is added, as what, and with which password.

Hashing a password takes tens of milliseconds, so it is done before the transaction begins and the
hash is passed in (see `passwords`).
"""

import re

from sqlalchemy import Connection

from palaver.core.accounts import Account, folded_name, role_named
from palaver.core.errors import ConflictError, InputError
from palaver.storage.people import accounts

OWNER = "owner"
_NAME = re.compile(r"\w[\w.@+-]{0,63}")


def list_accounts(connection: Connection) -> list[Account]:
    """Every account, oldest first."""
    return accounts.list_accounts(connection)


def add_account(
    connection: Connection, *, name: str, role: str, password_hash: str, now: float
) -> Account:
    """Let somebody sign in with a one-time password, to be replaced at the first sign-in."""
    known, chosen = _known_name(name), role_named(role)
    if chosen != "owner" and not accounts.has_accounts(connection):
        raise InputError(f"The first account must be an owner; got '{role}'. Add: --role owner")
    taken = InputError(f"An account '{known}' already exists. Choose another name.")
    if accounts.find_account(connection, known) is not None:
        raise taken
    try:
        return accounts.create_account(
            connection,
            name=known,
            role=chosen,
            password_hash=password_hash,
            one_time=True,
            now=now,
        )
    except ConflictError as error:
        raise taken from error


def has_accounts(connection: Connection) -> bool:
    """Whether anybody may sign in."""
    return accounts.has_accounts(connection)


def ensure_owner(connection: Connection, *, password_hash: str, now: float) -> bool:
    """Make the account 'owner' with a one-time password; False if there is an account already."""
    if accounts.has_accounts(connection):
        return False
    try:
        add_account(connection, name=OWNER, role="owner", password_hash=password_hash, now=now)
    except InputError:
        return False  # another process that started at the same time was first
    return True


def change_role(
    connection: Connection, name: str, role: str, *, by: Account | None = None
) -> Account:
    """Give an account another role; the last owner stays one.

    `by` is whoever is signed in; None for somebody at the machine itself.
    """
    chosen = role_named(role)
    _check_not_own(name, by)
    # Locked, so that two owners cannot each make the other a viewer.
    if accounts.lock_owners(connection) == [folded_name(name)] and chosen != "owner":
        raise InputError(
            f"'{folded_name(name)}' is the only owner. Make somebody else an owner first."
        )
    return _known(accounts.set_role(connection, name, chosen), name)


def reset_password(
    connection: Connection, name: str, *, password_hash: str, by: Account | None = None
) -> Account:
    """Give an account a new one-time password; whoever is signed in with the old one is not."""
    _check_not_own(name, by)
    changed = accounts.set_password(connection, name, password_hash=password_hash, one_time=True)
    return _known(changed, name)


def replace_password(connection: Connection, account: Account, *, password_hash: str) -> Account:
    """Store the password that somebody chose; see `passwords.choose_password` for its rules."""
    changed = accounts.set_password(connection, account.name, password_hash=password_hash)
    return _known(changed, account.name)


def _known_name(name: str) -> str:
    folded = folded_name(name)
    if _NAME.fullmatch(folded) is None:
        raise InputError(
            f"An account's name has 1 to 64 letters, digits or . @ + - _ and starts with a letter "
            f"or digit; got '{name}'."
        )
    return folded


def _check_not_own(name: str, by: Account | None) -> None:
    if by is not None and folded_name(name) == by.name:
        raise InputError(
            "Only another owner can change your account, so that nobody is locked out."
        )


def _known(account: Account | None, name: str) -> Account:
    if account is None:
        raise InputError(f"There is no account '{name}'. See: palaver account list")
    return account
