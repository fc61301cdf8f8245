"""`palaver erase`: erase what somebody gave in a study."""

import time
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, JSON, STUDY_PATH
from palaver.cli.output import print_json
from palaver.cli.study.stored_study import chosen_study
from palaver.core.audit import COMMAND
from palaver.core.words import counted
from palaver.storage import Store
from palaver.studies.home import existing_home
from palaver.studies.run.erasure import OUT_OF_REACH, ErasedPerson, erase_stored


@click.command("erase")
@STUDY_PATH
@click.argument("who")
@options.study()
@click.option(
    "--entirely",
    is_flag=True,
    help="Forget even the keyed hash of their id: they could take part anew.",
)
@click.option("--yes", is_flag=True, help="Do not ask first.")
@HOME
@JSON
def command(
    path: Path,
    who: str,
    study: str | None,
    entirely: bool,
    yes: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Erase what WHO gave in the study at PATH, and who they are.

    WHO is a name such as P07, a key, or the panel's id. This is what withdrawing does: messages,
    answers, reports and ids become empty, and a record of it stays. It cannot be undone.
    """
    if as_json and not yes:
        raise click.UsageError("--json does not ask: add --yes.")
    where = existing_home(path, home)
    store = Store(where.database_url)
    try:
        chosen = chosen_study(store, path, study)
        if not yes:
            click.confirm(
                f"Erase everything that '{who}' gave in '{chosen.definition.name}'? "
                "This cannot be undone.",
                abort=True,
            )
        erased = store.write_now(
            lambda c: erase_stored(
                c,
                chosen.id,
                chosen.definition,
                who,
                now=time.time(),
                actor=COMMAND,
                entirely=entirely,
            )
        )
        store.scrub_now()
    finally:
        store.close()
    if as_json:
        print_json(erased)
        return
    for line in _told(erased):
        click.echo(line)
    if where.addresses():
        click.echo(
            "A server is running here: conversations that are open in it are cleared when they "
            "are next written to. To have that at once, erase at its desk.",
            err=True,
        )


def _told(erased: ErasedPerson) -> list[str]:
    who = erased.name or "This person"
    if erased.visits:
        first = (
            f"Erased {counted(erased.visits, 'visit')} of {who} to '{erased.study}': "
            f"{counted(erased.events, 'event')} and {counted(erased.labels, 'answer')}."
        )
    else:
        first = f"{who} had been erased from '{erased.study}' before."
    hashed = (
        "A keyed hash of their id stays, so that nobody takes part twice; --entirely forgets it."
        if erased.remembered
        else "Nothing is left by which they could be recognised."
    )
    return [first, hashed, OUT_OF_REACH]
