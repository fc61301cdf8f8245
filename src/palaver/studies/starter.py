"""A first study to copy and change: one commented file, and the few exchanges its partner knows."""

from importlib.resources import files
from pathlib import Path

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
