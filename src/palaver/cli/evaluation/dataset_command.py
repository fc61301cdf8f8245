"""`palaver dataset`: add data sets to tasks, list them, look into them."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from sqlalchemy import Connection

from palaver.cli.evaluation.home import FileOrAddress, at_home, due_line, existing, opened_home
from palaver.cli.options import HOME, IN_FILE, JSON
from palaver.cli.output import print_json, sheet_lines, table_text
from palaver.core.clock import WallClock
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset, DatasetSheet
from palaver.core.evaluation.runs import Run
from palaver.core.tasks import Example
from palaver.core.words import counted, shortened
from palaver.evaluation.challenges.gold import plan_and_tell
from palaver.evaluation.datasets import add_dataset, change_dataset, describe_dataset, list_datasets
from palaver.evaluation.datasets.normal_form import load_function
from palaver.evaluation.datasets.sources import folder_of
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.tasks import ensure_task, find_task, list_tasks, stored_task
from palaver.formats.datasets.mapping import FieldMap, parse_field_map, read_field_map
from palaver.formats.datasets.registry import DATASET_READERS

MOST_TAGS = 20
SHOWN = 70

ROUND = click.option(
    "--round", type=int, metavar="N", help="The round of the task it was collected in; 0: none."
)


@click.group("dataset")
def command() -> None:
    """Add data sets to a task, list them, look into them."""


@command.command("add")
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
@ROUND
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
    round: int | None,
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
            round=round,
            parent=parent,
            kind=kind,
            function=function,
            now=now,
            plan=plan_and_tell,
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


@command.command("list")
@click.argument("task", required=False)
@JSON
@HOME
def list_(task: str | None, as_json: bool, home: Path | None) -> None:
    """List the data sets of TASK, or of every task."""
    with existing(home) as opened:
        found = opened.store.read_now(partial(_datasets, task=task))
    if as_json:
        print_json(found)
        return
    if not found:
        add = at_home(f"palaver dataset add {task or 'TASK'} NAME FILE")
        click.echo(f"No data sets yet. Add one: {add}")
        return
    header = ("task", "data set", "access", "items", "version", "kind", "round")
    click.echo(table_text([header, *map(_row, found)]))


@command.command("show")
@click.argument("task")
@click.argument("name")
@JSON
@HOME
def show(task: str, name: str, as_json: bool, home: Path | None) -> None:
    """Show what is in the data set NAME of TASK: versions, labels, tags, a sample."""
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: find_task(c, task))
        sheet = describe_dataset(opened, row, stored_task(row), name)
        where = opened.objects.url
    if as_json:
        print_json(sheet)
    else:
        click.echo(_sheet(sheet, where))


@command.command("set")
@click.argument("task")
@click.argument("name")
@click.option(
    "--access",
    type=click.Choice(["scoring", "standard", "hidden"]),
    help="On the board, on the model's page only, or hidden.",
)
@click.option("--about", help="What the data set is, in a sentence.")
@ROUND
@JSON
@HOME
def set_(
    task: str,
    name: str,
    access: Access | None,
    about: str | None,
    round: int | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """Decide what the data set NAME of TASK is for.

    If it now counts, every model of the task is evaluated on it.
    """
    if access is None and about is None and round is None:
        raise click.UsageError("Nothing to set. Give --access, --about or --round.")

    def change(connection: Connection) -> Dataset:
        row, now = find_task(connection, task), time.time()
        return change_dataset(
            connection, row, name, access=access, about=about, round=round, now=now
        )

    with existing(home) as opened:
        dataset = opened.store.write_now(change)
    if as_json:
        print_json(dataset)
        return
    said = f": {dataset.about}" if dataset.about else ""
    of = f", of round {dataset.round}" if dataset.round else ""
    click.echo(f"{dataset.task} / {dataset.name} is {dataset.access}{of}{said}")
    if access == "scoring":
        click.echo("Next: " + at_home(f"palaver evaluate {dataset.task}"))


@command.command("readers")
@JSON
def readers(as_json: bool) -> None:
    """List the formats that can be read."""
    found = [DATASET_READERS.get(name) for name in DATASET_READERS.names()]
    if as_json:
        listed = [
            {"reader": each.name, "title": each.title, "tasks": each.tasks, "about": each.about}
            for each in found
        ]
        print_json(listed)
        return
    rows = [(each.name, ", ".join(each.tasks) or "any", each.about) for each in found]
    click.echo(table_text([("reader", "task", "what it reads"), *rows]))


def _datasets(connection: Connection, task: str | None) -> list[Dataset]:
    rows = list_tasks(connection) if task is None else [find_task(connection, task)]
    return [dataset for row in rows for dataset in list_datasets(connection, row.id)]


def _row(dataset: Dataset) -> tuple[str, ...]:
    numbers = f"{dataset.items:,}", str(dataset.version)
    round = str(dataset.round or "")
    return dataset.task, dataset.name, dataset.access, *numbers, dataset.kind or "", round


def _sheet(sheet: DatasetSheet, where: str) -> str:
    told = {
        "about": sheet.about,
        "access": sheet.access,
        "round": str(sheet.round or ""),
        "source": sheet.source,
        "made of": f"{sheet.parent} ({sheet.kind})" if sheet.parent else "",
        "covers": (sheet.covers.warning or sheet.covers.words) if sheet.covers else "",
        "function": sheet.function,
        "kept in": f"{where}/{sheet.path}",
    }
    lines = [f"{sheet.task} / {sheet.name}: {counted(sheet.items, 'item')}", *sheet_lines(told)]
    lines += ["", table_text([("version", "items", "digest"), *_versions(sheet)])]
    for name, counts in sheet.labels.items():
        lines += ["", *_counts(name, counts)]
    if sheet.tags:
        lines += ["", *_counts("tag", sheet.tags)]
    return "\n".join([*lines, "", "The first items", *map(_item, sheet.examples)])


def _versions(sheet: DatasetSheet) -> list[tuple[str, ...]]:
    return [
        (str(version.version), f"{version.items:,}", version.digest[:16])
        for version in sheet.versions
    ]


def _counts(name: str, counts: Mapping[str, int]) -> list[str]:
    rows = [(key, f"{count:,}") for key, count in list(counts.items())[:MOST_TAGS]]
    more = len(counts) - len(rows)
    return [table_text([(name, "items"), *rows]), *([f"… and {more:,} more"] if more else [])]


def _item(example: Example) -> str:
    parts = [f"  {example.uid}"]
    for name, value in example.values.items():
        text = " ".join(str(value).split())
        parts.append(f"    {name}: {shortened(text, SHOWN)}")
    return "\n".join(parts)


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
    lines += [f"  Warning: {warning}" for warning in added.warnings]
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
