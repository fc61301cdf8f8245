"""Sections of a recipe as frozen dataclasses: every name, type and bound is checked.

A bare PyTorch environment has no pydantic, so the little that is needed stands here.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from palaver.core.errors import InputError
from palaver.core.registry import near

S = TypeVar("S")

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
# PyTorch takes no larger whole number.
_MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a number may be; both ends are included unless `open`."""

    least: float = -math.inf
    most: float = math.inf
    open: bool = False

    def __contains__(self, value: float) -> bool:
        if self.open:
            return self.least < value < self.most
        return self.least <= value <= self.most

    def __str__(self) -> str:
        if self.most == math.inf:
            return f"more than {self.least:g}" if self.open else f"{self.least:g} or more"
        between = "between" if self.open else "from"
        joint = "and" if self.open else "to"
        return f"{between} {self.least:g} {joint} {self.most:g}"


COUNT = Bounds(least=1)
# Each is built by itself, so that a checkpoint of somebody else could ask for hours.
LAYERS = Bounds(least=1, most=100)
NATURAL = Bounds(least=0)
POSITIVE = Bounds(least=0, open=True)
# Of a whole, as dropout takes it: nothing, but not all.
SHARE = Bounds(least=0, most=0.95)
# Of what was before, as averages and momentum keep it: never all.
DECAY = Bounds(least=0, most=0.99999)
PROBABILITY = Bounds(least=0, most=1)


def option(default: Any, about: str, bounds: Bounds | None = None) -> Any:
    """A field of a section, with what it means and what it may be."""
    return dataclasses.field(default=default, metadata={"about": about, "bounds": bounds})


def read_settings(kind: type[S], given: Any, *, where: str = "") -> S:
    """The section that `given` says; InputError names the option that is wrong.

    A field whose type is a dataclass is a section inside.
    """
    place = f"'{where}'" if where else "The recipe"
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise InputError(f"{place} holds options by name; got {given!r:.60}.")
    hints = get_type_hints(kind)
    known = [each.name for each in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            hint = near(str(name), known) or f" Known: {', '.join(known)}."
            raise InputError(f"{place} has no option '{name}'.{hint}")
    values: dict[str, Any] = {}
    for each in dataclasses.fields(kind):  # type: ignore[arg-type]
        path = f"{where}.{each.name}" if where else each.name
        if dataclasses.is_dataclass(hints[each.name]):
            values[each.name] = read_settings(
                hints[each.name],
                given.get(each.name),
                where=path,
            )
        elif each.name in given:
            bounds = each.metadata.get("bounds")
            values[each.name] = _checked(given[each.name], hints[each.name], bounds, path)
        elif each.default is dataclasses.MISSING:
            raise InputError(f"The option '{path}' is missing: {each.metadata.get('about', '')}.")
    return kind(**values)


def written(section: Any) -> dict[str, Any]:
    """A section as plain data, all defaults written out."""
    found: dict[str, Any] = dataclasses.asdict(section)
    return {name: list(v) if isinstance(v, tuple) else v for name, v in found.items()}


def described(kind: type[Any]) -> list[tuple[str, str, str]]:
    """Every option of a section: its name, its default as text, and what it means."""
    hints = get_type_hints(kind)
    found: list[tuple[str, str, str]] = []
    for each in dataclasses.fields(kind):
        if dataclasses.is_dataclass(hints[each.name]):
            inner = described(hints[each.name])
            found += [(f"{each.name}.{name}", default, about) for name, default, about in inner]
        else:
            default = "required" if each.default is dataclasses.MISSING else str(each.default)
            found.append((each.name, default, each.metadata.get("about", "")))
    return found


def _checked(value: Any, kind: Any, bounds: Bounds | None, path: str) -> Any:
    origin = get_origin(kind)
    if origin is Literal:
        allowed = get_args(kind)
        if value not in allowed:
            named = ", ".join(map(str, allowed))
            raise InputError(f"'{path}' is one of {named}; got {value!r:.60}.")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise InputError(f"'{path}' is a list; got {value!r:.60}.")
        inner = get_args(kind)
        if Ellipsis not in inner and len(value) != len(inner):
            raise InputError(f"'{path}' is a list of {len(inner)}; got {value!r:.60}.")
        return tuple(_checked(each, inner[0], bounds, path) for each in value)
    if kind is float and isinstance(value, int | str) and not isinstance(value, bool):
        value = _number(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"'{path}' is {_WORDS[kind]}; got {value!r:.60}.")
    if isinstance(value, int) and abs(value) > _MOST:
        raise InputError(f"'{path}' is a whole number below 2^63; got {value!r:.60}.")
    if bounds is not None and not (math.isfinite(value) and value in bounds):
        raise InputError(f"'{path}' is {bounds}; got {value:g}.")
    return value


def _number(given: int | str) -> Any:
    """A whole number, or one that YAML 1.1 takes for a text (1e-3), as a float; else the text."""
    try:
        return float(given)
    except OverflowError:
        return math.inf
    except ValueError:
        return given
