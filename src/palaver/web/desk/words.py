"""Numbers, times and reasons in the words of the researcher's pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median, quantiles
from urllib.parse import urlencode

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


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: for the machine, and in words until a script knows the reader's zone."""

    iso: str
    text: str


def moment(seconds: float) -> Moment:
    """A time as `<local-time>` takes it."""
    at = datetime.fromtimestamp(seconds, UTC)
    return Moment(at.isoformat(timespec="seconds"), at.strftime("%Y-%m-%d %H:%M UTC"))


def reason_words(reason: str) -> str:
    """Why something ended; a reason that a game made up is shown as it is."""
    if not reason:
        return "erased"
    return REASONS.get(reason, reason.replace("_", " "))


def clock(seconds: float) -> str:
    """A length of time as on a stop watch: 0:07, 12:30, 1:02:03."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def minutes(seconds: float | None) -> str:
    """A length of time in minutes; a dash where there is none."""
    return "–" if seconds is None else f"{seconds / 60:.1f} min"


def spread(values: Sequence[float], *, unit: str) -> str:
    """The median with the quartiles (or the range of fewer than four values) and n."""
    if not values:
        return "–"
    middle = f"{median(values):.1f} {unit}"
    if len(values) == 1:
        return f"{middle} (n = 1)"
    if len(values) < 4:
        return f"{middle} ({min(values):.1f} to {max(values):.1f}, n = {len(values)})"
    low, _, high = quantiles(values, n=4, method="inclusive")
    return f"{middle} (quartiles {low:.1f} to {high:.1f}, n = {len(values):,})"


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


def with_query(path: str, **parameters: str | int | None) -> str:
    """An address with those parameters that are set."""
    known = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(known)}" if known else path
