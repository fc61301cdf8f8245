"""`palaver model add`: register a model, or its predictions, and evaluate it."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from palaver.cli.evaluation.home import at_home, due_line, opened_home
from palaver.cli.evaluation.model_choice import KIND, OPTIONS, URL, chosen_model
from palaver.cli.evaluation.runs_command import results_table
from palaver.cli.options import HOME, IN_PATH, JSON
from palaver.cli.output import log_to_stderr, print_json
from palaver.core.clock import WallClock
from palaver.core.errors import InputError
from palaver.core.evaluation.models import AddedModel
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import plain
from palaver.core.tasks import Task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.models.files import Description
from palaver.evaluation.models.outlook import add_model_told
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.runs.results import with_performance
from palaver.evaluation.tasks import ensure_task, stored_task

Add = Callable[[EvaluationHome, StoredTask, Task, float], AddedModel]


@click.command("add")
@click.argument("task")
@click.argument("name")
@click.argument("path", type=IN_PATH, required=False)
@URL
@KIND
@OPTIONS
@click.option(
    "--predictions",
    multiple=True,
    metavar="DATASET=FILE",
    help="Answers computed elsewhere, one file per scoring data set.",
)
@click.option(
    "--partial", "is_partial", is_flag=True, help="Accept --predictions even if some are missing."
)
@click.option("--about", default="", help="What the model is, in a sentence.")
@click.option("--link", default="", metavar="URL", help="An address with more about it.")
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be given several times."
)
@click.option(
    "--published/--unpublished",
    default=None,
    help="Whether the board shows its name. Default: no.",
)
@click.option("--anonymous", is_flag=True, default=None, help="With --published: hide its team.")
@click.option("--later", is_flag=True, help="Leave the runs to the server or palaver evaluate.")
@JSON
@HOME
def add(
    task: str,
    name: str,
    path: Path | None,
    url: str | None,
    kind: str | None,
    options: tuple[str, ...],
    predictions: tuple[str, ...],
    is_partial: bool,
    about: str,
    link: str,
    tags: tuple[str, ...],
    published: bool | None,
    anonymous: bool | None,
    later: bool,
    as_json: bool,
    home: Path | None,
) -> None:
    """Add the model NAME to TASK and evaluate it.

    It is a folder or YAML file (PATH), an endpoint (--url), or uploaded predictions, and is asked
    every scoring data set of the task.
    """
    told: dict[str, Any] = {
        "about": about,
        "link": link,
        "tags": tags,
        "published": published,
        "anonymous": anonymous,
    }
    if predictions:
        if path is not None or url is not None or kind is not None:
            raise click.UsageError("Give a model or --predictions, not both.")
        adding = _uploading(name, _files(predictions), is_partial, told)
    else:
        described = chosen_model(path, url=url, kind=kind, options=options)
        adding = _describing(name, described, told)
    log_to_stderr(verbose=False)
    with opened_home(home) as opened:
        now = WallClock().now()
        row = opened.store.write_now(lambda c: ensure_task(c, task, now=now))
        added = adding(opened, row, stored_task(row), now)
        if not as_json:
            click.echo(_text(opened, row, added))
        done: list[Run] = []
        if added.due and not later:
            done = work_through(opened, runs=added.due, echo=partial(click.echo, err=True))
        results = opened.store.read_now(lambda c: with_performance(c, done))
        if as_json:
            print_json({**plain(added), "options": added.options, "results": results})
        else:
            if results:
                click.echo(f"\n{results_table(results)}")
            click.echo(_next(row, added, later=later))
    if any(each.state == "failed" for each in done):
        sys.exit(1)


def _describing(name: str, described: Description, told: dict[str, Any]) -> Add:
    given = {key: value for key, value in told.items() if value not in (None, "", ())}
    known = {"about": described.about, "link": described.link, "tags": described.tags}

    def adding(home: EvaluationHome, row: StoredTask, task: Task, now: float) -> AddedModel:
        return add_model_told(
            home,
            row,
            task,
            name=name,
            kind=described.kind,
            options=described.options,
            folder=described.files,
            now=now,
            **{**known, **given},
        )

    return adding


def _uploading(name: str, files: dict[str, Path], is_partial: bool, told: dict[str, Any]) -> Add:
    def adding(home: EvaluationHome, row: StoredTask, task: Task, now: float) -> AddedModel:
        return add_predictions(
            home, row, task, name=name, files=files, partial=is_partial, now=now, **told
        )

    return adding


def _files(given: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for each in given:
        dataset, equals, file = each.partition("=")
        if not equals or not dataset or not file:
            raise click.UsageError(f"--predictions takes DATASET=FILE; got '{each}'.")
        if dataset in found:
            raise click.UsageError(f"--predictions names the data set '{dataset}' twice.")
        if not Path(file).is_file():
            raise InputError(f"There is no file {file} (--predictions {each}).")
        found[dataset] = Path(file)
    return found


def _text(home: EvaluationHome, row: StoredTask, added: AddedModel) -> str:
    named = f"{added.name}, version {added.version} ({added.kind})"
    lines = [
        f"Added {named} to {row.name}."
        if added.is_new
        else f"{named} of {row.name} is already stored with the same options and files."
    ]
    if added.folder:
        lines.append(f"  files  {home.objects.url}/{added.folder}")
    lines.append(f"  state  {home.folder}")
    lines += [f"  Note: {note}" for note in added.notes]
    lines.append(due_line(added.due, side="dataset", none="Nothing to evaluate now."))
    lines += [f"  {told}" for told in (added.outlook.told if added.outlook else ())]
    if not added.published:
        publish = at_home(f"palaver model publish {row.name} {added.name}")
        lines.append(f"  Unpublished: the public board leaves it out. Publish it: {publish}")
    return "\n".join(lines)


def _next(row: StoredTask, added: AddedModel, *, later: bool) -> str:
    if later and added.runs:
        return "\nNext: " + at_home(f"palaver evaluate {row.name}")
    return "\nNext: " + at_home(f"palaver model show {row.name} {added.name}")
