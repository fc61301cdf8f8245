"""What the parts of a study file are made of: the model they share, and the types of their fields.

Types are strict: YAML has already said what is text and what is a number, and a version `1.10` that
became the number 1.1 is a mistake to point out, not to mend.
"""

import re
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

T = TypeVar("T")

NAME = re.compile(r"[^\W_][\w.-]*")
# Words that stand where a system's name may stand.
RESERVED = frozenset({"pay", "people"})


class Part(BaseModel):
    """A part of a study file: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


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


Text = Annotated[str, Strict(), AfterValidator(_check_text)]
SystemName = Annotated[str, Strict(), AfterValidator(_check_system_name)]
Count = Annotated[int, Strict(), Field(ge=1, le=1_000_000_000)]
Number = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
Many = Annotated[tuple[T, ...], Strict(False)]


class Unconfigured(Part):
    """Something an import could not find; the study cannot be served until it is given."""

    unconfigured: Text


FileChoice = Text | Unconfigured


def path_of(choice: FileChoice | None, folder: Path) -> Path | None:
    """Where a file stands; None where none is named or it is still to be provided."""
    return folder / choice if isinstance(choice, str) else None
