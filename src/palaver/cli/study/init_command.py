"""`palaver init`: a commented study to start from."""

from pathlib import Path

import click

from palaver.cli.options import OUT_FOLDER
from palaver.studies.file.starter import write_starter


@click.command("init")
@click.argument("folder", type=OUT_FOLDER)
def command(folder: Path) -> None:
    """Write a commented study.yaml, and what it needs, into FOLDER."""
    for path in write_starter(folder):
        click.echo(f"wrote {path}")
    click.echo(f"\nNext: edit {folder / 'study.yaml'}, then\n")
    click.echo(f"  palaver check {folder}\n  palaver serve {folder}")
