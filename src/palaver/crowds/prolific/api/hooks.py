"""Hooks: being told of what happens."""

from collections.abc import Mapping
from typing import Any

from palaver.core.errors import PanelUnknownError
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.api.requests import Requests, after_change
from palaver.crowds.prolific.bodies import path_id
from palaver.crowds.prolific.fields import AnswerFields
from palaver.crowds.prolific.records import (
    HookDelivery,
    HookEventType,
    HookSecret,
    HookSubscription,
)


class HookCalls:
    """Secrets, subscriptions, and what was delivered."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def event_types(self) -> list[HookEventType]:
        """What one can be told of."""
        return await self._requests.all(
            "hooks/event-types/", "list event types", answers.read_event_type
        )

    async def secrets(self, workspace: str) -> list[HookSecret]:
        """The secret of a workspace, if it has one."""
        query = {"workspace_id": workspace}
        return await self._requests.all(
            "hooks/secrets/", "read hook secrets", answers.read_secret, query
        )

    async def make_secret(self, workspace: str) -> HookSecret:
        """A new secret; the old one signs nothing from now on."""
        body = {"workspace_id": workspace}
        return await self._requests.made(
            "hooks/secrets/", f"make a secret of {workspace}", body, answers.read_secret
        )

    async def subscriptions(self, workspace: str = "") -> list[HookSubscription]:
        """The subscriptions of a workspace."""
        query = {"workspace_id": workspace} if workspace else None
        return await self._requests.all(
            "hooks/subscriptions", "list subscriptions", answers.read_subscription, query
        )

    async def subscribe(self, workspace: str, *, event_type: str, address: str) -> HookSubscription:
        """A subscription that is confirmed: from now on the address is called."""
        body = {"workspace_id": workspace, "event_type": event_type, "target_url": address}
        wanted = f"subscribe to {event_type}"
        raw, headers = await self._requests.change("POST", "hooks/subscriptions/", wanted, body)
        told = headers.get("X-Hook-Secret", "")
        made = after_change(lambda: answers.read_subscription(_single(raw), told), wanted)
        if not told:
            raise PanelUnknownError(
                f"Prolific made subscription {made.id} and sent nothing to confirm it with. "
                "Delete it over there, and subscribe again."
            )
        await self._requests.change(
            "POST", f"hooks/subscriptions/{path_id(made.id)}/", wanted, {"secret": told}
        )
        return made

    async def set_subscription(self, subscription: str, *, enabled: bool) -> HookSubscription:
        """A subscription that is switched on or off."""
        path = f"hooks/subscriptions/{path_id(subscription)}/"
        wanted = f"switch subscription {subscription}"
        raw, _ = await self._requests.change("PATCH", path, wanted, {"is_enabled": enabled})
        return after_change(lambda: answers.read_subscription(AnswerFields(raw, wanted)), wanted)

    async def unsubscribe(self, subscription: str) -> None:
        """Have an address called no more."""
        path = f"hooks/subscriptions/{path_id(subscription)}/"
        await self._requests.change("DELETE", path, f"delete subscription {subscription}")

    async def deliveries(self, subscription: str) -> list[HookDelivery]:
        """What became of the events of a subscription."""
        path = f"hooks/subscriptions/{path_id(subscription)}/events/"
        return await self._requests.all(
            path, f"list events of {subscription}", answers.read_delivery
        )


def _single(raw: Any) -> AnswerFields:
    """The one object that was made, alone or as the only one of a list."""
    told = raw.get("results") if isinstance(raw, Mapping) else None
    return AnswerFields(told[0] if isinstance(told, list) and told else raw, "the subscription")
