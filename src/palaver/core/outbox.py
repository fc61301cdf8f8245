"""What is to be sent to others: how it stands, what came of an attempt, and of a round of them."""

from dataclasses import dataclass
from typing import Literal, Protocol

SendingState = Literal["waiting", "sent", "failed"]


class Sendable(Protocol):
    """What waits in an outbox: a letter, a credit, a notice.

    `attempts` are those that count; `holder` is who is sending it; `reason` is what was said last.
    """

    @property
    def id(self) -> int: ...
    @property
    def attempts(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def holder(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class SendingAnswer:
    """What the other side said to what it was sent: taken, perhaps earlier already, or not, and why."""

    taken: bool
    reason: str = ""
    # Whether the same may be answered otherwise later.
    may_pass: bool = False


@dataclass(frozen=True, slots=True)
class HeldUp:
    """Why something was not sent that is not to blame for it: no attempt is counted.

    It waits for `pause` seconds. Without a pause it is due as before, and the sender stops for now,
    because nothing else would be taken either.
    """

    reason: str
    pause: float | None = None


@dataclass(frozen=True, slots=True)
class Sendings:
    """How many were sent, will be tried again, and were refused for good.

    `trouble` is why the sender stopped; what it concerns still waits.
    """

    sent: int = 0
    postponed: int = 0
    failed: int = 0
    trouble: str = ""

    def __add__(self, more: "Sendings") -> "Sendings":
        return Sendings(
            self.sent + more.sent,
            self.postponed + more.postponed,
            self.failed + more.failed,
            more.trouble,
        )
