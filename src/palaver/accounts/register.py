"""The register of accounts: who is added, as what, with which password and tokens; and who one is.

Hashing a password takes tens of milliseconds, so it is done before the transaction begins and the
hash is passed in (see `passwords`).
"""

import asyncio
import re

from sqlalchemy import Connection

from palaver.accounts.passwords import MAX_PASSWORD, hash_password, verify_password
from palaver.core.accounts import Account, NewToken, Token, allows, folded_name, role_named
from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.storage import Store
from palaver.storage.people import accounts
from palaver.storage.people.accounts import (
    Bearer,
    find_account,
    find_account_by_id,
    find_token,
    refresh_hash,
    touch_token,
)

OWNER = "owner"
DAY = 86400.0
MOST_DAYS = 3650
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


def list_tokens(connection: Connection, account_id: int | None = None) -> list[Token]:
    """The tokens of an account (or of all), oldest first, revoked ones included."""
    return accounts.list_tokens(connection, account_id)


def make_token(
    connection: Connection, account: Account, *, name: str, role: str, days: str = "", now: float
) -> NewToken:
    """A new token of an account, for some days or without an end; its secret is told this once."""
    chosen = role_named(role)
    if not allows(account.role, chosen):
        raise AccessError(f"'{account.name}' is {account.role}; its tokens cannot be {role}.")
    return accounts.create_token(
        connection,
        account_id=account.id,
        name=name.strip() or "token",
        role=chosen,
        expires=_expiry(days.strip(), now),
        now=now,
    )


def revoke_token(connection: Connection, token_id: int, *, by: Account, now: float) -> Token:
    """Refuse a token from now on: one's own, or as an owner anybody's.

    A token that was revoked before keeps the time of the first time.
    """
    known = accounts.list_tokens(connection, None if by.role == "owner" else by.id)
    if all(token.id != token_id for token in known):
        raise InputError("There is no such token, or it is not yours.")
    return accounts.revoke_token(connection, token_id, now=now)


async def find_signed_in(store: Store, account_id: int, generation: int) -> Account | None:
    """The account of a cookie; None once its password or role was changed."""
    account = await store.read(lambda c: find_account_by_id(c, account_id))
    return account if account is not None and account.generation == generation else None


async def verify(store: Store, name: str, password: str) -> Account | None:
    """The account of this name if the password is right; it takes as long if it is not."""
    password = password[: MAX_PASSWORD + 1]
    account = await store.read(lambda c: find_account(c, name))
    known = None if account is None else account.password_hash
    verified = await asyncio.to_thread(verify_password, known, password)
    if account is None or known is None or not verified.ok:
        return None
    if verified.rehash and not account.one_time:
        newer = await asyncio.to_thread(hash_password, password)
        account_id = account.id
        await store.write(lambda c: refresh_hash(c, account_id, old_hash=known, new_hash=newer))
    return account


async def find_bearer(store: Store, secret: str, *, now: float) -> Bearer | None:
    """Whom a token speaks for; None if it is not accepted. That it was used is recorded."""
    token = await store.read(lambda c: find_token(c, secret, now=now))
    if token is None or token.account.one_time:
        return None
    if token.stale:
        await store.write(lambda c: touch_token(c, token.token_id, now=now))
    return token


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


def _expiry(days: str, now: float) -> float | None:
    if not days:
        return None
    if not days.isdecimal() or not 1 <= int(days[:9]) <= MOST_DAYS:
        raise InputError(
            f"A token lasts 1 to {MOST_DAYS} days, or never expires; got '{days[:40]}'."
        )
    return now + int(days) * DAY
