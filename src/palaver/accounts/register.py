"""The register of accounts: who is added, as what, with which password and tokens; and who one is.

Hashing a password takes tens of milliseconds, so it is done before the transaction begins and the
hash is passed in (see `passwords`).
"""

import asyncio
import re
from dataclasses import replace

from sqlalchemy import Connection

from palaver.accounts.passwords import MAX_PASSWORD, hash_password, verify_password
from palaver.core.accounts import (
    Account,
    folded_name,
    role_named,
)
from palaver.core.audit import SERVER, UNKNOWN_NAME, Actor
from palaver.core.errors import AccessError, ConflictError, InputError
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.people import accounts, grants, second_factors, sessions
from palaver.storage.people.accounts import (
    find_account,
    refresh_hash,
)

OWNER = "owner"
DAY = 86400.0
MOST_DAYS = 3650
_NAME = re.compile(r"\w[\w.@+-]{0,63}")


def list_accounts(connection: Connection) -> list[Account]:
    """Every account, oldest first."""
    return accounts.list_accounts(connection)


def find_by_id(connection: Connection, account_id: int) -> Account | None:
    """The account of this number; None once it is removed."""
    return accounts.find_account_by_id(connection, account_id)


def add_account(
    connection: Connection,
    *,
    name: str,
    role: str,
    password_hash: str,
    now: float,
    by: Account | None = None,
    actor: Actor = SERVER,
) -> Account:
    """Let somebody sign in with a one-time password, to be replaced at the first sign-in.

    `by` is whoever is signed in; None for somebody at the machine itself.
    """
    if by is not None and by.role != "owner":
        raise AccessError(f"Only an owner makes accounts; '{by.name}' is {by.role}.")
    known, chosen = _known_name(name), role_named(role)
    if chosen != "owner" and not accounts.has_accounts(connection):
        raise InputError(f"The first account must be an owner; got '{role}'. Add: --role owner")
    taken = InputError(f"An account '{known}' already exists. Choose another name.")
    if accounts.find_account(connection, known) is not None:
        raise taken
    if accounts.is_removed(connection, known):
        raise InputError(
            f"An account '{known}' was removed. What it did keeps its name: choose another one."
        )
    try:
        made = accounts.create_account(
            connection,
            name=known,
            role=chosen,
            password_hash=password_hash,
            one_time=True,
            now=now,
        )
    except ConflictError as error:
        raise taken from error
    record(connection, "account.add", by=actor, now=now, subject=known, detail={"role": chosen})
    return made


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
    connection: Connection,
    name: str,
    role: str,
    *,
    actor: Actor = SERVER,
    now: float,
) -> Account:
    """Give an account another role; the last owner stays one."""
    chosen = role_named(role)
    check_not_own(name, actor)
    if chosen != "owner":
        _check_not_last_owner(connection, name)
    changed = known_account(accounts.set_role(connection, name, chosen), name)
    told = {"role": chosen}
    record(connection, "account.role", by=actor, now=now, subject=changed.name, detail=told)
    return changed


def disable_account(
    connection: Connection,
    name: str,
    *,
    now: float,
    actor: Actor = SERVER,
) -> Account:
    """Keep an account from signing in; its sessions end, and its tokens are revoked."""
    check_not_own(name, actor)
    _check_not_last_owner(connection, name)
    account = known_account(accounts.set_disabled(connection, name, now), name)
    _end_access(connection, account, now)
    record(connection, "account.disable", by=actor, now=now, subject=account.name)
    return account


def enable_account(
    connection: Connection,
    name: str,
    *,
    now: float,
    actor: Actor = SERVER,
) -> Account:
    """Let an account sign in again; tokens that were revoked stay so."""
    check_not_own(name, actor)
    account = known_account(accounts.set_disabled(connection, name, None), name)
    record(connection, "account.enable", by=actor, now=now, subject=account.name)
    return account


