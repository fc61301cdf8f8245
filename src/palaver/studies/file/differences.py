"""What one study file says and another does not: line by line, and key by key in words."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from palaver.core.errors import StudyError
from palaver.core.studies.versions import VersionDiff
from palaver.core.words import counted, shortened
from palaver.formats.marked_yaml import parse_marked

# How much of a value stands in a sentence.
SHOWN = 60
BETWEEN = " › "


def difference(old: str, new: str, *, before: int, after: int) -> VersionDiff:
    """What the second text of a study file has that the first has not; the numbers name them."""
    lines = difflib.unified_diff(
        old.splitlines(),
        new.splitlines(),
        f"version {before}",
        f"version {after}",
        lineterm="",
    )
    told = "\n".join(lines)
    if not told and old != new:
        told = "Only line ends differ."
    return VersionDiff(old=before, new=after, lines=told, words=difference_words(old, new))


def difference_words(old: str, new: str) -> tuple[str, ...]:
    """What became of each key: "stages › 2 › rate › raters: 3 → 5"; none where a text is no YAML."""
    try:
        before, after = (parse_marked(text.encode(), file="").data for text in (old, new))
    except StudyError:
        return ()
    found = tuple(_changes(before, after, ()))
    return found or (("Only comments or the way it is written changed.",) if old != new else ())


def _changes(old: Any, new: Any, steps: tuple[str, ...]) -> Iterator[str]:
    if old == new and type(old) is type(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _of_mappings(old, new, steps)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_lists(old, new, steps)
    else:
        yield f"{BETWEEN.join(steps)}: {_words_of(old, new)}"


def _of_mappings(old: dict[str, Any], new: dict[str, Any], steps: tuple[str, ...]) -> Iterator[str]:
    for key in [*old, *(key for key in new if key not in old)]:
        here = (*steps, key)
        if key not in new:
            yield f"{BETWEEN.join(here)}: taken out (was {_shown(old[key])})"
        elif key not in old:
            yield f"{BETWEEN.join(here)}: added ({_shown(new[key])})"
        else:
            yield from _changes(old[key], new[key], here)


def _of_lists(old: Sequence[Any], new: Sequence[Any], steps: tuple[str, ...]) -> Iterator[str]:
    """Entries by their number from 1, in the new list where they are in it."""
    if len(old) == len(new):
        for number, (before, after) in enumerate(zip(old, new, strict=True), start=1):
            yield from _changes(before, after, (*steps, str(number)))
        return
    matcher = difflib.SequenceMatcher(a=[repr(e) for e in old], b=[repr(e) for e in new])
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        pairs = min(last - first, end - start)
        for n in range(pairs):
            yield from _changes(old[first + n], new[start + n], (*steps, str(start + n + 1)))
        for n in range(first + pairs, last):
            here = BETWEEN.join((*steps, str(n + 1)))
            yield f"{here}: taken out (was {_shown(old[n])})"
        for n in range(start + pairs, end):
            yield f"{BETWEEN.join((*steps, str(n + 1)))}: added ({_shown(new[n])})"


def _words_of(old: Any, new: Any) -> str:
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > SHOWN:
        return f"text changed ({_length(old)} → {_length(new)})"
    return f"{_shown(old)} → {_shown(new)}"


def _length(text: str) -> str:
    return counted(len(text.split()), "word")


def _shown(value: Any) -> str:
    """A value as a sentence can hold it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        inner = ", ".join(f"{key}: {_shown(each)}" for key, each in value.items())
        return shortened(inner or "nothing", SHOWN)
    if isinstance(value, list):
        return shortened(", ".join(_shown(each) for each in value) or "nothing", SHOWN)
    return shortened(str(value), SHOWN)
