"""The columns of a board (performance, throughput, memory, agreement under perturbation) and weights.

After these stand all other metrics that its runs were scored by: those that the task lists, and those
that somebody computed later. They have weight 0 until somebody gives them one. Weights of metrics and
of data sets are what was given, checked, else the defaults.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from palaver.analysis.dynascore import OTHER_WEIGHT, PERFORMANCE_WEIGHT
from palaver.core.errors import InputError
from palaver.core.evaluation.boards import BoardColumn, ScoringSet
from palaver.core.evaluation.dataset_names import known_name
from palaver.core.registry import near
from palaver.core.tasks import MetricChoice, Task
from palaver.evaluation.scoring.rescore import named_metric
from palaver.metrics.metric import Metric
from palaver.metrics.registry import find_metric

THROUGHPUT = "throughput"
MEMORY = "memory"
# GiB of the machine that published boards were made on; memory counts as what is left of it.
MEMORY_OFFSET = 32.0
# Names by which others know the columns.
OTHER_NAMES = {"examples_per_second": THROUGHPUT, "memory_utilization": MEMORY}

# Distances between distributions differ in the third digit.
DISTANCE_DIGITS = 4
# The middle of the sliders that boards have, 0 to 10; only proportions matter.
DATASET_WEIGHT = 5.0


def columns_of(
    task: Task,
    *,
    memory_offset: float = MEMORY_OFFSET,
    stored: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[BoardColumn, ...]:
    """Every column that a board of this task may have, in their order.

    `stored` are the metrics that runs were scored by, each with what its score says of it.
    """
    usual = list(_columns(task, memory_offset))
    more = list(_more_columns(task, stored or {}, {each.key for each in usual}))
    times = Counter(each.title for each in (*usual, *more))
    # Two metrics may have one title; a table needs two names for them.
    told = [replace(e, title=f"{e.title} ({e.key})") if times[e.title] > 1 else e for e in more]
    return (*usual, *told)


def find_column(name: str, columns: Sequence[BoardColumn]) -> int:
    """The place of a metric that is to rank; InputError names those that there are."""
    key = own_name(name, columns)
    keys = [each.key for each in columns]
    if key not in keys:
        raise InputError(
            f"No model on this board has the metric '{name}'.{near(name, keys)} It has: "
            f"{', '.join(keys) or 'none'}. To compute another one: palaver rescore."
        )
    return keys.index(key)


def own_name(column: str, columns: Sequence[BoardColumn]) -> str:
    """Our name of a column that others call `column`."""
    if column == "perf":
        return columns[0].key
    return OTHER_NAMES.get(column, column)


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight per column and per data set, in their order."""

    metrics: tuple[float, ...]
    datasets: tuple[float, ...]


def resolve_weights(
    columns: Sequence[BoardColumn],
    sets: Sequence[ScoringSet],
    *,
    gone: Sequence[BoardColumn] = (),
    metrics: Mapping[str, float] | None = None,
    datasets: Mapping[str, float] | None = None,
) -> Weights:
    """The weights in use; InputError names a metric or data set that the board does not have.

    Metrics that are `gone`, because no model has them, may be named and do not count.
    """
    unused = {column.key for column in gone}
    chosen = {column.key: column.usual_weight for column in columns}
    for name, weight in (metrics or {}).items():
        key = own_name(name, columns)
        if key not in unused:
            _check("metric", key, weight, chosen)
            chosen[key] = weight
    shares = {each.name: DATASET_WEIGHT for each in sets}
    for given_name, weight in (datasets or {}).items():
        name = known_name(given_name, shares) or given_name
        _check("data set", name, weight, shares)
        shares[name] = weight
    for what, given in (("metrics", chosen), ("data sets", shares)):
        if given and not any(given.values()):
            raise InputError(f"All {what} have weight 0; give at least one of them a weight.")
    return Weights(tuple(chosen.values()), tuple(shares.values()))


def parse_weights(text: str, names: Sequence[str], *, what: str) -> dict[str, float]:
    """Weights by name from "4|1|1", in the order of `names`; `what` is the parameter's name."""
    parts = text.split("|") if text else []
    if len(parts) != len(names):
        raise InputError(
            f"{what} takes {len(names)} numbers separated by '|' ({'|'.join(names)}); "
            f"got {len(parts)}."
        )
    return {name: _number(part, name, what) for name, part in zip(names, parts, strict=True)}


