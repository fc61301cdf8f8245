"""The token and the hooks' secret of a panel: whether they are set, where, and whether they work."""

import asyncio
from dataclasses import dataclass

from palaver.core.audit import Actor
from palaver.core.clock import WallClock
from palaver.core.serial import if_any
from palaver.crowds.prolific.records import PanelAccount, PanelWorkspace
from palaver.crowds.secrets import (
    PROLIFIC_HOOK,
    PROLIFIC_TOKEN,
    KnownSecret,
    forget_secret,
    known_secret,
    secrets_file,
    write_secret,
)
from palaver.storage.audit.entries import record
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAccess:
    """Whether a panel's secrets are set here, and where; never what they are.

    `trouble` says why that cannot be known, such as a file that others can read.
    """

    file: str
    token: KnownSecret | None = None
    hook: KnownSecret | None = None
    trouble: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAccount:
    """Whose token it is, and in which workspaces it acts."""

    account: PanelAccount
    workspaces: tuple[PanelWorkspace, ...]


def read_access() -> PanelAccess:
    """Whether the secrets of Prolific are set; InputError where that cannot be known."""
    return PanelAccess(
        file=str(secrets_file()),
        token=known_secret(PROLIFIC_TOKEN),
        hook=known_secret(PROLIFIC_HOOK),
    )


async def store_token(deployment: Deployment | None, token: str, *, actor: Actor) -> PanelAccess:
    """Keep a token of Prolific in the file of secrets; it is used from the next call on.

    Without a deployment there is no trail yet to note it in.
    """
    await asyncio.to_thread(write_secret, PROLIFIC_TOKEN, token)
    await _record(deployment, actor, "stored")
    return await asyncio.to_thread(read_access)


async def forget_token(deployment: Deployment | None, *, actor: Actor) -> bool:
    """Take the token of Prolific out of the file; False if it was not there."""
    was_there = await asyncio.to_thread(forget_secret, PROLIFIC_TOKEN)
    if was_there:
        await _record(deployment, actor, "removed")
    return was_there


async def try_token(deployment: Deployment | None) -> KnownAccount:
    """Whose token is set; InputError or PanelError where there is none or it does not work."""
    if deployment is not None:
        return await _account(PanelClients.of(deployment))
    clients = PanelClients(WallClock())
    try:
        return await _account(clients)
    finally:
        await clients.close()


async def _account(clients: PanelClients) -> KnownAccount:
    client = await clients.prolific()
    account = await client.account.me()
    return KnownAccount(account=account, workspaces=tuple(await client.account.workspaces()))


async def _record(deployment: Deployment | None, actor: Actor, what: str) -> None:
    if deployment is None:
        return
    now = deployment.clock.now()
    await deployment.store.write(
        lambda c: record(
            c, "recruiting.token", by=actor, now=now, subject="prolific", detail={"token": what}
        )
    )
