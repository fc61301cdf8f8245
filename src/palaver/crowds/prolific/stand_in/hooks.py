"""Hooks of the stand-in: secrets, subscriptions, and deliveries that are signed and tried again."""

import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from palaver.crowds.prolific.checks import is_this_machine
from palaver.crowds.prolific.hooks import (
    EVENT_ID,
    EVENT_TYPES,
    HAPPENED,
    SENT,
    SIGNATURE,
    signature_of,
)
from palaver.crowds.prolific.stand_in.state import KnownDelivery, KnownSubscription
from palaver.crowds.prolific.stand_in.studies import moment
from palaver.crowds.prolific.stand_in.world import World, existing, refuse

SECONDS = 10.0
MOST_TRIES = 12
FIRST_WAIT = 60.0
LONGEST_WAIT = 24 * 3_600.0
DESCRIPTIONS = {
    "submission.status.change": "A submission stands otherwise than before.",
    "study.status.change": "A study stands otherwise than before.",
    "study.progress.change": "A place of a study was taken, given back or decided on.",
    "study.has_high_return_rate": "Many people give their place back.",
}


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request that is ready to be sent to a subscriber."""

    delivery: str
    address: str
    headers: dict[str, str]
    body: bytes


def make_secret(world: World, workspace: str) -> dict[str, str]:
    """A new secret; it takes the place of the one before."""
    if workspace != world.state.workspace:
        refuse("Workspace was not found", status=404, title="Not found")
    made = [world.new_id(), world.new_id() + world.new_id()]
    world.state.secrets[workspace] = made
    return secret_view(world, workspace)


def secret_view(world: World, workspace: str) -> dict[str, str]:
    """The secret of a workspace."""
    name, value = world.state.secrets[workspace]
    return {"id": name, "value": value, "workspace_id": workspace}


def subscribe(world: World, body: dict[str, Any]) -> KnownSubscription:
    """A subscription that waits to be confirmed."""
    kind, address = str(body.get("event_type", "")), str(body.get("target_url", ""))
    workspace = str(body.get("workspace_id", ""))
    if kind not in EVENT_TYPES:
        refuse({"event_type": [f"{kind[:60]!r} is not a valid choice."]})
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_this_machine(address)):
        refuse({"target_url": ["The URL must use https and be publicly accessible."]})
    if workspace not in world.state.secrets:
        refuse("Create a secret for the workspace first.")
    made = KnownSubscription(
        id=world.new_id(),
        workspace=workspace,
        event_type=kind,
        address=address,
        confirmation=world.new_id(),
    )
    world.state.subscriptions[made.id] = made
    return made


def confirm(world: World, name: str, secret: str) -> KnownSubscription:
    """Begin to call an address whose owner has the secret of its subscription."""
    found = existing(world.state.subscriptions, name, "Subscription")
    if secret != found.confirmation:
        refuse("The secret is not the one that was sent.")
    found.is_enabled = True
    return found


def change(world: World, name: str, body: dict[str, Any]) -> KnownSubscription:
    """A subscription that is switched, or that calls elsewhere."""
    found = existing(world.state.subscriptions, name, "Subscription")
    found.is_enabled = bool(body.get("is_enabled", found.is_enabled))
    found.address = str(body.get("target_url", found.address))
    return found


def subscription_view(each: KnownSubscription) -> dict[str, Any]:
    """A subscription as the service shows it."""
    return {
        "id": each.id,
        "event_type": each.event_type,
        "target_url": each.address,
        "is_enabled": each.is_enabled,
        "workspace_id": each.workspace,
    }


def delivery_view(each: KnownDelivery) -> dict[str, Any]:
    """What became of an event, as the service shows it."""
    return {
        "id": each.id,
        "event_type": each.event_type,
        "resource_id": each.resource,
        "status": each.status,
        "datetime_created": moment(each.happened),
        "datetime_updated": moment(each.happened),
        "target_url": "",
    }


def due_deliveries(world: World) -> list[Outgoing]:
    """What is to be sent now, signed with the time that it is; "shuffled" turns the order round."""
    due = [d for d in world.state.deliveries if d.status == "PENDING" and d.due <= world.now]
    if world.switches.hooks == "shuffled":
        due.reverse()
    known = world.state.subscriptions
    return [_outgoing(world, each, known[each.subscription]) for each in due]


def _outgoing(world: World, each: KnownDelivery, to: KnownSubscription) -> Outgoing:
    secret = world.state.secrets[to.workspace][1]
    sent, body = str(int(world.now)), each.body.encode()
    key = f"not {secret}" if each.is_badly_signed else secret
    headers = {
        "Content-Type": "application/json",
        SIGNATURE: signature_of(key, sent, body),
        SENT: sent,
        EVENT_ID: each.event,
        HAPPENED: f"{each.happened:.6f}",
    }
    return Outgoing(each.id, to.address, headers, body)


def note_delivery(world: World, name: str, *, status: int) -> None:
    """Note what a subscriber answered; what failed is sent again, later each time."""
    found = next((each for each in world.state.deliveries if each.id == name), None)
    if found is None:
        return
    found.tries += 1
    if 200 <= status < 300:
        found.status = "SUCCEEDED"
    elif found.tries >= MOST_TRIES:
        found.status = "FAILED"
    else:
        most = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (found.tries - 1))
        found.due = world.now + world.chance().uniform(1.0, most)


def send(outgoing: Outgoing) -> int:
    """Send one request, and return the status of the answer; 0 where none came."""
    request = urllib.request.Request(
        outgoing.address, data=outgoing.body, headers=outgoing.headers, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, ValueError):
        return 0


def event_types() -> list[dict[str, str]]:
    """What one can be told of."""
    return [{"event_type": kind, "description": DESCRIPTIONS[kind]} for kind in EVENT_TYPES]
