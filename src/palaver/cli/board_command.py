"""`palaver board`: the models of a task, weighed and ranked, from the scores that are stored."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from palaver.cli.board_words import board_words
from palaver.cli.evaluating import HOME, at_home, existing
from palaver.core.errors import InputError
from palaver.evaluation.dynaboards.columns import MEMORY_OFFSET
from palaver.evaluation.dynaboards.entrants import read_sets
from palaver.evaluation.dynaboards.reading import DRAWS, Boards
from palaver.evaluation.dynaboards.saving import save_fork, save_snapshot, saved_weights
from palaver.evaluation.dynaboards.tables import average_rows, cell_rows
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import stored_task
from palaver.reports.tables import csv_table, latex_table
from palaver.storage.evaluation.boards import SavedBoard, find_saved
from palaver.storage.evaluation.tasks import StoredTask, find_task


@click.command("board")
@click.argument("task")
@click.option(
    "--weight", "weights", multiple=True, metavar="METRIC=W", help="A metric's weight, from 0."
)
@click.option(
    "--dataset-weight",
    "dataset_weights",
    multiple=True,
    metavar="NAME=W",
    help="A data set's weight, from 0. Default: all alike.",
)
@click.option(
    "--memory",
    default=MEMORY_OFFSET,
    show_default=True,
    metavar="GIB",
    help="Memory counts as what is left of so many GiB.",
)
@click.option("--draws", default=DRAWS, show_default=True, help="Bootstrap samples; 0 for none.")
@click.option("--seed", default=0, show_default=True, help="The same seed draws the same again.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Write a table as CSV.")
@click.option(
    "--latex", "latex_file", type=click.Path(path_type=Path), help="Write a table as LaTeX."
)
@click.option("--fork", metavar="NAME", help="Save these weights under a name.")
@click.option("--snapshot", metavar="NAME", help="Freeze this board under a name.")
@click.option("--saved", metavar="NAME", help="Show a fork or snapshot, by name or key.")
@HOME
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    task: str,
    weights: tuple[str, ...],
    dataset_weights: tuple[str, ...],
    memory: float,
    draws: int,
    seed: int,
    csv_file: Path | None,
    latex_file: Path | None,
    fork: str | None,
    snapshot: str | None,
    saved: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Show the board of TASK: every model's averages and Dynascore, with intervals and ranks."""
    if sum(each is not None for each in (fork, snapshot, saved)) > 1:
        raise InputError("--fork, --snapshot and --saved exclude each other; give one of them.")
    if draws < 0:
        raise InputError(f"--draws is 0 or more; got {draws}.")
    chosen = _pairs("--weight", weights)
    shares = _pairs("--dataset-weight", dataset_weights)
    boards = Boards(draws=draws, seed=seed, most=2)
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: find_task(c, task))
        kept = opened.store.read_now(lambda c: find_saved(c, row.id, saved)) if saved else None
        if kept is not None and kept.content is not None:
            if chosen or shares:
                raise InputError(
                    f"'{kept.name}' is a snapshot: its weights are frozen, so --weight and "
                    f"--dataset-weight do not go with it."
                )
            document = kept.content
        else:
            if kept is not None:
                chosen, shares = _with_fork(opened, row, kept, chosen, shares)
            document = _board(opened, boards, row, chosen, shares, memory, fork, snapshot)
    _write(document, csv_file, latex_file, f"Board of {document['title']}")
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    click.echo("\n".join(board_words(document)))
    for what, file in (("CSV", csv_file), ("LaTeX", latex_file)):
        if file is not None:
            click.echo(f"Written as {what}: {file}")
    if "saved" in document:
        name = document["saved"]["name"]
        click.echo(
            f"Saved as {document['saved']['kind']} '{name}', key {document['saved']['key']}."
        )
        click.echo("See it again: " + at_home(f"palaver board {task} --saved '{name}'"))


def _board(
    home: EvaluationHome,
    boards: Boards,
    row: StoredTask,
    weights: dict[str, float],
    shares: dict[str, float],
    memory: float,
    fork: str | None,
    snapshot: str | None,
) -> dict[str, Any]:
    """The board of today; saved first where that was asked for."""
    board = home.store.read_now(
        lambda c: boards.read(
            c,
            row,
            stored_task(row),
            metric_weights=weights,
            dataset_weights=shares,
            memory_offset=memory,
            # Everybody may see a snapshot.
            public=snapshot is not None,
        )
    )
    document = board.as_json()
    if fork is None and snapshot is None:
        return document
    if fork is not None:
        kept = home.store.write_now(lambda c: save_fork(c, row.id, fork, board, now=time.time()))
    else:
        name = snapshot or ""
        kept = home.store.write_now(
            lambda c: save_snapshot(c, row.id, name, board, now=time.time())
        )
    return {**document, "saved": {"name": kept.name, "kind": kept.kind, "key": kept.key}}


def _with_fork(
    home: EvaluationHome,
    row: StoredTask,
    kept: SavedBoard,
    weights: dict[str, float],
    shares: dict[str, float],
) -> tuple[dict[str, float], dict[str, float]]:
    """A fork's weights, with those given now above them."""
    names = {each.name for each in home.store.read_now(lambda c: read_sets(c, row.id))}
    forked = saved_weights(kept, names)
    return forked.metrics | weights, forked.datasets | shares


def _pairs(option: str, given: Sequence[str]) -> dict[str, float]:
    found = {}
    for each in given:
        name, equals, text = each.rpartition("=")
        try:
            found[name] = float(text)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise InputError(f"{option} takes NAME=NUMBER; got '{each}'.")
    return found


def _write(
    document: dict[str, Any], csv_file: Path | None, latex_file: Path | None, caption: str
) -> None:
    if csv_file is not None:
        csv_table(cell_rows(document), csv_file)
    if latex_file is not None:
        rows = average_rows(document)
        columns = {name: name for name in rows[0] if name != "team"} if rows else None
        latex_file.parent.mkdir(parents=True, exist_ok=True)
        table = latex_table(rows, columns=columns, caption=caption, digits=2)
        latex_file.write_text(table, encoding="utf-8")
