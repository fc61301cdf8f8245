"""A bundle: one file that holds a study and can be opened anywhere.

It is a zip of `manifest.json`, `palaver.db` (a SQLite database with the schema of the store it came
from, be that SQLite or PostgreSQL) and the text files of each study's folder under
`studies/<name>/`. It holds no accounts, tokens, keys, panel identities or completion codes.
"""

import shutil
from pathlib import Path, PurePosixPath

from sqlalchemy import Table, create_engine
from sqlalchemy.pool import NullPool

from palaver.core.columns import Column, ColumnType, DescribedFile
from palaver.reports import manifest
from palaver.reports.export import Counts, ExportFormat, safe_name
from palaver.reports.masks import StudyMasks
from palaver.reports.opened_bundle import DATABASE
from palaver.reports.source import StudySource
from palaver.storage.engine.copies import copied_tables, copy_rows
from palaver.storage.engine.database import migrate

# What one text file of a study's folder may have at most; larger ones are not text to read.
_TEXT_BYTES = 4 << 20
# What an author writes for a study, as opposed to files of what people said.
_WRITTEN = frozenset((".yaml", ".yml", ".md", ".css", ".html", ".py"))


def _write_bundle(source: StudySource, folder: Path) -> Counts:
    # Without a pool: the file is complete and closed when the block ends.
    engine = create_engine(f"sqlite:///{folder / DATABASE}", poolclass=NullPool)
    migrate(engine)
    with engine.connect() as target:
        # Nobody sees this file before it is finished, and a failure throws it away.
        target.exec_driver_sql("PRAGMA journal_mode = OFF")
        target.exec_driver_sql("PRAGMA synchronous = OFF")
        rows = copy_rows(
            source.connection,
            target,
            study=source.study,
            masks=source.masks or StudyMasks(source.connection),
            masked=source.masks is not None,
        )
        target.commit()
    for study in source.studies():
        inside = folder / "studies" / safe_name(study.name)
        if study.name in source.study_folders:
            _copy_texts(source.study_folders[study.name], inside, data=source.masks is None)
        # The definition as it was served, whatever the folder holds by now.
        inside.mkdir(parents=True, exist_ok=True)
        (inside / "study.yaml").write_text(study.definition, encoding="utf-8", newline="")
    counts = source.counts(labels=rows["labels"])
    return {**counts, "events": rows["events"], "people": rows["participants"]}


def _copy_texts(folder: Path, inside: Path, *, data: bool) -> None:
    """Copy the text files of a folder; hidden files, links and the home's state stay behind.

    Without `data` only what the study's author wrote comes along: files of dialogues and answers hold
    what the database holds masked.
    """
    for name in manifest.files_of(folder):
        path = folder / name
        parts = PurePosixPath(name).parts
        state = parts[-1].startswith((DATABASE, "palaver.lock"))
        hidden = any(part.startswith(".") for part in parts)
        left = not data and path.suffix.casefold() not in _WRITTEN
        if state or hidden or left or not _is_text(folder, parts):
            continue
        copy = inside / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _is_text(folder: Path, parts: tuple[str, ...]) -> bool:
    steps = [folder.joinpath(*parts[: n + 1]) for n in range(len(parts))]
    if any(step.is_symlink() for step in steps) or steps[-1].stat().st_size > _TEXT_BYTES:
        return False
    content = steps[-1].read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def _described(table: Table) -> DescribedFile:
    return DescribedFile(
        f"{DATABASE}, table {table.name}",
        f"one of {table.name}",
        tuple(
            Column(
                str(column.name),
                _TYPES[column.type.python_type],
                column.doc or "",
                bool(column.nullable),
            )
            for column in table.columns
        ),
    )


_TYPES: dict[type, ColumnType] = {
    str: "text",
    bytes: "any",
    int: "integer",
    float: "number",
    bool: "boolean",
}
BUNDLE = ExportFormat(
    "bundle",
    "one file with the study, its data and its database",
    _write_bundle,
    zipped=True,
    files=tuple(map(_described, copied_tables())),
)
