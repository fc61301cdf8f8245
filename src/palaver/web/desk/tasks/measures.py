"""How the numbers of a metric are shown: its title, its unit, and how many digits say something.

A metric of a researcher's own is shown as it is stored: looking at a page must not run Python of the
task's folder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.core.estimates import has_no_width
from palaver.core.evaluation.runs import RunScore
from palaver.core.tasks import Task
from palaver.core.words import apart, decimals
from palaver.evaluation.scoring.efficiency import MEMORY, THROUGHPUT
from palaver.evaluation.scoring.rescore import named_metric
from palaver.metrics.registry import find_metric

PERCENT = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A metric to a reader: stored values × `factor`, in `unit`."""

    key: str
    title: str
    factor: float = 1.0
    unit: str = ""
    digits: int | None = None
    better: str = ""

    def number(self, value: float) -> str:
        """The value without its unit."""
        shown = value * self.factor
        return f"{shown:.4g}" if self.digits is None else decimals(shown, self.digits)

    def said(self, score: RunScore | None) -> str:
        """The value with its unit, "undefined" where there is none, a dash before it is computed."""
        return "–" if score is None else self.with_unit(score.value)

    def with_unit(self, value: float | None) -> str:
        """The value with its unit, "undefined" where there is none."""
        return "undefined" if value is None else f"{self.number(value)} {self.unit}".rstrip()

    def interval(self, low: float | None, high: float | None) -> str:
        """The ends of an interval; empty where there is none."""
        if low is None or high is None or has_no_width(low, high):
            return ""
        return " to ".join(apart(low, high, self.number, self._finer))

    def _finer(self, value: float, digits: int) -> str:
        return decimals(value * self.factor, digits)

    @property
    def head(self) -> str:
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def lines(self, scores: Sequence[RunScore]) -> list[str]:
        """The lines of a cell: value, interval and warning, for each variant where there are several."""
        told = []
        for score in scores:
            if len(scores) > 1 and score.variants:
                told.append(f"{score.variants}:")
            ends = self.interval(score.low, score.high)
            told.append("undefined" if score.value is None else self.number(score.value))
            told += [ends] if ends and score.value is not None else []
            told += [f"few variants, n = {score.n:,}"] if score.warning else []
        return told or ["–"]


BETTER = {"higher": "higher is better", "lower": "lower is better", "none": ""}


class Measures:
    """The measures of one task by the keys of its scores."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._metrics = {choice.key: choice.metric for choice in task.metrics}
        self._found: dict[str, Measure] = {}

    @property
    def performance(self) -> Measure:
        """The measure that ranks."""
        return self.get(self._task.performance.key)

    def get(self, key: str) -> Measure:
        if key not in self._found:
            self._found[key] = self._make(key)
        return self._found[key]

    def ordered(self, keys: set[str]) -> list[Measure]:
        """Those of these keys that are worth a column: performance first, deltas last."""
        own = [choice.key for choice in self._task.metrics]
        last = [THROUGHPUT, MEMORY, *self._task.deltas]
        beside = {f"{kind}-{self._task.performance.key}" for kind in self._task.deltas}
        others = sorted(keys - {*own, *last} - beside)
        return [self.get(key) for key in (*own, *others, *last) if key in keys]

    def _make(self, key: str) -> Measure:
        if key == THROUGHPUT:
            return Measure(key=key, title="Throughput", unit="/s", digits=1, better="higher")
        if key == MEMORY:
            return Measure(key=key, title="Memory", unit="GiB", digits=2, better="lower")
        if key in self._task.deltas:
            return _share(key, key.capitalize(), "higher")
        kind, _, rest = key.partition("-")
        if rest and kind in self._task.deltas:
            inner = self.get(rest)
            return Measure(
                key=key,
                title=f"{inner.title} on the {kind} variants",
                factor=inner.factor,
                unit=inner.unit,
                digits=inner.digits,
                better=inner.better,
            )
        return self._metric(key)

    def _metric(self, key: str) -> Measure:
        name, how = self._metrics.get(key, ""), key
        if not name:
            name, how = named_metric(key)
        if ":" in name:
            return Measure(key=key, title=key)
        try:
            metric = find_metric(name)
        except InputError:
            return Measure(key=key, title=key)
        title = metric.title if how in ("", name) else f"{metric.title} ({how})"
        if metric.unit == "share":
            return _share(key, title, metric.direction)
        unit = "" if metric.unit in ("points", "distance", "correlation") else metric.unit
        digits = 2 if metric.unit == "points" else 4 if metric.family == "distribution" else 3
        return Measure(key=key, title=title, unit=unit, digits=digits, better=metric.direction)


def _share(key: str, title: str, better: str) -> Measure:
    return Measure(key=key, title=title, factor=PERCENT, unit="%", digits=1, better=better)
