"""Classes of the researcher's own, loaded from the study folder or from an installed package."""

from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.loading import load_own


def load_class(target: str, *, folder: Path) -> type[Any]:
    """The class that "module:Class" names; a file in the study folder comes first."""
    found = load_own(target, folder=folder, what="Option 'class' takes", kind="Class")
    if not isinstance(found, type):
        raise InputError(f"'{target}' is {type(found).__name__}; expected a class.")
    return found
