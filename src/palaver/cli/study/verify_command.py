"""`palaver verify`: whether anything was changed past Palaver."""

import sys
from pathlib import Path

import click

from palaver.cli.options import HOME, IN_FILE, JSON, STUDY_PATH
from palaver.cli.output import print_json
from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.storage import Store
from palaver.storage.audit.checkpoints import (
    SignedCheckpoint,
    last_checkpoint,
    parse_checkpoint,
    printed_checkpoint,
    read_key,
)
from palaver.storage.audit.verification import Verification, verify
from palaver.studies.home import existing_home


@click.command("verify")
@STUDY_PATH
@click.option(
    "--print-checkpoint",
    "printing",
    is_flag=True,
    help="Print the newest checkpoint, to be kept elsewhere, and verify nothing.",
)
@click.option(
    "--against", type=IN_FILE, metavar="FILE", help="A checkpoint that was printed and kept."
)
@JSON
@HOME
def command(
    path: Path, printing: bool, against: Path | None, as_json: bool, home: Path | None
) -> None:
    """Verify that dialogues, votes and records in the home of the study at PATH are unchanged.

    Exit status 1 if something was changed; the first broken link is named first.
    """
    where = existing_home(path, home)
    key = read_key(where.folder)
    kept = None if against is None else _kept(against)
    store = Store(where.database_url)
    try:
        if printing:
            newest = store.read_now(last_checkpoint)
            if newest is None:
                raise InputError(
                    "There is no checkpoint yet. A server signs one within a minute: palaver serve"
                )
            click.echo(printed_checkpoint(newest))
            return
        found = store.read_now(lambda c: verify(c, key, against=kept))
    finally:
        store.close()
    if as_json:
        print_json(found)
    else:
        _say(found, key, kept)
    sys.exit(0 if found.holds else 1)


def _kept(file: Path) -> SignedCheckpoint:
    return parse_checkpoint(file.read_text(encoding="utf-8"))


def _say(found: Verification, key: bytes | None, kept: SignedCheckpoint | None) -> None:
    for each in found.breaks:
        click.echo(f"BROKEN  {each}")
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds.items() if count)
    verdict = "holds" if found.holds else "does NOT hold"
    click.echo(f"The audit trail {verdict}.")
    click.echo(
        f"{counted(found.links, 'link')} in {counted(found.chains, 'chain')}, with "
        f"{counted(found.checkpoints, 'checkpoint')}{f': {kinds}' if kinds else ''}."
    )
    if key is None:
        click.echo("The home has no palaver.key: that checkpoints are its own was not checked.")
    elif found.foreign:
        click.echo(f"{counted(found.foreign, 'checkpoint')} of other keys: not checked here.")
    if found.signed < found.links:
        unsigned = found.links - found.signed
        click.echo(f"Not signed yet: {counted(unsigned, 'link')}; a server signs every minute.")
    if kept is not None and found.holds:
        click.echo(
            f"Checkpoint {kept.content.number}, which was kept, is the one that stands here."
        )
