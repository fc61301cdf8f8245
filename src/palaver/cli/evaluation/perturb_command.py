"""`palaver perturb`: variants of a data set, to see whether a model's answers hold."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import click

from palaver.cli import options
from palaver.cli.evaluation.home import FileOrAddress, at_home, existing, if_there
from palaver.cli.evaluation.model_choice import called_task
from palaver.cli.evaluation.perturb_samples import sample_lines
from palaver.cli.options import HOME, JSON, OUT_FILE, OVERWRITE
from palaver.cli.output import print_json, table_text
from palaver.core.clock import WallClock
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.dataset_names import MOST_NAME, checked_name, normal_name
from palaver.core.evaluation.datasets import AddedDataset, Kind, Perturbed
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.variant_counts import share_covered
from palaver.core.serial import plain
from palaver.core.tasks import Task
from palaver.core.words import counted, percent
from palaver.evaluation.datasets import find_dataset, list_datasets
from palaver.evaluation.datasets.sources import fetched, is_address
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.perturbations import (
    KINDS,
    Layout,
    chosen_perturbations,
    known_perturbations,
    layout_of,
)
from palaver.evaluation.perturbations.perturbed_datasets import register_variants, stored_records
from palaver.evaluation.perturbations.perturbed_files import perturb_records
from palaver.evaluation.perturbations.records import TEXT, TURNS, read_input
from palaver.evaluation.tasks import ensure_task, find_task

SAMPLES = 5


@click.command("perturb")
@click.argument("file", type=FileOrAddress(), required=False)
@click.option("--task", metavar="TASK", help="The task of the items: its name or its file.")
@click.option("--kind", type=click.Choice(KINDS), help="What the variants test.")
@options.seed("The same seed makes the same variants.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="This perturbation only, or module:function of your own; may be given several times.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME",
    help="Change this field, instead of those the task names; may be given several times.",
)
@options.output(
    "The file to write. Default: KIND-NAME.jsonl, beside FILE or here.", OUT_FILE, metavar="FILE"
)
@OVERWRITE
@click.option(
    "--dataset",
    metavar="NAME",
    help="With FILE: what its data set is registered as. Without: the stored data set to perturb.",
)
@click.option(
    "--register",
    is_flag=True,
    help="Register the variants beside their data set and evaluate its models.",
)
@HOME
@click.option("--engine", metavar="E", help="Where to work: local, dask://…, ray://…")
@click.option(
    "--sample",
    "samples",
    type=click.IntRange(0),
    default=SAMPLES,
    show_default=True,
    metavar="N",
    help="How many variants to show.",
)
@click.option("--list", "list_them", is_flag=True, help="List the perturbations and stop.")
@JSON
def command(
    file: str | None,
    task: str | None,
    kind: Kind | None,
    seed: int,
    only: tuple[str, ...],
    fields: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    dataset: str | None,
    register: bool,
    home: Path | None,
    engine: str | None,
    samples: int,
    list_them: bool,
    as_json: bool,
) -> None:
    """Make variants of items that should not change a model's answers.

    FILE is a data set in any known format, dialogues, or lines of text (.txt): a file, or an
    http(s):// or s3:// address. Without FILE the stored data set --dataset of --task is perturbed.
    """
    if list_them:
        _list(kind, as_json=as_json)
        return
    if file is None and dataset is not None and is_address(dataset):
        file, dataset = dataset, None
    if kind is None or (file is None and dataset is None):
        raise click.UsageError("Give FILE, or --task and --dataset, and --kind; or --list.")
    chosen = _called(task, home)
    if file is None and chosen is None:
        raise click.UsageError(f"Which task has the data set '{dataset}'? Give --task, or a FILE.")
    dataset = dataset and checked_name(dataset)
    parent = dataset or _registered_as(chosen, str(file), home) or _data_name(str(file))
    if register:
        _check_parent(chosen, parent, file, home)
    layout = _layout(chosen, kind, fields, file or "")
    names = [name for name, _ in chosen_perturbations(kind, only, folder=Path.cwd())]
    target = output or _place(file, kind, parent)
    if target.exists() and not overwrite:
        raise InputError(f"{target} already exists. Use --overwrite, or another file with -o.")
    records = _records(file, layout, chosen, parent, home)
    done = perturb_records(
        records,
        layout,
        names,
        target,
        kind=kind,
        seed=seed,
        folder=Path.cwd(),
        engine=engine,
        samples=samples,
    )
    next_command = _next_command(chosen, done, parent)
    if not as_json:
        _say(done, None if register else next_command)
    if register and chosen is not None and done.variants:
        done = replace(done, registered=_register(chosen, done, parent, home, quiet=as_json))
    if as_json:
        print_json({**plain(done), "command": next_command})
    has_failed = done.registered is not None and "failed" in done.registered.states.values()
    if has_failed or (register and not done.variants):
        sys.exit(1)


def _list(kind: Kind | None, *, as_json: bool) -> None:
    found = known_perturbations(kind)
    if as_json:
        print_json({"perturbations": found})
        return
    rows = [("perturbation", "kind", "changes", "what it does")]
    rows += [
        (each.name, each.kind, each.level, each.about)
        for group in KINDS
        for each in found
        if each.kind == group
    ]
    click.echo(table_text(rows))


def _called(name: str | None, home: Path | None) -> Task | None:
    return None if name is None else called_task(name, home=home)


def _records(
    file: str | None, layout: Layout, task: Task | None, dataset: str, home: Path | None
) -> list[dict[str, Any]]:
    """The items of a file, of an address, or of a stored data set."""
    if file is not None:
        with fetched([file]) as (source,):
            return read_input(source, layout, task)
    assert task is not None
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: find_task(c, task.name))
        return stored_records(opened, row, task, dataset)


def _place(file: str | None, kind: Kind, dataset: str) -> Path:
    """Where variants are written: beside a file, else in the current folder."""
    if file is None or is_address(file):
        return Path(f"{kind}-{_stem(file) if file else dataset}.jsonl")
    return Path(file).with_name(f"{kind}-{_stem(file)}.jsonl")


def _layout(task: Task | None, kind: Kind, fields: Sequence[str], file: str) -> Layout:
    if task is not None:
        layout = layout_of(task, fields)
    elif kind == "dialogue":
        layout = Layout(turns=(fields[0] if fields else TURNS,))
    elif fields or ".txt" in PurePosixPath(file).suffixes:
        layout = Layout(texts=tuple(fields) or (TEXT,))
    else:
        raise InputError(
            "Which texts may be changed? Name the task with --task, or the fields with --field."
        )
    if kind == "dialogue" and not layout.turns:
        raise InputError(
            f"Task '{task.name if task else ''}' has no dialogue among its fields: perturbations "
            "of kind dialogue need a field of type turns."
        )
    return layout


def _stem(file: str) -> str:
    name = unquote(urlsplit(file).path) if is_address(file) else file
    return PurePosixPath(name).name.removesuffix(".gz").rsplit(".", 1)[0]


def _data_name(file: str) -> str:
    """A name that a data set may have, after the file."""
    return normal_name(_stem(file))[:MOST_NAME].strip("-") or "data"


def _registered_as(task: Task | None, file: str, home: Path | None) -> str | None:
    """The data set that was read from this file, if none is called after it."""
    if task is None:
        return None
    with if_there(home) as opened:
        if opened is None:
            return None
        try:
            stored = opened.store.read_now(lambda c: list_datasets(c, find_task(c, task.name).id))
        except UnknownNameError:
            return None
    if any(each.name == _data_name(file) for each in stored):
        return None
    mine = [each.name for each in stored if _same(each.source, file)]
    return mine[-1] if mine else None


def _same(one: str, other: str) -> bool:
    return one == other or Path(one).resolve() == Path(other).resolve()


def _check_parent(task: Task | None, parent: str, file: str | None, home: Path | None) -> None:
    """Find out before the work whether the result can be registered."""
    if task is None:
        raise click.UsageError("--register needs --task.")
    add = at_home(f"palaver dataset add {task.name} {parent} {shlex.quote(file or 'FILE')}")
    with existing(home) as opened:
        now = WallClock().now()
        row = opened.store.write_now(lambda c: ensure_task(c, task.name, now=now))
        try:
            opened.store.read_now(lambda c: find_dataset(c, row.id, parent))
        except UnknownNameError as error:
            raise UnknownNameError(
                f"{error} Variants are registered beside the data set they were made from. Add it "
                f"first ({add}), or name it with --dataset."
            ) from error


def _register(
    task: Task, done: Perturbed, parent: str, home: Path | None, *, quiet: bool
) -> AddedDataset:
    """Register the variants and evaluate every model on them; what came of it."""
    now = WallClock().now()
    with existing(home) as opened:
        row = opened.store.write_now(lambda c: ensure_task(c, task.name, now=now))
        added = register_variants(opened, row, task, done, parent=parent, now=now)
        if not quiet:
            due = f"{counted(len(added.runs), 'run')} due" if added.runs else "no run is due"
            click.echo(f"Registered as {added.name}, version {added.version}; {due}.")
        say = partial(click.echo, err=quiet)
        runs: list[Run] = []
        if added.due:
            runs = work_through(opened, runs=added.due, echo=say, stream=sys.stderr)
    failed = [run for run in runs if run.state == "failed"]
    if not quiet:
        for each in failed:
            click.echo(f"{each.title} failed: {each.reason}")
        show = at_home(f"palaver dataset show {task.name} {added.name}")
        click.echo(f"\nNext: {show}")
    return replace(added, states={run.model: run.state for run in runs})


def _next_command(task: Task | None, done: Perturbed, parent: str) -> str | None:
    if task is None:
        return None
    words = ["palaver", "dataset", "add", task.name, f"{done.kind}-{parent}", done.output]
    words += ["--parent", parent, "--kind", done.kind]
    return at_home(shlex.join(words))


def _say(done: Perturbed, next_command: str | None) -> None:
    click.echo(
        f"{counted(done.originals, 'original')}, {counted(done.variants, 'variant')} "
        f"for {share_covered(done.with_variants, done.originals)}\n"
    )
    rows = [("perturbation", "variants", "of items", "unchanged", "gold lost")]
    rows += [
        (
            name,
            f"{tally.variants:,}",
            percent(tally.variants / done.originals),
            f"{tally.unchanged:,}",
            f"{tally.gold_lost:,}",
        )
        for name, tally in done.perturbations.items()
    ]
    click.echo(table_text(rows, indent="  "))
    if any(tally.gold_lost for tally in done.perturbations.values()):
        click.echo("  Gold lost: variants left out, because their gold answer would be gone.")
    for warning in done.warnings:
        click.echo(f"  Warning: {warning}.")
    colour = sys.stdout.isatty()
    if done.samples:
        click.echo()
    for sample in done.samples:
        for line in sample_lines(sample, colour=colour):
            click.echo(line)
    click.echo(f"\nWrote {done.output}")
    if not done.variants:
        click.echo("Nothing changed, so there is nothing to register.")
    elif next_command is not None:
        click.echo(f"Register and evaluate it:\n  {next_command}")
