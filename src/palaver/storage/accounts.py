"""Accounts and API tokens: who may look at a deployment, and who may change it.

A password is kept as an argon2 hash, a token as the SHA-256 of its secret. Hashing a password takes
tens of milliseconds on purpose: call `hash_password` and `verify_password` in a worker thread,
outside of the store's transaction, and pass the hash in.
"""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy import Connection, Row, Select, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.errors import AccessError, InputError, StoreError
from palaver.storage.schema import accounts, tokens

Role = Literal["viewer", "reviewer", "owner"]

# From the least to the most that one may do.
ROLES: tuple[Role, ...] = ("viewer", "reviewer", "owner")

OWNER = "owner"
MIN_PASSWORD, MAX_PASSWORD = 8, 1024
# How stale the time of a token's last use may be; a write per request would be too many.
TOUCH_SECONDS = 60.0

_NAME = re.compile(r"\w[\w.@+-]{0,63}")
_TOKEN = re.compile(r"pv_[A-Za-z0-9_-]{43}")
# Nothing that looks like something else: a one-time password is read from a terminal and typed.
_LETTERS = "23456789bcdfghjkmnpqrstvwxz"
_hasher = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in. A cookie is good for one `generation`."""

    id: int
    name: str
    role: Role
    password_hash: str = field(repr=False)
    one_time: bool
    generation: int
    created: float


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


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a password is right, and whether its hash was made with settings of the past."""

    ok: bool
    rehash: bool = False


# --- Roles ----------------------------------------------------------------------------------------


def role_named(name: str) -> Role:
    """The role called `name`."""
    if name not in ROLES:
        raise InputError(f"A role is one of {', '.join(ROLES)}; got '{name}'.")
    return name


def allows(role: Role, needed: Role) -> bool:
    """Whether somebody with `role` may do what asks for `needed`."""
    return ROLES.index(role) >= ROLES.index(needed)


def lesser(one: Role, other: Role) -> Role:
    """The role that may do less."""
    return one if allows(other, one) else other


# --- Passwords: no database here ------------------------------------------------------------------


def new_password() -> str:
    """A one-time password of 76 random bits that is easy to read and type."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))


def hash_password(password: str) -> str:
    """The hash to store for a password; InputError if it is too short or too long."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InputError(
            f"A password has {MIN_PASSWORD} to {MAX_PASSWORD} characters; got {len(password)}."
        )
    return _hasher.hash(_prepared(password))


def verify_password(password_hash: str | None, password: str) -> Verified:
    """Whether a password is the one behind a hash.

    Without a hash (nobody has that name) it takes as long as a wrong password does, so that the
    time does not tell which names exist.
    """
    try:
        _hasher.verify(password_hash or _decoy(), _prepared(password[: MAX_PASSWORD + 1]))
    except VerifyMismatchError:
        return Verified(False)
    except InvalidHashError as error:
        raise StoreError(
            "The password of this account is stored in a form that cannot be read. "
            "Set a new one with: palaver account password"
        ) from error
    if password_hash is None:
        return Verified(False)
    return Verified(True, rehash=_hasher.check_needs_rehash(password_hash))


@cache
def _decoy() -> str:
    return _hasher.hash(secrets.token_urlsafe(16))


def _prepared(password: str) -> str:
    # The same letters typed on another system may arrive composed differently.
    return unicodedata.normalize("NFKC", password)


# --- Accounts -------------------------------------------------------------------------------------


def create_account(
    connection: Connection,
    *,
    name: str,
    role: Role,
    password_hash: str,
    one_time: bool,
    now: float,
) -> Account:
    """Store a new account; InputError if the name is taken."""
    name = _account_name(name)
    if find_account(connection, name) is not None:
        raise InputError(f"There is an account '{name}' already. Choose another name.")
    made = connection.execute(
        insert(accounts)
        .values(
            name=name,
            role=role_named(role),
            password=password_hash,
            one_time=one_time,
            created=now,
        )
        .returning(accounts)
    ).one()
    return _account(made)


def ensure_owner(connection: Connection, *, now: float) -> str | None:
    """Make the account 'owner' if there is no account; its one-time password, else None."""
    if connection.execute(select(func.count()).select_from(accounts)).scalar_one():
        return None
    # Hashed inside the transaction: it happens once in the life of a deployment.
    password = new_password()
    password_hash = hash_password(password)
    try:
        with connection.begin_nested():
            create_account(
                connection,
                name=OWNER,
                role="owner",
                password_hash=password_hash,
                one_time=True,
                now=now,
            )
    except IntegrityError:
        return None  # another process that started at the same time was first
    return password


def find_account(connection: Connection, name: str) -> Account | None:
    """The account called `name`, in any case of letters."""
    row = connection.execute(select(accounts).where(accounts.c.name == _folded(name))).one_or_none()
    return None if row is None else _account(row)


def find_account_by_id(connection: Connection, account_id: int) -> Account | None:
    """The account with this id."""
    row = connection.execute(select(accounts).where(accounts.c.id == account_id)).one_or_none()
    return None if row is None else _account(row)


def list_accounts(connection: Connection) -> list[Account]:
    """Every account, oldest first."""
    return [_account(row) for row in connection.execute(select(accounts).order_by(accounts.c.id))]


def set_password(
    connection: Connection, name: str, *, password_hash: str, one_time: bool = False
) -> Account:
    """Replace a password; cookies of the old one are refused from then on."""
    return _change(connection, name, password=password_hash, one_time=one_time)


def refresh_hash(connection: Connection, account_id: int, *, old_hash: str, new_hash: str) -> bool:
    """Store the same password under a newer hash; False if it was changed in between."""
    changed = connection.execute(
        update(accounts)
        .where(accounts.c.id == account_id, accounts.c.password == old_hash)
        .values(password=new_hash)
    )
    return changed.rowcount == 1


def set_role(connection: Connection, name: str, role: Role) -> Account:
    """Give an account another role; the last owner stays one."""
    # Locked, so that two owners cannot each make the other a viewer.
    owners = connection.execute(
        select(accounts.c.name)
        .where(accounts.c.role == "owner")
        .order_by(accounts.c.id)
        .with_for_update()
    ).scalars()
    if role_named(role) != "owner" and list(owners) == [_folded(name)]:
        raise InputError(f"'{_folded(name)}' is the only owner. Make somebody else an owner first.")
    return _change(connection, name, role=role)


def _change(connection: Connection, name: str, **values: Any) -> Account:
    row = connection.execute(
        update(accounts)
        .where(accounts.c.name == _folded(name))
        .values(generation=accounts.c.generation + 1, **values)
        .returning(accounts)
    ).one_or_none()
    if row is None:
        raise InputError(f"There is no account '{name}'. See: palaver account list")
    return _account(row)


def _account_name(name: str) -> str:
    folded = _folded(name)
    if _NAME.fullmatch(folded) is None:
        raise InputError(
            f"An account's name has 1 to 64 letters, digits or . @ + - _ and starts with a letter "
            f"or digit; got '{name}'."
        )
    return folded


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _account(row: Row[Any]) -> Account:
    return Account(
        id=row.id,
        name=row.name,
        role=role_named(row.role),
        password_hash=row.password,
        one_time=row.one_time,
        generation=row.generation,
        created=row.created,
    )


# --- Tokens ---------------------------------------------------------------------------------------


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
    account = _account(row)
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
