"""Exporting a study: dialogues and labels as files that outlive the store.

A format writes files into a staging folder from a `StudySource`; `export_study` makes the source, adds
the manifest and puts the result where it was asked for. The command line gives a path, a route
a stream. Another package adds a format under the entry-point group `palaver.exports`.
"""

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from sqlalchemy import Connection

from palaver.core.audit import COMMAND, Actor
from palaver.core.columns import DescribedFile
from palaver.core.errors import InputError
from palaver.core.registry import Registry
from palaver.formats.spreadsheets import escape_files
from palaver.reports import packaging
from palaver.reports.dictionary import PAGE, dictionary_of, write_dictionary
from palaver.reports.manifest import write_manifest
from palaver.reports.masks import Masking, StudyMasks
from palaver.reports.source import StudySource, hold_still
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.studies.studies import list_studies
from palaver.studies.review.evidence import check_sections

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A way to write a study.

    `write` puts files into an empty folder and says how many things of each kind they hold. A
    format with `single` writes one file of that name, which needs no manifest; `zipped` formats are
    one zip wherever they go; others become a folder, or a zip where one file is needed. `files`
    describes what it writes, for the data dictionary.
    """

    name: str
    summary: str
    write: Callable[[StudySource, Path], Counts]
    single: str = ""
    zipped: bool = False
    single_media_type: str = "application/x-ndjson"
    files: tuple[DescribedFile, ...] = ()
    # Whether people open its files in a spreadsheet.
    has_tables: bool = False

    @property
    def has_dictionary_beside(self) -> bool:
        """Whether its dictionary is a file of its own; in folders and zips it is one among others."""
        return bool(self.single) and self.single != PAGE

    @property
    def media_type(self) -> str:
        """The type of what a stream receives."""
        return self.single_media_type if self.single else "application/zip"

    def filename(self, study: str | None) -> str:
        stem = safe_name(study or "studies")
        if self.single:
            return f"{stem}-{self.single.lower()}"
        return f"{stem}-{self.name}.zip"


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made; `paths` is empty where it went to a stream, `masking` None without `mask`."""

    format: str
    paths: tuple[Path, ...]
    counts: Counts
    masking: Masking | None = None


EXPORTS: Registry[ExportFormat] = Registry(
    "export format",
    "palaver.exports",
    {
        "palaver": "palaver.reports.records:PALAVER",
        "messages": "palaver.reports.records:MESSAGES",
        "csv": "palaver.reports.records:CSV",
        "parquet": "palaver.reports.records:PARQUET",
        "label-studio": "palaver.reports.label_studio:LABEL_STUDIO",
        "dch2": "palaver.reports.dch2:DCH2",
        "html-viewer": "palaver.reports.viewer.files:VIEWER_EXPORT",
        "bundle": "palaver.reports.bundle:BUNDLE",
        "dictionary": "palaver.reports.records:DICTIONARY",
    },
)


def export_study(
    store: Store,
    *,
    study: str | None,
    format: str,
    destination: Path | BinaryIO,
    mask: bool,
    overwrite: bool = False,
    study_folders: Mapping[str, Path] | None = None,
    sections: Sequence[str] = (),
    spreadsheet: bool = False,
    now: float | None = None,
    actor: Actor = COMMAND,
) -> Exported:
    """Write a study (all, if None) as of one moment; what was made, and how much of it.

    `sections` leaves the labels of some sections of released data; dialogues are all there.
    `spreadsheet` lets no cell of a table be taken for a formula.
    A path appears complete or not at all. An existing destination is refused without `overwrite`.
    A stream is written only after everything has been read, so that a failure can still be told.
    That `actor` exported it is recorded, except in a read-only copy.
    """
    kind = EXPORTS.get(format)
    if sections and kind.zipped:
        raise InputError(f"The format '{format}' holds a study whole. Leave out --section.")
    moment = time.time() if now is None else now
    path = _target(kind, study, destination) if isinstance(destination, Path) else None
    as_folder = path is not None and not kind.single and not kind.zipped and path.suffix != ".zip"
    if path is not None:
        packaging.check_free(path, overwrite=overwrite, folder=as_folder)
        if kind.has_dictionary_beside:
            packaging.check_free(_beside(path), overwrite=overwrite, folder=False)
    with packaging.staging_folder(path) as staging:
        files = staging / "files"
        files.mkdir()
        counts, masking = store.read_now(
            lambda connection: _stage(
                connection,
                kind,
                files,
                study=study,
                mask=mask,
                study_folders=study_folders or {},
                sections=tuple(sections),
                spreadsheet=spreadsheet,
                now=moment,
            )
        )
        _record(store, study, {"format": format, "masked": mask, **counts}, actor, now=moment)
        if not isinstance(destination, Path):
            _send(kind, files, destination, now=moment)
            return Exported(format, (), counts, masking)
        assert path is not None
        if as_folder:
            packaging.place_folder(files, path, overwrite=overwrite)
            return Exported(format, _listed(path), counts, masking)
        finished = staging / "finished"
        with finished.open("wb") as stream:
            _send(kind, files, stream, now=moment)
        packaging.place_file(finished, path, overwrite=overwrite)
        if not kind.has_dictionary_beside:
            return Exported(format, (path,), counts, masking)
        packaging.place_file(files / PAGE, _beside(path), overwrite=overwrite)
        return Exported(format, (path, _beside(path)), counts, masking)


def _record(
    store: Store, study: str | None, told: Mapping[str, Any], actor: Actor, *, now: float
) -> None:
    if store.read_only:
        return
    ids = {each.name: each.id for each in store.read_now(list_studies)}
    study_id = None if study is None else ids.get(study)
    store.write_now(
        lambda c: record(
            c,
            "export.make",
            by=actor,
            now=now,
            subject=study or "all studies",
            study_id=study_id,
            detail=told,
        )
    )


def _beside(path: Path) -> Path:
    """Where the dictionary of a single file goes."""
    return path.with_suffix(".dictionary.md")


def safe_name(name: str) -> str:
    """A study's name as a part of a path."""
    quoted = quote(name, safe="")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted


def _target(kind: ExportFormat, study: str | None, destination: Path) -> Path:
    # A name for the one file is only needed where a folder was given to put it in.
    one_file = kind.single or kind.zipped
    return destination / kind.filename(study) if one_file and destination.is_dir() else destination


def _stage(
    connection: Connection,
    kind: ExportFormat,
    folder: Path,
    *,
    study: str | None,
    mask: bool,
    study_folders: Mapping[str, Path],
    sections: tuple[str, ...],
    spreadsheet: bool,
    now: float,
) -> tuple[Counts, Masking | None]:
    still = hold_still(connection)
    masks = StudyMasks(still) if mask else None
    source = StudySource(still, study, masks, study_folders, sections)
    check_sections(connection, study, sections)
    names = [stored.name for stored in source.studies()]
    counts = kind.write(source, folder)
    if spreadsheet and kind.has_tables:
        escape_files(folder)
    masking = masks.masking() if masks else None
    write_dictionary(dictionary_of(source, kind.files), folder)
    if not kind.single:
        write_manifest(
            folder,
            format=f"palaver-{kind.name}",
            exported=now,
            masking=masking,
            studies=names,
            counts=counts,
        )
    return counts, masking


def _send(kind: ExportFormat, files: Path, stream: BinaryIO, *, now: float) -> None:
    if kind.single:
        with (files / kind.single).open("rb") as source:
            shutil.copyfileobj(source, stream, 1 << 20)
    else:
        packaging.zip_folder(files, stream, now=now)


def _listed(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
