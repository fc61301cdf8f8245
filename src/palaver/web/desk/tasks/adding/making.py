"""Perturbing a data set and scoring old answers again: what is done in a process beside the server.

Of each a task has one under way at a time; the page says how far it is, and then what came of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from palaver.core.evaluation.datasets import Kind, Perturbed
from palaver.core.evaluation.runs import Rescored
from palaver.core.serial import convert
from palaver.web.desk.accounts import deployment_of
from palaver.web.desk.tasks.adding.request import Adding
from palaver.web.desk.works import BackgroundWork, works_of

MODULE = "palaver.web.desk.tasks.adding.worker"


class PerturbTask(msgspec.Struct, frozen=True, kw_only=True, tag="perturb"):
    """Which data set of which task is to be perturbed, and how."""

    database: str
    home: str
    task: str
    dataset: str
    kind: Kind
    seed: int
    only: Sequence[str]
    fields: Sequence[str]
    now: float


class RescoreTask(msgspec.Struct, frozen=True, kw_only=True, tag="rescore"):
    """Which metrics are to be computed on which finished runs of a task."""

    database: str
    home: str
    task: str
    metrics: Sequence[str]
    models: Sequence[str]
    datasets: Sequence[str]
    fields: Sequence[str]
    force: bool
    now: float


MakingTask = PerturbTask | RescoreTask


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredMetric:
    """What became of one metric: its runs, or the problem that kept it from all of them."""

    metric: str
    runs: tuple[Rescored, ...] = ()
    problem: str = ""

    @property
    def scored(self) -> int:
        return sum(not run.problem for run in self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredMetrics:
    """What became of all metrics that were asked for."""

    metrics: tuple[ScoredMetric, ...]


def start_making(found: Adding, task: MakingTask) -> None:
    """Begin, unless the same is under way for the task."""
    works = works_of(deployment_of(found.request))
    works.start(_name(found, type(task)), MODULE, task, now=found.now)


def making_of(found: Adding, kind: type[MakingTask]) -> BackgroundWork | None:
    """How the last perturbing or rescoring of a task goes, if it was begun here."""
    return works_of(deployment_of(found.request)).find(_name(found, kind))


def perturbed_of(work: BackgroundWork | None) -> Perturbed | None:
    """The variants that were made, once they are."""
    if work is None or not work.result:
        return None
    return convert(msgspec.json.decode(work.result), Perturbed)


def scored_of(work: BackgroundWork | None) -> ScoredMetrics | None:
    """The scores that were computed, once they are."""
    if work is None or not work.result:
        return None
    return convert(msgspec.json.decode(work.result), ScoredMetrics)


def _name(found: Adding, kind: type[MakingTask]) -> tuple[str, int]:
    return (kind.__name__, found.asked.row.id)
