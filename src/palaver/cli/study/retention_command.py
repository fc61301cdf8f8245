"""`palaver retention`: what a study promised to delete, and deleting it."""

import time
from dataclasses import dataclass
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, JSON, STUDY_PATH
from palaver.cli.output import print_json, table_text
from palaver.cli.study.stored_study import chosen_study, stored_studies
from palaver.core.audit import COMMAND
from palaver.storage import Store
from palaver.studies.file.terms import Retention
from palaver.studies.home import existing_home
from palaver.studies.run.erasure import OUT_OF_REACH
from palaver.studies.run.retention import StudyRetention, apply, due

DAYS = click.IntRange(min=1, max=1_000_000)


@dataclass(frozen=True, slots=True)
class RetentionList:
    """What is due in each study, or was deleted."""

    studies: list[StudyRetention]


@click.command("retention")
@STUDY_PATH
@options.study("One study of several. Default: all.")
@click.option("--ids", type=DAYS, metavar="DAYS", help="Instead of what the study file says.")
@click.option("--words", type=DAYS, metavar="DAYS", help="Instead of what the study file says.")
@click.option("--standing", type=DAYS, metavar="DAYS", help="Instead of what the study file says.")
@click.option("--apply", "applies", is_flag=True, help="Delete it. This cannot be undone.")
@HOME
@JSON
def command(
    path: Path,
    study: str | None,
    ids: int | None,
    words: int | None,
    standing: int | None,
    applies: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Show what the study at PATH is due to delete; with --apply, delete it.

    Days count from the end of each visit. A server does the same when it starts and once a day.
    """
    store = Store(existing_home(path, home).database_url)
    try:
        now = time.time()
        chosen = [chosen_study(store, path, study)] if study else stored_studies(store, path)
        found = []
        for each in chosen:
            said = each.definition.retention
            terms = Retention(
                ids=ids or said.ids, words=words or said.words, standing=standing or said.standing
            )
            if applies:
                found.append(apply(store, each.id, each.definition, terms, now=now, actor=COMMAND))
            else:
                definition = each.definition
                found.append(
                    store.read_now(
                        lambda c, i=each.id, d=definition, t=terms: due(c, i, d, t, now=now)  # type: ignore[misc]
                    )
                )
    finally:
        store.close()
    if as_json:
        print_json(RetentionList(found))
        return
    rows = [("study", "visits with ids", "visits with words", "hashes")]
    rows += [(e.study, _cell(e.ids), _cell(e.words), _cell(e.standing)) for e in found]
    click.echo("Deleted:" if applies else "Due to be deleted:")
    click.echo(table_text(rows))
    if all(e.ids is e.words is e.standing is None for e in found):
        click.echo("Nothing has a time: say 'retention' in the study file, or give days here.")
    elif applies:
        click.echo(OUT_OF_REACH)
    elif not all(e.is_empty for e in found):
        click.echo("Delete it with --apply.")


def _cell(count: int | None) -> str:
    return "kept" if count is None else f"{count:,}"
