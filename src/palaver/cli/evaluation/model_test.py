"""`palaver model test`: ask a model the probes of its task and explain what it does wrong."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from palaver.cli.evaluation.model_choice import KIND, OPTIONS, URL, called_task, chosen_model
from palaver.cli.options import HOME, IN_FILE, IN_PATH, JSON
from palaver.cli.output import json_line, print_json, table_lines
from palaver.core.errors import InputError
from palaver.core.tasks import Task
from palaver.core.words import counted
from palaver.evaluation.models.probes import Probe, make_probes
from palaver.evaluation.models.trial import Trial, Violation, try_model
from palaver.formats.datasets.records import read_records
from palaver.systems.build import build_predictor
from palaver.systems.images import embed_images
from palaver.systems.signatures import secret_of_environment

LONGEST = 600
LONGEST_TEXT = 80


@click.command("test")
@click.argument("path", type=IN_PATH, required=False)
@click.option(
    "--task",
    "task_name",
    metavar="TASK",
    help="A task: its name, or its YAML file. Default: what model.yaml says.",
)
@URL
@KIND
@OPTIONS
@click.option(
    "--data",
    type=IN_FILE,
    help="Ask the first records of this JSONL file too.",
)
@click.option(
    "--records",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many records of --data.",
)
@JSON
@HOME
def test(
    path: Path | None,
    task_name: str | None,
    url: str | None,
    kind: str | None,
    options: tuple[str, ...],
    data: Path | None,
    records: int,
    as_json: bool,
    home: Path | None,
) -> None:
    """Ask a model the probes of its task.

    The model is at PATH (a folder or YAML file) or at --url. Exit status 1 if a check fails.
    With MY_SECRET in the environment answers must be signed.
    """
    described = chosen_model(path, url=url, kind=kind, options=options)
    name = task_name or described.task
    if not name:
        raise click.UsageError("Which task? Give --task TASK, or 'task: TASK' in model.yaml.")
    task = called_task(name, home=home, folder=described.folder)
    probes = [*make_probes(task), *(_records(task, data, records) if data else ())]
    images = [each.name for each in task.asked if each.kind == "image"]
    folder = data.parent if data else described.folder
    trial = asyncio.run(
        try_model(
            build_predictor(described.kind, described.options, folder=described.folder),
            task,
            probes,
            secret=secret_of_environment() or "",
            prepare=partial(embed_images, names=images, folder=folder) if images else None,
        )
    )
    if as_json:
        # A handler may have returned anything.
        print_json(msgspec.to_builtins(trial.as_json(), enc_hook=repr))
    else:
        click.echo(
            f"{described.kind} model on the task {task.name}: {counted(len(probes), 'probe')}"
        )
        click.echo(_text(trial))
        if not trial.violations and path is not None:
            click.echo(f"\nNext: palaver model add {task.name} NAME {path}")
    if trial.violations:
        sys.exit(1)


def _records(task: Task, data: Path, number: int) -> list[Probe]:
    """The first records of a file as probes."""
    probes = []
    for line, record in islice(read_records(data, str(data)), number):
        try:
            probes.append(Probe(f"line-{line}", task.read_example(record)))
        except InputError as error:
            raise InputError(f"{data}:{line}: {error}") from error
    return probes


def _text(trial: Trial) -> str:
    wrong = {name for each in trial.violations for name in each.probe.split(", ")}
    ready = trial.ready_seconds
    lines = ["It did not start." if ready is None else f"Ready after {ready:.2f} s."]
    rows = [("probe", "state", "milliseconds")]
    for each in trial.tried:
        state = "wrong" if each.probe in wrong else "ok"
        rows.append((each.probe, state, f"{1000 * each.seconds:,.1f}"))
    lines += ["", *table_lines(rows, indent="  ")] if trial.tried else []
    for violation, again in _grouped(trial.violations):
        lines += ["", *_violation(violation, again)]
    lines += ["", *(f"Note: {note}" for note in trial.notes)]
    if trial.seconds is not None:
        memory = "" if trial.memory is None else f", {trial.memory:.2f} GiB of memory"
        lines.append(f"Median time per answer {1000 * trial.seconds:.1f} ms{memory}.")
    count = len(trial.violations)
    lines.append(f"{counted(count, 'violation')}." if count else "Everything is fine.")
    return "\n".join(lines)


def _grouped(violations: Sequence[Violation]) -> list[tuple[Violation, list[str]]]:
    """Each kind of violation once, with the further probes that showed it."""
    found: dict[tuple[str, str], tuple[Violation, list[str]]] = {}
    for violation in violations:
        kind = (violation.problem.partition(": ")[2], violation.mend)
        if kind in found:
            found[kind][1].append(violation.probe)
        else:
            found[kind] = (violation, [])
    return list(found.values())


def _violation(violation: Violation, again: list[str]) -> list[str]:
    same = [f"  the same  {', '.join(again)}"] if again else []
    told = [("sent", violation.sent), ("got", violation.got), ("expected", violation.expected)]
    return [
        f"{violation.probe}: {violation.problem}",
        *(f"  {label:9} {_shown(value)}" for label, value in told if value is not None),
        f"  fix       {violation.mend}",
        *same,
    ]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json_line(_cut(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


def _cut(value: Any) -> Any:
    """The value with long texts cut, so that every field of a question can be seen."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value):,} characters)"
    if isinstance(value, Mapping):
        return {key: _cut(each) for key, each in value.items()}
    return [_cut(each) for each in value] if isinstance(value, list) else value
