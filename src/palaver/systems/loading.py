"""Classes of the researcher's own, loaded from the study folder or from an installed package."""

from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.loading import load_module
from palaver.core.registry import near


def load_class(target: str, *, folder: Path) -> type[Any]:
    """The class that "module:Class" names; a file in the study folder comes first."""
    module_name, _, class_name = target.partition(":")
    if not module_name or not class_name.isidentifier():
        raise InputError(f"Option 'class' takes 'module:Class'; got '{target}'.")
    module = load_module(module_name, folder)
    found = getattr(module, class_name, None)
    if found is None:
        names = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise InputError(f"'{module_name}' has no class '{class_name}'.{near(class_name, names)}")
    if not isinstance(found, type):
        raise InputError(f"'{target}' is {type(found).__name__}; expected a class.")
    return found
