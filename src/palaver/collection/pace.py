"""How long a system seems to read and type.

In a blind study speed must not give a system away: every reply waits until a time drawn from the same
rule for all systems, at least as long as the slowest system of the study usually takes. How long that
is must be known before the first reply: latencies are kept from one start to the next
(`storage.dialogues.latencies`), and a system of which none is known is asked at the start (`probe`).
"""

import random
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# How many latencies of a system are remembered.
REMEMBERED = 50
# The share of a system's replies that come within its usual time.
USUALLY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds to read, then characters per second, with a ceiling."""

    reading: float = 0.6
    characters_per_second: float = 40.0
    at_most: float = 6.0


@dataclass(slots=True)
class Latencies:
    """How long the systems of a study really took, of late; `fresh` are those not stored yet."""

    seconds: dict[str, deque[float]] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)

    @classmethod
    def known(cls, kept: Mapping[str, Iterable[float]]) -> "Latencies":
        """What was kept of them."""
        return cls({system: deque(times, REMEMBERED) for system, times in kept.items() if times})

    def note(self, system: str, seconds: float) -> None:
        """Remember how long a system took."""
        self.seconds.setdefault(system, deque(maxlen=REMEMBERED)).append(seconds)
        self.fresh.add(system)

    def slowest(self) -> float:
        """How long the slowest system usually takes; 0 where nothing is known."""
        usual = (sorted(times)[int(len(times) * USUALLY)] for times in self.seconds.values())
        return max(usual, default=0.0)

    def take_fresh(self) -> dict[str, list[float]]:
        """What is to be stored, by system; from now on it counts as stored."""
        taken = {system: list(self.seconds[system]) for system in sorted(self.fresh)}
        self.fresh.clear()
        return taken


@dataclass(slots=True)
class PaceKeeper:
    """Evens out reply times over the systems of one study."""

    pace: Pace | None
    latencies: Latencies = field(default_factory=Latencies)

    def note(self, system: str, seconds: float) -> None:
        """Remember how long a system really took."""
        self.latencies.note(system, seconds)

    def read_for(self, rng: random.Random) -> float:
        """Seconds until a reply seems to be typed, counted from the request for it."""
        return 0.0 if self.pace is None else self.pace.reading * rng.uniform(0.5, 0.85)

    def release_after(self, text: str, rng: random.Random) -> float:
        """Seconds after which a reply may be shown, counted from the request for it."""
        if self.pace is None:
            return 0.0
        return min(self.pace.at_most, max(self.type_for(text, rng), self.latencies.slowest()))

    def type_for(self, text: str, rng: random.Random) -> float:
        """Seconds that reading and typing a text would take a person."""
        if self.pace is None:
            return 0.0
        typing = self.pace.reading + len(text) / self.pace.characters_per_second
        return min(self.pace.at_most, typing * rng.uniform(0.85, 1.25))
