"""A scenario: what the seats know before the first word."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta


class SeedUtterance(msgspec.Struct, frozen=True, kw_only=True):
    """A message that stands in the dialogue before anybody speaks."""

    seat: Annotated[int, Meta(description="who says it")]
    text: Annotated[str, Meta(description="the words")]


class Scenario(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Private knowledge and persona per seat, and utterances to start from.

    `personas[i]` is shown to seat i alone, and so is `kbs[i]`, what a game gives seat i to know.
    What all may know stands in `extra`. `game` is the name of the game that is played.
    """

    id: Annotated[str, Meta(description="its name")] = "open"
    game: Annotated[str, Meta(description="the game that is played")] = "open_chat"
    title: Annotated[str, Meta(description="what people read as its name")] = ""
    personas: Annotated[
        tuple[tuple[str, ...], ...], Meta(description="lines of persona, seat by seat")
    ] = ()
    seeds: Annotated[
        tuple[SeedUtterance, ...], Meta(description="messages that stand there from the start")
    ] = ()
    kbs: Annotated[tuple[Any, ...], Meta(description="what a game gives each seat to know")] = ()
    extra: Annotated[dict[str, Any], Meta(description="what all may know")] = {}

    def persona(self, seat: int) -> tuple[str, ...]:
        """The persona lines of one seat; empty where there are none."""
        return self.personas[seat] if seat < len(self.personas) else ()

    def kb(self, seat: int) -> Any:
        """What one seat alone knows; None where there is nothing."""
        return self.kbs[seat] if seat < len(self.kbs) else None

    def seen_by(self, seat: int) -> "Scenario":
        """The scenario without what other seats alone know."""
        return msgspec.structs.replace(
            self,
            personas=tuple(lines if n == seat else () for n, lines in enumerate(self.personas)),
            kbs=tuple(kb if n == seat else None for n, kb in enumerate(self.kbs)),
        )
