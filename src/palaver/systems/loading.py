"""Classes of the researcher's own, loaded from the study folder or from an installed package."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from palaver.core.errors import InputError
from palaver.core.registry import near


def load_class(target: str, *, folder: Path) -> type[Any]:
    """The class that "module:Class" names; a file in the study folder comes first."""
    module_name, _, class_name = target.partition(":")
    if not module_name or not class_name.isidentifier():
        raise InputError(f"Option 'class' takes 'module:Class'; got '{target}'.")
    module = _load_module(module_name, folder.resolve())
    found = getattr(module, class_name, None)
    if found is None:
        names = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise InputError(f"'{module_name}' has no class '{class_name}'.{near(class_name, names)}")
    if not isinstance(found, type):
        raise InputError(f"'{target}' is {type(found).__name__}; expected a class.")
    return found


def _load_module(name: str, folder: Path) -> ModuleType:
    path = folder.joinpath(*name.split("."))
    file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
    try:
        with _importing_from(folder):
            return _load_file(name, file) if file.is_file() else importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name.split(".")[0]:
            raise InputError(
                f"Option 'class': no file {path}.py and no installed module '{name}'."
            ) from error
        raise InputError(f"Importing '{name}' failed: {error}. Is it installed?") from error
    except Exception as error:
        # A researcher's module may raise anything while it is imported.
        raise InputError(f"Importing '{name}' failed: {type(error).__name__}: {error}") from error


def _load_file(name: str, file: Path) -> ModuleType:
    """The module in `file`, under a name of its own, so that two studies may both have a bot.py."""
    stamp = f"{file}:{file.stat().st_mtime_ns}"
    unique = f"_palaver_{name.replace('.', '_')}_{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file} cannot be loaded as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[unique]
        raise
    return module


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """The study folder on the import path, and its modules forgotten by name afterwards.

    Whoever imported them keeps them; the next study with a module of the same name gets its own.
    """
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and not name.startswith("_palaver_") and Path(file).is_relative_to(folder):
                del sys.modules[name]
