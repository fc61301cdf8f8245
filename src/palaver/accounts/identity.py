"""Who somebody is: by name and password, or by the secret of a token."""

import asyncio

from palaver.accounts.passwords import MAX_PASSWORD, hash_password, verify_password
from palaver.core.accounts import Account
from palaver.storage import Store
from palaver.storage.people.accounts import find_account, find_account_by_id, refresh_hash
from palaver.storage.people.tokens import Bearer, find_token, touch_token


async def find_signed_in(store: Store, account_id: int, generation: int) -> Account | None:
    """The account of a cookie; None once its password or role was changed."""
    account = await store.read(lambda c: find_account_by_id(c, account_id))
    return account if account is not None and account.generation == generation else None


async def verify(store: Store, name: str, password: str) -> Account | None:
    """The account of this name if the password is right; it takes as long if it is not."""
    password = password[: MAX_PASSWORD + 1]
    account = await store.read(lambda c: find_account(c, name))
    known = None if account is None else account.password_hash
    verified = await asyncio.to_thread(verify_password, known, password)
    if account is None or known is None or not verified.ok:
        return None
    if verified.rehash and not account.one_time:
        newer = await asyncio.to_thread(hash_password, password)
        account_id = account.id
        await store.write(lambda c: refresh_hash(c, account_id, old_hash=known, new_hash=newer))
    return account


async def find_bearer(store: Store, secret: str, *, now: float) -> Bearer | None:
    """Whom a token speaks for; None if it is not accepted. That it was used is recorded."""
    found = await store.read(lambda c: find_token(c, secret, now=now))
    if found is None or found.account.one_time:
        return None
    if found.stale:
        await store.write(lambda c: touch_token(c, found.token_id, now=now))
    return found
