"""Whose account it is that a provider's person signs in to."""

from sqlalchemy import Connection

from palaver.accounts.openid import ProvedIdentity
from palaver.accounts.register import add_account
from palaver.core.accounts import Account, Role
from palaver.core.errors import AccessError, InputError
from palaver.storage.people import accounts, second_factors

NOBODY = (
    "You are known to the sign-in provider, but there is no account for you here. Ask an owner of "
    "this deployment for one."
)


def account_of_identity(
    connection: Connection,
    identity: ProvedIdentity,
    *,
    role: Role | None,
    password_hash: str,
    now: float,
) -> Account:
    """The account of a provider's person; AccessError if there is none and none is to be made.

    The first time an account is found by its name; from then on by the person, so that another
    person who comes to have the same name does not get it. `password_hash` is that of a password that
    nobody knows, for a new account.
    """
    known = second_factors.find_identity(connection, identity.issuer, identity.subject)
    if known is not None:
        account = accounts.find_account_by_id(connection, known)
    else:
        account = accounts.find_account(connection, identity.name)
        if account is not None and second_factors.has_identity(
            connection, account.id, identity.issuer
        ):
            raise AccessError(
                f"The account '{account.name}' belongs to somebody else at the sign-in provider. "
                "Ask an owner of this deployment."
            )
        if account is None and role is not None:
            account = _make(connection, identity.name, role, password_hash, now)
        if account is not None and account.disabled is None:
            second_factors.add_identity(
                connection, account.id, issuer=identity.issuer, subject=identity.subject, now=now
            )
    if account is None or account.disabled is not None:
        raise AccessError(NOBODY)
    return account


def _make(
    connection: Connection, name: str, role: Role, password_hash: str, now: float
) -> Account | None:
    try:
        made = add_account(connection, name=name, role=role, password_hash=password_hash, now=now)
    except InputError as error:
        raise AccessError(f"No account can be made for you here. {error}") from error
    return accounts.set_password(connection, made.name, password_hash=password_hash)
