"""A dialogue as one seat has heard it: the only memory a built-in session has.

Everything a session says follows from what it received, so replaying the events rebuilds it, and
chance comes from dice that depend on the dialogue, the seat and how often the seat has spoken.
"""

import random
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from palaver.core.events import MESSAGE, Event
from palaver.core.protocols import Place

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One seat's words until the other speaks; `own` says whether they are this seat's."""

    own: bool
    text: str


@dataclass(slots=True)
class Transcript:
    """The events a seat received, and the words among them."""

    place: Place
    events: list[Event] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    lines: list[TranscriptLine] = field(default_factory=list)
    heard_count: int = 0

    def add(self, event: Event) -> None:
        self.events.append(event)
        if event.action != MESSAGE or event.data is None:
            return
        own = event.seat == self.place.seat
        if own:
            self.own.append(event.text)
        else:
            self.heard_count += 1
        if self.lines and self.lines[-1].own == own:
            self.lines[-1] = TranscriptLine(own, f"{self.lines[-1].text}\n{event.text}")
        else:
            self.lines.append(TranscriptLine(own, event.text))

    @property
    def heard(self) -> str:
        """What the partner said last; empty before the partner's first words."""
        return next((line.text for line in reversed(self.lines) if not line.own), "")

    @property
    def before(self) -> str:
        """What was said just before the partner's last words, by either seat."""
        last = len(self.lines) - (2 if self.lines and self.lines[-1].own else 1)
        return " ".join(line.text for line in self.lines[max(0, last - 2) : max(0, last)])

    def dice(self) -> random.Random:
        """Dice for the next reply: the same again after a replay."""
        place = self.place
        return random.Random(f"{place.dialogue}:{place.seat}:{len(self.own)}")

    def choose(self, candidates: list[str]) -> str:
        """One of `candidates` by chance, one not yet said in this dialogue if there is any."""
        fresh = [text for text in candidates if text not in self.own]
        return self.dice().choice(fresh or candidates)


class TranscriptSession(Generic[S]):
    """A session of a system that remembers what it receives in a transcript."""

    def __init__(self, system: S, place: Place) -> None:
        self._system = system
        self.transcript = Transcript(place)

    def receive(self, event: Event) -> None:
        self.transcript.add(event)
