"""API tokens: who may make one, for how long, and who may revoke it."""

from sqlalchemy import Connection

from palaver.core.accounts import Account, NewToken, Token, allows, role_named
from palaver.core.errors import AccessError, InputError
from palaver.storage.people import tokens

DAY = 86400.0
MOST_DAYS = 3650


def list_tokens(connection: Connection, account_id: int | None = None) -> list[Token]:
    """The tokens of an account (or of all), oldest first, revoked ones included."""
    return tokens.list_tokens(connection, account_id)


def make_token(
    connection: Connection, account: Account, *, name: str, role: str, days: str = "", now: float
) -> NewToken:
    """A new token of an account, for some days or without an end; its secret is told this once."""
    chosen = role_named(role)
    if not allows(account.role, chosen):
        raise AccessError(f"'{account.name}' is {account.role}; its tokens cannot be {role}.")
    return tokens.create_token(
        connection,
        account_id=account.id,
        name=name.strip() or "token",
        role=chosen,
        expires=_expiry(days.strip(), now),
        now=now,
    )


def revoke_token(connection: Connection, token_id: int, *, by: Account, now: float) -> Token:
    """Refuse a token from now on: one's own, or as an owner anybody's.

    A token that was revoked before keeps the time of the first time.
    """
    known = tokens.list_tokens(connection, None if by.role == "owner" else by.id)
    if all(token.id != token_id for token in known):
        raise InputError("There is no such token, or it is not yours.")
    return tokens.revoke_token(connection, token_id, now=now)


def _expiry(days: str, now: float) -> float | None:
    if not days:
        return None
    if not days.isdecimal() or not 1 <= int(days[:9]) <= MOST_DAYS:
        raise InputError(
            f"A token lasts 1 to {MOST_DAYS} days, or never expires; got '{days[:40]}'."
        )
    return now + int(days) * DAY
