"""A run: one version of a model on one version of a data set; its jobs, predictions and scores.

A score is one number of a run under one version of a metric.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from palaver.core.estimates import NO_SPREAD, has_no_width
from palaver.core.evaluation.variant_counts import few_variants
from palaver.core.raw_answers import RawAnswer
from palaver.core.serial import if_any, internal

RunState = Literal["waiting", "answering", "scoring", "done", "failed", "cancelled"]
JobKind = Literal["answer", "score"]
JobState = Literal["waiting", "running", "done", "dead", "cancelled"]
OVER = frozenset({"done", "failed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore:
    """A score of a run; `value` is null where it is undefined.

    `reason` says why the value, or its interval, is missing. `variants` is the perturbed data set that
    fairness or robustness was measured with; `warning` says where too few items have variants.
    """

    metric: str
    version: str
    variants: str | None = None
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    reason: str = ""
    warning: str = if_any("")
    run_id: int = internal(0)
    # The version of the perturbed set; 0: none.
    variant_id: int = internal(0)
    parts: Mapping[str, Any] = internal(factory=dict)
    # What each item adds, as `metrics.sums` packs it; read only where asked for.
    rows: bytes | None = internal(None)

    def __post_init__(self) -> None:
        """As of an `Estimate`, no interval is without a width, not even one that was stored so."""
        if has_no_width(self.low, self.high):
            object.__setattr__(self, "low", None)
            object.__setattr__(self, "high", None)
            object.__setattr__(self, "reason", self.reason or NO_SPREAD)
        covered = self.parts.get("originals")
        if covered and not self.warning:
            items = int(covered) + int(self.parts.get("originals_without_variants", 0))
            object.__setattr__(self, "warning", few_variants(int(covered), items))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run; `reason` says why it failed.

    `performance` is its score under the `metric` that ranks, null while it has none; both are there
    only where somebody asked for them.
    """

    key: str
    task: str
    model: str
    model_version: int
    dataset: str
    dataset_version: int
    state: RunState
    reason: str
    items: int
    answered: int
    refused: int
    # Seconds until the model was ready, and seconds in which it was being asked.
    start_seconds: float
    busy_seconds: float
    created: float
    started: float | None
    finished: float | None
    metric: str = ""
    performance: RunScore | None = None
    id: int = internal(0)
    task_id: int = internal(0)
    model_id: int = internal(0)
    model_version_id: int = internal(0)
    dataset_id: int = internal(0)
    dataset_version_id: int = internal(0)
    # Where the files lie that items of the data set name.
    dataset_folder: str = internal("")
    # Samples of the model's memory in GiB.
    memory: tuple[float, ...] = internal(())

    @property
    def title(self) -> str:
        """Which model on which data set."""
        return f"{self.model} × {self.dataset}"

    @property
    def named(self) -> dict[str, Any]:
        """What it is a run of, as a row about it says that."""
        return {
            "task": self.task,
            "model": self.model,
            "model_version": self.model_version,
            "dataset": self.dataset,
            "dataset_version": self.dataset_version,
            "run": self.key,
        }

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it by itself."""
        return self.state in OVER

    @property
    def asked(self) -> int:
        """How many items have an answer or a refusal."""
        return self.answered + self.refused

    @property
    def share(self) -> float:
        """How much of the data set has been asked, from 0 to 1."""
        return self.asked / self.items if self.items else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """Some runs, oldest first."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSlice(RunList):
    """Some of many runs; pass `next` as `after` to go on. It is null at the end."""

    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job of a run; `attempts` counts those since it last got anywhere.

    `raw` is what came in place of an answer in the last attempt, if that failed.
    """

    key: str
    kind: JobKind
    state: JobState
    attempts: int
    most_attempts: int
    due: float
    reason: str
    raw: RawAnswer | None = None
    id: int = internal(0)
    run_id: int = internal(0)
    lane: str = internal("")
    holder: str | None = internal(None)
    lease: float | None = internal(None)
    created: float = internal(0.0)
    started: float | None = internal(None)
    finished: float | None = internal(None)

    @property
    def is_comparison(self) -> bool:
        """Whether it measures a run against one on variants: its key names both."""
        return self.kind == "score" and self.key.count(":") > 1

    @property
    def is_stuck(self) -> bool:
        """Whether nobody will do it unless somebody asks for it again."""
        return self.state in ("dead", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFailure:
    """An attempt at a job that failed, and why."""

    job: str
    attempt: int
    reason: str
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a model answered to one item (checked values by output), or why there is no answer.

    `raw` is what it said where that was refused.
    """

    position: int
    uid: str
    answer: dict[str, Any] | None
    problem: str | None = None
    raw: RawAnswer | None = None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSheet(Run):
    """A run with its scores, its jobs, every attempt that failed and the first refused answers."""

    scores: tuple[RunScore, ...] = ()
    jobs: tuple[Job, ...] = ()
    failures: tuple[JobFailure, ...] = ()
    refused_answers: tuple[Prediction, ...] = ()

    def job(self, key: str) -> Job | None:
        return next((job for job in self.jobs if job.key == key), None)

    @property
    def may_retry(self) -> bool:
        """Whether something of it failed or was cancelled that can be tried again."""
        return self.is_over and any(job.is_stuck for job in self.jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatus:
    """The progress of a task: the runs of its models on its data sets, all in their newest versions."""

    derived = ("counts",)

    task: str
    models: tuple[str, ...]
    datasets: tuple[str, ...]
    runs: tuple[Run, ...]

    def run(self, model: str, dataset: str) -> Run | None:
        """The run of a model on a data set; None where none was planned."""
        wanted = (model, dataset)
        return next((run for run in self.runs if (run.model, run.dataset) == wanted), None)

    @property
    def counts(self) -> dict[str, int]:
        """How many runs there are in each state."""
        return dict(Counter(run.state for run in self.runs))