def remove_account(
    connection: Connection,
    name: str,
    *,
    now: float,
    actor: Actor = SERVER,
) -> Account:
    """Take an account away for good, with all that could open anything; what it did stays."""
    check_not_own(name, actor)
    _check_not_last_owner(connection, name)
    account = known_account(accounts.set_removed(connection, name, now=now), name)
    _end_access(connection, account, now)
    second_factors.drop_factor(connection, account.id)
    second_factors.drop_identities(connection, account.id)
    grants.drop_grants(connection, account.id)
    record(connection, "account.remove", by=actor, now=now, subject=account.name)
    return account


def reset_password(
    connection: Connection,
    name: str,
    *,
    password_hash: str,
    actor: Actor = SERVER,
    now: float,
) -> Account:
    """Give an account a new one-time password; whoever is signed in with the old one is not."""
    check_not_own(name, actor)
    changed = known_account(
        accounts.set_password(connection, name, password_hash=password_hash, one_time=True), name
    )
    told = {"one_time": True}
    record(connection, "account.password", by=actor, now=now, subject=changed.name, detail=told)
    return changed


def replace_password(
    connection: Connection,
    account: Account,
    *,
    password_hash: str,
    actor: Actor = SERVER,
    now: float,
) -> Account:
    """Store the password that somebody chose; see `passwords.choose_password` for its rules."""
    changed = accounts.set_password(connection, account.name, password_hash=password_hash)
    record(connection, "account.password", by=actor, now=now, subject=account.name)
    return known_account(changed, account.name)


async def verify(store: Store, name: str, password: str) -> Account | None:
    """The account of this name if the password is right; it takes as long if it is not.

    An account that is disabled is told apart by nothing.
    """
    password = password[: MAX_PASSWORD + 1]
    account = await store.read(lambda c: find_account(c, name))
    known = None if account is None else account.password_hash
    verified = await asyncio.to_thread(verify_password, known, password)
    if account is None or known is None or not verified.ok or account.disabled is not None:
        return None
    if verified.rehash and not account.one_time:
        newer = await asyncio.to_thread(hash_password, password)
        account_id = account.id
        await store.write(lambda c: refresh_hash(c, account_id, old_hash=known, new_hash=newer))
    return account


def record_sign_in(
    connection: Connection, name: str, *, passed: bool, actor: Actor, now: float
) -> None:
    """Record that somebody signed in, or tried to.

    A name that is no account's is not kept: people type passwords where names belong.
    """
    account = find_account(connection, name)
    subject = UNKNOWN_NAME if account is None else account.name
    if passed:
        record(
            connection, "sign-in.pass", by=replace(actor, name=subject), now=now, subject=subject
        )
    else:
        record(connection, "sign-in.fail", by=actor, now=now, subject=subject)


def record_sign_out(connection: Connection, *, actor: Actor, now: float) -> None:
    """Record that somebody signed out."""
    record(connection, "sign-out", by=actor, now=now, subject=actor.name)


def _known_name(name: str) -> str:
    folded = folded_name(name)
    if _NAME.fullmatch(folded) is None:
        raise InputError(
            f"An account's name has 1 to 64 letters, digits or . @ + - _ and starts with a letter "
            f"or digit; got '{name}'."
        )
    return folded


def check_not_own(name: str, actor: Actor) -> None:
    """InputError if somebody would change their own account; commands and the server are nobody."""
    if folded_name(name) == actor.name:
        raise InputError(
            "Only another owner can change your account, so that nobody is locked out."
        )


def _check_not_last_owner(connection: Connection, name: str) -> None:
    # Locked, so that two owners cannot each take the other's rights.
    if accounts.lock_owners(connection) == [folded_name(name)]:
        raise InputError(
            f"'{folded_name(name)}' is the only owner. Make somebody else an owner first."
        )


def _end_access(connection: Connection, account: Account, now: float) -> None:
    sessions.end_sessions(connection, account.id, now=now)
    accounts.revoke_tokens(connection, account.id, now=now)


def known_account(account: Account | None, name: str) -> Account:
    if account is None:
        raise InputError(f"There is no account '{name}'. See: palaver account list")
    return account
