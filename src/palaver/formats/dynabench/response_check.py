"""The `verify_response` of a `TaskIO` module, run as a task's own check of answers.

Whoever wants that says so (`palaver import dynabench --verify`), because it runs the module. A module
of dynalab inherits from a class of that package, which need not be installed: a stand-in holds what such
a method may call. Answers are signed, where they are, under a secret of the model, and that is checked
before: here every signature holds.
"""

import copy
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from palaver.core.errors import InputError
from palaver.core.loading import load_module
from palaver.formats.dynabench.task_io import CLASS, METHOD

PACKAGE = "dynalab"
SIGNED = "signed"
# The keys under which signatures stand.
SIGNATURES = (SIGNED, "signature")

Check = Callable[[Mapping[str, Any], Mapping[str, Any]], str | None]
# Modules are put into and taken out of those that are imported.
_importing = Lock()


class BaseTaskIO:
    """Stands for the class that such modules inherit from."""

    def __init__(self, data: Any = None) -> None:
        self.data = data

    def generate_response_signature(self, *given: Any, **options: Any) -> str:
        """The signature of any answer."""
        return SIGNED


def response_check(file: Path) -> Check:
    """`verify_response` of a file as a check of answers: None, or why an answer is refused."""
    with _importing, _stand_ins():
        module = load_module(file.stem, file.parent)
    made = getattr(module, CLASS, None)
    if not isinstance(made, type) or not callable(getattr(made, METHOD, None)):
        raise InputError(f"{file} has no class '{CLASS}' with a method '{METHOD}'.")
    task_io = made()
    # A method that counts keys counts that of a signature only where it asks for one.
    signatures = {key: SIGNED for key in SIGNATURES if key in set(_texts(made))}
    takes_question = len(inspect.signature(getattr(made, METHOD)).parameters) > 2

    def verify(answer: Mapping[str, Any], item: Mapping[str, Any]) -> str | None:
        asked = copy.copy(task_io)
        # Older methods find the question in the object.
        asked.data = dict(item)
        asked.generate_response_signature = lambda *given, **options: SIGNED
        response = {"id": item["uid"], **answer, **signatures}
        said = getattr(asked, METHOD)(response, *([dict(item)] if takes_question else []))
        return f"'{METHOD}' returned False" if said is False else None

    return verify


def check_module(file: str) -> str:
    """The module, to be put beside a `TaskIO` file, whose function `verify` runs its check."""
    return f'''"""Checks answers by 'verify_response' of {file}, which is run for every answer."""

from pathlib import Path

from palaver.formats.dynabench import response_check

verify = response_check(Path(__file__).with_name({file!r}))
'''


def _texts(made: type) -> Iterator[str]:
    """Every text in the methods of a class."""
    for method in filter(inspect.isfunction, vars(made).values()):
        for constant in method.__code__.co_consts:
            values = constant if isinstance(constant, tuple | frozenset) else (constant,)
            yield from (each for each in values if isinstance(each, str))


@contextmanager
def _stand_ins() -> Iterator[None]:
    """The package that such modules import from, where it is not installed."""
    if PACKAGE in sys.modules or importlib.util.find_spec(PACKAGE) is not None:
        yield
        return
    names = (PACKAGE, f"{PACKAGE}.tasks", f"{PACKAGE}.tasks.common")
    modules = {name: ModuleType(name) for name in names}
    for name, module in modules.items():
        module.__path__ = []
        above, _, last = name.rpartition(".")
        if above:
            setattr(modules[above], last, module)
    modules[names[-1]].BaseTaskIO = BaseTaskIO  # type: ignore[attr-defined]
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
