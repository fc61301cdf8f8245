"""`palaver key`: replace the key that signs links and sessions."""

import time
from pathlib import Path

import click

from palaver.cli.options import HOME, STUDY_PATH
from palaver.core.words import counted
from palaver.studies.home import existing_home
from palaver.studies.signing_key import MOST_DAYS, rotate_key


@click.group("key")
def command() -> None:
    """Manage the key that signs links and sessions."""


@command.command("rotate")
@STUDY_PATH
@click.option(
    "--keep-old",
    type=click.IntRange(0, MOST_DAYS),
    default=0,
    show_default=True,
    metavar="DAYS",
    help="Accept links and visits that the old key signed for so many days more.",
)
@HOME
def rotate(path: Path, keep_old: int, home: Path | None) -> None:
    """Sign with a new key from now on; everybody at the desk must sign in again."""
    rotate_key(existing_home(path, home), keep_days=keep_old, now=time.time())
    click.echo("There is a new signing key. Researchers must sign in again.")
    if keep_old:
        click.echo(f"Participants' links and visits go on working for {counted(keep_old, 'day')}.")
    else:
        click.echo("Links that were handed out before no longer work. Make new ones: palaver link")
