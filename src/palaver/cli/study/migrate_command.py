"""`palaver migrate`: bring a home of an older version up to date, after a copy of it was made."""

from pathlib import Path

import click

from palaver.cli.options import HOME, STUDY_PATH
from palaver.studies.home import existing_home
from palaver.studies.migration import migrate_home


@click.command("migrate")
@STUDY_PATH
@click.option("--yes", is_flag=True, help="For PostgreSQL: a dump of the database has been made.")
@HOME
def command(path: Path, yes: bool, home: Path | None) -> None:
    """Bring the home of the study at PATH to this version of Palaver; a copy is made first.

    Stop the server before. Nothing else changes the tables of a home.
    """
    where = existing_home(path, home)
    done = migrate_home(where, has_dump=yes)
    if done.found == done.now:
        click.echo(f"{where.describe()} is up to date (schema {done.now}).")
        return
    click.echo(f"{where.describe()} was brought from schema {done.found} to {done.now}.")
    if done.copy is not None:
        click.echo(f"The copy from before is {done.copy}. Delete it when all is well.")
