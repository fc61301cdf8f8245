"""Rights in single studies: what an account may do there beside what its own role lets it do."""

from sqlalchemy import Connection

from palaver.accounts.register import check_not_own, known_account
from palaver.core.accounts import Account, Grant, Role, granted_role_named
from palaver.core.audit import SERVER, Actor
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.storage.audit.entries import record
from palaver.storage.people import accounts, grants
from palaver.storage.studies.studies import list_studies


def grant_study(
    connection: Connection,
    name: str,
    study: str,
    role: str,
    *,
    now: float,
    actor: Actor = SERVER,
) -> Account:
    """Let an account do in one study what a role may, beside what its own role lets it do."""
    chosen = granted_role_named(role)
    check_not_own(name, actor)
    account = known_account(accounts.find_account(connection, name), name)
    study_id = _study_id(connection, study)
    grants.set_grant(connection, account_id=account.id, study_id=study_id, role=chosen, now=now)
    _record_right(connection, account, study_id, chosen, actor=actor, now=now)
    return account


def revoke_study(
    connection: Connection,
    name: str,
    study: str,
    *,
    now: float,
    actor: Actor = SERVER,
) -> Account:
    """Take back what an account was granted in a study."""
    check_not_own(name, actor)
    account = known_account(accounts.find_account(connection, name), name)
    study_id = _study_id(connection, study)
    if not grants.drop_grant(connection, account_id=account.id, study_id=study_id):
        raise InputError(f"'{account.name}' was granted nothing in '{study}'.")
    _record_right(connection, account, study_id, None, actor=actor, now=now)
    return account


def list_grants(connection: Connection) -> list[Grant]:
    """Every grant, by account and then by study."""
    return grants.list_grants(connection)


def _record_right(
    connection: Connection,
    account: Account,
    study_id: int,
    right: Role | None,
    *,
    actor: Actor,
    now: float,
) -> None:
    record(
        connection,
        "account.role",
        by=actor,
        now=now,
        subject=account.name,
        study_id=study_id,
        detail={"right": right},
    )


def _study_id(connection: Connection, name: str) -> int:
    known = {study.name: study.id for study in list_studies(connection)}
    if name not in known:
        raise InputError(f"There is no study '{name}' here.{near(name, known)}")
    return known[name]
