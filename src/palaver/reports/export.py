"""Exporting a study: dialogues and labels as files that outlive the store.

A format writes files into a staging folder from a `Source`; `export_study` makes the source, adds
the manifest and puts the result where it was asked for. The command line gives a path, a route
a stream. Another package adds a format under the entry-point group `palaver.exports`.
"""

import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from sqlalchemy import Connection

from palaver.core.registry import Registry
from palaver.formats import tables
from palaver.formats.messages import write_messages
from palaver.formats.palaver import write_dialogues, write_labels
from palaver.formats.tables import CsvWriter, ParquetWriter, Table, TableWriter
from palaver.reports import packaging
from palaver.reports.manifest import write_manifest
from palaver.reports.source import Source, hold_still
from palaver.storage import Store
from palaver.storage.studies import StoredStudy

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A way to write a study.

    `write` puts files into an empty folder and says how many things of each kind they hold. A
    format with `single` writes one file of that name, which needs no manifest; `zipped` formats are
    one zip wherever they go; others become a folder, or a zip where one file is needed.
    """

    name: str
    summary: str
    write: Callable[[Source, Path], Counts]
    single: str = ""
    zipped: bool = False
    single_media_type: str = "application/x-ndjson"

    @property
    def media_type(self) -> str:
        """The type of what a stream receives."""
        return self.single_media_type if self.single else "application/zip"

    def filename(self, study: str | None) -> str:
        """What to call a download."""
        stem = safe_name(study or "studies")
        if self.single:
            return f"{stem}-{self.single}"
        return f"{stem}-{self.name}.zip"


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made; `paths` is empty where it went to a stream."""

    format: str
    paths: tuple[Path, ...]
    counts: Counts


EXPORTS: Registry[ExportFormat] = Registry(
    "export format",
    "palaver.exports",
    {
        "palaver": "palaver.reports.export:PALAVER",
        "messages": "palaver.reports.export:MESSAGES",
        "csv": "palaver.reports.export:CSV",
        "parquet": "palaver.reports.export:PARQUET",
        "bundle": "palaver.reports.bundle:BUNDLE",
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
    now: float | None = None,
) -> Exported:
    """Write a study (all, if None) as of one moment; what was made, and how much of it.

    A path appears complete or not at all. An existing destination is refused without `overwrite`.
    A stream is written only after everything has been read, so that a failure can still be told.
    """
    kind = EXPORTS.get(format)
    moment = time.time() if now is None else now
    path = _target(kind, study, destination) if isinstance(destination, Path) else None
    as_folder = path is not None and not kind.single and not kind.zipped and path.suffix != ".zip"
    if path is not None:
        packaging.check_free(path, overwrite=overwrite, folder=as_folder)
    with packaging.staging_folder(path) as staging:
        files = staging / "files"
        files.mkdir()
        counts = store.read_now(
            lambda connection: _stage(
                connection,
                kind,
                files,
                study=study,
                mask=mask,
                study_folders=study_folders or {},
                now=moment,
            )
        )
        if not isinstance(destination, Path):
            _send(kind, files, destination, now=moment)
            return Exported(format, (), counts)
        assert path is not None
        if as_folder:
            packaging.place_folder(files, path, overwrite=overwrite)
            return Exported(format, _listed(path), counts)
        finished = staging / "finished"
        with finished.open("wb") as stream:
            _send(kind, files, stream, now=moment)
        packaging.place_file(finished, path, overwrite=overwrite)
        return Exported(format, (path,), counts)


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
    now: float,
) -> Counts:
    source = Source(hold_still(connection), study, mask, study_folders)
    names = [stored.name for stored in source.studies()]
    counts = kind.write(source, folder)
    if not kind.single:
        write_manifest(
            folder,
            format=f"palaver-{kind.name}",
            exported=now,
            masked=mask,
            studies=names,
            counts=counts,
        )
    return counts


def _send(kind: ExportFormat, files: Path, stream: BinaryIO, *, now: float) -> None:
    if kind.single:
        with (files / kind.single).open("rb") as source:
            shutil.copyfileobj(source, stream, 1 << 20)
    else:
        packaging.zip_folder(files, stream, now=now)


def _listed(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


# --- The formats ----------------------------------------------------------------------------------


def _write_palaver(source: Source, folder: Path) -> Counts:
    with (folder / "dialogues.jsonl").open("wb") as stream:
        dialogues = write_dialogues(source.dialogues(), stream)
    with (folder / "labels.jsonl").open("wb") as stream:
        labels = write_labels(source.labels(), stream)
    _write_definitions(source.studies(), folder, alone=source.study is not None)
    return {"dialogues": dialogues, "labels": labels}


def _write_definitions(studies: list[StoredStudy], folder: Path, *, alone: bool) -> None:
    for study in studies:
        path = folder / "study.yaml"
        if not alone:
            path = folder / "studies" / safe_name(study.name) / "study.yaml"
            path.parent.mkdir(parents=True)
        path.write_text(study.definition, encoding="utf-8", newline="")


def _write_messages(source: Source, folder: Path) -> Counts:
    with (folder / "messages.jsonl").open("wb") as stream:
        return {"dialogues": write_messages(source.dialogues(), stream)}


def _write_csv(source: Source, folder: Path) -> Counts:
    with ExitStack() as stack:

        def open_table(table: Table) -> TableWriter:
            stream = stack.enter_context((folder / f"{table.name}.csv").open("wb"))
            return stack.enter_context(CsvWriter(table, stream))

        return _write_tables(source, open_table)


def _write_parquet(source: Source, folder: Path) -> Counts:
    with ExitStack() as stack:

        def open_table(table: Table) -> TableWriter:
            return stack.enter_context(ParquetWriter(table, folder / f"{table.name}.parquet"))

        return _write_tables(source, open_table)


def _write_tables(source: Source, open_table: Callable[[Table], TableWriter]) -> Counts:
    counts = {"dialogues": 0, "events": 0, "labels": 0}
    events, dialogues = open_table(tables.EVENTS), open_table(tables.DIALOGUES)
    for record in source.dialogues():
        counts["dialogues"] += 1
        counts["events"] += len(record.events)
        dialogues.write(tables.dialogue_row(record))
        for row in tables.event_rows(record):
            events.write(row)
    labels = open_table(tables.LABELS)
    for label in source.labels():
        counts["labels"] += 1
        labels.write(tables.label_row(label))
    return counts


PALAVER = ExportFormat("palaver", "dialogues and labels as JSON lines", _write_palaver)
MESSAGES = ExportFormat(
    "messages", "chat messages as JSON lines", _write_messages, single="messages.jsonl"
)
CSV = ExportFormat("csv", "tidy tables as CSV", _write_csv)
PARQUET = ExportFormat("parquet", "tidy tables as Parquet", _write_parquet)
