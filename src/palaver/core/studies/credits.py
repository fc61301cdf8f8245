"""Credits: what a panel is told by our server when somebody has earned theirs."""

from dataclasses import dataclass

from palaver.core.outbox import SendingState
from palaver.core.serial import if_any, internal


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """One credit; `person` is our name for who earned it, `reason` why it was not given yet, or never.

    A credit that was sent may say in `reason` that the panel had given it before.
    """

    id: int
    person: str
    state: SendingState
    attempts: int
    due: float
    created: float
    sent: float | None = None
    reason: str = if_any("")
    study_id: int = internal(0)
    # What the panel sent with them: its names for the person, the piece of work and its study.
    sent_values: tuple[str, str, str] = internal(("", "", ""))
    holder: str | None = internal(None)


@dataclass(frozen=True, slots=True)
class CreditList:
    """The credits of a study, newest first, and how many there are in each state."""

    waiting: int
    sent: int
    failed: int
    credits: tuple[Credit, ...]
