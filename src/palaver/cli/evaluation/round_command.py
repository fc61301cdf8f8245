"""`palaver round`: rounds in which people write what models get wrong, from opening to bonuses."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
from sqlalchemy import Connection

from palaver.cli import options
from palaver.cli.evaluation.home import at_home, due_line, existing
from palaver.cli.evaluation.round_words import (
    bonus_rows,
    closed_lines,
    example_lines,
    example_rows,
    imported_lines,
    round_rows,
    sheet_text,
)
from palaver.cli.options import HOME, IN_FILE, IN_PATH, JSON, OUT_FILE
from palaver.cli.output import print_json, table_text
from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Access
from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.rounds.closing import ACCESS, ClosingOptions, close_round
from palaver.evaluation.rounds.contexts import contexts_of_round
from palaver.evaluation.rounds.example_decisions import give_verdict
from palaver.evaluation.rounds.example_list import STATES, Wanted, chosen_examples
from palaver.evaluation.rounds.examples import read_examples, read_written
from palaver.evaluation.rounds.exchange import SHAPES, Shape, export_examples
from palaver.evaluation.rounds.opening import resume_round, stop_round
from palaver.evaluation.rounds.selection import NOTED
from palaver.evaluation.rounds.sheets import round_sheet
from palaver.evaluation.rounds.splits import SHARES, SPLITS
from palaver.evaluation.tasks import ensure_task, find_task, list_tasks
from palaver.storage.evaluation.rounds import find_round, list_rounds
from palaver.studies.file.reader import load_only_study
from palaver.studies.intake.written_rounds import State, import_round
from palaver.studies.run.round_bonuses import bonuses_csv, round_bonuses
from palaver.studies.run.rounds import open_study_round, stored_study_id

T = TypeVar("T")

TASK = click.argument("task")
NUMBER = click.option(
    "--round", "number", type=click.IntRange(min=1), metavar="N", help="Default: the newest round."
)
ACCESSES = click.Choice(["scoring", "standard", "hidden"])


@click.group("round")
def command() -> None:
    """Hold rounds in which people write what the models of a task get wrong."""


@command.command("open")
@click.argument("path", type=IN_PATH)
@HOME
@JSON
def open_command(path: Path, home: Path | None, as_json: bool) -> None:
    """Open the next round of the study at PATH, with the models that its file names.

    The first round of a study is opened by serving it.
    """
    study = load_only_study(path)
    with existing(home) as opened:
        study_id = stored_study_id(opened, study)
        made = open_study_round(opened, study, study_id=study_id, now=time.time(), by=COMMAND)
    if as_json:
        print_json(made)
        return
    models = ", ".join(model.system for model in made.models)
    click.echo(
        f"Round {made.number} of '{made.task}' is open: {counted(made.contexts, 'context')}, against "
        f"{models}."
    )
    click.echo("People write where the study is served: " + at_home(f"palaver serve {path}"))


@command.command("stop")
@TASK
@HOME
@JSON
def stop_command(task: str, home: Path | None, as_json: bool) -> None:
    """Seat nobody more in the running round of TASK; who writes now finishes."""
    stopped = _changed(task, home, stop_round)
    if as_json:
        print_json(stopped)
        return
    click.echo(f"Round {stopped.number} of '{task}' is stopped.")
    click.echo("Next: " + at_home(f"palaver round close {task}"))


@command.command("resume")
@TASK
@HOME
@JSON
def resume_command(task: str, home: Path | None, as_json: bool) -> None:
    """Open the stopped round of TASK again."""
    resumed = _changed(task, home, resume_round)
    if as_json:
        print_json(resumed)
    else:
        click.echo(f"Round {resumed.number} of '{task}' is open.")


@command.command("close")
@TASK
@NUMBER
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="SPLIT=SHARE",
    help="How much goes into train, dev or test, together 1. Default: train=0.6, dev=0.2, test=0.2.",
)
@click.option(
    "--test-access",
    type=ACCESSES,
    default=ACCESS["test"],
    show_default=True,
    help="What the test set is for: the board, models' pages only, or you.",
)
@click.option(
    "--dev-access",
    type=ACCESSES,
    default=ACCESS["dev"],
    show_default=True,
    help="What the dev set is for: the board, models' pages only, or you.",
)
@click.option(
    "--train-access",
    type=ACCESSES,
    default=ACCESS["train"],
    show_default=True,
    help="What the train set is for: the board, models' pages only, or you.",
)
@click.option("--contexts-apart", is_flag=True, help="Keep contexts in one split, too.")
@click.option(
    "--right", is_flag=True, help="Train on what models got right and people confirmed, too."
)
@click.option(
    "--keep",
    "noted",
    multiple=True,
    type=click.Choice(NOTED),
    help="Take examples that were noticed for this; several times.",
)
@click.option("--prefix", default="", metavar="NAME", help="How the data sets' names begin.")
@click.option("--seed", default="", help="What decides by lot. Default: the round's own.")
@click.option("--anyway", is_flag=True, help="Leave out what still waits for judgements.")
@click.option("--later", is_flag=True, help="Leave the runs to the server or palaver evaluate.")
@HOME
@JSON
def close_command(
    task: str,
    number: int | None,
    shares: tuple[str, ...],
    test_access: Access,
    dev_access: Access,
    train_access: Access,
    contexts_apart: bool,
    right: bool,
    noted: tuple[str, ...],
    prefix: str,
    seed: str,
    anyway: bool,
    later: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Make data sets of what was verified in the round of TASK, and evaluate every model on them.

    Nobody who wrote is in two splits. A closed round stays closed.
    """
    chosen = ClosingOptions(
        shares=_shares(shares),
        access={"test": test_access, "dev": dev_access, "train": train_access},
        contexts_apart=contexts_apart,
        right=right,
        noted=noted,
        prefix=prefix,
        seed=seed,
        anyway=anyway,
    )
    with _asked(task, number, home) as asked:
        closed = close_round(
            asked.home, asked.row, asked.round, options=chosen, by=COMMAND, now=time.time()
        )
        if not as_json:
            click.echo("\n".join(closed_lines(closed)))
            if closed.is_new or closed.due:
                click.echo(due_line(closed.due, side="dataset", none="No model to evaluate now."))
        done: list[Run] = []
        if closed.due and not later:
            say = partial(click.echo, err=as_json)
            done = work_through(asked.home, runs=closed.due, echo=say, stream=sys.stderr)
        if as_json:
            print_json(closed)
        else:
            _say_next(closed.task, closed.study, leader=closed.leader, waits=later and closed.due)
    if any(each.state == "failed" for each in done):
        sys.exit(1)


