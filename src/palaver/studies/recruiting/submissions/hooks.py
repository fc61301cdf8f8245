"""Having Prolific tell this server of what happens: a secret and a subscription for each kind of event.

Hooks make news fast; without them everything works by reading the lists, only slower.
"""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.serial import if_any
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.crowds.prolific.checks import is_this_machine
from palaver.crowds.prolific.hooks import EVENT_TYPES
from palaver.crowds.secrets import PROLIFIC_HOOK, known_secret, write_secret
from palaver.storage.audit.entries import record
from palaver.storage.recruiting.deliveries import last_delivery
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment

HOOK_PATH = "/hooks/prolific"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """Whether the panel tells this server of what happens: subscribed to what, and heard when."""

    derived: ClassVar[tuple[str, ...]] = ("is_complete",)

    address: str
    has_secret: bool
    subscribed: tuple[str, ...]
    missing: tuple[str, ...] = if_any(())
    heard: float | None = None

    @property
    def is_complete(self) -> bool:
        return self.has_secret and not self.missing


async def read_hooks(deployment: Deployment, *, base: str) -> HookState:
    """How the hooks of this server stand at the panel."""
    client = await PanelClients.of(deployment).prolific()
    address = base.rstrip("/") + HOOK_PATH
    known = await client.hooks.subscriptions(await _workspace(deployment))
    subscribed = {each.event_type for each in known if each.address == address and each.is_enabled}
    return HookState(
        address=address,
        has_secret=known_secret(PROLIFIC_HOOK) is not None,
        subscribed=tuple(kind for kind in EVENT_TYPES if kind in subscribed),
        missing=tuple(kind for kind in EVENT_TYPES if kind not in subscribed),
        heard=await deployment.store.read(lambda c: last_delivery(c, PROLIFIC.name)),
    )


async def set_up_hooks(deployment: Deployment, *, base: str, actor: Actor) -> HookState:
    """Subscribe to everything that is not subscribed to yet, with a new secret if there is none here.

    A new secret ends what older ones signed, here and for every other server of the workspace.
    """
    address = base.rstrip("/") + HOOK_PATH
    if not address.startswith("https://") and not is_this_machine(address):
        raise InputError(
            f"Prolific calls https:// alone, and this server is reached at {base}. Set "
            "PALAVER_PUBLIC_URL to its public address. Nothing was subscribed to; news is read from "
            "the lists."
        )
    client = await PanelClients.of(deployment).prolific()
    workspace = await _workspace(deployment)
    if known_secret(PROLIFIC_HOOK) is None:
        made = await client.hooks.make_secret(workspace)
        write_secret(PROLIFIC_HOOK, made.value)
    state = await read_hooks(deployment, base=base)
    for kind in state.missing:
        await client.hooks.subscribe(workspace, event_type=kind, address=address)
    now = deployment.clock.now()
    await deployment.store.write(
        lambda c: record(
            c, "recruiting.hooks", by=actor, now=now, subject=PROLIFIC.name, detail={"to": address}
        )
    )
    return await read_hooks(deployment, base=base)


async def _workspace(deployment: Deployment) -> str:
    """The workspace of the token: the first, as most people have one."""
    client = await PanelClients.of(deployment).prolific()
    known = await client.account.workspaces()
    if not known:
        raise InputError("The token's owner has no workspace at Prolific.")
    return known[0].id
