"""Python of the researcher's own: modules from a folder of theirs, or installed."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from palaver.core.errors import InputError
from palaver.core.registry import near


def load_module(name: str, folder: Path) -> ModuleType:
    """The module of that name; a file in `folder` comes before what is installed."""
    folder = folder.resolve()
    file = _file_of(name, folder)
    try:
        with _importing_from(folder):
            return _load_file(name, file) if file.is_file() else importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name.split(".")[0]:
            raise InputError(
                f"There is no file {folder.joinpath(*name.split('.'))}.py and no installed module "
                f"'{name}'."
            ) from error
        raise InputError(f"Importing '{name}' failed: {error}. Is it installed?") from error
    except Exception as error:
        # A researcher's module may raise anything while it is imported.
        raise InputError(f"Importing '{name}' failed: {type(error).__name__}: {error}") from error


def load_own(target: str, *, folder: Path, what: str, kind: str = "function") -> Any:
    """What "module:name" names; a file in `folder` comes before what is installed.

    `what` begins the sentence that says how it is written, `kind` says what is looked for.
    """
    module_name, _, name = target.partition(":")
    if not module_name or not name.isidentifier():
        raise InputError(f"{what} 'module:{kind}'; got '{target}'.")
    module = load_module(module_name, folder)
    found = getattr(module, name, None)
    if found is None:
        names = [each for each, value in vars(module).items() if callable(value)]
        raise InputError(f"'{module_name}' has no {kind.lower()} '{name}'.{near(name, names)}")
    return found


def own_function(target: str, *, folder: Path, what: str) -> Callable[..., Any]:
    """The function that "module:function" names; it is read anew once its file has changed."""
    try:
        changed = _file_of(target.partition(":")[0], folder).stat().st_mtime_ns
    except OSError:
        changed = 0  # it is installed, or nowhere
    return _function(target, folder, what, changed)


@lru_cache(maxsize=64)
def _function(target: str, folder: Path, what: str, changed: int) -> Callable[..., Any]:
    found = load_own(target, folder=folder, what=what)
    if not callable(found):
        raise InputError(f"'{target}' is {type(found).__name__}; expected a function.")
    return found  # type: ignore[no-any-return]


def _file_of(module: str, folder: Path) -> Path:
    """Where a module of that name lies in the folder, if it does."""
    *above, last = module.split(".")
    file = folder.joinpath(*above, f"{last}.py")
    return file if file.is_file() else folder.joinpath(*above, last, "__init__.py")


class _Source(SourceFileLoader):
    """Compiles what stands in the file now: kept bytecode is told apart by whole seconds alone."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _load_file(name: str, file: Path) -> ModuleType:
    """The module in `file`, under a name of its own, so that two studies may both have a bot.py."""
    stamp = f"{file}:{file.stat().st_mtime_ns}"
    unique = f"_palaver_{name.replace('.', '_')}_{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, file, loader=_Source(unique, str(file)))
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
