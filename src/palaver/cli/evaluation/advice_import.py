"""`palaver advice import`: what a crowd service sent back, stored as judgements of a round."""

import time
from collections.abc import Sequence
from pathlib import Path

import click

from palaver.cli.options import HOME, IN_FILE, IN_PATH
from palaver.core.errors import Problem
from palaver.core.words import counted
from palaver.formats.advice.crowd_batch import read_batch
from palaver.storage import Store
from palaver.studies.advice.crowd_work import import_batch
from palaver.studies.advice.round import advice_round
from palaver.studies.file.reader import load_study
from palaver.studies.home import existing_home
from palaver.studies.intake.finished_work import default_salt

MOST_TOLD = 50


@click.command("import")
@click.argument("study", type=IN_PATH)
@click.argument("file", type=IN_FILE)
@click.option(
    "--salt", metavar="TEXT", help="The salt of the pseudonyms. Default: this home's own."
)
@HOME
def command(study: Path, file: Path, salt: str | None, home: Path | None) -> None:
    """Store the batch FILE of a crowd service as judgements of the round STUDY.

    Workers are stored under pseudonyms. Rows that cannot be read are reported with their line;
    rejected assignments are left out. The same file again adds nothing.
    """
    found = advice_round(load_study(study))
    batch = read_batch(file)
    where = existing_home(study, home, first=f"Open the rating first (palaver advice run {study})")
    store = Store(where.database_url)
    try:
        done = import_batch(
            store,
            found,
            batch,
            file=file.name,
            salt=salt or default_salt(store),
            now=time.time(),
        )
    finally:
        store.close()
    _tell(sorted([*batch.problems, *done.problems], key=lambda each: each.line))
    click.echo(
        f"Added {counted(done.judgements, 'judgement')} of {counted(len(done.raters), 'rater')}."
    )
    if done.already:
        click.echo(f"Already there: {counted(done.already, 'judgement')}.")
    if batch.rejected:
        click.echo(f"Left out: {counted(batch.rejected, 'rejected assignment')}.")
    left = batch.rows - batch.rejected - done.judgements - done.already
    if left:
        click.echo(f"Left out: {counted(left, 'row')} that could not be read or placed, see above.")


def _tell(problems: Sequence[Problem]) -> None:
    for problem in problems[:MOST_TOLD]:
        click.echo(f"{problem.file}:{problem.line}: {problem.message}", err=True)
    if len(problems) > MOST_TOLD:
        click.echo(f"… and {len(problems) - MOST_TOLD:,} more.", err=True)
