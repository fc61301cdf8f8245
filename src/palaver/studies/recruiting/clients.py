"""The way from a deployment to a panel's service: one client, made when it is first needed."""

import asyncio
import os
from importlib import import_module
from typing import TYPE_CHECKING

from palaver.core.clock import Clock
from palaver.core.errors import InputError
from palaver.crowds.secrets import PROLIFIC_TOKEN, read_secret, secrets_file
from palaver.studies.run.deployment import Deployment

if TYPE_CHECKING:
    from palaver.crowds.prolific.client import Prolific

# Where the panel's service is, in place of the real one: a stand-in's address.
ADDRESS = "PALAVER_PROLIFIC_URL"


class PanelClients:
    """The clients of a deployment; a new token is used from the next call on."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._prolific: Prolific | None = None
        self._made_with: tuple[str, str] | None = None

    @classmethod
    def of(cls, deployment: Deployment) -> "PanelClients":
        """The clients of a deployment."""
        kept = deployment.kept.setdefault(cls, cls(deployment.clock))
        assert isinstance(kept, cls)
        return kept

    async def prolific(self) -> "Prolific":
        """The client of Prolific; InputError where no token is set."""
        token = await asyncio.to_thread(read_secret, PROLIFIC_TOKEN)
        if token is None:
            raise InputError(
                f"There is no token for Prolific. Set {PROLIFIC_TOKEN} in the environment, or store "
                "one at the desk (Settings, Recruiting) or with 'palaver crowd token'; it goes into "
                f"{secrets_file()}."
            )
        address = os.environ.get(ADDRESS, "")
        if self._prolific is None or self._made_with != (token, address):
            await self.close()
            module = await asyncio.to_thread(import_module, "palaver.crowds.prolific.client")
            told = {"address": address} if address else {}
            self._prolific = module.Prolific(token, clock=self._clock, **told)
            self._made_with = (token, address)
        assert self._prolific is not None
        return self._prolific

    async def close(self) -> None:
        """Close what is open."""
        if self._prolific is not None:
            await self._prolific.close()
            self._prolific = None
