"""Accounts as rows."""

from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from palaver.core.accounts import Account, Role, folded_name, role_named
from palaver.core.errors import ConflictError
from palaver.storage.schema import accounts


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
    values = {"name": name, "role": role, "password": password_hash, "one_time": one_time}
    try:
        with connection.begin_nested():
            made = connection.execute(
                insert(accounts).values(**values, created=now).returning(accounts)
            ).one()
    except IntegrityError as error:
        raise ConflictError(f"An account '{name}' already exists.") from error
    return account_from_row(made)


def has_accounts(connection: Connection) -> bool:
    """Whether anybody may sign in."""
    return bool(connection.execute(select(func.count()).select_from(accounts)).scalar_one())


def find_account(connection: Connection, name: str) -> Account | None:
    """The account called `name`, in any case of letters."""
    by_name = select(accounts).where(accounts.c.name == folded_name(name))
    row = connection.execute(by_name).one_or_none()
    return None if row is None else account_from_row(row)


def find_account_by_id(connection: Connection, account_id: int) -> Account | None:
    """The account with this id."""
    row = connection.execute(select(accounts).where(accounts.c.id == account_id)).one_or_none()
    return None if row is None else account_from_row(row)


def list_accounts(connection: Connection) -> list[Account]:
    """Every account, oldest first."""
    rows = connection.execute(select(accounts).order_by(accounts.c.id))
    return [account_from_row(row) for row in rows]


def lock_owners(connection: Connection) -> list[str]:
    """The names of the owners; nobody else changes their roles until this transaction ends."""
    owners = select(accounts.c.name).where(accounts.c.role == "owner").order_by(accounts.c.id)
    return list(connection.execute(owners.with_for_update()).scalars())


def set_role(connection: Connection, name: str, role: Role) -> Account | None:
    """Give an account another role; cookies made before are refused from then on."""
    return _change(connection, name, role=role)


def set_password(
    connection: Connection, name: str, *, password_hash: str, one_time: bool = False
) -> Account | None:
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


def _change(connection: Connection, name: str, **values: Any) -> Account | None:
    row = connection.execute(
        update(accounts)
        .where(accounts.c.name == folded_name(name))
        .values(generation=accounts.c.generation + 1, **values)
        .returning(accounts)
    ).one_or_none()
    return None if row is None else account_from_row(row)
