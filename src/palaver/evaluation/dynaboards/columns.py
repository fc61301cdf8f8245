"""The columns of a board: performance, throughput, memory, and agreement under perturbation."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palaver.analysis.dynascore import OTHER_WEIGHT, PERFORMANCE_WEIGHT
from palaver.core.tasks import Task
from palaver.metrics.registry import find_metric

THROUGHPUT = "throughput"
MEMORY = "memory"
# GiB of the machine that published boards were made on; memory counts as what is left of it.
MEMORY_OFFSET = 32.0
# Names by which others know the columns.
OTHER_NAMES = {"examples_per_second": THROUGHPUT, "memory_utilization": MEMORY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One metric of a board: stored scores × `scale` are shown in `unit`.

    `field` is what the dynaboard API calls it, `weight` its weight unless somebody says otherwise.
    """

    key: str
    title: str
    field: str
    unit: str
    scale: float = 1.0
    direction: int = 1
    offset: float = 0.0
    weight: float = OTHER_WEIGHT
    is_delta: bool = False


def columns_of(task: Task, *, memory_offset: float = MEMORY_OFFSET) -> tuple[Column, ...]:
    """Every column that a board of this task may have, in their order."""
    return tuple(_columns(task, memory_offset))


def own_name(column: str, columns: tuple[Column, ...]) -> str:
    """Our name of a column that others call `column`."""
    if column == "perf":
        return columns[0].key
    return OTHER_NAMES.get(column, column)


def _columns(task: Task, memory_offset: float) -> Iterator[Column]:
    weights = {OTHER_NAMES.get(name, name): weight for name, weight in task.weights.items()}
    key = task.performance.key
    metric = find_metric(task.performance.metric, folder=Path(task.folder or "."))
    share = metric.unit == "share"
    yield Column(
        key=key,
        title=metric.title,
        field="perf",
        unit="%" if share else metric.unit,
        scale=100.0 if share else 1.0,
        direction=-1 if metric.direction == "lower" else 1,
        weight=weights.get(key, weights.get("perf", PERFORMANCE_WEIGHT)),
    )
    yield Column(
        key=THROUGHPUT,
        title="Throughput",
        field="examples_per_second",
        unit="examples/s",
        weight=weights.get(THROUGHPUT, OTHER_WEIGHT),
    )
    yield Column(
        key=MEMORY,
        title="Memory",
        field="memory_utilization",
        unit="GiB",
        direction=-1,
        offset=memory_offset,
        weight=weights.get(MEMORY, OTHER_WEIGHT),
    )
    for kind in task.deltas:
        yield Column(
            key=kind,
            title=kind.capitalize(),
            field=kind,
            unit="%",
            scale=100.0,
            weight=weights.get(kind, OTHER_WEIGHT),
            is_delta=True,
        )
