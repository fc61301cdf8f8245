"""The manifest of a report: how to make it again, from what, and what came out."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from palaver import __version__
from palaver.core.errors import InputError
from palaver.reports.manifest import NAME, FileEntry, files_of

FORMAT = "palaver-report"


class ReportManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a report's `manifest.json`.

    `source` is the study or table as it was named, from the folder `directory`; `options` are the
    options of the command. `made` is seconds since the epoch. `inputs` are the digests of the rows
    that the numbers were computed from: two reports with equal inputs, options and versions are the
    same but for the time.
    """

    format: str = FORMAT
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


def is_report_manifest(path: Path) -> bool:
    """Whether a path is the manifest of a report, or a folder that is one."""
    file = path / NAME if path.is_dir() else path
    if file.name != NAME or not file.is_file():
        return False
    try:
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return found.get("format") == FORMAT


def read_report_manifest(path: Path) -> ReportManifest:
    """The manifest at a path; InputError if it is damaged."""
    file = path / NAME if path.is_dir() else path
    try:
        return msgspec.json.decode(file.read_bytes(), type=ReportManifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is damaged: {error}.") from error


def write_report_manifest(folder: Path, manifest: ReportManifest) -> None:
    """Write the manifest with the entries of all files that lie in the folder."""
    files = {name: _entry(folder / name) for name in files_of(folder)}
    complete = msgspec.structs.replace(manifest, files=files)
    encoded = msgspec.json.format(msgspec.json.encode(complete), indent=2)
    (folder / NAME).write_bytes(encoded + b"\n")


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _entry(path: Path) -> FileEntry:
    return FileEntry(path.stat().st_size, digest_of(path))
