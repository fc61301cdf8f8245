"""Second factors and identities at a provider as rows. Recovery codes are kept as SHA-256."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, func, insert, select, update

from palaver.storage.schema import identities, recovery_codes, second_factors


@dataclass(frozen=True, slots=True)
class StoredFactor:
    """A shared secret; it counts once it is `confirmed`. `step` is the newest that was used."""

    secret: str = field(repr=False)
    confirmed: float | None
    step: int


def find_factor(connection: Connection, account_id: int) -> StoredFactor | None:
    row = connection.execute(
        select(second_factors.c.secret, second_factors.c.confirmed, second_factors.c.step).where(
            second_factors.c.account_id == account_id
        )
    ).one_or_none()
    return None if row is None else StoredFactor(*row)


def accounts_with_factor(connection: Connection) -> set[int]:
    """The accounts whose second factor is confirmed."""
    confirmed = select(second_factors.c.account_id).where(second_factors.c.confirmed.is_not(None))
    return set(connection.execute(confirmed).scalars())


def replace_factor(connection: Connection, account_id: int, *, secret: str, now: float) -> None:
    """Store a secret that is still to be confirmed, instead of any other."""
    drop_factor(connection, account_id)
    connection.execute(
        insert(second_factors).values(account_id=account_id, secret=secret, created=now)
    )


def confirm_factor(
    connection: Connection, account_id: int, *, codes: Iterable[str], now: float
) -> None:
    """Let a second factor count from now on, with these recovery codes."""
    connection.execute(
        update(second_factors)
        .where(second_factors.c.account_id == account_id)
        .values(confirmed=now)
    )
    rows = [{"account_id": account_id, "digest": _digest(code)} for code in codes]
    connection.execute(insert(recovery_codes), rows)


def use_step(connection: Connection, account_id: int, step: int) -> bool:
    """Use up the code of a step; False if this one or a later one was used before."""
    used = (
        update(second_factors)
        .where(second_factors.c.account_id == account_id, second_factors.c.step < step)
        .values(step=step)
    )
    return connection.execute(used).rowcount == 1


def use_recovery_code(connection: Connection, account_id: int, code: str, *, now: float) -> bool:
    """Use up a recovery code; False if there is none like this, or it was used before."""
    used = (
        update(recovery_codes)
        .where(
            recovery_codes.c.account_id == account_id,
            recovery_codes.c.digest == _digest(code),
            recovery_codes.c.used.is_(None),
        )
        .values(used=now)
    )
    return connection.execute(used).rowcount == 1


def count_recovery_codes(connection: Connection, account_id: int) -> int:
    """How many recovery codes of an account were not used yet."""
    unused = select(func.count()).where(
        recovery_codes.c.account_id == account_id, recovery_codes.c.used.is_(None)
    )
    return int(connection.execute(unused).scalar_one())


def drop_factor(connection: Connection, account_id: int) -> bool:
    """Delete a second factor and its recovery codes; False if there was none."""
    connection.execute(delete(recovery_codes).where(recovery_codes.c.account_id == account_id))
    gone = delete(second_factors).where(second_factors.c.account_id == account_id)
    return bool(connection.execute(gone).rowcount)


def find_identity(connection: Connection, issuer: str, subject: str) -> int | None:
    """The account that a provider's person signs in to."""
    return connection.execute(
        select(identities.c.account_id).where(
            identities.c.issuer == issuer, identities.c.subject == subject
        )
    ).scalar()


def has_identity(connection: Connection, account_id: int, issuer: str) -> bool:
    """Whether somebody of this provider signs in to an account."""
    known = select(identities.c.account_id).where(
        identities.c.account_id == account_id, identities.c.issuer == issuer
    )
    return connection.execute(known).first() is not None


def add_identity(
    connection: Connection, account_id: int, *, issuer: str, subject: str, now: float
) -> None:
    """Let a provider's person sign in to an account from now on."""
    connection.execute(
        insert(identities).values(
            account_id=account_id, issuer=issuer, subject=subject, created=now
        )
    )


def drop_identities(connection: Connection, account_id: int) -> None:
    connection.execute(delete(identities).where(identities.c.account_id == account_id))


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
