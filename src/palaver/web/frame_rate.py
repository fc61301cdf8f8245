"""How many frames that store nothing one page may send: a bucket of tokens, and an end to patience.

Moves have a rate of their own and are answered. Signs of typing and hellos are not stored and not
answered one by one: what comes faster than any page sends it is dropped, and a page that does not stop
is cut off.
"""

from dataclasses import dataclass

# A page signs typing twice for a message and every three seconds; it says hello when it connects and
# when it has missed something.
TYPING_PER_SECOND, TYPING_AT_ONCE = 10.0, 40.0
HELLOS_PER_SECOND, HELLOS_AT_ONCE = 5.0, 30.0
# Dropped frames after which a page is cut off.
MOST_DROPPED = 400


@dataclass(slots=True)
class FrameBucket:
    """Tokens that come back with time, up to a number."""

    per_second: float
    at_once: float
    tokens: float
    checked: float

    @classmethod
    def full(cls, per_second: float, at_once: float, now: float) -> "FrameBucket":
        return cls(per_second, at_once, at_once, now)

    def take(self, now: float) -> bool:
        """Take a token, if there is one; a clock that was set back gives none."""
        gained = max(0.0, now - self.checked) * self.per_second
        self.tokens = min(self.at_once, self.tokens + gained)
        self.checked = now
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True


class FrameRate:
    """The signs of typing and hellos of one page."""

    def __init__(self, now: float) -> None:
        self._typing = FrameBucket.full(TYPING_PER_SECOND, TYPING_AT_ONCE, now)
        self._hellos = FrameBucket.full(HELLOS_PER_SECOND, HELLOS_AT_ONCE, now)
        self.dropped = 0

    def typing(self, now: float) -> bool:
        """Whether a sign of typing may pass."""
        return self._counted(self._typing.take(now))

    def hello(self, now: float) -> bool:
        """Whether a hello may pass."""
        return self._counted(self._hellos.take(now))

    @property
    def is_exhausted(self) -> bool:
        """Whether so much was dropped that the page is to be cut off."""
        return self.dropped >= MOST_DROPPED

    def _counted(self, passes: bool) -> bool:
        self.dropped += not passes
        return passes
