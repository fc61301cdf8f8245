"""What the parts of a study file are made of: the model they share, and the types of their fields.

Types are strict: YAML has already said what is text and what is a number, and a version `1.10` that
became the number 1.1 is a mistake to point out, not to mend.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict

T = TypeVar("T")

NAME = re.compile(r"[^\W_][\w.-]*")
# Words that stand where a system's name may stand.
RESERVED = frozenset({"again", "pay", "people"})


SECONDS = {"h": 3600.0, "min": 60.0, "s": 1.0}
FORMS = "a number of seconds, or text like '90 s', '3 min', '1 h' or '2 min 30 s'"
WRITTEN = re.compile(
    r"\s*(?:(?P<h>\d+(?:\.\d+)?)\s*h)?"
    r"\s*(?:(?P<min>\d+(?:\.\d+)?)\s*min)?"
    r"\s*(?:(?P<s>\d+(?:\.\d+)?)\s*s)?\s*",
    re.ASCII,
)


class Part(BaseModel):
    """A part of a study file: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


@dataclass(frozen=True, slots=True)
class Told:
    """What people are told of a stage before they begin."""

    title: str
    detail: str = ""


def check_name(name: str) -> str:
    """The name, if tables, addresses and the short form of conditions can carry it."""
    if not NAME.fullmatch(name):
        raise ValueError(
            f"The name '{name[:40]}' must begin with a letter or digit and contain only letters, "
            "digits, '_', '-' and '.'."
        )
    return name


def _check_system_name(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"The name '{name}' is reserved here; choose another.")
    return check_name(name)


def _check_text(text: str) -> str:
    if not text.strip():
        raise ValueError("The text is empty. Write some, or leave the key out.")
    return text


def parse_duration(written: Any) -> float:
    """The seconds that `written` means; ValueError if it is no duration above zero.

    >>> parse_duration("2 min 30 s")
    150.0
    """
    seconds = _seconds(written)
    if seconds is None:
        raise ValueError(f"A duration is {FORMS}; got {written!r}.")
    if not 0 < seconds < math.inf:
        raise ValueError(f"A duration must be longer than 0; got {written!r}.")
    return seconds


def _seconds(written: Any) -> float | None:
    if isinstance(written, bool):
        return None
    if isinstance(written, int | float):
        return _finite(written)
    match = WRITTEN.fullmatch(written) if isinstance(written, str) else None
    if match is None or not any(match.groups()):
        return None
    return sum(float(match[unit] or 0) * seconds for unit, seconds in SECONDS.items())


def _finite(number: float) -> float | None:
    try:
        return float(number) if math.isfinite(number) else None
    except OverflowError:
        return None


Text = Annotated[str, Strict(), AfterValidator(_check_text)]
SystemName = Annotated[str, Strict(), AfterValidator(_check_system_name)]
Count = Annotated[int, Strict(), Field(ge=1, le=1_000_000_000)]
Number = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
Many = Annotated[tuple[T, ...], Strict(False)]


Duration = Annotated[float, BeforeValidator(parse_duration)]


class Unconfigured(Part):
    """Something an import could not find; the study cannot be served until it is given."""

    unconfigured: Text


FileChoice = Text | Unconfigured
UNCONFIGURED = "unconfigured"


def to_do_of(system: Mapping[str, Any]) -> str | None:
    """What is still to be done about a system: all of it, or the options that say `unconfigured`."""
    if system.get("kind") == UNCONFIGURED:
        return str(system.get("note", "see its options"))
    notes = [
        f"'{name}' is missing: {given[UNCONFIGURED]}"
        for name, given in system.items()
        if isinstance(given, dict) and given.keys() == {UNCONFIGURED}
    ]
    return "; ".join(notes) or None


def path_of(choice: FileChoice | None, folder: Path) -> Path | None:
    """Where a file stands; None where none is named or it is still to be provided."""
    return folder / choice if isinstance(choice, str) else None
