"""`palaver round`, what is in a round: its examples, their verdicts, files of them, and bonuses."""

import time
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.evaluation.asked_round import NUMBER, TASK, CommandRound, asked_round
from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.evaluation.round_words import (
    bonus_rows,
    example_lines,
    example_rows,
    imported_lines,
)
from palaver.cli.options import HOME, IN_FILE, JSON, OUT_FILE
from palaver.cli.output import print_json, table_text
from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import WrittenExample
from palaver.core.words import counted
from palaver.evaluation.rounds.contexts import contexts_of_round
from palaver.evaluation.rounds.example_decisions import give_verdict
from palaver.evaluation.rounds.example_list import STATES, Wanted, chosen_examples
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.rounds.exchange import SHAPES, Shape, export_examples
from palaver.evaluation.tasks import ensure_task
from palaver.studies.intake.written_rounds import State, import_round
from palaver.studies.run.round_bonuses import bonuses_csv, round_bonuses


@click.command("examples")
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
    with asked_round(task, number, home) as asked:
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


@click.command("verdict")
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
    with asked_round(task, number, home) as asked:
        settled = asked.home.store.write_now(
            lambda c: give_verdict(c, asked.round, uid, given, why=why, by=COMMAND, now=time.time())
        )
    if as_json:
        print_json(settled)
    else:
        click.echo(f"{uid} is {settled.standing} now.")


@click.command("export")
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
    with asked_round(task, number, home) as asked:
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


@click.command("import")
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


@click.command("bonuses")
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
    with asked_round(task, number, home) as asked:
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


def _examples(asked: CommandRound) -> tuple[WrittenExample, ...]:
    return asked.home.store.read_now(lambda c: read_examples(c, asked.round))


def _write(file: Path, content: bytes, *, overwrite: bool) -> None:
    if file.exists() and not overwrite:
        raise InputError(f"{file} is already there. Give another file, or --overwrite.")
    file.write_bytes(content)


COMMANDS = (
    examples_command,
    verdict_command,
    export_command,
    import_command,
    bonuses_command,
)
