"""The columns of a board: performance, throughput, memory, and agreement under perturbation."""

from collections.abc import Iterator
from pathlib import Path

from palaver.analysis.dynascore import OTHER_WEIGHT, PERFORMANCE_WEIGHT
from palaver.core.evaluation.boards import BoardColumn
from palaver.core.tasks import Task
from palaver.metrics.registry import find_metric

THROUGHPUT = "throughput"
MEMORY = "memory"
# GiB of the machine that published boards were made on; memory counts as what is left of it.
MEMORY_OFFSET = 32.0
# Names by which others know the columns.
OTHER_NAMES = {"examples_per_second": THROUGHPUT, "memory_utilization": MEMORY}


def columns_of(task: Task, *, memory_offset: float = MEMORY_OFFSET) -> tuple[BoardColumn, ...]:
    """Every column that a board of this task may have, in their order."""
    return tuple(_columns(task, memory_offset))


def own_name(column: str, columns: tuple[BoardColumn, ...]) -> str:
    """Our name of a column that others call `column`."""
    if column == "perf":
        return columns[0].key
    return OTHER_NAMES.get(column, column)


def _columns(task: Task, memory_offset: float) -> Iterator[BoardColumn]:
    weights = {OTHER_NAMES.get(name, name): weight for name, weight in task.weights.items()}
    key = task.performance.key
    metric = find_metric(task.performance.metric, folder=Path(task.folder or "."))
    share = metric.unit == "share"
    yield BoardColumn(
        key=key,
        title=metric.title,
        field_name="perf",
        unit="%" if share else metric.unit,
        scale=100.0 if share else 1.0,
        direction=-1 if metric.direction == "lower" else 1,
        usual_weight=weights.get(key, weights.get("perf", PERFORMANCE_WEIGHT)),
    )
    yield BoardColumn(
        key=THROUGHPUT,
        title="Throughput",
        field_name="examples_per_second",
        unit="examples/s",
        usual_weight=weights.get(THROUGHPUT, OTHER_WEIGHT),
    )
    yield BoardColumn(
        key=MEMORY,
        title="Memory",
        field_name="memory_utilization",
        unit="GiB",
        direction=-1,
        offset=memory_offset,
        usual_weight=weights.get(MEMORY, OTHER_WEIGHT),
    )
    for kind in task.deltas:
        yield BoardColumn(
            key=kind,
            title=kind.capitalize(),
            field_name=kind,
            unit="%",
            scale=100.0,
            usual_weight=weights.get(kind, OTHER_WEIGHT),
            is_delta=True,
        )
