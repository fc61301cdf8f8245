"""How far runs are, as lines: redrawn in a terminal, printed once per step elsewhere."""

import sys
from collections import deque
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from typing import TextIO

from palaver.core.evaluation.runs import Run
from palaver.core.words import counted, shortened

Echo = Callable[[str], None]

BAR = 20
# How many runs are drawn at a time, and how wide a title may be.
MOST_LINES = 8
TITLE = 32
# The rate is that of the last so many looks.
LOOKS = 10


class RunPace:
    """How fast a run is answered, over the last looks at it."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=LOOKS)

    def note(self, now: float, answered: int) -> None:
        self._seen.append((now, answered))

    @property
    def rate(self) -> float:
        """Answers per second; 0 while it is not known."""
        (began, first), (ended, last) = self._seen[0], self._seen[-1]
        return (last - first) / (ended - began) if ended > began else 0.0


class Progress:
    """Tells of runs that change; in a terminal with bars below what is over."""

    def __init__(self, echo: Echo, *, stream: TextIO | None = None) -> None:
        self._echo = echo
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._drawn = 0
        self._told: dict[int, tuple[str, str, int]] = {}
        self._paces: dict[int, RunPace] = {}

    def show(self, listed: Sequence[Run], *, now: float) -> None:
        """Tell what is new since the last call."""
        news = [line for each in listed for line in self._news(each, now)]
        if self._live:
            self._erase()
        for line in news:
            self._echo(line)
        if self._live:
            self._draw(listed)

    def close(self) -> None:
        if self._live:
            self._erase()
            self._stream.flush()

    def _news(self, run: Run, now: float) -> list[str]:
        if run.state == "answering":
            self._paces.setdefault(run.id, RunPace()).note(now, run.asked)
        tenth = 0 if self._live or not run.items else 10 * run.asked // run.items
        told = (run.state, run.reason, tenth)
        if self._told.get(run.id) == told:
            return []
        first, self._told[run.id] = run.id not in self._told, told
        if run.is_over:
            return [] if first else [over_line(run)]
        if run.reason:
            return [f"{run.title}: {run.reason}"]
        if self._live or run.state != "answering":
            return []
        return [f"{run.title}: {self._numbers(run)}"]

    def _numbers(self, run: Run) -> str:
        done = run.asked
        told = f"{done:,}/{run.items:,}"
        rate = self._paces[run.id].rate if run.id in self._paces else 0.0
        if rate > 0:
            told += f"  {rate:,.0f}/s" if rate >= 10 else f"  {rate:.1f}/s"
            told += f"  {_duration((run.items - done) / rate)} left"
        return told + (f"  {run.refused:,} refused" if run.refused else "")

    def _draw(self, listed: Sequence[Run]) -> None:
        active = [each for each in listed if each.state in ("answering", "scoring")]
        waiting = sum(each.state == "waiting" for each in listed)
        lines = [self._bar(each) for each in active[:MOST_LINES]]
        more = len(active) - MOST_LINES
        rest = [f"{more} more under way"] if more > 0 else []
        rest += [f"{counted(waiting, 'run')} waiting"] if waiting else []
        lines += [", ".join(rest)] if rest else []
        if lines:
            # A line that wraps would be two to take away.
            width = get_terminal_size().columns - 1
            self._stream.write("".join(f"{line[:width]}\n" for line in lines))
            self._stream.flush()
        self._drawn = len(lines)

    def _bar(self, run: Run) -> str:
        title = shortened(run.title, TITLE)
        if run.state == "scoring":
            return f"{title:{TITLE}} scoring"
        full = round(run.share * BAR)
        return f"{title:{TITLE}} {'█' * full}{'░' * (BAR - full)} {self._numbers(run)}"

    def _erase(self) -> None:
        if self._drawn:
            self._stream.write(f"\x1b[{self._drawn}F\x1b[J")
            self._drawn = 0


def over_line(run: Run) -> str:
    """What became of a run, in one line."""
    if run.state != "done":
        return f"{run.title}: {run.state}. {run.reason}".rstrip()
    speed = f", {run.answered / run.busy_seconds:,.0f}/s" if run.busy_seconds > 0 else ""
    told = f"{run.title}: done, {counted(run.answered, 'answer')}{speed}."
    return f"{told} {run.reason}".rstrip()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
