"""The second factor of an account: enrolled, confirmed by a first code, asked for, and removed.

The shared secret lies in a table of its own as it is: whoever checks codes needs it in the clear, and
the key that could hide it lies in the same database. Recovery codes are random enough to be kept as
plain digests, and each works once.
"""

import asyncio
import secrets
from dataclasses import dataclass, field

from sqlalchemy import Connection

from palaver.accounts.one_time_codes import matching_step, new_secret, plain_code
from palaver.accounts.passwords import LETTERS, verify_password
from palaver.core.accounts import Account
from palaver.core.audit import SERVER, Actor
from palaver.core.errors import InputError
from palaver.storage.audit.entries import record
from palaver.storage.people import second_factors
from palaver.storage.people.accounts import find_account

RECOVERY_CODES = 10
WRONG = (
    "This code is wrong or was used before. Codes change every 30 seconds: type the one your app "
    "shows now, and check that the clock of your phone is right."
)


@dataclass(frozen=True, slots=True)
class FactorState:
    """Whether codes are asked for, and how many recovery codes are left.

    `pending` is a secret that waits for its first code.
    """

    on: bool = False
    codes_left: int = 0
    pending: str = field(default="", repr=False)


async def prove_password(account: Account | None, password: str) -> Account:
    """The account, if this is its password; InputError if not."""
    if account is None:
        raise InputError("Nobody is signed in here.")
    if not (await asyncio.to_thread(verify_password, account.password_hash, password)).ok:
        raise InputError("The password is wrong. Nothing was changed.")
    return account


def factor_state(connection: Connection, account_id: int) -> FactorState:
    found = second_factors.find_factor(connection, account_id)
    if found is None:
        return FactorState()
    if found.confirmed is None:
        return FactorState(pending=found.secret)
    return FactorState(True, second_factors.count_recovery_codes(connection, account_id))


def accounts_with_factor(connection: Connection) -> set[int]:
    """The accounts that are asked for a code."""
    return second_factors.accounts_with_factor(connection)


def begin_factor(connection: Connection, account: Account, *, now: float) -> str:
    """A new shared secret of an account; it counts once `confirm_factor` has seen a code of it."""
    if factor_state(connection, account.id).on:
        raise InputError("Your account has a second factor. Remove it before you set up another.")
    secret = new_secret()
    second_factors.replace_factor(connection, account.id, secret=secret, now=now)
    return secret


def confirm_factor(
    connection: Connection, account: Account, code: str, *, now: float, actor: Actor = SERVER
) -> tuple[str, ...]:
    """Ask for codes from now on; the recovery codes, which are told this once."""
    found = second_factors.find_factor(connection, account.id)
    if found is None or found.confirmed is not None:
        raise InputError("No second factor waits for its first code. Set one up first.")
    step = matching_step(found.secret, code, now=now, after=found.step)
    if step is None or not second_factors.use_step(connection, account.id, step):
        raise InputError(WRONG)
    codes = tuple(_recovery_code() for _ in range(RECOVERY_CODES))
    second_factors.confirm_factor(
        connection, account.id, codes=[plain_code(each) for each in codes], now=now
    )
    _record_factor(connection, account, "on", actor=actor, now=now)
    return codes


def check_factor(connection: Connection, account: Account, code: str, *, now: float) -> bool:
    """Whether a code, of the app or for recovery, is right; it works this once."""
    found = second_factors.find_factor(connection, account.id)
    if found is None or found.confirmed is None:
        return False
    step = matching_step(found.secret, code, now=now, after=found.step)
    if step is not None:
        return second_factors.use_step(connection, account.id, step)
    return second_factors.use_recovery_code(connection, account.id, plain_code(code), now=now)


def remove_factor(
    connection: Connection, account: Account, *, now: float, actor: Actor = SERVER
) -> None:
    """Ask an account for no codes any more; see `prove_password` for what must come before."""
    if not second_factors.drop_factor(connection, account.id):
        raise InputError("Your account has no second factor.")
    _record_factor(connection, account, "off", actor=actor, now=now)


def reset_factor(
    connection: Connection,
    name: str,
    *,
    now: float,
    actor: Actor = SERVER,
) -> Account:
    """Take the second factor from somebody who lost it."""
    account = find_account(connection, name)
    if account is None:
        raise InputError(f"There is no account '{name}'. See: palaver account list")
    if account.name == actor.name:
        raise InputError("Remove your own second factor with your password.")
    if not second_factors.drop_factor(connection, account.id):
        raise InputError(f"'{account.name}' has no second factor.")
    _record_factor(connection, account, "off", actor=actor, now=now)
    return account


def _record_factor(
    connection: Connection, account: Account, state: str, *, actor: Actor, now: float
) -> None:
    told = {"second_factor": state}
    record(connection, "account.factor", by=actor, now=now, subject=account.name, detail=told)


def _recovery_code() -> str:
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4))
