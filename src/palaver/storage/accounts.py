"""Accounts: who may look at a deployment, and who may change it."""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.errors import InputError
from palaver.storage.schema import accounts

Role = Literal["viewer", "reviewer", "owner"]

# From the least to the most that one may do.
ROLES: tuple[Role, ...] = ("viewer", "reviewer", "owner")

OWNER = "owner"
_NAME = re.compile(r"\w[\w.@+-]{0,63}")


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
    return account_from_row(made)


def ensure_owner(connection: Connection, *, password_hash: str, now: float) -> bool:
    """Make the account 'owner' with a one-time password; False if there is an account already."""
    if has_accounts(connection):
        return False
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
        return False  # another process that started at the same time was first
    return True


def has_accounts(connection: Connection) -> bool:
    """Whether anybody may sign in."""
    return bool(connection.execute(select(func.count()).select_from(accounts)).scalar_one())


def find_account(connection: Connection, name: str) -> Account | None:
    """The account called `name`, in any case of letters."""
    row = connection.execute(select(accounts).where(accounts.c.name == _folded(name))).one_or_none()
    return None if row is None else account_from_row(row)


def find_account_by_id(connection: Connection, account_id: int) -> Account | None:
    """The account with this id."""
    row = connection.execute(select(accounts).where(accounts.c.id == account_id)).one_or_none()
    return None if row is None else account_from_row(row)


def list_accounts(connection: Connection) -> list[Account]:
    """Every account, oldest first."""
    rows = connection.execute(select(accounts).order_by(accounts.c.id))
    return [account_from_row(row) for row in rows]


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
    return account_from_row(row)


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


def account_from_row(row: Row[Any]) -> Account:
    """A stored row as an account."""
    return Account(
        id=row.id,
        name=row.name,
        role=role_named(row.role),
        password_hash=row.password,
        one_time=row.one_time,
        generation=row.generation,
        created=row.created,
    )
