"""What the visits of a study cost, in words, and what forms and addresses say."""

from collections.abc import Sequence

from palaver.core.studies.visits import Visit
from palaver.studies.file.terms import Pay
from palaver.web.formatting import money


def cost_words(pay: Pay, visits: Sequence[Visit]) -> str:
    """What the visits so far cost, and how that comes about."""
    paid = sum(pay.is_full(visit.state, visit.reason) for visit in visits)
    total = sum(pay.due(visit.state, visit.reason, visit.waited) for visit in visits)
    waiting = total - paid * pay.amount
    parts = f"{paid:,} × {money(pay.amount, pay.currency)}"
    if waiting >= 0.005:
        parts += f" + {money(waiting, pay.currency)} for waiting"
    return f"{money(total, pay.currency)} ({parts})"


def plain(given: str, *, most: int = 200) -> str:
    """What an address or a form says, without the NUL that PostgreSQL refuses and not too long."""
    return given.replace("\0", "").strip()[:most]
