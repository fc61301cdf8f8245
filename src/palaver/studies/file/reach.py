"""What a change of a study may reach for, when it comes from the desk or the API.

A study file can name programs to run, Python to import, addresses to ask, variables of this server
and files on it. Whoever has a shell here may write all of that; whoever is signed in from afar may not
reach further than the study reached before. See docs/design/editing.md.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from palaver.core.words import listed
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem
from palaver.systems.reach import reach_of, reaching_options

# Under these keys, wherever they stand, files and folders are named.
FILE_KEYS = frozenset(
    {"blocked", "cache", "checkpoint", "contexts", "data", "file", "keys", "path", "records"}
    | {"scenario_file", "schema_file", "situations", "training", "units"}
)
# What money depends on: within it places are offered and bonuses are ordered.
MONEY_KEYS = ("pay", "recruit")
# What of a home may lie beside a study.
STATE = ("palaver.db", "palaver.key", "palaver-")
# An option that names a variable of this server, or a text in which one is filled in.
VARIABLE_KEY, VARIABLE_TEXT = "_env", "${"


def reach_problems(
    old: dict[str, Any],
    new: dict[str, Any],
    *,
    folder: Path,
    owner: bool,
    sees: Callable[[str], bool],
) -> Iterator[KeyProblem]:
    """Where a new study file reaches further than the old one, and than whoever wrote it may.

    `owner` may name addresses and variables of this server, and decide on money; `sees` says which
    studies are theirs.
    """
    yield from _system_problems(old.get("systems"), new.get("systems"), owner=owner)
    yield from _file_problems(old, new, folder)
    yield from _source_problems(old, new, sees)
    for key in MONEY_KEYS:
        if not owner and new.get(key) != old.get(key):
            message = (
                f"'{key}' decides what people are paid and what recruiting may cost. Only an owner "
                "changes it from the desk."
            )
            yield KeyProblem((key,) if key in new else (), message)
    secret = _secret_of(new)
    if not owner and secret is not None and secret != _secret_of(old):
        message = (
            "'secret_from' names a variable of this server. Only an owner sets it from the desk."
        )
        yield KeyProblem(("crowd", "secret_from"), message)


def _system_problems(old: Any, new: Any, *, owner: bool) -> Iterator[KeyProblem]:
    known = [reaching_options(options) for _, options in _mappings(old)]
    for name, options in _mappings(new):
        kind = str(options.get("kind"))
        reach = reach_of(kind)
        if reach == "folder" or reaching_options(options) in known:
            continue
        if reach == "programs":
            message = (
                f"A system of kind '{kind}' runs programs on this server. It is added and changed in "
                "the file itself, by whoever runs the server: palaver study apply FOLDER."
            )
            yield KeyProblem(("systems", name), message, at_key=True)
        elif not owner and (problem := _asks_too_far(options)):
            yield KeyProblem(("systems", name), problem, at_key=True)


def _asks_too_far(options: dict[str, Any]) -> str:
    """Why somebody who is no owner may not let this be asked; empty if they may."""
    named = [key for key in options if str(key).endswith(VARIABLE_KEY)]
    if named or VARIABLE_TEXT in repr(options):
        what = f"'{named[0]}'" if named else "'${…}'"
        return f"{what} names a variable of this server. Only an owner sets it from the desk."
    if options.get("inside") is not False:
        return (
            "Write 'inside: false': only an owner lets an address inside this network be asked from "
            "the desk."
        )
    return ""


def _file_problems(old: Any, new: Any, folder: Path) -> Iterator[KeyProblem]:
    known = {text for _, text in _files(old, ())}
    for steps, text in _files(new, ()):
        if text not in known and not is_inside(text, folder):
            message = (
                f"'{text[:80]}' lies outside of the study's folder, or is not a file of a study. From "
                "the desk only files in the folder are named; put it there."
            )
            yield KeyProblem(steps, message)


def is_inside(text: str, folder: Path) -> bool:
    """Whether a file that a study names lies in its folder, and is neither hidden nor of the home."""
    if "\0" in text:
        return False
    if text.startswith("~"):
        return False
    root = folder.resolve()
    try:
        path = Path(os.path.normpath(root / text))
        real = path.resolve()
    except (OSError, ValueError, RuntimeError):
        return False
    for each in (path, real):
        if not each.is_relative_to(root):
            return False
        parts = each.relative_to(root).parts
        if any(part.startswith(".") or part.startswith(STATE) for part in parts):
            return False
    return True


def _source_problems(old: Any, new: Any, sees: Callable[[str], bool]) -> Iterator[KeyProblem]:
    known = {source for _, source in _sources(old)}
    for number, source in _sources(new):
        if source not in known and not sees(source):
            message = (
                f"You may not judge the study '{source}' here: ask an owner for the role 'reviewer' "
                f"in {listed([source])}."
            )
            yield KeyProblem(("stages", number, "rate", "from"), message)


def _sources(data: Any) -> Iterator[tuple[int, str]]:
    stages = data.get("stages")
    for number, stage in enumerate(stages if isinstance(stages, list) else []):
        match stage:
            case {"rate": {"from": str(source)}}:
                yield number, source


def _files(data: Any, steps: Steps, *, named: bool = False) -> Iterator[tuple[Steps, str]]:
    """Every text that names a file, with the steps that lead to it."""
    if isinstance(data, str):
        if named:
            yield steps, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _files(value, (*steps, key), named=named or key in FILE_KEYS)
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _files(value, (*steps, number), named=named)


def _mappings(systems: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, given in systems.items() if isinstance(systems, dict) else []:
        if isinstance(given, dict):
            yield name, given


def _secret_of(data: dict[str, Any]) -> Any:
    crowd = data.get("crowd")
    return crowd.get("secret_from") if isinstance(crowd, dict) else None
