"""What is in an export, from when, by which Palaver, with checksums; and how a report is made again."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from palaver import __version__
from palaver.core.errors import InputError
from palaver.reports.masks import Masking
from palaver.storage.schema import SCHEMA_VERSION

NAME = "manifest.json"
REPORT_FORMAT = "palaver-report"


class FileEntry(msgspec.Struct, frozen=True):
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
    masking: Masking | None = None
    studies: list[str]
    counts: dict[str, int]
    files: dict[str, FileEntry]


class ReportManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a report's `manifest.json`.

    `source` is the study or table as it was named, from the folder `directory`; `options` are the
    options of the command. `made` is seconds since the epoch. `inputs` are the digests of the rows
    that the numbers were computed from: two reports with equal inputs, options and versions are the
    same but for the time.
    """

    format: str = REPORT_FORMAT
    version: int = 1
    palaver: str = __version__
    packages: dict[str, str]
    command: str
    directory: str
    source: str
    options: dict[str, Any]
    seed: int
    made: float
    inputs: dict[str, str]
    files: dict[str, FileEntry]


def write_manifest(
    folder: Path,
    *,
    format: str,
    exported: float,
    masking: Masking | None,
    studies: list[str],
    counts: dict[str, int],
) -> Manifest:
    """Describe every file under `folder` and write the manifest beside them."""
    manifest = Manifest(
        format=format,
        exported=exported,
        masked=masking is not None,
        masking=masking,
        studies=studies,
        counts=counts,
        files={name: file_entry(folder / name) for name in files_of(folder)},
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


def is_report_manifest(path: Path) -> bool:
    """Whether a path is the manifest of a report, or a folder that is one."""
    file = path / NAME if path.is_dir() else path
    if file.name != NAME or not file.is_file():
        return False
    try:
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return found.get("format") == REPORT_FORMAT


def read_report_manifest(path: Path) -> ReportManifest:
    """The manifest at a path; InputError if it is damaged."""
    file = path / NAME if path.is_dir() else path
    try:
        return msgspec.json.decode(file.read_bytes(), type=ReportManifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is damaged: {error}.") from error


def write_report_manifest(folder: Path, report: ReportManifest) -> None:
    """Write the manifest with the entries of all files that lie in the folder."""
    files = {name: file_entry(folder / name) for name in files_of(folder)}
    complete = msgspec.structs.replace(report, files=files)
    encoded = msgspec.json.format(msgspec.json.encode(complete), indent=2)
    (folder / NAME).write_bytes(encoded + b"\n")


def files_of(folder: Path) -> list[str]:
    """The files under a folder, by their path from there, sorted."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def file_entry(path: Path) -> FileEntry:
    """The size and checksum of a file."""
    with path.open("rb") as stream:
        return FileEntry(path.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest())
