"""Accounts and their API tokens as rows. A token is kept as the SHA-256 of a secret shown once."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.accounts import Account, NewToken, Rights, Role, Token, folded_name, role_named
from palaver.core.errors import ConflictError
from palaver.storage.people.grants import rights_of
from palaver.storage.schema import accounts, tokens

# How stale the time of a token's last use may be; a write per request would be too many.
TOUCH_SECONDS = 60.0
_TOKEN = re.compile(r"pv_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whom a token speaks for, and what it may do: no more than the token's and the account's role."""

    account: Account
    rights: Rights
    token_id: int
    # Whether the time of its last use is due to be written: then call `touch_token`.
    stale: bool


def create_account(
    connection: Connection,
    *,
    name: str,
    role: Role,
    password_hash: str,
    one_time: bool,
    now: float,
) -> Account:
    """Store a new account; ConflictError if another process took the name just now."""
    values = {"name": name, "password": password_hash, "one_time": one_time, **_role(role)}
    try:
        with connection.begin_nested():
            made = connection.execute(
                insert(accounts).values(**values, created=now).returning(accounts)
            ).one()
    except IntegrityError as error:
        raise ConflictError(f"An account '{name}' already exists.") from error
    return account_from_row(made)


def has_accounts(connection: Connection) -> bool:
    return bool(connection.execute(select(func.count()).select_from(accounts)).scalar_one())


def find_account(connection: Connection, name: str) -> Account | None:
    """The account called `name`, in any case of letters; disabled ones too, removed ones not."""
    by_name = _present().where(accounts.c.name == folded_name(name))
    row = connection.execute(by_name).one_or_none()
    return None if row is None else account_from_row(row)


def find_account_by_id(connection: Connection, account_id: int) -> Account | None:
    row = connection.execute(_present().where(accounts.c.id == account_id)).one_or_none()
    return None if row is None else account_from_row(row)


def is_removed(connection: Connection, name: str) -> bool:
    """Whether an account of this name was removed."""
    gone = select(accounts.c.id).where(
        accounts.c.name == folded_name(name), accounts.c.removed.is_not(None)
    )
    return connection.execute(gone).first() is not None


def list_accounts(connection: Connection) -> list[Account]:
    """Every account, oldest first."""
    return [account_from_row(row) for row in connection.execute(_present().order_by(accounts.c.id))]


def lock_owners(connection: Connection) -> list[str]:
    """The names of the owners who may sign in; nobody else changes them until this is committed."""
    owners = (
        select(accounts.c.name)
        .where(
            accounts.c.role == "owner",
            accounts.c.disabled.is_(None),
            accounts.c.removed.is_(None),
        )
        .order_by(accounts.c.id)
    )
    return list(connection.execute(owners.with_for_update()).scalars())


def set_role(connection: Connection, name: str, role: Role) -> Account | None:
    """Give an account another role; sessions of before are refused from then on."""
    return _change(connection, name, **_role(role))


def set_disabled(connection: Connection, name: str, disabled: float | None) -> Account | None:
    """Keep an account from signing in, or let it again; sessions of before stay refused."""
    return _change(connection, name, disabled=disabled)


def set_removed(connection: Connection, name: str, *, now: float) -> Account | None:
    """Take an account away for good; its row keeps the name, and no password is right for it."""
    return _change(connection, name, removed=now, password="removed", one_time=False)


def set_password(
    connection: Connection, name: str, *, password_hash: str, one_time: bool = False
) -> Account | None:
    """Replace a password; sessions of the old one are refused from then on."""
    return _change(connection, name, password=password_hash, one_time=one_time)


def refresh_hash(connection: Connection, account_id: int, *, old_hash: str, new_hash: str) -> bool:
    """Store the same password under a newer hash; False if it was changed in between."""
    changed = connection.execute(
        update(accounts)
        .where(accounts.c.id == account_id, accounts.c.password == old_hash)
        .values(password=new_hash)
    )
    return changed.rowcount == 1


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
    secret = f"pv_{secrets.token_urlsafe(32)}"
    token_id = connection.execute(
        insert(tokens)
        .values(
            account_id=account_id,
            name=name,
            digest=_digest(secret),
            role=role,
            created=now,
            expires=expires,
        )
        .returning(tokens.c.id)
    ).scalar_one()
    return NewToken(_token(connection, token_id), secret)


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
            accounts.c.disabled.is_(None),
            accounts.c.removed.is_(None),
        )
    ).one_or_none()
    if row is None:
        return None
    account = account_from_row(row)
    return Bearer(
        account,
        rights=rights_of(connection, account).at_most(role_named(row.token_role)),
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


def revoke_token(connection: Connection, token_id: int, *, now: float) -> Token:
    """Refuse a token from now on; one that was revoked before stays as it is."""
    connection.execute(
        update(tokens)
        .where(tokens.c.id == token_id, tokens.c.revoked.is_(None))
        .values(revoked=now)
    )
    return _token(connection, token_id)


def revoke_tokens(connection: Connection, account_id: int, *, now: float) -> int:
    """Refuse every token of an account from now on; how many."""
    mine = update(tokens).where(tokens.c.account_id == account_id, tokens.c.revoked.is_(None))
    return connection.execute(mine.values(revoked=now)).rowcount


def account_from_row(row: Row[Any]) -> Account:
    return Account(
        id=row.id,
        name=row.name,
        role="member" if row.granted_only else role_named(row.role),
        password_hash=row.password,
        one_time=row.one_time,
        generation=row.generation,
        created=row.created,
        disabled=row.disabled,
    )


def _present() -> Select[Any]:
    return select(accounts).where(accounts.c.removed.is_(None))


def _role(role: Role) -> dict[str, Any]:
    """The columns of a role: a member is a viewer of what it was granted alone."""
    return {"role": "viewer" if role == "member" else role, "granted_only": role == "member"}


def _change(connection: Connection, name: str, **values: Any) -> Account | None:
    row = connection.execute(
        update(accounts)
        .where(accounts.c.name == folded_name(name), accounts.c.removed.is_(None))
        .values(generation=accounts.c.generation + 1, **values)
        .returning(accounts)
    ).one_or_none()
    return None if row is None else account_from_row(row)


def _token(connection: Connection, token_id: int) -> Token:
    (token,) = _tokens(connection, _token_rows().where(tokens.c.id == token_id))
    return token


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
