"""`palaver model baseline`: what every model of a task should beat, learnt from its data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.evaluation.home import at_home, if_there, opened_home
from palaver.cli.evaluation.model_choice import called_task
from palaver.cli.options import HOME, JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json, table_text, with_interval
from palaver.core.clock import WallClock
from palaver.core.errors import InputError
from palaver.core.evaluation.models import AddedModel
from palaver.core.tasks import Task
from palaver.core.words import counted, measured
from palaver.evaluation.models.outlook import add_model_told
from palaver.evaluation.models.task_baselines import (
    CHECKPOINT,
    TaskBaseline,
    TaskBaselines,
    check_names,
    chosen_examples,
    described,
    make_baselines,
    plan_baselines,
)
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.models.baselines.fitting import chosen_kinds, layout_of, told_unfit
from palaver.models.training.curve import CurveRow
from palaver.models.training.progress import Silence, TerminalProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBaselines:
    """What the command prints as JSON."""

    task: str
    metric: str
    learnt_from: str
    measured_on: str
    baselines: Sequence[TaskBaseline]
    unfit: dict[str, str]
    notes: Sequence[str]
    added: Sequence[AddedModel]


class NotesAndBars(TerminalProgress):
    """What is being made, and a bar for a person; the epochs stand in the curve of each checkpoint."""

    def epoch(self, rows: Sequence[CurveRow], *, epochs: int, watched: str) -> None:
        """Say nothing."""


@click.command("baseline")
@click.argument("task")
@click.option(
    "--data",
    metavar="WHAT",
    help="What they learn from: a data set of the task, or a file. Default: the first data set that "
    "is not hidden, those that do not count on the board first.",
)
@click.option(
    "--test",
    metavar="WHAT",
    help="What they are measured on: a data set, or a file. Default: a tenth that is taken out.",
)
@click.option(
    "--only",
    metavar="NAMES",
    help="Only these, separated by commas: majority, return-context, ngrams, averages.",
)
@click.option("--add", "is_added", is_flag=True, help="Add each to the task as a model.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where they are trained.",
)
@options.output(
    "A folder of checkpoints. Default: TASK-baselines, here.", OUT_FOLDER, metavar="FOLDER"
)
@OVERWRITE
@options.seed()
@JSON
@HOME
def baseline(
    task: str,
    data: str | None,
    test: str | None,
    only: str | None,
    is_added: bool,
    device: str,
    output: Path | None,
    overwrite: bool,
    seed: int,
    as_json: bool,
    home: Path | None,
) -> None:
    """Make the baselines that fit TASK, and measure them.

    Each becomes a checkpoint with a card. TASK is the name of a task, or its YAML file.
    """
    called = called_task(task, home=home)
    names = [name.strip() for name in only.split(",")] if only else []
    # What does not fit is said before anything is read.
    chosen_kinds(layout_of(called), names)
    with if_there(home) as opened:
        plan = plan_baselines(
            called,
            chosen_examples(opened, called, data),
            test=None if test is None else chosen_examples(opened, called, test),
            only=names,
        )
        if is_added and opened is not None:
            check_names(opened, called, plan.kinds)
    folder = output or Path(f"{called.name}-baselines")
    progress = Silence() if as_json else NotesAndBars()
    made = list(
        make_baselines(
            plan, folder, seed=seed, device=device, overwrite=overwrite, progress=progress
        )
    )
    kept = [each for each in made if each.checkpoint]
    if not kept:
        raise InputError(made[0].reason)
    added = _added(called, kept, home) if is_added else []
    if as_json:
        print_json(
            MadeBaselines(
                task=called.name,
                metric=called.performance.key,
                learnt_from=plan.learnt.name,
                measured_on=plan.measured.name,
                baselines=made,
                unfit=dict(plan.unfit),
                notes=plan.notes,
                added=added,
            )
        )
        return
    click.echo(_text(plan, made))
    click.echo(_next(called, folder, kept, added))


def _added(task: Task, made: Sequence[TaskBaseline], home: Path | None) -> list[AddedModel]:
    """Add each baseline as a model of the task, which is stored at its first use."""
    now = WallClock().now()
    with opened_home(home) as opened:
        row = opened.store.write_now(lambda c: ensure_task(c, task.name, now=now))
        return [
            add_model_told(
                opened,
                row,
                stored_task(row),
                name=each.kind,
                kind=CHECKPOINT,
                options={"checkpoint": str(Path(each.checkpoint).resolve())},
                about=described(each.kind),
                now=now,
            )
            for each in made
        ]


def _text(plan: TaskBaselines, made: Sequence[TaskBaseline]) -> str:
    rows = [("baseline", with_interval(plan.task.performance.key), "n", "checkpoint")]
    rows += [
        (each.kind, measured(each.value, each.low, each.high), f"{each.n:,}", each.checkpoint)
        for each in made
        if each.checkpoint
    ]
    lines = [
        f"Learnt from {counted(len(plan.learnt.examples), 'item')} of {plan.learnt.name}, measured on "
        f"{plan.measured.name} ({counted(len(plan.measured.examples), 'item')}).",
        "",
        table_text(rows, whole=(3,)),
    ]
    told = [f"{each.kind}: {_note(each)}" for each in made if each.reason]
    if plan.unfit:
        told.append(f"Not made: {told_unfit(plan.unfit)}.")
    told += [f"Note: {note}" for note in plan.notes]
    return "\n".join([*lines, *(["", *told] if told else [])])


def _note(made: TaskBaseline) -> str:
    if not made.checkpoint:
        return f"not made: {made.reason}"
    return made.reason if made.value is None else f"no interval: {made.reason}"


def _next(
    task: Task, folder: Path, made: Sequence[TaskBaseline], added: Sequence[AddedModel]
) -> str:
    if added:
        names = ", ".join(each.name for each in added)
        evaluate = at_home(f"palaver evaluate {task.name}")
        return f"\nAdded to {task.name}: {names}.\nNext: {evaluate}"
    first = made[0].kind
    add = f"palaver model add {task.name} {first} --kind checkpoint --option checkpoint={folder / first}"
    return f"\nNext: {at_home(add)}"
