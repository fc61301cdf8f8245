"""What every connector can be told, whatever it connects to and whichever face it shows."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import ErrorDetails

from palaver.core.registry import near
from palaver.systems.attempt import shorten
from palaver.systems.web.addresses import check_url

Url = Annotated[str, AfterValidator(check_url)]


class CallOptions(BaseModel):
    """How patiently, how often and how many at a time a system is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    timeout: float = Field(
        default=30.0, gt=0, le=600, description="how many seconds one attempt at an answer may take"
    )
    retries: int = Field(
        default=2, ge=0, le=10, description="further attempts after a temporary failure"
    )
    backoff: float = Field(
        default=0.5, ge=0, le=60, description="seconds before the first retry, doubled each time"
    )
    concurrency: int = Field(
        default=8, ge=1, le=1000, description="answers this system may work on at the same time"
    )
    requests_per_second: float | None = Field(
        default=None, gt=0, description="calls per second at most, retries included; none: no limit"
    )
    most_calls: int | None = Field(
        default=None,
        ge=1,
        description="the most calls that one process makes in total, retries included; none: no limit",
    )


class PredictorOptions(CallOptions):
    """How a model is asked the questions of a task."""

    batch: int = Field(default=1, ge=1, le=10_000, description="how many questions one call takes")
    secret: str = Field(
        default="",
        description="what answers are signed with, as ${VARIABLE}; empty: signatures are not checked",
    )
    start_timeout: float = Field(
        default=600.0,
        gt=0,
        le=86_400,
        description="how many seconds connecting or loading may take",
    )


class WebOptions(CallOptions):
    """What is sent along to a web service."""

    headers: dict[str, str] = Field(
        default={}, description="headers; ${VARIABLE} is filled in from the environment"
    )


def described_options(options: type[CallOptions]) -> dict[str, str]:
    """Every option as it is written in YAML, with its description."""
    fields = options.model_fields
    return {field.alias or name: field.description or "" for name, field in fields.items()}


def describe_problem(fields: Mapping[str, str], problem: ErrorDetails) -> str:
    """One sentence about one validation error: what was given, what is expected."""
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
        known = f" Known: {', '.join(fields)}."
        return f"No option '{where}'.{near(where, fields) or known}"
    if problem["type"] == "missing":
        meaning = fields.get(where, "")
        return f"The option '{where}' is missing{f': {meaning}' if meaning else ''}."
    message = problem["msg"].removeprefix("Value error, ").rstrip(".")
    if not where:
        return f"{message}."
    return f"Option '{where}': {message}; got {shorten(repr(problem['input']), 80)}."
