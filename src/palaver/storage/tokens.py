"""API tokens: kept as the SHA-256 of a secret that is shown once."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Select, insert, or_, select, update

from palaver.core.errors import AccessError, InputError
from palaver.storage.accounts import (
    Account,
    Role,
    account_from_row,
    allows,
    find_account_by_id,
    lesser,
    role_named,
)
from palaver.storage.schema import accounts, tokens

# How stale the time of a token's last use may be; a write per request would be too many.
TOUCH_SECONDS = 60.0
_TOKEN = re.compile(r"pv_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Token:
    """An API token as a list shows it; its secret was shown once and is not kept."""

    id: int
    account_id: int
    account: str
    name: str
    role: Role
    created: float
    expires: float | None
    revoked: float | None
    used: float | None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made, with the secret that will not be shown again."""

    token: Token
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whom a token speaks for, and as what: the lesser of the token's and the account's role."""

    account: Account
    role: Role
    token_id: int
    # Whether the time of its last use is due to be written: then call `touch_token`.
    stale: bool


def create_token(
    connection: Connection,
    *,
    account_id: int,
    name: str,
    role: Role,
    now: float,
    expires: float | None = None,
) -> NewToken:
    """Store a new token of an account; its secret is returned this once."""
    account = find_account_by_id(connection, account_id)
    if account is None:
        raise InputError("This account does not exist; a token belongs to an account.")
    if not allows(account.role, role_named(role)):
        raise AccessError(f"'{account.name}' is {account.role}; its tokens cannot be {role}.")
    if expires is not None and expires <= now:
        raise InputError("A token cannot expire before it is made; give a time in the future.")
    secret = f"pv_{secrets.token_urlsafe(32)}"
    token_id = connection.execute(
        insert(tokens)
        .values(
            account_id=account_id,
            name=name.strip() or "token",
            digest=_digest(secret),
            role=role,
            created=now,
            expires=expires,
        )
        .returning(tokens.c.id)
    ).scalar_one()
    (token,) = _tokens(connection, _token_rows().where(tokens.c.id == token_id))
    return NewToken(token, secret)


def find_token(connection: Connection, secret: str, *, now: float) -> Bearer | None:
    """Whom a secret speaks for; None if it is unknown, expired or revoked."""
    if _TOKEN.fullmatch(secret) is None:
        return None
    row = connection.execute(
        select(
            accounts,
            tokens.c.id.label("token_id"),
            tokens.c.role.label("token_role"),
            tokens.c.used,
        )
        .join(accounts, accounts.c.id == tokens.c.account_id)
        .where(
            tokens.c.digest == _digest(secret),
            tokens.c.revoked.is_(None),
            or_(tokens.c.expires.is_(None), tokens.c.expires > now),
        )
    ).one_or_none()
    if row is None:
        return None
    account = account_from_row(row)
    return Bearer(
        account,
        role=lesser(role_named(row.token_role), account.role),
        token_id=row.token_id,
        stale=row.used is None or row.used <= now - TOUCH_SECONDS,
    )


def touch_token(connection: Connection, token_id: int, *, now: float) -> None:
    """Record that a token was used, unless that was recorded less than a minute ago."""
    connection.execute(
        update(tokens)
        .where(
            tokens.c.id == token_id,
            or_(tokens.c.used.is_(None), tokens.c.used <= now - TOUCH_SECONDS),
        )
        .values(used=now)
    )


def list_tokens(connection: Connection, account_id: int | None = None) -> list[Token]:
    """The tokens of an account (or of all), oldest first, revoked ones included."""
    rows = _token_rows().order_by(tokens.c.account_id, tokens.c.id)
    return list(
        _tokens(connection, rows if account_id is None else rows.where(accounts.c.id == account_id))
    )


def revoke_token(
    connection: Connection, token_id: int, *, now: float, account_id: int | None = None
) -> bool:
    """Refuse a token from now on; False if there is none (of that account) that still stands."""
    statement = update(tokens).where(tokens.c.id == token_id, tokens.c.revoked.is_(None))
    if account_id is not None:
        statement = statement.where(tokens.c.account_id == account_id)
    return connection.execute(statement.values(revoked=now)).rowcount == 1


def _token_rows() -> Select[Any]:
    return select(tokens, accounts.c.name.label("account")).join(
        accounts, accounts.c.id == tokens.c.account_id
    )


def _tokens(connection: Connection, statement: Select[Any]) -> Sequence[Token]:
    return [
        Token(
            id=row.id,
            account_id=row.account_id,
            account=row.account,
            name=row.name,
            role=role_named(row.role),
            created=row.created,
            expires=row.expires,
            revoked=row.revoked,
            used=row.used,
        )
        for row in connection.execute(statement)
    ]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