@command.command("list")
@click.argument("task", required=False)
@HOME
@JSON
def list_command(task: str | None, home: Path | None, as_json: bool) -> None:
    """List the rounds of TASK, or of every task."""

    def read(connection: Connection) -> list[Round]:
        rows = list_tasks(connection) if task is None else [find_task(connection, task)]
        return [each for row in rows for each in list_rounds(connection, row.id)]

    with existing(home) as opened:
        found = opened.store.read_now(read)
    if as_json:
        print_json({"rounds": found})
    elif not found:
        click.echo("No rounds yet. Serve a study with a write stage: palaver serve FOLDER")
    else:
        click.echo(table_text(round_rows(found), names=2))


@command.command("show")
@TASK
@NUMBER
@click.option("--writers", is_flag=True, help="Show the error rate of each writer, too.")
@HOME
@JSON
def show_command(
    task: str, number: int | None, writers: bool, home: Path | None, as_json: bool
) -> None:
    """Show a round of TASK: error rates with intervals, contexts and goals, who judged how."""
    with _asked(task, number, home) as asked:
        sheet = asked.home.store.read_now(
            lambda c: round_sheet(asked.home, c, read_written(c, asked.round))
        )
    if as_json:
        print_json(sheet)
    else:
        click.echo(sheet_text(sheet, writers=writers))