def _columns(task: Task, memory_offset: float) -> Iterator[BoardColumn]:
    weights = {OTHER_NAMES.get(name, name): weight for name, weight in task.weights.items()}
    key = task.performance.key
    usual = weights.get(key, weights.get("perf", PERFORMANCE_WEIGHT))
    yield _metric_column(task, task.performance, field_name="perf", usual_weight=usual)
    if task.ranking == "measure":
        for choice in task.metrics[1:]:
            yield _metric_column(task, choice, field_name=choice.key, usual_weight=0.0)
    else:
        # What was uploaded was not run here: it would have neither, and stand on no board.
        other = 0.0 if task.takes_predictions else OTHER_WEIGHT
        yield from _running_columns(weights, memory_offset, other)
    for kind in task.deltas:
        yield BoardColumn(
            key=kind,
            title=kind.capitalize(),
            field_name=kind,
            unit="%",
            scale=100.0,
            usual_weight=0.0 if task.ranking == "measure" else weights.get(kind, OTHER_WEIGHT),
            is_delta=True,
        )


def _more_columns(
    task: Task, stored: Mapping[str, Mapping[str, Any]], known: Collection[str]
) -> Iterator[BoardColumn]:
    """The metrics that the task lists, then the others by name; those that no run has are left out."""
    declared = {choice.key: choice for choice in task.metrics}
    for key in [*declared, *sorted(stored)]:
        if key in stored and key not in known:
            known = {*known, key}
            yield _stored_column(task, key, declared.get(key), stored[key])


def _stored_column(
    task: Task, key: str, choice: MetricChoice | None, told: Mapping[str, Any]
) -> BoardColumn:
    """A metric by what is known of it without running any Python but ours."""
    name, how = named_metric(key) if choice is None else (choice.metric, choice.name)
    metric = None if ":" in name else _known_metric(name)
    if metric is not None:
        told = {"title": metric.title, "unit": metric.unit, "direction": metric.direction}
    title, unit = told.get("title", name), told.get("unit", "")
    direction = told.get("direction", "higher")
    return BoardColumn(
        key=key,
        title=f"{title} ({how})" if how else title,
        field_name=key,
        unit="%" if unit == "share" else unit,
        scale=100.0 if unit == "share" else 1.0,
        direction=-1 if direction == "lower" else 1,
        usual_weight=0.0 if task.ranking == "measure" else task.weights.get(key, 0.0),
        is_usual=False,
        has_better_end=direction != "none",
        digits=DISTANCE_DIGITS if metric is not None and metric.family == "distribution" else None,
    )


def _known_metric(name: str) -> Metric | None:
    try:
        return find_metric(name)
    except InputError:  # what an evaluation function of somebody's own calls its numbers
        return None


def _metric_column(
    task: Task, choice: MetricChoice, *, field_name: str, usual_weight: float
) -> BoardColumn:
    metric = find_metric(choice.metric, folder=Path(task.folder or "."))
    share = metric.unit == "share"
    return BoardColumn(
        key=choice.key,
        title=measure_title(metric, choice, task),
        field_name=field_name,
        unit="%" if share else metric.unit,
        scale=100.0 if share else 1.0,
        direction=-1 if metric.direction == "lower" else 1,
        usual_weight=usual_weight,
        has_better_end=metric.direction != "none",
        digits=DISTANCE_DIGITS if metric.family == "distribution" else None,
    )


def measure_title(metric: Metric, choice: MetricChoice, task: Task) -> str:
    """The metric; beside others of a board that ranks by it, in short and with its fields."""
    if task.ranking != "measure" or metric.family != "distribution":
        return metric.title
    short = metric.name.upper() if "_" not in metric.name else metric.title
    fields = ", ".join(choice.fields) if len(task.outputs) > 1 else ""
    return f"{short} {fields}" if fields else short


def _running_columns(
    weights: Mapping[str, float], memory_offset: float, usual: float
) -> Iterator[BoardColumn]:
    yield BoardColumn(
        key=THROUGHPUT,
        title="Throughput",
        field_name="examples_per_second",
        unit="examples/s",
        usual_weight=weights.get(THROUGHPUT, usual),
    )
    yield BoardColumn(
        key=MEMORY,
        title="Memory",
        field_name="memory_utilization",
        unit="GiB",
        direction=-1,
        offset=memory_offset,
        usual_weight=weights.get(MEMORY, usual),
    )


def _number(text: str, name: str, what: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not isfinite(found) or found < 0:
        raise InputError(
            f"{what}: the weight of '{name}' must be a number of 0 or more; got '{text}'."
        )
    return found


def _check(what: str, name: str, weight: float, known: Mapping[str, float]) -> None:
    if name not in known:
        raise InputError(
            f"The board has no {what} '{name}'.{near(name, known)} "
            f"It has: {', '.join(known) or 'none'}."
        )
    if not isfinite(weight) or weight < 0:
        raise InputError(f"The weight of '{name}' must be a number of 0 or more; got {weight:g}.")
