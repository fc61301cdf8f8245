"""Numbers, times and addresses as pages write them; templates use each as a filter of the same name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from statistics import median, quantiles
from typing import Any, Protocol
from urllib.parse import urlencode

import msgspec

from palaver.core import words
from palaver.core.deadlines import AOE, written_moment
from palaver.core.evaluation.boards import BoardColumn
from palaver.core.evaluation.submissions import SubmittedRun
from palaver.core.money import Money
from palaver.core.questions.question import spoken
from palaver.core.serial import encode
from palaver.core.words import (
    apart,
    counted,
    decimals,
    duration,
    listed,
    readable,
    shortened,
    unturned,
)

# Below this a measure is told to four decimals, so that runs that differ look different.
SMALL = 2.0
# How much of a field of an item is shown.
FIELD_SHOWN = 800
# Why a dialogue or a visit ended, in the order of the filters.
REASONS = {
    "complete": "complete",
    "time_up": "time was up",
    "insufficient": "too little to count",
    "quit": "quit",
    "idle": "idle",
    "message_timeout": "no message in time",
    "disconnected": "disconnected",
    "partner_left": "partner left",
    "withdrawn": "withdrawn",
    "abandoned": "abandoned",
    "declined": "declined consent",
    "waited": "nobody joined",
    "full": "no place was free",
    "turned_away": "did not wait for a place",
    "not_passed": "practice not passed",
    "checked_out": "stopped by a check",
    "nothing_left": "nothing was left",
    "returned": "gave the place back",
    "timed_out": "the panel's time was over",
    "paused": "the study was paused",
    "closed": "the study was closed",
    "not_yet_open": "the study was not open yet",
    "removed": "a system took the seat",
    "system_failed": "system failed",
    "stalled": "both fell silent",
    "imported": "imported",
}
# The states of a run, for the team that submitted the model.
SUBMITTED = {
    "waiting": "Waiting for its turn",
    "answering": "Answering",
    "scoring": "Being scored",
    "done": "Done",
    "failed": "Failed",
    "cancelled": "Cancelled",
}


@dataclass(frozen=True, slots=True)
class ShownMoment:
    """A point in time: for the machine, and in words until a script knows the reader's zone."""

    iso: str
    text: str


def moment(seconds: float) -> ShownMoment:
    """A time as `<local-time>` takes it."""
    at = datetime.fromtimestamp(seconds, UTC)
    return ShownMoment(at.isoformat(timespec="seconds"), at.strftime("%Y-%m-%d %H:%M UTC"))


def anywhere(seconds: float) -> str:
    """A time anywhere on earth: as the last place that still has this day counts it, 12 hours behind.

    >>> anywhere(1_796_212_740)
    '2026-12-01 23:59 AoE'
    """
    return written_moment(seconds, AOE)


def universal(seconds: float) -> str:
    """A time in UTC, to the second where it matters.

    >>> universal(1_796_212_740)
    '2026-12-02 11:59 UTC'
    """
    return written_moment(seconds)


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


def elapsed(seconds: float) -> str:
    """A length of time as a stop watch would tell it: "12.3 s", "2 min 5 s", "1 h 2 min".

    >>> elapsed(12.34), elapsed(125), elapsed(3725)
    ('12.3 s', '2 min 5 s', '1 h 2 min')
    """
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def latency(seconds: float) -> str:
    """A short time: "35 ms", "1.24 s"; empty where none was measured."""
    if seconds <= 0:
        return ""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:,.2f} s"


def field_text(value: Any, *, several: bool = False) -> str:
    """A field of an item in words; with `several` a list holds texts of which each is right."""
    return shortened(_field_words(value, several=several), FIELD_SHOWN)


def _field_words(value: Any, *, several: bool) -> str:
    if isinstance(value, str):
        return value or "(empty)"
    if isinstance(value, dict) and all(isinstance(each, int | float) for each in value.values()):
        return ", ".join(f"{name} {share:.3g}" for name, share in value.items())
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return (" or " if several else ", ").join(value)
    if isinstance(value, list) and value and all(_is_turn(each) for each in value):
        return "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in value)
    return msgspec.json.encode(value).decode()


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and {"speaker", "text"} <= value.keys()


def percent(share: float | None) -> str:
    """A share between 0 and 1 as a percentage; a dash where there is none."""
    return "–" if share is None else words.percent(share)


def share(part: float) -> str:
    """A share that somebody chose, without needless decimals.

    >>> share(0.5), share(0.125)
    ('50 %', '12.5 %')
    """
    return f"{100 * part:.4g} %"


