"""Numbers, times and reasons in the words of the researcher's pages."""

from collections.abc import Sequence

from palaver.storage.outcomes import Visit
from palaver.studies.terms import Pay
from palaver.web.participant.wording import money

# Why a dialogue or a visit ended, in the order of the filters.
REASONS = {
    "complete": "complete",
    "time_up": "time was up",
    "quit": "quit",
    "idle": "idle",
    "message_timeout": "no message in time",
    "disconnected": "disconnected",
    "partner_left": "partner left",
    "withdrawn": "withdrawn",
    "abandoned": "abandoned",
    "declined": "declined consent",
    "waited": "nobody came",
    "full": "no place was free",
    "removed": "a system took the seat",
    "system_failed": "system failed",
    "stalled": "both fell silent",
}
# Those after which a visit is paid in full; the wait itself is always paid.
PAID = frozenset({"complete", "partner_left", "system_failed"})


def reason_words(reason: str) -> str:
    """Why something ended; a reason that a game made up is shown as it is."""
    if not reason:
        return "erased"
    return REASONS.get(reason, reason.replace("_", " "))


def amount_due(pay: Pay, *, state: str, reason: str, waited: float) -> float:
    """What one visit costs: the amount if it is paid in full, and the wait."""
    full = pay.amount if state == "finished" and reason in PAID else 0.0
    is_paid = state == "finished" and reason in {*PAID, "waited"}
    return full + (pay.waiting_per_minute * waited / 60 if is_paid else 0.0)


def cost_words(pay: Pay, visits: Sequence[Visit]) -> str:
    """What the visits so far cost, and how that comes about."""
    paid = sum(visit.state == "finished" and visit.reason in PAID for visit in visits)
    total = sum(
        amount_due(pay, state=visit.state, reason=visit.reason, waited=visit.waited)
        for visit in visits
    )
    waiting = total - paid * pay.amount
    parts = f"{paid:,} × {money(pay.amount, pay.currency)}"
    if waiting >= 0.005:
        parts += f" + {money(waiting, pay.currency)} for waiting"
    return f"{money(total, pay.currency)} ({parts})"


def plain(given: str, *, most: int = 200) -> str:
    """What an address or a form says, without the NUL that PostgreSQL refuses and not too long."""
    return given.replace("\0", "").strip()[:most]
