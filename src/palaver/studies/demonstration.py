"""The demonstration study, made ready in a folder: as it ships, or with further systems."""

import itertools
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from palaver.core.errors import InputError

SHIPPED = Path(__file__).parent / "demo"
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
    with file.open("w", encoding="utf-8") as out:
        yaml.dump(study, out)