def whole(number: float) -> str:
    """A number without needless decimals, thousands set apart: 12, 1,200, 2.5."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def evidence(e_value: float | None) -> str:
    """An e-value at a glance; `live-board.js` writes it in the same way.

    >>> evidence(None), evidence(0.0032), evidence(3.456), evidence(41.7), evidence(1e9)
    ('–', 'under 0.01', '3.46', '42', 'over 1,000')
    """
    if e_value is None:
        return "–"
    if e_value >= 1000:
        return "over 1,000"
    if e_value >= 10:
        return f"{e_value:.0f}"
    return "under 0.01" if e_value < 0.01 else f"{e_value:.2f}"


def waiting_words(votes: int) -> str:
    """That votes are not counted yet; empty for none. `live-board.js` says the same.

    >>> waiting_words(1), waiting_words(0)
    ('1 vote waits: its rater is still at work.', '')
    """
    if not votes:
        return ""
    if votes == 1:
        return "1 vote waits: its rater is still at work."
    return f"{votes:,} votes wait: their raters are still at work."


def number(value: float | None, digits: int | None = None) -> str:
    """A number with as many digits as one can read at a glance; a dash where there is none.

    With `digits`, so many after the point: distances differ where a glance sees nothing.
    `dyna-board.js` writes the numbers of a board in the same way.

    >>> number(38.8349), number(1234.5), number(0.00268), number(None)
    ('38.83', '1,234', '0.0027', '–')
    >>> number(0.06126, 4)
    '0.0613'
    """
    if value is None:
        return "–"
    if digits is not None:
        return decimals(value, digits)
    return decimals(value, 0) if abs(value) >= 1000 else readable(value)


def measured(value: float | None) -> str:
    """A value of a measure on a board of a challenge: four decimals where it is small.

    >>> measured(0.21934), measured(71.256), measured(None)
    ('0.2193', '71.26', '–')
    """
    if value is None or abs(value) >= SMALL:
        return number(value)
    return decimals(value, 4)


def between(ends: Sequence[float | None] | None, digits: int | None = None) -> str:
    """An interval; empty where there is none. Ends that differ never read alike.

    >>> between([37.12, 39.96]), between(None), between([1.2341, 1.2344])
    ('37.12 to 39.96', '', '1.2341 to 1.2344')
    """
    if ends is None or ends[0] is None or ends[1] is None:
        return ""
    return " to ".join(apart(ends[0], ends[1], partial(number, digits=digits)))


def ranks(ends: Sequence[int] | None) -> str:
    """The ranks that a model may have; empty where that is not known.

    >>> ranks([1, 3]), ranks([2, 2]), ranks(None)
    ('1 to 3', '2', '')
    """
    if ends is None:
        return ""
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"


def weight(value: float) -> str:
    """A weight as it stands in a field and in an address.

    >>> weight(4.0), weight(0.25)
    ('4', '0.25')
    """
    return f"{value:g}"


def reason_words(reason: str) -> str:
    """Why something ended; a reason that a game made up is shown as it is."""
    if not reason:
        return "erased"
    return REASONS.get(reason, reason.replace("_", " "))


class HasEnds(Protocol):
    """Something with the ends of an interval, where it has one."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def alpha_interval(found: HasEnds) -> str:
    """The interval of a coefficient; a dash where there is none."""
    if found.low is None or found.high is None:
        return "–"
    return f"{decimals(found.low, 2)} to {decimals(found.high, 2)}"


def sentence(text: str) -> str:
    """A text that begins as a sentence does; the rest stays as it was written.

    >>> sentence("premise of the EU")
    'Premise of the EU'
    """
    return text[:1].upper() + text[1:]


def money(amount: float, currency: str) -> str:
    """An amount with its currency."""
    return f"{amount:.2f} {currency}"


def minor_money(amount: int, currency: str) -> str:
    """An amount that counts the smallest unit, with its currency.

    >>> minor_money(425, "GBP"), minor_money(30, "JPY")
    ('4.25 GBP', '30 JPY')
    """
    return str(Money(amount, currency))


def submitted_words(run: SubmittedRun, column: BoardColumn) -> str:
    """The progress of a team's run: "Answering: 3 of 20", "Done: Accuracy 91.2 (89 to 93)".

    `column` is the metric as the board has it.
    """
    scale, digits = column.scale, column.digits
    words = SUBMITTED[run.state]
    if run.state == "answering":
        return f"{words}: {run.asked:,} of {run.items:,}"
    if run.state != "done" or run.value is None:
        return words
    ends = None if run.low is None or run.high is None else (run.low * scale, run.high * scale)
    interval = f" ({between(ends, digits)})" if ends else ""
    return f"{words}: {run.metric} {number(run.value * scale, digits)}{interval}"


def with_query(path: str, **parameters: str | int | None) -> str:
    """An address with those parameters that are set."""
    known = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(known)}" if known else path


def web_link(link: str) -> str:
    """A link that a browser may follow; anything else than http is left out."""
    return link if link.startswith(("https://", "http://")) else ""


def json_text(value: Any) -> str:
    """Records or plain data as JSON to read."""
    return msgspec.json.format(encode(value), indent=2).decode()


FILTERS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        *(
            alpha_interval,
            anywhere,
            between,
            clock,
            counted,
            decimals,
            duration,
            elapsed,
            evidence,
            field_text,
        ),
        *(
            json_text,
            latency,
            listed,
            measured,
            minor_money,
            minutes,
            moment,
            money,
            number,
            percent,
            ranks,
            readable,
        ),
        *(reason_words, sentence, share, shortened, spoken, spread, submitted_words, universal),
        *(unturned, waiting_words, web_link, weight, whole, with_query),
    )
}
