"""Things found by name: built in, registered by a module, or offered by an installed package.

A registry holds `name → "module:attribute"`; the module is imported on the first use of the name, so
that a heavy dependency loads only when somebody asks for it. Other packages add names through the
entry-point group of the registry.
"""

import difflib
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from palaver.core.errors import UnknownNameError

T = TypeVar("T")


def near(name: str, known: Iterable[str]) -> str:
    """A sentence that names what `name` may have meant; empty when nothing is near."""
    matches = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" Near: {', '.join(repr(match) for match in matches)}." if matches else ""


class Registry(Generic[T]):
    """Names of one kind of thing."""

    def __init__(self, kind: str, group: str, builtin: dict[str, str], *, see: str = "") -> None:
        self.kind = kind
        self.group = group
        self._targets = dict(builtin)
        self._loaded: dict[str, T] = {}
        self._see = see
        self._scanned = False

    def register(self, name: str, thing: T) -> None:
        """Make `thing` known as `name` in this process."""
        self._loaded[name] = thing

    def names(self) -> list[str]:
        """Every known name, sorted."""
        self._scan()
        return sorted({*self._targets, *self._loaded})

    def get(self, name: str) -> T:
        """The thing called `name`, imported now if need be."""
        if name in self._loaded:
            return self._loaded[name]
        if name not in self._targets:
            self._scan()
        if name not in self._targets:
            known = self.names()
            hint = near(name, known) or f" Known: {', '.join(known)}."
            raise UnknownNameError(f"No {self.kind} '{name}'.{hint}{self._see}")
        module, _, attribute = self._targets[name].partition(":")
        thing: T = getattr(import_module(module), attribute)
        self._loaded[name] = thing
        return thing

    def _scan(self) -> None:
        if self._scanned:
            return
        self._scanned = True
        for entry in entry_points(group=self.group):
            self._targets.setdefault(entry.name, entry.value)
