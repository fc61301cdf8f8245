"""The files of a model: found in its folder, kept in the object store, unpacked where it runs.

They lie under `models/TASK/NAME/DIGEST/`, beside a list of them, because an object store has no
folders to look into. A server on another machine unpacks them into its home before the first run.
"""

import hashlib
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.evaluation.models.description import FILE
from palaver.storage.objects import Objects

LIST = "files.json"
MOST_FILES = 5000
# What a model's folder may hold beside the model.
SKIPPED = frozenset({"__pycache__", "node_modules", FILE})


class ModelFile(msgspec.Struct, frozen=True):
    """A file of a model: its path below the folder, its content's SHA-256, whether it is run."""

    path: str
    digest: str
    size: int
    runs: bool = False


def model_files(folder: Path) -> list[ModelFile]:
    """The files of a model, sorted by path; hidden ones, byte code and `model.yaml` left out."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    found: list[ModelFile] = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if any(part in SKIPPED or part.startswith(".") for part in inside.parts):
            continue
        if path.is_file():
            found.append(_model_file(path, inside.as_posix()))
        if len(found) > MOST_FILES:
            raise InputError(
                f"{folder} contains more than {MOST_FILES:,} files. Put the model into a folder of "
                "its own: its code, its weights, nothing else."
            )
    return found


def version_digest(kind: str, options: Mapping[str, Any], files: list[ModelFile]) -> str:
    """What tells a model version from others: kind, options as written, content of the files."""
    content = {
        "kind": kind,
        "options": options,
        "files": [[each.path, each.digest, each.runs] for each in files],
    }
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def keep_files(objects: Objects, folder: Path, files: list[ModelFile], *, place: str) -> None:
    """Put the files under `place`, the list of them last; what is there already stays."""
    if objects.exists(f"{place}/{LIST}"):
        return
    for each in files:
        objects.put(f"{place}/{each.path}", folder / each.path)
    objects.put(f"{place}/{LIST}", msgspec.json.encode(files))


def unpack(objects: Objects, place: str, into: Path) -> Path:
    """The folder `into/place` with the files kept under `place`; written once, whole or not at all."""
    target = into / place
    if target.is_dir():
        return target
    files = msgspec.json.decode(objects.read(f"{place}/{LIST}"), type=list[ModelFile])
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=".unpacking-"))
    try:
        for each in files:
            _bring(objects, f"{place}/{each.path}", draft / each.path, each)
        draft.chmod(0o755)
        draft.rename(target)
    except OSError:
        # Another worker was faster.
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _model_file(path: Path, inside: str) -> ModelFile:
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    known = path.stat()
    return ModelFile(inside, digest, known.st_size, bool(known.st_mode & stat.S_IXUSR))


def _bring(objects: Objects, source: str, target: Path, file: ModelFile) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in objects.lines(source):
            digest.update(part)
            out.write(part)
    if digest.hexdigest() != file.digest:
        raise InputError(
            f"'{source}' in {objects.url} differs from what was stored. Add the model again."
        )
    target.chmod(0o755 if file.runs else 0o644)
