"""`palaver export`: write what a study has collected."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import click

from palaver.cli import options
from palaver.cli.options import HOME, OUT_PATH, OVERWRITE, STUDY_PATH
from palaver.core.errors import InputError, StudyError
from palaver.reports.export import EXPORTS, Exported, ExportFormat, export_study, safe_name
from palaver.storage import Store
from palaver.studies.file.reader import load_studies
from palaver.studies.home import existing_home

STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What to export: one study, or all of a home (None); and where studies have their files."""

    study: str | None
    folders: dict[str, Path] = field(default_factory=dict)


@click.command("export")
@STUDY_PATH
@click.option(
    "--format",
    "format_",
    default="palaver",
    show_default=True,
    metavar="FORMAT",
    help="palaver, messages, csv, parquet, label-studio, dch2, html-viewer or bundle.",
)
@options.study("One study of several. Default: all.")
@click.option(
    "--mask",
    is_flag=True,
    help="Replace addresses, numbers and names in what was said; tells what it does not look for.",
)
@click.option(
    "--spreadsheet",
    is_flag=True,
    help="Put an apostrophe before cells of a CSV table that a spreadsheet would take for formulas.",
)
@options.SECTIONS
@options.output(
    "Where to write. Default: named after the study, here. '-': standard output.",
    OUT_PATH,
    metavar="PLACE",
)
@OVERWRITE
@HOME
def command(
    path: Path,
    format_: str,
    study: str | None,
    mask: bool,
    spreadsheet: bool,
    sections: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    home: Path | None,
) -> None:
    """Write what the study at PATH has collected so far, even while it is being served.

    PATH is a study, a folder of studies, or a home.
    """
    kind = EXPORTS.get(format_)
    if spreadsheet and not kind.has_tables:
        raise InputError(f"--spreadsheet is for '--format csv'; got '{format_}'. Leave it out.")
    where = existing_home(path, home)
    chosen = _chosen(path, study)
    destination: Path | BinaryIO = output or _default(kind, chosen.study)
    if output == STDOUT:
        destination = sys.stdout.buffer
    store = Store(where.database_url)
    try:
        exported = export_study(
            store,
            study=chosen.study,
            format=format_,
            destination=destination,
            mask=mask,
            overwrite=overwrite,
            study_folders=chosen.folders,
            sections=sections,
            spreadsheet=spreadsheet,
        )
    finally:
        store.close()
    _say(exported, quietly=output == STDOUT)


def _chosen(path: Path, study: str | None) -> _Chosen:
    try:
        studies = load_studies(path)
    except StudyError as error:
        # What was collected can be had even when the study file is broken or elsewhere.
        click.echo(f"Note: no study was read at {path} ({error.problems[0].message})", err=True)
        return _Chosen(study)
    folders = {each.name: each.folder for each in studies}
    if study is None and len(studies) == 1:
        return _Chosen(studies[0].name, folders)
    return _Chosen(study, folders)


def _default(kind: ExportFormat, study: str | None) -> Path:
    if kind.single or kind.zipped:
        return Path(kind.filename(study))
    return Path(f"{safe_name(study or 'studies')}-{kind.name}")


def _say(exported: Exported, *, quietly: bool) -> None:
    counts = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in exported.counts.items()
    )
    click.echo(f"Exported {counts}.", err=quietly)
    if exported.masking is not None:
        masking = exported.masking
        click.echo(f"Masked: {masking.in_words()}.", err=quietly)
        click.echo("Not looked for, so read before you publish:", err=quietly)
        for kind in masking.not_looked_for:
            click.echo(f"  {kind}", err=quietly)
    for path in exported.paths:
        click.echo(f"  {path}")
