"""The way to a stand-in, and to nothing else, whatever the environment says."""

from typing import TYPE_CHECKING

from palaver.core.clock import Clock
from palaver.crowds.prolific.client import Prolific
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.clients import PanelClients

if TYPE_CHECKING:
    from palaver.studies.run.deployment import Deployment


class StandInClients(PanelClients):
    """Clients that ask one stand-in at its own address, with its own token."""

    def __init__(self, stand_in: StandIn, clock: Clock) -> None:
        super().__init__(clock)
        self._there = Prolific(stand_in.token, clock=clock, address=stand_in.base)

    def lend_to(self, deployment: "Deployment") -> None:
        """Let a deployment ask here for as long as it is up."""
        deployment.kept[PanelClients] = self

    async def prolific(self) -> Prolific:
        """The client of the stand-in."""
        return self._there

    async def close(self) -> None:
        """Close what is open."""
        await self._there.close()
