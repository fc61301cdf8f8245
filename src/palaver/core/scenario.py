"""A scenario: what the seats know before the first word."""

from typing import Any

import msgspec


class SeedUtterance(msgspec.Struct, frozen=True, kw_only=True):
    """A message that stands in the dialogue before anybody speaks."""

    seat: int
    text: str


class Scenario(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Private knowledge and persona per seat, and utterances to start from.

    `personas[i]` is shown to seat i alone; `kbs[i]` is what a game gives seat i to know.
    """

    id: str = "open"
    title: str = ""
    personas: tuple[tuple[str, ...], ...] = ()
    seeds: tuple[SeedUtterance, ...] = ()
    kbs: tuple[Any, ...] = ()
    extra: dict[str, Any] = {}

    def persona(self, seat: int) -> tuple[str, ...]:
        """The persona lines of one seat; empty where there are none."""
        return self.personas[seat] if seat < len(self.personas) else ()
