"""How long a system seems to read and type.

In a blind study speed must not give a system away: every reply waits until a time drawn from the same
rule for all systems, at least as long as the slowest system of the study usually takes.
"""

import random
from collections import deque
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds to read, then characters per second, with a ceiling."""

    reading: float = 0.6
    characters_per_second: float = 40.0
    at_most: float = 6.0


@dataclass(slots=True)
class PaceKeeper:
    """Evens out reply times over the systems of one study."""

    pace: Pace | None
    _latencies: dict[str, deque[float]] = field(default_factory=dict)

    def note(self, system: str, seconds: float) -> None:
        """Remember how long a system really took."""
        self._latencies.setdefault(system, deque(maxlen=50)).append(seconds)

    def release_after(self, text: str, rng: random.Random) -> float:
        """Seconds after which a reply may be shown, counted from the request for it."""
        if self.pace is None:
            return 0.0
        typing = self.pace.reading + len(text) / self.pace.characters_per_second
        jittered = typing * rng.uniform(0.85, 1.25)
        return min(self.pace.at_most, max(jittered, self._slowest()))

    def _slowest(self) -> float:
        usual = (
            sorted(times)[int(len(times) * 0.9)] for times in self._latencies.values() if times
        )
        return max(usual, default=0.0)
