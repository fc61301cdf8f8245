"""`palaver advice run`: a round taken from its situations to its report."""

import sys
from pathlib import Path

import click

from palaver.cli.options import HOME, IN_FILE, STUDY_PATH
from palaver.cli.output import log_to_stderr
from palaver.evaluation.home import open_evaluation
from palaver.reports.advice.results import write_final
from palaver.studies.advice.round import advice_round
from palaver.studies.advice.run import RoundRun, StepTold, Until
from palaver.studies.file.reader import load_only_study
from palaver.studies.home import find_home


@click.command("run")
@STUDY_PATH
@HOME
@click.option(
    "--models",
    type=IN_FILE,
    metavar="FILE",
    help="Which models are asked. Default: models.yaml of the study, where there is one.",
)
@click.option("--simulate", is_flag=True, help="Let simulated raters judge, to see how it looks.")
@click.option(
    "--partial", is_flag=True, help="Open rating although models have not advised on everything."
)
@click.option("--close", is_flag=True, help="Close the round although raters are missing.")
@click.option(
    "--until",
    type=click.Choice(["asked", "open", "closed"]),
    default="closed",
    show_default=True,
    help="How far to go at most.",
)
def command(
    path: Path,
    home: Path | None,
    models: Path | None,
    simulate: bool,
    partial: bool,
    close: bool,
    until: Until,
) -> None:
    """Take the round at PATH as far as it can be taken: ask models, open rating, close with a report.

    What is done already is not done again, and what was interrupted goes on. Once somebody has begun
    to judge, no model is asked any more.
    """
    log_to_stderr(verbose=False)
    found = advice_round(load_only_study(path))
    where = find_home(path, home)
    with open_evaluation(where.folder, where.database_url) as evaluation:
        run = RoundRun(
            found=found,
            home=evaluation,
            tell=lambda told: _say(told, given=f" --home {home}" if home else ""),
            writer=write_final,
            echo=_indented,
            models=models,
            until=until,
            partial=partial,
            simulate=simulate,
            close=close,
        )
        try:
            run.go()
        except KeyboardInterrupt:
            click.echo(
                "\nStopped. What was done is kept; the same command goes on from here.", err=True
            )
            sys.exit(130)


def _indented(line: str) -> None:
    click.echo(f"{'':<18}{line}")


def _say(told: StepTold, *, given: str) -> None:
    """Say what is done, and with which commands to go on in the home that was `given`."""
    click.echo(f"{told.when:<5} {told.step:<11} {told.words}")
    for hint in told.hints:
        _indented(f"{hint}{given if hint.startswith('palaver ') else ''}")
