"""Tokens of accounts: who makes one, with which role and for how long, and whom one speaks for."""

from sqlalchemy import Connection

from palaver.core.accounts import GRANTED, ROLES, Account, NewToken, Role, Token, allows, role_named
from palaver.core.audit import SERVER, Actor
from palaver.core.errors import AccessError, InputError
from palaver.core.numbers import whole_number
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.people import accounts
from palaver.storage.people.accounts import Bearer, find_token, touch_token

DAY = 86400.0
MOST_DAYS = 3650


def token_roles(account: Account) -> tuple[Role, ...]:
    """The roles that a token of an account can have; a member's may do what was granted, at most."""
    if account.role == "member":
        return GRANTED
    return tuple(role for role in ROLES[1:] if allows(account.role, role))


def list_tokens(connection: Connection, account_id: int | None = None) -> list[Token]:
    """The tokens of an account (or of all), oldest first, revoked ones included."""
    return accounts.list_tokens(connection, account_id)


def make_token(
    connection: Connection,
    account: Account,
    *,
    name: str,
    role: str,
    days: str = "",
    now: float,
    actor: Actor = SERVER,
) -> NewToken:
    """A new token of an account, for some days or without an end; its secret is told this once."""
    chosen = role_named(role)
    if chosen not in token_roles(account):
        raise AccessError(f"'{account.name}' is {account.role}; its tokens cannot be {role}.")
    made = accounts.create_token(
        connection,
        account_id=account.id,
        name=name.strip() or "token",
        role=chosen,
        expires=_expiry(days.strip(), now),
        now=now,
    )
    told = {"token": made.token.id, "name": made.token.name, "role": chosen}
    record(connection, "token.make", by=actor, now=now, subject=account.name, detail=told)
    return made


def revoke_token(
    connection: Connection, token_id: int, *, by: Account, now: float, actor: Actor = SERVER
) -> Token:
    """Refuse a token from now on: one's own, or as an owner anybody's.

    A token that was revoked before keeps the time of the first time.
    """
    known = accounts.list_tokens(connection, None if by.role == "owner" else by.id)
    if all(token.id != token_id for token in known):
        raise InputError("There is no such token, or it is not yours.")
    revoked = accounts.revoke_token(connection, token_id, now=now)
    told = {"token": token_id, "name": revoked.name}
    record(connection, "token.revoke", by=actor, now=now, subject=revoked.account, detail=told)
    return revoked


async def find_bearer(store: Store, secret: str, *, now: float) -> Bearer | None:
    """Whom a token speaks for; None if it is not accepted. That it was used is recorded."""
    token = await store.read(lambda c: find_token(c, secret, now=now))
    if token is None or token.account.one_time:
        return None
    if token.stale:
        await store.write(lambda c: touch_token(c, token.token_id, now=now))
    return token


def _expiry(days: str, now: float) -> float | None:
    if not days:
        return None
    if whole_number(days, least=1, most=MOST_DAYS) is None:
        raise InputError(
            f"A token lasts 1 to {MOST_DAYS} days, or never expires; got '{days[:40]}'."
        )
    return now + int(days) * DAY
