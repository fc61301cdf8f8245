"""A first study to copy and change: one commented file, and the few exchanges its partner knows."""

import itertools
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from palaver.core.errors import InputError

STARTER_FILES = ("study.yaml", "exchanges.jsonl")


def write_starter(folder: Path) -> list[Path]:
    """The files of a new study, written into `folder`; InputError if one is there already."""
    paths = [folder / name for name in STARTER_FILES]
    there = [str(path) for path in paths if path.exists()]
    if there:
        raise InputError(
            f"{' and '.join(there)} would be overwritten. Choose another folder, or move it away."
        )
    source = files("palaver.studies") / "starter"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            path.write_bytes((source / path.name).read_bytes())
    except OSError as error:
        raise InputError(f"A study cannot be written to {folder}: {error.strerror}.") from error
    return paths


SHIPPED = Path(__file__).parents[1] / "demo"
FILES = ("study.yaml", "exchanges.jsonl", "patterns.yaml", "guide.jsonl", "visitors.yaml")
# More than the shipped pairs need, so that visitors meet the system they came to see.
NEEDED = 100


def write_demonstration(folder: Path, further: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write the demonstration study into a folder; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(SHIPPED / name, folder / name)
    if further:
        _add_systems(folder / "study.yaml", further)
    return folder


def _add_systems(file: Path, further: Mapping[str, Mapping[str, Any]]) -> None:
    yaml = YAML()
    study = yaml.load(file.read_text(encoding="utf-8"))
    shipped = list(study["systems"])
    conditions = study["stages"][0]["chat"]["conditions"]
    for name, options in further.items():
        if name in study["systems"]:
            raise InputError(
                f"The demonstration already has a system '{name}'. Choose another name."
            )
        study["systems"][name] = dict(options)
    pairs = [
        *itertools.product(further, shipped),
        *itertools.combinations(further, 2),
    ]
    conditions.extend({"systems": list(pair), "needed": NEEDED} for pair in pairs)
    # Simulated visitors leave the new systems to people; the board waits for these, too.
    study["board"]["votes"] += NEEDED * len(pairs)
    with file.open("w", encoding="utf-8") as out:
        yaml.dump(study, out)
