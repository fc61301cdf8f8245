"""A trained model as a player in one word: `checkpoint:FOLDER`, with options behind a `#`.

`checkpoint:runs/deal#rollouts=5,temperature=0.2` plays with five rollouts. What can be said without
opening the folder is said here; the rest is the connector's.
"""

import json
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, MissingError
from palaver.core.registry import near
from palaver.models.checkpoints.folder import SETTINGS
from palaver.systems.build import option_names

KIND, FOLDER = "checkpoint", "checkpoint"
FORM = "checkpoint:FOLDER or checkpoint:FOLDER#rollouts=5,temperature=0.2"


def system_in(given: str) -> dict[str, Any]:
    """The options of the system that `checkpoint:FOLDER#OPTIONS` stands for; its folder is there."""
    _, _, rest = given.partition(":")
    folder, _, options = rest.partition("#")
    if not folder:
        raise InputError(f"Expected {FORM}; got '{given}'.")
    found = Path(folder).expanduser()
    if not found.is_dir():
        raise MissingError(_no_folder(found, folder))
    return {"kind": KIND, **_options(options, given), FOLDER: str(found.resolve())}


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder looks like one that `palaver train` wrote."""
    return (folder / SETTINGS).is_file()


def _no_folder(path: Path, given: str) -> str:
    if path.is_file() and is_checkpoint(path.parent):
        return f"{given} is a file of a checkpoint; name its folder: checkpoint:{path.parent}."
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    hint = near(path.name, [each.name for each in beside if is_checkpoint(each)])
    return f"There is no checkpoint folder {given}.{hint}"


def _options(text: str, given: str) -> dict[str, Any]:
    known = [name for name in option_names(KIND) if name != FOLDER]
    found: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals and value):
            raise InputError(f"Expected {FORM}; got '{given}'.")
        if name not in known:
            hint = near(name, known) or f" Known: {', '.join(known)}."
            raise InputError(f"A checkpoint has no option '{name}'.{hint}")
        if name in found:
            raise InputError(f"Option '{name}' is given twice in '{given}'.")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
