"""`palaver import mturk`: what Mechanical Turk gave back, as a table, and decisions written back."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, OUT_FILE, OVERWRITE
from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.formats.mturk.answer_table import write_answers
from palaver.formats.mturk.api_results import read_turk_results
from palaver.formats.mturk.assignments import STATUSES, TurkBatch, TurkStatus
from palaver.formats.mturk.batch_csv import read_turk_csv
from palaver.formats.mturk.review_csv import APPROVED, write_review

# So many problems are printed; there may be one in every row.
MOST_PRINTED = 20


@click.command("mturk")
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@options.output("The table to write.", OUT_FILE, metavar="TABLE.csv", required=True)
@click.option(
    "--salt",
    metavar="TEXT",
    help="The salt of the workers' pseudonyms. Default: a new one each time.",
)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(STATUSES),
    help="Only assignments that stand so; repeatable. Default: all.",
)
@OVERWRITE
def command(
    files: tuple[Path, ...],
    output: Path,
    salt: str | None,
    statuses: tuple[TurkStatus, ...],
    overwrite: bool,
) -> None:
    """Make one table of batch results (CSV) or kept answers of the API (JSON), one row each.

    Worker ids become pseudonyms. The table is what 'palaver agreement' and the other statistics read.
    """
    _check_free(output, overwrite=overwrite)
    batch = TurkBatch()
    salt = salt or secrets.token_hex(16)
    for file in files:
        read = _read(file, salt=salt)
        batch.rows += read.rows
        batch.assignments += read.assignments
        batch.problems += read.problems
    seen = {each.assignment: each for each in batch.assignments}
    written = write_answers(seen.values(), output, statuses=statuses)
    click.echo("\n".join(_told(batch, seen=len(seen), written=written, output=output)))


@click.command("mturk-review")
@click.argument("batch", type=IN_FILE)
@options.output("The batch with decisions.", OUT_FILE, metavar="FILE.csv", required=True)
@click.option(
    "--approve", type=IN_FILE, metavar="FILE", help="Assignments to approve, one on each line."
)
@click.option(
    "--reject",
    type=IN_FILE,
    metavar="FILE",
    help="Assignments to reject, one on each line, with a tab and the reason behind it.",
)
@OVERWRITE
def review(
    batch: Path, output: Path, approve: Path | None, reject: Path | None, overwrite: bool
) -> None:
    """Write the results in BATCH again with decisions in the columns Approve and Reject.

    The rows stay as they were, worker ids included: this file is for whoever had the batch.
    """
    _check_free(output, overwrite=overwrite)
    decisions = {name: APPROVED for name, _ in _lines(approve)}
    for name, reason in _lines(reject):
        if not reason:
            raise InputError(
                f"'{name[:40]}' is rejected without a reason: write one behind a tab. No file was "
                "written."
            )
        if name in decisions:
            raise InputError(f"'{name[:40]}' is approved and rejected. No file was written.")
        decisions[name] = reason
    if not decisions:
        raise InputError("Nothing is decided: name assignments with --approve or --reject.")
    done = write_review(batch, decisions, output)
    click.echo(f"{counted(done, 'assignment')} decided in {output}.")


COMMANDS = (command, review)


def _read(file: Path, *, salt: str) -> TurkBatch:
    is_json = file.suffix.lower() in (".json", ".jsonl")
    return (read_turk_results if is_json else read_turk_csv)(file, salt=salt)


def _lines(file: Path | None) -> Iterator[tuple[str, str]]:
    if file is None:
        return
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not UTF-8: {error}.") from error
    for line in text.splitlines():
        name, _, reason = line.partition("\t")
        if name.strip():
            yield name.strip(), reason.strip()


def _check_free(output: Path, *, overwrite: bool) -> None:
    if output.exists() and not overwrite:
        raise InputError(f"{output} exists already. Give another one, or add --overwrite.")


def _told(batch: TurkBatch, *, seen: int, written: int, output: Path) -> Iterator[str]:
    for problem in batch.problems[:MOST_PRINTED]:
        yield str(problem)
    if len(batch.problems) > MOST_PRINTED:
        yield f"… and {counted(len(batch.problems) - MOST_PRINTED, 'more problem')}."
    workers = len({each.worker for each in batch.assignments})
    twice = len(batch.assignments) - seen
    again = f", {counted(twice, 'assignment')} in several files" if twice else ""
    yield (
        f"{counted(written, 'assignment')} of {counted(workers, 'worker')} in {output}"
        f" ({counted(batch.rows, 'row')} read{again})."
    )
    yield (
        f"Next: palaver agreement {output} --unit hit --rater worker --value 'Answer.…' "
        "--level nominal"
    )
