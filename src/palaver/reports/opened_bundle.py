"""A bundle that somebody made, unfolded: its manifest, its files and its database, all checked.

A bundle may come from a stranger: nothing is believed that was not checked. Writing one is a matter of
`bundle`, which needs all that exports do; whoever opens one does not.
"""

import hashlib
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from palaver.core.errors import InputError, StoreUnavailableError
from palaver.reports import manifest, packaging
from palaver.reports.manifest import FileEntry, Manifest
from palaver.storage.engine.database import migrate

DATABASE = "palaver.db"
FORMAT = "palaver-bundle"

_MANIFEST_BYTES = 4 << 20
# What a bundle may unfold to at most. Deflate shrinks text and databases 3 to 30 times.
LIMIT_BYTES = 16 << 30
_RATIO, _SMALL_BYTES = 200, 64 << 20
_BLOCK = 1 << 20
# What zipfile raises, depending on which byte is wrong.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)


def open_bundle(path: Path, into: Path, *, limit: int = LIMIT_BYTES) -> Path:
    """Unfold a bundle into a new folder; the path of its database.

    Open it with `Store(f"sqlite:///{database}", read_only=True)`. InputError if the file is
    damaged, is no bundle, or would write outside of the folder or more than `limit` bytes.
    """
    packaging.check_free(into, overwrite=False, folder=True)
    with packaging.staging_folder(into) as staging:
        files = staging / "files"
        files.mkdir()
        try:
            with zipfile.ZipFile(path) as archive:
                _unfold(archive, files, limit=limit)
            _check_database(files / DATABASE)
        except _DAMAGE as error:
            raise InputError(f"{path} is not a bundle or is damaged: {error}.") from error
        except InputError as error:
            raise InputError(f"{path} cannot be opened. {error}") from error
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error}.") from error
        packaging.place_folder(files, into, overwrite=False)
    return into / DATABASE


def read_bundle_manifest(path: Path) -> Manifest:
    """What a bundle says of itself, without unfolding it."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _manifest(archive)
    except (*_DAMAGE, OSError) as error:
        raise InputError(f"{path} is not a bundle or is damaged: {error}.") from error


def _unfold(archive: zipfile.ZipFile, folder: Path, *, limit: int) -> None:
    described = _manifest(archive)
    entries = {entry.filename: entry for entry in archive.infolist()}
    if len(entries) != len(archive.infolist()):
        raise InputError("It contains two files with the same name.")
    expected = {*described.files, manifest.NAME}
    if entries.keys() != expected or DATABASE not in expected:
        odd = sorted(entries.keys() ^ expected) or [DATABASE]
        raise InputError(f"Its files do not match its manifest: {', '.join(odd[:5])}.")
    if sum(entry.bytes for entry in described.files.values()) > limit:
        raise InputError(f"It expands to more than {limit:,} bytes.")
    for name, wanted in described.files.items():
        _check_entry(entries[name], wanted)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entries[name]) as source:
            _extract(source, target, name, wanted)


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        entry = archive.getinfo(manifest.NAME)
    except KeyError as error:
        raise InputError(f"It has no {manifest.NAME}; is it a Palaver bundle?") from error
    if entry.file_size > _MANIFEST_BYTES:
        raise InputError(f"Its {manifest.NAME} is too large.")
    with archive.open(entry) as stream:
        described = manifest.read_manifest(stream.read(_MANIFEST_BYTES + 1))
    if described.format != FORMAT or described.version != 1:
        raise InputError(
            f"It is a '{described.format}' of version {described.version}; expected '{FORMAT}' of "
            "version 1. A newer Palaver may have written it."
        )
    return described


def _check_entry(entry: zipfile.ZipInfo, wanted: FileEntry) -> None:
    name = entry.filename
    parts = PurePosixPath(name).parts
    clean = name == "/".join(parts) and not any(c in name for c in ("\\", ":", "\0"))
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if not parts or not clean or ".." in parts or parts[0] == "/" or kind not in (0, stat.S_IFREG):
        raise InputError(f"It contains a file with the unsafe name '{name}'.")
    if entry.flag_bits & 1:
        raise InputError("It is encrypted.")
    if entry.file_size != wanted.bytes:
        raise InputError(f"'{name}' has {entry.file_size} bytes; {wanted.bytes} are expected.")
    if wanted.bytes > max(_SMALL_BYTES, _RATIO * entry.compress_size):
        raise InputError(f"'{name}' expands to {wanted.bytes:,} bytes from too few.")


def _extract(source: IO[bytes], target: Path, name: str, wanted: FileEntry) -> None:
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as out:
        while block := source.read(_BLOCK):
            size += len(block)
            if size > wanted.bytes:
                break
            digest.update(block)
            out.write(block)
    if size != wanted.bytes or digest.hexdigest() != wanted.sha256:
        raise InputError(f"'{name}' is damaged: it is not what the manifest describes.")


def _check_database(path: Path) -> None:
    """Bring the database to this version; it is ours from here on."""
    with path.open("rb") as stream:
        if stream.read(16) != b"SQLite format 3\0":
            raise InputError(f"Its {DATABASE} is not an SQLite database.")
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    try:
        migrate(engine)
        with engine.connect() as connection:
            verdict = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    except (DatabaseError, StoreUnavailableError) as error:
        raise InputError(f"Its {DATABASE} is damaged: {error}.") from error
    if verdict != "ok":
        raise InputError(f"Its {DATABASE} is damaged: {verdict}.")
