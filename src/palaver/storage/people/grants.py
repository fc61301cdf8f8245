"""Grants as rows: what an account may do in a single study."""

from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from palaver.core.accounts import Account, Grant, Rights, Role, role_named
from palaver.storage.schema import accounts, grants, studies


def rights_of(connection: Connection, account: Account) -> Rights:
    """What an account may do, everywhere and in the studies that it was granted."""
    rows = connection.execute(
        select(studies.c.name, grants.c.role)
        .join(studies, studies.c.id == grants.c.study_id)
        .where(grants.c.account_id == account.id)
    )
    return Rights(account.role, {row.name: role_named(row.role) for row in rows})


def set_grant(
    connection: Connection, *, account_id: int, study_id: int, role: Role, now: float
) -> None:
    """Let an account do in a study what a role may, instead of what it was granted there before."""
    mine = (grants.c.account_id == account_id, grants.c.study_id == study_id)
    if connection.execute(update(grants).where(*mine).values(role=role, created=now)).rowcount:
        return
    connection.execute(
        insert(grants).values(account_id=account_id, study_id=study_id, role=role, created=now)
    )


def drop_grant(connection: Connection, *, account_id: int, study_id: int) -> bool:
    """Take back what an account was granted in a study; False if it was granted nothing."""
    gone = delete(grants).where(grants.c.account_id == account_id, grants.c.study_id == study_id)
    return bool(connection.execute(gone).rowcount)


def drop_grants(connection: Connection, account_id: int) -> None:
    """Take back everything that an account was granted."""
    connection.execute(delete(grants).where(grants.c.account_id == account_id))


def list_grants(connection: Connection) -> list[Grant]:
    """Every grant, by account and then by study."""
    return [_grant(row) for row in connection.execute(_rows())]


def _rows() -> Select[Any]:
    return (
        select(
            grants.c.account_id,
            accounts.c.name.label("account"),
            studies.c.name.label("study"),
            studies.c.title,
            grants.c.role,
        )
        .join(accounts, accounts.c.id == grants.c.account_id)
        .join(studies, studies.c.id == grants.c.study_id)
        .order_by(grants.c.account_id, studies.c.name)
    )


def _grant(row: Row[Any]) -> Grant:
    return Grant(
        account_id=row.account_id,
        account=row.account,
        study=row.study,
        title=row.title,
        role=role_named(row.role),
    )
