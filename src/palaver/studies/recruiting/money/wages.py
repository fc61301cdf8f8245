"""The wage meter: what an hour of people's time was really paid, beside what was promised.

A panel judges a study by the median of the times that people really took, not by what the study said
it takes. Waiting is work and counts, and so does what is paid for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.analysis.medians import sample_median
from palaver.core.estimates import Estimate, Interval
from palaver.core.money import Money, rounded_money
from palaver.core.serial import if_any
from palaver.crowds.panels.panel import PayLine

HOUR = 3600.0
# Seconds. Visits that are over sooner are trials, whose pay by the hour would say nothing.
SHORTEST = 30.0
# Where the median lies: below the panel's minimum, below what it recommends, or not below.
Standing = Literal["unknown", "below_minimum", "below_recommended", "fair"]


@dataclass(frozen=True, slots=True)
class Time:
    """How long somebody's visit took; those who talked with each other are one `company`."""

    seconds: float
    company: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WageMeter:
    """Pay for an hour of a study: as promised, and as it came to be; in the smallest unit.

    `hourly` is the pay for an hour at the median time, with the interval that the median has.
    """

    derived: ClassVar[tuple[str, ...]] = ("standing", "words")
    currency: str
    reward: int
    minutes: int | None
    promised: int | None
    seconds: Estimate
    hourly: Estimate
    minimum: int | None = if_any(None)
    recommended: int | None = if_any(None)

    @property
    def standing(self) -> Standing:
        """Where the real pay lies; the promised one stands in until somebody has finished."""
        known = self.hourly.value if self.hourly.is_defined else self.promised
        if known is None or self.minimum is None or self.recommended is None:
            return "unknown"
        if known < self.minimum:
            return "below_minimum"
        return "below_recommended" if known < self.recommended else "fair"

    @property
    def words(self) -> str:
        """What it comes to, in a sentence."""
        if not self.hourly.is_defined:
            if self.promised is None:
                return "Nobody has finished yet, and the study does not say how long it takes."
            return f"Promised: {self._money(self.promised)} an hour. Nobody has finished yet."
        told = f"At the median time that is {self._money(round(self.hourly.value))} an hour"
        lines = {
            "below_minimum": f", below the panel's minimum of {self._line(self.minimum)}.",
            "below_recommended": f", below the {self._line(self.recommended)} that it recommends.",
            "fair": ".",
            "unknown": ".",
        }
        return told + lines[self.standing]

    def top_up(self, line: int | None = None) -> int:
        """What each person lacks so that the median hour is paid as a line says, or as promised."""
        wanted = self.promised if line is None else line
        if wanted is None or not self.seconds.is_defined:
            return 0
        due = -(-int(wanted * self.seconds.value) // int(HOUR))
        return max(0, due - self.reward)

    def _line(self, amount: int | None) -> str:
        return "" if amount is None else self._money(amount)

    def _money(self, minor: int) -> str:
        return str(Money(minor, self.currency))


def wage_meter(
    *, reward: Money, minutes: int | None, times: Sequence[Time], lines: Sequence[PayLine]
) -> WageMeter:
    """The meter of a study that pays `reward` for so many `minutes`, and took people these times."""
    long = [each for each in times if each.seconds >= SHORTEST]
    took = sample_median([t.seconds for t in long], clusters=[t.company for t in long])
    line = next((each for each in lines if each.currency == reward.currency), None)
    return WageMeter(
        currency=reward.currency,
        reward=reward.minor,
        minutes=minutes,
        promised=None if not minutes else round(reward.minor * 60 / minutes),
        seconds=took,
        hourly=_hourly(reward.minor, took),
        minimum=None if line is None else _minor(line.minimum, reward.currency),
        recommended=None if line is None else _minor(line.recommended, reward.currency),
    )


def _minor(amount: float | None, currency: str) -> int | None:
    return None if amount is None else rounded_money(amount, currency).minor


def _hourly(reward: int, took: Estimate) -> Estimate:
    """The pay of an hour: the longer people took, the less."""
    if not took.is_defined or took.value == 0:
        return Estimate.undefined(took.reason or "nobody took any time", n=took.n)
    ends = took.interval
    interval = (
        None
        if ends is None or ends.low == 0
        else Interval(reward * HOUR / ends.high, reward * HOUR / ends.low)
    )
    return Estimate(
        value=reward * HOUR / took.value,
        interval=interval,
        n=took.n,
        method=took.method,
        reason=took.reason,
    )
