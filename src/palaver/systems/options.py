"""What every connector can be told, whatever it connects to and whichever face it shows.

Beside it, the files and classes that options name.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import ErrorDetails

from palaver.core.errors import InputError
from palaver.core.loading import load_own
from palaver.core.registry import near
from palaver.systems.attempt import shorten
from palaver.systems.web.addresses import check_url

Url = Annotated[str, AfterValidator(check_url)]


class CallOptions(BaseModel):
    """How patiently, how often and how many at a time a system is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    # Whether a call that took too long is not made again, because it may still be worked on.
    late_is_final: ClassVar[bool] = False

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


class CodeOptions(PredictorOptions):
    """How a model that runs here, from files of somebody's own, is asked."""

    concurrency: int = Field(
        default=1, ge=1, le=1000, description="calls at the same time; the code must support it"
    )
    timeout: float = Field(
        default=300.0,
        gt=0,
        le=86_400,
        description="how many seconds one attempt at an answer may take",
    )


class WebOptions(CallOptions):
    """What is sent along to a web service."""

    headers: dict[str, str] = Field(
        default={}, description="headers; ${VARIABLE} is filled in from the environment"
    )
    inside: bool | list[str] = Field(
        default=True,
        description="whether the address may lie inside this network, or which hosts may; what a "
        "team submits follows 'private_endpoints' of the home",
    )
    quoted: bool = Field(
        default=True,
        description="whether failures quote what the service sent; those of a team's never do",
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


def find_file(given: Path, *, folder: Path, option: str) -> Path:
    """The file that an option names, relative to the study folder."""
    path = folder / given.expanduser()
    if not path.is_file():
        raise InputError(f"Option '{option}' names '{given}'; there is no file {path}.")
    return path


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.") from error


def load_class(target: str, *, folder: Path) -> type[Any]:
    """The class that "module:Class" names; a file in the study folder comes first."""
    found = load_own(target, folder=folder, what="Option 'class' takes", kind="Class")
    if not isinstance(found, type):
        raise InputError(f"'{target}' is {type(found).__name__}; expected a class.")
    return found
