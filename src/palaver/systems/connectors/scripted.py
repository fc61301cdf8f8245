"""`kind: scripted`: says its lines in order. The stand-in for a partner in demos and tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CallOptions
from palaver.systems.reach import Reach
from palaver.systems.transcript import TranscriptSession

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class ScriptedOptions(CallOptions):
    """What it says, and what it does when it has said everything."""

    lines: list[Words] = Field(min_length=1, description="what it says, in order")
    then: Literal["repeat", "silence", "last"] = Field(
        default="repeat",
        description="when the lines run out: start over, stay silent, or keep saying the last line",
    )
    delay: float = Field(
        default=0.0, ge=0, description="seconds it takes for each answer, on the dialogue's clock"
    )
    fails: list[int] = Field(
        default=[],
        description="numbers of the partner's messages it fails to answer (0: fails to open)",
    )


class Scripted:
    """A system that says its lines."""

    options_type: ClassVar[type[CallOptions]] = ScriptedOptions
    reach: ClassVar[Reach] = "folder"

    def __init__(self, options: ScriptedOptions, *, folder: Path) -> None:
        self.options = options

    def new_session(self, place: Place) -> "ScriptedSession":
        return ScriptedSession(self, place)

    async def close(self) -> None:
        """Nothing to let go of."""


class ScriptedSession(TranscriptSession[Scripted]):
    """The script, as far as it has been said."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The next line, or silence at the end of the script."""
        options = self._system.options
        if options.delay:
            await self.transcript.place.clock.sleep(options.delay)
        if self.transcript.heard_count in options.fails:
            raise AttemptError("error", "The script says to fail here (option 'fails').")
        said = len(self.transcript.own)
        if said < len(options.lines):
            return [say(options.lines[said])]
        if options.then == "silence":
            return []
        return [say(options.lines[-1 if options.then == "last" else said % len(options.lines)])]
