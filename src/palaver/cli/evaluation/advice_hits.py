"""`palaver advice hits`: the rows that a crowd service is handed, of a round or of files."""

from collections.abc import Sequence
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FOLDER, IN_PATH, OUT_FILE
from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.formats.advice.answers import read_answers
from palaver.formats.advice.crowd_csv import AdvicePair, crowd_rows, pairs_of, write_rows
from palaver.formats.advice.situations import read_situations
from palaver.studies.advice.crowd_work import pairs_of_round
from palaver.studies.advice.round import advice_round
from palaver.studies.file.reader import load_study

STUDY_ENDINGS = (".yaml", ".yml")


@click.command("hits")
@click.argument("path", type=IN_PATH)
@click.option(
    "--answers",
    type=IN_FOLDER,
    metavar="FOLDER",
    help="What models advised, where PATH is a file of situations.",
)
@options.output("The CSV file.", OUT_FILE, metavar="FILE", required=True)
@click.option(
    "--raters",
    type=click.IntRange(1),
    metavar="N",
    help="How many raters each pair needs. Default: what the study says, else 3.",
)
@click.option(
    "--control/--no-control",
    default=True,
    show_default=True,
    help="Whether people's second advice takes part, where PATH is a file of situations.",
)
@click.option(
    "--legacy",
    is_flag=True,
    help="One row per pair: all its raters see the same order.",
)
@options.seed("The same seed draws the same orders.")
def command(
    path: Path,
    answers: Path | None,
    output: Path,
    raters: int | None,
    control: bool,
    legacy: bool,
    seed: int,
) -> None:
    """Write the rows that a crowd service is handed: two pieces of advice on a situation each.

    PATH is a round (the folder of a study) or a file of situations. Each row is to be judged by one
    worker, and half of them have people's advice first.
    """
    pairs = _pairs(path, answers, raters=raters, control=control)
    if not pairs:
        raise InputError(
            f"No model has advised on any situation of {path}: there is nothing to judge."
        )
    with output.open("w", encoding="utf-8", newline="") as stream:
        count = write_rows(crowd_rows(pairs, seed=seed, legacy=legacy), stream)
    models = len({pair.model for pair in pairs})
    click.echo(
        f"{counted(count, 'row')} in {output}: {counted(len(pairs), 'pair')} of "
        f"{counted(models, 'model')}."
    )
    if legacy:
        most = max(pair.raters for pair in pairs)
        click.echo(f"Have each row judged by {counted(most, 'worker')}.")
    else:
        click.echo("Have each row judged by one worker.")


def _pairs(
    path: Path, answers: Path | None, *, raters: int | None, control: bool
) -> Sequence[AdvicePair]:
    if path.is_dir() or path.suffix in STUDY_ENDINGS:
        if answers is not None or raters is not None:
            raise InputError(
                f"{path} is a study and says itself what is judged by how many raters. Leave out "
                "--answers and --raters."
            )
        return list(pairs_of_round(advice_round(load_study(path))))
    if answers is None:
        raise InputError(
            f"{path} is a file of situations. Say what models advised: --answers FOLDER"
        )
    said = {file.stem: read_answers(file) for file in sorted(answers.glob("*.jsonl"))}
    return list(pairs_of(read_situations(path), said, raters=raters or 3, control=control))