@command.command("examples")
@TASK
@NUMBER
@click.option("--state", type=click.Choice(STATES), help="Only these.")
@click.option("--model", default="", metavar="NAME", help="Only what this model answered.")
@click.option("--writer", default="", metavar="ALIAS", help="Only what this person wrote.")
@click.option("--label", default="", help="Only those with this gold.")
@click.option("--tag", default="", help="Only those whose context has this tag.")
@click.option("--note", default="", metavar="NOTE", help="Only those noticed for this.")
@click.option("--uid", default="", help="One example, with everything that is known of it.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many are listed; --json lists all.",
)
@HOME
@JSON
def examples_command(
    task: str,
    number: int | None,
    state: str | None,
    model: str,
    writer: str,
    label: str,
    tag: str,
    note: str,
    uid: str,
    limit: int,
    home: Path | None,
    as_json: bool,
) -> None:
    """List what people wrote in a round of TASK, and what became of it."""
    wanted = Wanted(
        state=state or "", model=model, writer=writer, label=label, tag=tag, note=note, uid=uid
    )
    with _asked(task, number, home) as asked:
        found = chosen_examples(_examples(asked), wanted)
    if as_json:
        print_json({"examples": found})
    elif uid and found:
        click.echo("\n".join(example_lines(found[0])))
    elif not found:
        click.echo(f"Round {asked.round.number} of '{task}' has no such example.")
    else:
        click.echo(table_text(example_rows(found[:limit])))
        if len(found) > limit:
            click.echo(f"… and {len(found) - limit:,} more: --limit {len(found)}")


