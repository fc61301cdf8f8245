"""The schedule of a challenge in words and as bars: what is open, what is late, who sees scores when."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palaver.core.evaluation.challenges import (
    Challenge,
    Phase,
    PhaseState,
    Sight,
    StoredChallenge,
)

StandingKind = Literal["closed", "open", "late", "before", "over"]
# Days that an end without a date reaches beyond the dates there are.
MARGIN = 7 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a challenge stands; `phase` is the one that is open, or that opens next."""

    kind: StandingKind
    phase: Phase | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseBar:
    """A phase on the time line of all phases, in percent of it."""

    start: float
    width: float
    late: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseLine:
    """A phase in the schedule; `is_current` says that what is handed in now is handed in to it."""

    phase: Phase
    state: PhaseState
    is_current: bool
    # Until when late entries are taken; None where none are.
    late_until: float | None
    # From when teams see their own scores, and everybody all; no more than those two.
    sights: tuple[Sight, ...]
    bar: PhaseBar


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """The phases in the order of their times, and where now is on the time line."""

    lines: tuple[PhaseLine, ...]
    now_at: float
    has_bars: bool


def standing_of(row: StoredChallenge, challenge: Challenge, now: float) -> Standing:
    """Where a challenge stands at a time."""
    if row.frozen is not None:
        return Standing(kind="closed")
    current = challenge.phase_at(now)
    if current is not None:
        return Standing(kind="late" if current.state(now) == "late" else "open", phase=current)
    ahead = [each for each in challenge.phases if each.state(now) == "before"]
    if ahead:
        return Standing(kind="before", phase=min(ahead, key=lambda each: each.opens or 0.0))
    return Standing(kind="over")


def timetable(challenge: Challenge, now: float) -> Timetable:
    """The schedule at a time."""
    phases, current = challenge.phases, challenge.phase_at(now)
    dates = [date for each in phases for date in (each.opens, _end(each)) if date is not None]
    first, last = min([*dates, now]), max([*dates, now])
    if any(each.opens is None for each in phases):
        first -= MARGIN
    if any(each.closes is None for each in phases):
        last += MARGIN
    span = max(last - first, 1.0)
    return Timetable(
        lines=tuple(
            PhaseLine(
                phase=each,
                state=each.state(now),
                is_current=each is current,
                late_until=_end(each) if each.late_hours else None,
                sights=_sights(each.sights),
                bar=_bar(each, first, last, span),
            )
            for each in sorted(phases, key=lambda each: (each.opens or 0.0, each.closes or last))
        ),
        now_at=round(100 * (now - first) / span, 2),
        has_bars=bool(dates),
    )


def shown_since(phase: Phase) -> float | None:
    """From when everybody sees its scores; None where nobody has said when."""
    dates = [each.since for each in phase.sights if each.who == "everybody"]
    return dates[0] if dates else None


def _end(phase: Phase) -> float | None:
    return None if phase.closes is None else phase.closes + phase.late_hours * 3600


def _sights(sights: Sequence[Sight]) -> tuple[Sight, ...]:
    """Those that let more people in, in the order of their times."""
    own = next((each for each in sights if each.who == "own"), None)
    everybody = next((each for each in sights if each.who == "everybody"), None)
    if own is not None and everybody is not None and (everybody.since or 0) <= (own.since or 0):
        own = None
    return tuple(each for each in (own, everybody) if each is not None)


def _bar(phase: Phase, first: float, last: float, span: float) -> PhaseBar:
    opens = first if phase.opens is None else phase.opens
    closes = last if phase.closes is None else phase.closes
    late = phase.late_hours * 3600 if phase.closes is not None else 0.0
    return PhaseBar(
        start=round(100 * (opens - first) / span, 2),
        width=round(max(100 * (closes - opens) / span, 0.6), 2),
        late=round(100 * late / span, 2),
    )
