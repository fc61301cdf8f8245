"""Submissions: one person's piece of work at a panel, as it is known here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from palaver.core.serial import if_any, internal

SubmissionState = Literal[
    "reserved",
    "active",
    "timed_out",
    "awaiting_review",
    "processing",
    "approved",
    "partially_approved",
    "returned",
    "rejected",
    "screened_out",
]
# The person is under way there.
UNDER_WAY = frozenset({"reserved", "active"})
# Their place went to somebody else, and they get nothing for it.
GONE = frozenset({"returned", "timed_out", "rejected"})
# Decided there: paid, or in part.
PAID = frozenset({"approved", "partially_approved", "screened_out"})

Decision = Literal[
    "",
    "approve",
    "pay_part",
    "reject",
    "ask_return",
    "screen_out",
    "complete",
    "take_back",
]
# What became of a decision: asked of the panel, not known, done, or refused by it.
DecisionState = Literal["", "sending", "unknown", "done", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSubmission:
    """One person's piece of work: the newest that a panel said of it, and what was decided of it here.

    `state_time` is when the panel says it came to be so. `participant` and `panel_id` are null once
    the person was erased.
    """

    id: int = internal(0)
    recruitment_id: int = internal(0)
    panel_id: str | None
    participant: str | None
    state: str
    state_time: float
    started: float | None = None
    completed: float | None = None
    seconds: float | None = None
    code: str | None = internal(None)
    reward: int | None = None
    bonus: int = 0
    seen: float
    decision: Decision = if_any("")
    decision_state: DecisionState = if_any("")
    decided_by: str = if_any("")
    decided: float | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_under_way(self) -> bool:
        return self.state in UNDER_WAY

    @property
    def is_being_paid(self) -> bool:
        """Whether a payment was decided on, which the panel's list may not show yet."""
        sent = self.decision_state in ("sending", "unknown", "done")
        return sent and self.decision in ("approve", "pay_part")
