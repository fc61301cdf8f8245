"""`kind: unconfigured`: a partner that an imported study names and nobody has connected yet.

`palaver check` warns of it and `palaver serve` refuses it; it holds the place and keeps whatever the
import knew of it, so that replacing `kind` is all that is left to do.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict, Field

from palaver.core.events import Move
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CallOptions
from palaver.systems.reach import Reach
from palaver.systems.transcript import TranscriptSession


class UnconfiguredOptions(CallOptions):
    """What is known of the system; keys beyond these are kept and not read."""

    model_config = ConfigDict(extra="allow", frozen=True)

    note: str = Field(default="", description="what is still to be done")


class UnconfiguredSystem:
    """A system that cannot answer."""

    options_type: ClassVar[type[CallOptions]] = UnconfiguredOptions
    reach: ClassVar[Reach] = "folder"

    def __init__(self, options: UnconfiguredOptions, *, folder: Path) -> None:
        self.options = options

    def new_session(self, place: Place) -> "UnconfiguredSession":
        return UnconfiguredSession(self, place)

    async def close(self) -> None:
        """Nothing to let go of."""


class UnconfiguredSession(TranscriptSession[UnconfiguredSystem]):
    """A seat that nobody has taken."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """SystemFailureError, always."""
        note = self._system.options.note
        raise AttemptError("error", f"This system is not configured yet. {note}".rstrip())
