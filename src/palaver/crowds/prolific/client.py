"""Prolific's API with a token. Whoever changes something here decides before, and notes it after.

Questions are asked again while the service is busy; what changes something is sent once, and
`PanelUnknownError` says where it is not known whether it happened.
"""

import random

from palaver.core.clock import Clock
from palaver.crowds.prolific.api.account import AccountCalls
from palaver.crowds.prolific.api.bonuses import BonusCalls
from palaver.crowds.prolific.api.hooks import HookCalls
from palaver.crowds.prolific.api.people import PeopleCalls
from palaver.crowds.prolific.api.requests import Requests
from palaver.crowds.prolific.api.studies import PanelStudyCalls
from palaver.crowds.prolific.api.submissions import PanelSubmissionCalls
from palaver.crowds.prolific.api.transport import ADDRESS, AT_ONCE, SECONDS, Transport


class Prolific:
    """What somebody may do at Prolific with a token; use it as an async context, or close it."""

    def __init__(
        self,
        token: str,
        *,
        address: str = ADDRESS,
        clock: Clock | None = None,
        chance: random.Random | None = None,
        seconds: float = SECONDS,
        at_once: int = AT_ONCE,
    ) -> None:
        self._transport = Transport(
            token, address=address, clock=clock, chance=chance, seconds=seconds, at_once=at_once
        )
        requests = Requests(self._transport)
        self.account = AccountCalls(requests)
        self.studies = PanelStudyCalls(requests)
        self.submissions = PanelSubmissionCalls(requests)
        self.bonuses = BonusCalls(requests)
        self.people = PeopleCalls(requests)
        self.hooks = HookCalls(requests)

    def __repr__(self) -> str:
        return f"Prolific({self._transport.address!r})"

    async def __aenter__(self) -> "Prolific":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()
