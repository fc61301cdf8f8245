"""Payments: what somebody gets on top of their pay, and the orders in which that is paid."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.core.serial import if_any, internal

OrderState = Literal["intended", "set_up", "sending", "paid", "unknown", "refused", "dropped"]
# In these somebody may already have been paid, or is about to be: nothing of them is ordered again.
HOLDING = frozenset({"intended", "set_up", "sending", "paid", "unknown"})

ORDER_WORDS: dict[OrderState, str] = {
    "intended": "not sent yet",
    "set_up": "set up at the panel, not paid yet",
    "sending": "being sent",
    "paid": "paid",
    "unknown": "sent, and no answer came: look at the panel whether it was paid",
    "refused": "the panel refused it; nothing was paid",
    "dropped": "given up before anything was paid",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """An amount on top of somebody's pay, in smallest units, under one rule and for one thing."""

    id: int = internal(0)
    submission_id: int = internal(0)
    submission: str | None
    participant: str | None
    rule: str
    subject: str
    amount: int
    currency: str
    words: str = if_any("")
    order: str | None = None
    state: OrderState | None = None
    account: str = if_any("")
    created: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PayOrder:
    """An order to pay some of them, which is sent to the panel at most once."""

    derived: ClassVar[tuple[str, ...]] = ("words",)

    id: int = internal(0)
    recruitment_id: int = internal(0)
    key: str
    state: OrderState
    amount: int
    currency: str
    panel_id: str | None = None
    # What it costs with the panel's fees, as the panel said when it was set up.
    total: int | None = None
    holder: str | None = internal(None)
    account: str = if_any("")
    reason: str = if_any("")
    created: float
    sent: float | None = None
    settled: float | None = None

    @property
    def words(self) -> str:
        """What became of it, in words."""
        return ORDER_WORDS[self.state]
