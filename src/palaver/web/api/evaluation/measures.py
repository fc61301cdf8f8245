"""Metrics that can be computed, and Dynascores of a table that is sent."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Body, Path
from pydantic import Field

from palaver.analysis.dynascore import default_weights, dynascore
from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Dynascores
from palaver.core.numeric import np
from palaver.core.registry import near
from palaver.metrics import Metric, find_metric, known_metrics
from palaver.web.api.access import Viewer
from palaver.web.api.errors import ANSWERS, MISSING, UNREADABLE
from palaver.web.api.evaluation.request import in_thread, missing
from palaver.web.api.models import Given
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["metrics"])

MODEL = "model"
MOST_MODELS = 10_000
MOST_METRICS = 200
Number = Annotated[float, Field(allow_inf_nan=False)]
MetricName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


@dataclass(frozen=True, slots=True)
class MetricList:
    """Every metric, by family."""

    metrics: list[Metric]


class MetricTable(Given):
    """A row per model: `model`, then the performance metric, then the others."""

    table: Annotated[
        list[dict[str, str | Number | None]], Field(min_length=1, max_length=MOST_MODELS)
    ]
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        default_factory=dict
    )
    directions: dict[str, Literal[1, -1]] = Field(default_factory=dict)
    offsets: dict[str, Number] = Field(default_factory=dict)


@router.get("/metrics")
async def list_metrics(person: Viewer) -> MetricList:
    """Every metric that can be computed, by family."""
    return MetricList(await in_thread(lambda: list(known_metrics())))


@router.get("/metrics/{metric}", responses=MISSING)
async def show_metric(person: Viewer, metric: MetricName) -> Metric:
    """What a metric measures."""
    with missing():
        return await in_thread(lambda: find_metric(metric))


@router.post("/dynascore", responses=UNREADABLE)
async def score_table(person: Viewer, given: Annotated[MetricTable, Body()]) -> Dynascores:
    """The Dynascores of a table of models and metrics."""
    metrics = [name for name in given.table[0] if name != MODEL]
    if not metrics or len(metrics) > MOST_METRICS:
        raise InputError(
            f"A row has '{MODEL}' and 1 to {MOST_METRICS} metrics; got {len(metrics)}."
        )
    for what in ("weights", "directions", "offsets"):
        for name in getattr(given, what):
            if name not in metrics:
                raise InputError(
                    f"'{what}' names '{name}', which is not a metric.{near(name, metrics)}"
                )
    models = _models(given.table)
    values = np.array([[_number(row, name) for name in metrics] for row in given.table])
    weights = dict(zip(metrics, default_weights(len(metrics)), strict=True)) | given.weights
    found = await in_thread(
        lambda: dynascore(
            values,
            weights=[weights[name] for name in metrics],
            directions=[given.directions.get(name, 1) for name in metrics],
            offsets=[given.offsets.get(name, 0.0) for name in metrics],
            models=models,
            metrics=metrics,
        )
    )
    return found.by_name


def _models(table: list[dict[str, Any]]) -> list[str]:
    models: dict[str, None] = {}
    for n, row in enumerate(table, start=1):
        name = row.get(MODEL)
        if not isinstance(name, str) or not name:
            raise InputError(f"Row {n} has no '{MODEL}'.")
        if name in models:
            raise InputError(f"The model '{name}' has two rows; a model has one.")
        models[name] = None
    return list(models)


def _number(row: dict[str, Any], name: str) -> float:
    value = row.get(name)
    if isinstance(value, str):
        raise InputError(f"'{name}' of '{row[MODEL]}' is not a number; got '{value[:40]}'.")
    return float("nan") if value is None else float(value)
