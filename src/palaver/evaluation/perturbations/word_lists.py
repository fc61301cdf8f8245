"""The word lists that lie in `lists/`, read when they are first needed."""

from functools import cache
from importlib.resources import files


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a list, without remarks and empty lines."""
    return tuple(line for line in _text(name).splitlines() if line and not line.startswith("#"))


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """The lines under each remark of a list of names: "female" and "male"."""
    found: dict[str, list[str]] = {}
    under = ""
    for line in _text(name).splitlines():
        if line.startswith("#"):
            under = line.removeprefix("#").strip()
        elif line:
            found.setdefault(under, []).append(line)
    return {title: tuple(names) for title, names in found.items()}


def _text(name: str) -> str:
    place = files("palaver.evaluation.perturbations") / "lists" / f"{name}.txt"
    return place.read_text(encoding="utf-8")
