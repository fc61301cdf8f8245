"""What every connector can be told, whatever it connects to."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import ErrorDetails

from palaver.core.registry import near
from palaver.systems.attempt import shorten


class CallOptions(BaseModel):
    """How patiently, how often and how many at a time a system is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    timeout: float = Field(
        default=30.0, gt=0, le=600, description="seconds that one attempt at an answer may take"
    )
    retries: int = Field(
        default=2, ge=0, le=10, description="further attempts after a failure that may pass"
    )
    backoff: float = Field(
        default=0.5, ge=0, le=60, description="seconds before the first retry, doubled each time"
    )
    concurrency: int = Field(
        default=8, ge=1, le=1000, description="answers this system may work on at the same time"
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
