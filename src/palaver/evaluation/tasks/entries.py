"""The parts of a task file as they are written, before they become a task.

Where one word is enough (an output that is an input, a metric without options) the file may say just
that word; it becomes the mapping it stands for here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)
FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}", re.ASCII)
TARGET = re.compile(r"[\w.]+:\w+")
# How many questions of its own a task has at most.
MOST_PROBES = 50
# What a record holds beside its fields.
RESERVED = frozenset({"id", "uid", "tags", "input_id", "signed", "signature"})


def _task_name(name: str) -> str:
    if not NAME.fullmatch(name) or name.isdecimal():
        raise ValueError(
            "'name' takes lower-case letters, digits, '-' and '_', at most 63 and not only "
            f"digits; got '{name[:64]}'."
        )
    return name


def _field_name(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"The name '{name}' is reserved in records; choose another.")
    if not FIELD_NAME.fullmatch(name):
        raise ValueError(
            "The name of a field begins with a letter and contains letters, digits and '_'; got "
            f"'{name[:64]}'."
        )
    return name


def _answers(given: Any) -> Any:
    """A function as a text, or the place of each output."""
    if isinstance(given, str) and not TARGET.fullmatch(given):
        raise ValueError(
            "'answers' takes the place of each output ({A: quality.A}) or 'module:function'; got "
            f"'{given[:64]}'."
        )
    return given


def _target(key: str) -> Callable[[str], str]:
    """Checks that the key names a function, or nothing."""

    def check(text: str) -> str:
        if text and not TARGET.fullmatch(text):
            raise ValueError(f"'{key}' takes 'module:function'; got '{text[:64]}'.")
        return text

    return check


def _short_for(key: str) -> Callable[[Any], Any]:
    """Reads a bare word as the mapping with this one key."""
    return lambda given: {key: given} if isinstance(given, str) else given


def _several(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


Words = Annotated[str, Strict()]
FieldName = Annotated[str, Strict(), AfterValidator(_field_name)]
Names = Annotated[list[Words], BeforeValidator(_several)]
Weight = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]


class TaskFilePart(BaseModel):
    """A part of a task file: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class FieldEntry(TaskFilePart):
    """A field: its name, its kind, and options that the kind checks."""

    model_config = ConfigDict(extra="allow")

    name: FieldName
    type: Words | None = None
    title: Words = ""
    about: Words = ""

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class MetricEntry(TaskFilePart):
    """A metric, the outputs it looks at, its options, and a name where it stands twice."""

    metric: Words
    fields: Names | None = None
    options: dict[str, Any] = {}
    name: Words = ""


class WrongEntry(TaskFilePart):
    """When a model counts as fooled."""

    rule: Literal["exact_match", "string_f1", "ask_user"]
    fields: Names | None = None
    threshold: Annotated[float, Strict(), Field(ge=0, le=1)] = 0.4


class AggregationEntry(TaskFilePart):
    """How the board weighs the metrics until somebody moves its sliders."""

    weights: dict[str, Weight]


AnyField = Annotated[FieldEntry, BeforeValidator(_short_for("name"))]
AnyMetric = Annotated[MetricEntry, BeforeValidator(_short_for("metric"))]
AnyWrong = Annotated[WrongEntry, BeforeValidator(_short_for("rule"))]


class TaskEntry(TaskFilePart):
    name: Annotated[str, Strict(), AfterValidator(_task_name)]
    title: Words = ""
    about: Words = ""
    instructions: Words = ""
    content_warning: Words = ""
    context: list[FieldEntry] = []
    input: Annotated[list[FieldEntry], Field(min_length=1)]
    output: Annotated[list[AnyField], Field(min_length=1)]
    gold: dict[str, Words] = {}
    perf_metric: AnyMetric
    metrics: list[AnyMetric] = []
    delta_metrics: list[Literal["fairness", "robustness", "dialogue"]] = []
    aggregation: AggregationEntry | None = None
    model_wrong: AnyWrong = WrongEntry(rule="ask_user")
    codes: dict[str, Words] = {}
    answers: Annotated[dict[str, Words] | Words, BeforeValidator(_answers)] = {}
    ranking: Literal["dynascore", "measure"] = "dynascore"
    takes_predictions: Annotated[bool, Strict()] = True
    perturb: list[Words] = []
    probes: Annotated[list[dict[str, Any]], Field(max_length=MOST_PROBES)] = []
    function: Annotated[str, Strict(), AfterValidator(_target("function"))] = ""
    verify: Annotated[str, Strict(), AfterValidator(_target("verify"))] = ""


def own_python(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The Python of somebody's own that a task file names: what it is for, and its name."""
    further = data.get("metrics")
    metrics = [data.get("perf_metric"), *(further if isinstance(further, list) else [])]
    named = [
        ("The function", data.get("function")),
        ("The check of answers", data.get("verify")),
        ("The form of answers", data.get("answers")),
        *(("The metric", m.get("metric") if isinstance(m, Mapping) else m) for m in metrics),
    ]
    yield from ((what, name) for what, name in named if isinstance(name, str) and ":" in name)
