"""The files of a model: described by `model.yaml`, kept in the object store, unpacked where it runs.

In `model.yaml` the `kind` and the options of that kind stand at the top, next to what the file says
about the model itself. Secrets stay `${VARIABLE}` here and in the store; only a predictor fills them
in. The files lie under `models/TASK/NAME/DIGEST/`, beside a list of them, because an object store has
no folders to look into. A server on another machine unpacks them into its home before the first run.
"""

import hashlib
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from palaver.core.errors import InputError, StudyError
from palaver.formats.key_problems import place_problems, pydantic_problems
from palaver.formats.marked_yaml import read_marked
from palaver.storage.objects import Objects
from palaver.systems.build import folder_option

FILE = "model.yaml"
# Kinds that run from files beside the description; an endpoint needs none.
WITH_FILES = frozenset({"handler", "command"})

LIST = "files.json"
MOST_FILES = 5000
# What a model's folder may hold beside the model.
SKIPPED = frozenset({"__pycache__", "node_modules", FILE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A model as somebody describes it: a kind of predictor, its options, and where it lies."""

    kind: str
    options: Mapping[str, Any]
    folder: Path
    task: str = ""
    about: str = ""
    link: str = ""
    tags: tuple[str, ...] = ()

    @property
    def files(self) -> Path | None:
        """The folder whose files belong to the model; None if it runs elsewhere."""
        return self.folder if self.kind in WITH_FILES or folder_option(self.kind) else None


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """The folder whose files are kept as a version of a model, and its options as they are there."""

    folder: Path | None
    options: Mapping[str, Any]
    # A checkpoint may be somebody else's: what its links lead to outside is not kept along.
    is_closed: bool = False


def own_files(
    kind: str, options: Mapping[str, Any], folder: Path | None, *, usual: Path
) -> OwnFiles:
    """What a model brings along whose paths are relative to `folder`, or without one to `usual`.

    Of a kind whose option names a folder that folder alone is kept, wherever it lies: the same
    content is then the same version.
    """
    option = folder_option(kind)
    if not option:
        return OwnFiles(folder, options)
    named = Path(str(options[option])).expanduser()
    return OwnFiles((folder or usual) / named, {**options, option: "."}, is_closed=True)


class _ModelFile(BaseModel):
    """The keys of `model.yaml` that are no options of the kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(min_length=1)
    task: str = ""
    about: str = ""
    link: str = ""
    tags: list[str] = []


def read_description(path: Path) -> Description:
    """What `model.yaml` says; `path` is the file, or the folder that holds it."""
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            f"There is no {file}. Give a folder with a {FILE}, or the file itself; "
            "palaver model init NAME --task TASK writes one."
        )
    marked = read_marked(file)
    try:
        found = _ModelFile.model_validate(marked.data)
    except ValidationError as error:
        raise StudyError(place_problems(marked, pydantic_problems(error, _ModelFile))) from error
    return Description(
        kind=found.kind,
        options=dict(found.model_extra or {}),
        folder=file.parent,
        task=found.task,
        about=found.about,
        link=found.link,
        tags=tuple(found.tags),
    )


class ModelFile(msgspec.Struct, frozen=True):
    """A file of a model: its path below the folder, its content's SHA-256, whether it is run."""

    path: str
    digest: str
    size: int
    runs: bool = False


def model_files(folder: Path, *, is_closed: bool = False) -> list[ModelFile]:
    """The files of a model, sorted by path; hidden ones, byte code and `model.yaml` left out.

    InputError where a link leads out of a folder that is closed.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    found: list[ModelFile] = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if any(part in SKIPPED or part.startswith(".") for part in inside.parts):
            continue
        if path.is_file():
            if is_closed and not path.resolve().is_relative_to(folder.resolve()):
                raise InputError(
                    f"{path} leads to a file outside of the checkpoint. Put the file itself there, or "
                    "remove the link."
                )
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
        "files": [[file.path, file.digest, file.runs] for file in files],
    }
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def keep_files(objects: Objects, folder: Path, files: list[ModelFile], *, place: str) -> None:
    """Put the files under `place`, the list of them last; what is there already stays."""
    if objects.exists(f"{place}/{LIST}"):
        return
    for file in files:
        objects.put(f"{place}/{file.path}", folder / file.path)
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
        for file in files:
            _bring(objects, f"{place}/{file.path}", draft / file.path, file)
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
