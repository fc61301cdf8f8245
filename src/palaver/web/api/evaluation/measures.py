"""Metrics that can be computed, and Dynascores of a table that is sent."""

from typing import Annotated, Any, Literal

from fastapi import Body, Path
from pydantic import Field

from palaver.analysis.dynascore import default_weights, dynascore
from palaver.core.errors import InputError
from palaver.core.numeric import np
from palaver.core.registry import near
from palaver.metrics import find_metric, known_metrics
from palaver.web.api.access import Viewer
from palaver.web.api.errors import ANSWERS, MISSING, UNREADABLE
from palaver.web.api.evaluation.asking import in_thread, missing
from palaver.web.api.models import Given, Model
from palaver.web.api.records import RecordRouter

router = RecordRouter(responses=ANSWERS, tags=["metrics"])

MODEL = "model"
MOST_MODELS = 10_000
MOST_METRICS = 200
Number = Annotated[float, Field(allow_inf_nan=False)]
MetricName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class MetricState(Model):
    """A metric: what it measures, what it takes, which way is better."""

    name: str
    title: str
    family: str
    about: str
    direction: str
    unit: str
    range: list[float | None]
    paper: str
    predictions: str
    references: str | None
    options: dict[str, str]
    decomposes: bool
    extra: str | None
    version: str


class MetricList(Model):
    """Every metric, by family."""

    metrics: list[MetricState]


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


class DynascoreState(Model):
    """Scores from the best to the worst, the rates behind them, and what was decided on the way."""

    scores: dict[str, float | None]
    amrs: dict[str, float | None]
    pairs: int
    weights: dict[str, float | None]
    set_aside: dict[str, str]
    not_scored: dict[str, str]
    warnings: list[str]


@router.get("/metrics")
async def list_metrics(person: Viewer) -> MetricList:
    """Every metric that can be computed, by family."""
    found = await in_thread(lambda: [each.as_json() for each in known_metrics()])
    return MetricList(metrics=[MetricState.model_validate(each) for each in found])


@router.get("/metrics/{metric}", responses=MISSING)
async def show_metric(person: Viewer, metric: MetricName) -> MetricState:
    """What a metric measures."""
    with missing():
        found = await in_thread(lambda: find_metric(metric).as_json())
    return MetricState.model_validate(found)


@router.post("/dynascore", responses=UNREADABLE)
async def score_table(person: Viewer, given: Annotated[MetricTable, Body()]) -> DynascoreState:
    """The Dynascores of a table of models and metrics."""
    metrics = [name for name in given.table[0] if name != MODEL]
    if not metrics or len(metrics) > MOST_METRICS:
        raise InputError(
            f"A row holds '{MODEL}' and 1 to {MOST_METRICS} metrics; got {len(metrics)}."
        )
    for what in ("weights", "directions", "offsets"):
        for name in getattr(given, what):
            if name not in metrics:
                raise InputError(f"'{what}' names '{name}', no metric.{near(name, metrics)}")
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
    return DynascoreState.model_validate(found.as_json())


def _models(table: list[dict[str, Any]]) -> list[str]:
    models: dict[str, None] = {}
    for n, row in enumerate(table, start=1):
        name = row.get(MODEL)
        if not isinstance(name, str) or not name:
            raise InputError(f"Row {n} has no '{MODEL}'.")
        if name in models:
            raise InputError(f"The model '{name}' has two rows; each has one.")
        models[name] = None
    return list(models)


def _number(row: dict[str, Any], name: str) -> float:
    value = row.get(name)
    if isinstance(value, str):
        raise InputError(f"'{name}' of '{row[MODEL]}' is no number; got '{value[:40]}'.")
    return float("nan") if value is None else float(value)
