"""What the commands of the evaluation server have in common: opening the home they work on."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import click

from palaver.core.evaluation.runs import Run
from palaver.core.words import counted, listed
from palaver.evaluation.datasets.sources import is_address
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.studies.home import existing_home, find_home

Side = Literal["model", "dataset"]


class FileOrAddress(click.Path):
    """A file or folder that is there, or an http(s):// or s3:// address, as a text."""

    def __init__(self) -> None:
        super().__init__(exists=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text, once it is known that there is such a file."""
        return value if is_address(value) else super().convert(value, param, ctx)


@contextmanager
def opened_home(given: Path | None) -> Iterator[EvaluationHome]:
    """The home to write to; made if it is not there yet."""
    where = find_home(None, given)
    with open_evaluation(where.folder, where.database_url) as home:
        yield home


@contextmanager
def if_there(given: Path | None) -> Iterator[EvaluationHome | None]:
    """The home to look something up in; None if there is none and `--home` names none."""
    if given is None and not find_home(None).exists:
        yield None
        return
    with existing(given) as home:
        yield home


@contextmanager
def existing(given: Path | None) -> Iterator[EvaluationHome]:
    """The home to read from; InputError if nothing was stored there yet."""
    first = "Add a data set first (palaver dataset add TASK NAME FILE)"
    existing_home(None, given, first=first)
    with opened_home(given) as home:
        yield home


def at_home(command: str) -> str:
    """A command that somebody may give next, on the home that this one was given."""
    asked = click.get_current_context(silent=True)
    home = asked.params.get("home") if asked else None
    return f"{command} --home {shlex.quote(str(home))}" if home else command


def due_line(runs: Sequence[Run], *, side: Side, none: str) -> str:
    """How many runs are due now, and of which models or on which data sets."""
    due = sorted(runs, key=lambda run: run.id)
    names = list(dict.fromkeys(run.model if side == "model" else run.dataset for run in due))
    return f"  {counted(len(due), 'run')} due: {listed(names)}" if due else f"  {none}"
