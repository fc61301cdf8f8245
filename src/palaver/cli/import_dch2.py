"""`palaver import dch2`: a data set of DCH-2 or DialEval, with what its annotators said."""

import time
from pathlib import Path

import click

from palaver.cli.options import HOME, IN_FILE
from palaver.formats.dch2 import read_dch2
from palaver.storage import Store
from palaver.studies.dialeval import take_in
from palaver.studies.home import find_home


@click.command("dch2")
@click.argument("file", type=IN_FILE)
@click.option(
    "--study", required=True, metavar="NAME", help="The study to store it under; made if new."
)
@HOME
def command(file: Path, study: str, home: Path | None) -> None:
    """Store the dialogues and annotations of FILE, a DCH-2 data set (JSON).

    Dialogues that the study already has are left alone. Annotators become anonymous raters.
    """
    dialogues = read_dch2(file.read_bytes(), name=str(file))
    where = find_home(None, home)
    where.folder.mkdir(parents=True, exist_ok=True)
    store = Store(where.database_url)
    try:
        taken = take_in(store, dialogues, study=study, now=time.time())
    finally:
        store.close()
    click.echo(
        f"Stored {taken.dialogues} dialogues with {taken.labels} labels by {taken.raters} "
        f"anonymous raters in study '{study}'."
    )
    if taken.known:
        click.echo(f"{taken.known} dialogues were already there and were left alone.")
    click.echo(f"Stored in {where.describe()}")
