"""The manifest of an export: what is in it, from when, by which Palaver, with checksums."""

import hashlib
from pathlib import Path

import msgspec

from palaver import __version__
from palaver.core.errors import InputError
from palaver.storage.schema import SCHEMA_VERSION

NAME = "manifest.json"
_BLOCK = 1 << 20


class FileEntry(msgspec.Struct, frozen=True):
    """One file of an export."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in `manifest.json`; `exported` is seconds since the epoch."""

    format: str
    version: int = 1
    palaver: str = __version__
    database_schema: int = SCHEMA_VERSION
    exported: float
    masked: bool
    studies: list[str]
    counts: dict[str, int]
    files: dict[str, FileEntry]


def write_manifest(
    folder: Path,
    *,
    format: str,
    exported: float,
    masked: bool,
    studies: list[str],
    counts: dict[str, int],
) -> Manifest:
    """Describe every file under `folder` and write the manifest beside them."""
    manifest = Manifest(
        format=format,
        exported=exported,
        masked=masked,
        studies=studies,
        counts=counts,
        files={name: _entry(folder / name) for name in files_of(folder)},
    )
    encoded = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / NAME).write_bytes(encoded + b"\n")
    return manifest


def read_manifest(content: bytes) -> Manifest:
    """The manifest of an export; InputError if it is not one."""
    try:
        return msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"Its {NAME} is damaged: {error}.") from error


def files_of(folder: Path) -> list[str]:
    """The files under a folder, by their path from there, sorted."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def _entry(path: Path) -> FileEntry:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return FileEntry(path.stat().st_size, digest.hexdigest())
