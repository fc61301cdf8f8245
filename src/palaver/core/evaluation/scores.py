"""A score: one number of a run under one version of a metric."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palaver.core.serial import internal


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore:
    """A score of a run; `value` is null where it is undefined, and `reason` says why.

    `variants` is the perturbed data set that fairness or robustness was measured with.
    """

    metric: str
    version: str
    variants: str | None = None
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    reason: str = ""
    run_id: int = internal(0)
    # The version of the perturbed set; 0: none.
    variant_id: int = internal(0)
    parts: Mapping[str, Any] = internal(factory=dict)
    # What each item adds, as `metrics.sums` packs it; read only where asked for.
    rows: bytes | None = internal(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSheet(RunScore):
    """A score with what belongs to it: performance by tag, latencies, what older servers showed."""

    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow(RunScore):
    """A score in a table, with what it is a score of."""

    task: str
    model: str
    model_version: int
    dataset: str
    dataset_version: int
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored(ScoreRow):
    """A run and its score under one more metric, or why there is none."""

    derived = ("interval",)

    problem: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; null where there are none."""
        return None if self.low is None or self.high is None else (self.low, self.high)
