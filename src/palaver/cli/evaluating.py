"""What the commands of the evaluation server have in common: opening the home they work on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from palaver.core.errors import InputError
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.studies.home import Home, find_home

HOME = click.option(
    "--home", type=click.Path(path_type=Path), help="The folder that holds the state."
)


@contextmanager
def opened_home(given: Path | None) -> Iterator[EvaluationHome]:
    """The home to write to; made if it is not there yet."""
    where = find_home(Path.cwd(), given)
    with open_evaluation(where.folder, where.database_url) as home:
        yield home


@contextmanager
def existing(given: Path | None) -> Iterator[EvaluationHome]:
    """The home to read from; InputError if nothing was stored there yet."""
    where: Home = find_home(Path.cwd(), given)
    if not where.exists:
        raise InputError(
            f"Nothing is stored at {where.describe()} yet. Add a data set first "
            "(palaver dataset add TASK NAME FILE), or name the home with --home."
        )
    with open_evaluation(where.folder, where.database_url) as home:
        yield home
