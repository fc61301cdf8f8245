"""Two bots: one says its number and guesses what it hears, one waits for a number and guesses it."""

import re
from collections.abc import Sequence
from typing import ClassVar

from palaver.core.events import MESSAGE, Event, Move, say
from palaver.core.protocols import DraftListener, Place

# What sessions were told, for tests to look at.
SEEN: list[Event | Place] = []


class Teller:
    """Says its number first."""

    waits: ClassVar[bool] = False

    def new_session(self, place: Place) -> "TellerSession":
        """A session that has said nothing."""
        SEEN.append(place)
        return TellerSession(place, waits=self.waits)

    async def close(self) -> None:
        """Nothing to let go of."""


class TellerSession:
    """What it said and heard."""

    def __init__(self, place: Place, *, waits: bool) -> None:
        self.place = place
        self.waits = waits
        self.said = waits
        self.heard: int | None = None

    def receive(self, event: Event) -> None:
        """Listen for a number."""
        SEEN.append(event)
        found = re.search(r"\d+", event.text)
        if event.action == MESSAGE and event.seat == self.place.seat:
            self.said = True
        elif event.action == MESSAGE and found is not None:
            self.heard = int(found[0])

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """Its number, then a guess; silence where it waits for the other's."""
        if self.waits and self.heard is None:
            return []
        if not self.said:
            return [say(f"Mine is {self.place.scenario.kb(self.place.seat)['number']}.")]
        return [Move(action="guess", data={"number": self.heard or 0})]


class Mute(Teller):
    """Keeps its number to itself and waits for the other's."""

    waits = True


class Guesser:
    """Guesses any number at once; what everything else is measured against."""

    def new_session(self, place: Place) -> "GuesserSession":
        """A session that needs nothing but dice."""
        return GuesserSession(place)


class GuesserSession:
    """One guess."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def receive(self, event: Event) -> None:
        """It does not listen."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """A number of as many digits as the game says."""
        digits = self.place.scenario.extra.get("digits", 3)
        number = self.place.rng.randint(10 ** (digits - 1), 10**digits - 1)
        return [Move(action="guess", data={"number": number})]
