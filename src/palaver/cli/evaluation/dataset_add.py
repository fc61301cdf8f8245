"""`palaver dataset add`: check a data set, keep it, and evaluate every model of its task on it."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from palaver.cli.evaluation.home import FileOrAddress, at_home, due_line, opened_home
from palaver.cli.options import HOME, IN_FILE, JSON
from palaver.cli.printing import print_json
from palaver.core.clock import WallClock
from palaver.core.evaluation.datasets import Access, AddedDataset
from palaver.core.evaluation.runs import Run
from palaver.core.words import counted
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.datasets.converter import load_function
from palaver.evaluation.datasets.sources import folder_of
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.formats.datasets.mapping import FieldMap, parse_field_map, read_field_map


@click.command("add")
@click.argument("task")
@click.argument("name")
@click.argument("sources", nargs=-1, required=True, type=FileOrAddress(), metavar="FILE_OR_URL...")
@click.option("--reader", metavar="FORMAT", help="The format. Default: recognised from the file.")
@click.option("--map", "maps", multiple=True, metavar="FIELD=KEY", help="Which key is a field.")
@click.option(
    "--value", "values", multiple=True, metavar="FIELD.VALUE=LABEL", help="What a value means."
)
@click.option("--tag", "tags", multiple=True, metavar="TITLE=KEY", help="A key to turn into a tag.")
@click.option("--mapping", type=IN_FILE, metavar="FILE", help="The same as a YAML file.")
@click.option("--convert", metavar="MODULE:FUNCTION", help="A function that converts a record.")
@click.option(
    "--access",
    type=click.Choice(["scoring", "standard", "hidden"]),
    help="On the board, on the model's page only, or hidden. Default: scoring.",
)
@click.option("--about", help="What the data set is, in a sentence.")
@click.option("--parent", metavar="NAME", help="The data set that these are variants of.")
@click.option("--kind", metavar="KIND", help="How they vary: fairness, robustness or dialogue.")
@click.option("--function", metavar="MODULE:FUNCTION", help="Its own evaluation function.")
@click.option("--later", is_flag=True, help="Leave the runs to the server or palaver evaluate.")
@JSON
@HOME
def add(
    task: str,
    name: str,
    sources: tuple[str, ...],
    reader: str | None,
    maps: tuple[str, ...],
    values: tuple[str, ...],
    tags: tuple[str, ...],
    mapping: Path | None,
    convert: str | None,
    access: Access | None,
    about: str | None,
    parent: str | None,
    kind: str | None,
    function: str | None,
    later: bool,
    as_json: bool,
    home: Path | None,
) -> None:
    """Add the data set NAME to TASK and evaluate every model of the task on it.

    It is a file, an http(s):// or s3:// address, or several files of one data set.
    """
    fields = _mapping(maps, values, tags, mapping)
    own = None if convert is None else load_function(convert, folder=folder_of(sources[0]))
    with opened_home(home) as opened:
        now = WallClock().now()
        row = opened.store.write_now(lambda c: ensure_task(c, task, now=now))
        added = add_dataset(
            opened,
            row,
            stored_task(row),
            name=name,
            source=sources,
            reader=reader,
            mapping=fields or None,
            convert=own,
            access=access,
            about=about,
            parent=parent,
            kind=kind,
            function=function,
            now=now,
        )
        if not as_json:
            click.echo(_text(opened, added))
        done: list[Run] = []
        if added.due and not later:
            say = partial(click.echo, err=as_json)
            done = work_through(opened, runs=added.due, echo=say, stream=sys.stderr)
        if as_json:
            print_json(replace(added, states={each.model: each.state for each in done}))
        else:
            click.echo(_outcome(added, done, later=later))
    if any(each.state == "failed" for each in done):
        sys.exit(1)


def _mapping(
    maps: Sequence[str], values: Sequence[str], tags: Sequence[str], file: Path | None
) -> FieldMap:
    if file is None:
        return parse_field_map(maps, values, tags)
    if maps or values or tags:
        raise click.UsageError("Give --mapping or --map, --value and --tag, not both.")
    return read_field_map(file)


def _text(home: EvaluationHome, added: AddedDataset) -> str:
    named = f"{added.name}, version {added.version}"
    lines = [
        f"Added {named} to {added.task}: {counted(added.items, 'item')} checked."
        if added.is_new
        else f"{named} of {added.task} already has this content; nothing new was stored."
    ]
    lines.append(f"  read as  {added.reader}")
    lines.append(f"  digest   {added.digest[:16]}")
    lines.append(f"  kept in  {home.objects.url}/{added.path}")
    lines += [f"  Note: {note}" for note in added.warnings]
    lines.append(due_line(added.due, side="model", none="No model to evaluate now."))
    return "\n".join(lines)


def _outcome(added: AddedDataset, done: Sequence[Run], *, later: bool) -> str:
    """What came of the runs, and what to do next."""
    if later and added.due:
        return "\nNext: " + at_home(f"palaver evaluate {added.task}")
    lines = [f"{each.title} failed: {each.reason}" for each in done if each.state == "failed"]
    show = at_home(f"palaver dataset show {added.task} {added.name}")
    lines.append(f"\nNext: {show}")
    return "\n".join(lines)
