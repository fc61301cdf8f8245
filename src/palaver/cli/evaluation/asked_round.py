"""The round that a command is about: TASK and --round on every line that takes them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from sqlalchemy import Connection

from palaver.cli.evaluation.home import existing
from palaver.core.evaluation.rounds import Round
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import find_task
from palaver.storage.evaluation.rounds import find_round

TASK = click.argument("task")
NUMBER = click.option(
    "--round", "number", type=click.IntRange(min=1), metavar="N", help="Default: the newest round."
)


@dataclass(frozen=True, slots=True)
class CommandRound:
    """A round that a command is about."""

    home: EvaluationHome
    row: StoredTask
    round: Round


@contextmanager
def asked_round(task: str, number: int | None, home: Path | None) -> Iterator[CommandRound]:
    """The round of a task by its number, or the newest, while its home is open."""
    with existing(home) as opened:

        def find(connection: Connection) -> tuple[StoredTask, Round]:
            row = find_task(connection, task)
            return row, find_round(connection, row.id, number)

        yield CommandRound(opened, *opened.store.read_now(find))
