"""`palaver dataset`: add data sets to tasks, list them, look into them."""

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click
from sqlalchemy import Connection

from palaver.cli.evaluation.dataset_add import add
from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.options import HOME, JSON
from palaver.cli.printing import print_json
from palaver.cli.tables import sheet_lines, table_text
from palaver.core.evaluation.datasets import Access, Dataset, DatasetSheet
from palaver.core.tasks import Example
from palaver.core.words import counted, shortened
from palaver.evaluation.datasets import change_dataset, describe_dataset, list_datasets
from palaver.evaluation.tasks import find_task, list_tasks, stored_task
from palaver.formats.datasets.registry import DATASET_READERS

MOST_TAGS = 20
SHOWN = 70


@click.group("dataset")
def command() -> None:
    """Add data sets to a task, list them, look into them."""


command.add_command(add)


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
    header = ("task", "data set", "access", "items", "version", "kind")
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
@JSON
@HOME
def set_(
    task: str,
    name: str,
    access: Access | None,
    about: str | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """Decide what the data set NAME of TASK is for.

    If it now counts, every model of the task is evaluated on it.
    """
    if access is None and about is None:
        raise click.UsageError("Nothing to set. Give --access or --about.")

    def change(connection: Connection) -> Dataset:
        row, now = find_task(connection, task), time.time()
        return change_dataset(connection, row, name, access=access, about=about, now=now)

    with existing(home) as opened:
        dataset = opened.store.write_now(change)
    if as_json:
        print_json(dataset)
        return
    said = f": {dataset.about}" if dataset.about else ""
    click.echo(f"{dataset.task} / {dataset.name} is {dataset.access}{said}")
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
    return [each for row in rows for each in list_datasets(connection, row.id)]


def _row(dataset: Dataset) -> tuple[str, ...]:
    numbers = f"{dataset.items:,}", str(dataset.version)
    return dataset.task, dataset.name, dataset.access, *numbers, dataset.kind or ""


def _sheet(sheet: DatasetSheet, where: str) -> str:
    told = {
        "about": sheet.about,
        "access": sheet.access,
        "source": sheet.source,
        "made of": f"{sheet.parent} ({sheet.kind})" if sheet.parent else "",
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
    return [(str(each.version), f"{each.items:,}", each.digest[:16]) for each in sheet.versions]


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