@command.command("verdict")
@TASK
@click.argument("uid")
@click.argument("verdict", type=click.Choice(["correct", "incorrect", "flagged", "none"]))
@click.option("--why", default="", help="Why, in a sentence.")
@NUMBER
@HOME
@JSON
def verdict_command(
    task: str,
    uid: str,
    verdict: str,
    why: str,
    number: int | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Settle the example UID of a round of TASK as its owner; `none` takes a verdict back."""
    given = None if verdict == "none" else verdict
    with _asked(task, number, home) as asked:
        settled = asked.home.store.write_now(
            lambda c: give_verdict(c, asked.round, uid, given, why=why, by=COMMAND, now=time.time())
        )
    if as_json:
        print_json(settled)
    else:
        click.echo(f"{uid} is {settled.standing} now.")


@command.command("export")
@TASK
@options.output("The file to write. Default: TASK-rN.jsonl or .json, here.", OUT_FILE)
@click.option(
    "--format",
    "shape",
    type=click.Choice(SHAPES),
    default="palaver",
    show_default=True,
    help="Our own JSON lines, or an export of Dynabench.",
)
@NUMBER
@options.OVERWRITE
@HOME
@JSON
def export_command(
    task: str,
    output: Path | None,
    shape: Shape,
    number: int | None,
    overwrite: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Write the examples of a round of TASK with their judgements; nobody in the file is named."""
    with _asked(task, number, home) as asked:
        examples = _examples(asked)
        contexts = contexts_of_round(asked.home, asked.round)
        content = export_examples(asked.round, examples, contexts, shape=shape)
    ending = "jsonl" if shape == "palaver" else "json"
    file = output or Path(f"{task}-r{asked.round.number}.{ending}")
    _write(file, content, overwrite=overwrite)
    if as_json:
        print_json({"file": str(file), "examples": len(examples), "format": shape})
    else:
        click.echo(f"Wrote {counted(len(examples), 'example')} to {file}.")


@command.command("import")
@TASK
@click.argument("file", type=IN_FILE)
@click.option("--study", default="", metavar="NAME", help="The study to hold it.")
@click.option(
    "--stopped", is_flag=True, help="Leave the round open to palaver round close, which makes data."
)
@click.option(
    "--matching",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many equal judgements settle an example. Default: as the file says, else 3.",
)
@HOME
@JSON
def import_command(
    task: str,
    file: Path,
    study: str,
    stopped: bool,
    matching: int | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Import FILE, an export of Palaver or Dynabench, as a round of TASK that is over."""
    state: State = "stopped" if stopped else "closed"
    with existing(home) as opened:
        row = opened.store.write_now(lambda c: ensure_task(c, task, now=time.time()))
        made = import_round(
            opened,
            row,
            file.read_bytes(),
            name=file.name,
            study=study,
            state=state,
            matching=matching,
            by=COMMAND,
            now=time.time(),
        )
    if as_json:
        print_json(made)
        return
    click.echo("\n".join(imported_lines(made)))
    what = "close" if made.state == "stopped" else "show"
    click.echo("Next: " + at_home(f"palaver round {what} {task} --round {made.number}"))


@command.command("bonuses")
@TASK
@click.option(
    "--csv", "csv_file", type=OUT_FILE, help="Write a table with the panel's names of people."
)
@NUMBER
@options.OVERWRITE
@HOME
@JSON
def bonuses_command(
    task: str,
    csv_file: Path | None,
    number: int | None,
    overwrite: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """List what people are owed beside their pay in a round of TASK. Nothing is paid from here."""
    with _asked(task, number, home) as asked:
        found = asked.home.store.read_now(
            lambda c: round_bonuses(c, asked.round, ids=csv_file is not None)
        )
    if csv_file is not None:
        _write(csv_file, bonuses_csv(found).encode(), overwrite=overwrite)
    if as_json:
        print_json(found)
        return
    if found.bonuses:
        click.echo(table_text(bonus_rows(found)))
    elif found.rules:
        click.echo("Nobody is owed a bonus.")
    for note in found.notes:
        click.echo(note)
    if csv_file is not None:
        click.echo(f"Wrote {csv_file}. It names people as their panel does: keep it to yourself.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A round that a command is about."""

    home: EvaluationHome
    row: StoredTask
    round: Round


@contextmanager
def _asked(task: str, number: int | None, home: Path | None) -> Iterator[_Asked]:
    with existing(home) as opened:

        def find(connection: Connection) -> tuple[StoredTask, Round]:
            row = find_task(connection, task)
            return row, find_round(connection, row.id, number)

        yield _Asked(opened, *opened.store.read_now(find))


def _changed(task: str, home: Path | None, change: Callable[..., Round]) -> Round:
    with _asked(task, None, home) as asked:
        return asked.home.store.write_now(
            lambda c: change(c, asked.round, by=COMMAND, now=time.time())
        )


def _examples(asked: _Asked) -> tuple[WrittenExample, ...]:
    return asked.home.store.read_now(lambda c: read_examples(c, asked.round))


def _shares(given: Sequence[str]) -> dict[str, float]:
    """The shares of options such as train=0.8; a split that is not named gets nothing."""
    shares: dict[str, float] = {}
    for each in given:
        name, equals, share = each.partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise click.UsageError(
                f"--share takes a split and a number, such as test=0.2; got '{each[:40]}'."
            ) from None
        if not equals or name not in SPLITS:
            raise click.UsageError(f"A split is one of {', '.join(SPLITS)}; got '{name[:40]}'.")
    return shares or dict(SHARES)


def _say_next(task: str, study: str, *, leader: str, waits: object) -> None:
    """What to do after closing, and who leads until then."""
    if waits:
        click.echo("\nNext: " + at_home(f"palaver evaluate {task}"))
        click.echo(f"Then open the next round, with the folder of '{study}':")
    else:
        click.echo(f"\nNext, with the folder of '{study}':")
    click.echo("  " + at_home("palaver round open FOLDER"))
    if leader:
        click.echo(
            f"With 'models: leader' its model is whoever leads the board then; before these data sets "
            f"it was {leader}."
        )


def _write(file: Path, content: bytes, *, overwrite: bool) -> None:
    if file.exists() and not overwrite:
        raise InputError(f"{file} is already there. Give another file, or --overwrite.")
    file.write_bytes(content)
