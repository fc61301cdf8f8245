"""`palaver board`: the models of a task, weighed and ranked, from the scores that are stored."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.options import HOME, JSON, OUT_FILE
from palaver.cli.output import print_json, table_lines
from palaver.core.errors import InputError
from palaver.core.evaluation.boards import (
    Board,
    BoardDataset,
    BoardMetric,
    BoardModel,
    Ends,
    Measured,
    RankedModel,
    SavedBoard,
)
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import plain
from palaver.core.words import counted, decimals, listed, measured, percent, readable
from palaver.evaluation.dynaboards import (
    DRAWS,
    MEMORY_OFFSET,
    Boards,
    average_rows,
    board_caption,
    cell_rows,
    counted_rounds,
    find_saved,
    read_snapshot,
    save_fork,
    save_snapshot,
    shown_models,
)
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import find_task, stored_task
from palaver.reports.latex import latex_table
from palaver.reports.tables import csv_table

# There is no number, and the lines below the table say why.
NOTHING = "–"


@click.command("board")
@click.argument("task")
@click.option(
    "--metric",
    default="",
    metavar="METRIC",
    help="Rank by this metric alone; every metric with stored scores is one.",
)
@click.option(
    "--weight", "weights", multiple=True, metavar="METRIC=W", help="A metric's weight, from 0."
)
@click.option(
    "--dataset-weight",
    "dataset_weights",
    multiple=True,
    metavar="NAME=W",
    help="A data set's weight, 0 or more. Default: all equal.",
)
@click.option(
    "--round",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the data sets of this round of the task.",
)
@click.option(
    "--memory",
    default=MEMORY_OFFSET,
    show_default=True,
    metavar="GIB",
    help="Memory counts as what is left of this many GiB.",
)
@click.option("--draws", default=DRAWS, show_default=True, help="Bootstrap samples; 0 for none.")
@options.seed(usual=0)
@click.option("--csv", "csv_file", type=OUT_FILE, help="Write a table as CSV.")
@click.option("--latex", "latex_file", type=OUT_FILE, help="Write a table as LaTeX.")
@click.option("--fork", metavar="NAME", help="Save these weights under a name.")
@click.option("--snapshot", metavar="NAME", help="Freeze this board under a name.")
@click.option("--saved", metavar="NAME", help="Show a fork or snapshot, by name or key.")
@HOME
@JSON
def command(
    task: str,
    metric: str,
    weights: tuple[str, ...],
    dataset_weights: tuple[str, ...],
    round: int | None,
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
        raise click.UsageError(
            "--fork, --snapshot and --saved cannot be combined; give one of them."
        )
    if draws < 0:
        raise click.UsageError(f"--draws must be 0 or more; got {draws}.")
    chosen = _pairs("--weight", weights)
    shares = _pairs("--dataset-weight", dataset_weights)
    boards = Boards(draws=draws, seed=seed, most=2, at_once=True)
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: find_task(c, task))
        kept = opened.store.read_now(lambda c: find_saved(c, row.id, saved)) if saved else None
        if kept is not None and kept.kind == "snapshot":
            if metric or chosen or shares or round:
                raise InputError(
                    f"'{kept.name}' is a snapshot: its weights are frozen, so --metric, --weight, "
                    "--dataset-weight and --round cannot be used with it."
                )
            board: Board = opened.store.read_now(lambda c: read_snapshot(c, kept))
        else:
            board = opened.store.read_now(
                lambda c: boards.read(
                    c,
                    row,
                    stored_task(row),
                    metric=metric,
                    metric_weights=chosen,
                    dataset_weights=shares,
                    fork=kept,
                    round=round,
                    memory_offset=memory,
                    # Everybody may see a snapshot.
                    public=snapshot is not None,
                )
            )
        new = _save(opened, row, board, fork, snapshot)
    _write(board, csv_file, latex_file)
    if as_json:
        print_json(board if new is None else {**plain(board), "saved": new})
        return
    click.echo("\n".join(_words(board)))
    for what, file in (("CSV", csv_file), ("LaTeX", latex_file)):
        if file is not None:
            click.echo(f"Written as {what}: {file}")
    if new is not None:
        click.echo(f"Saved as {new.kind} '{new.name}', key {new.key}.")
        click.echo("See it again: " + at_home(f"palaver board {task} --saved '{new.name}'"))


def _save(
    home: EvaluationHome, row: StoredTask, board: Board, fork: str | None, snapshot: str | None
) -> SavedBoard | None:
    """The fork or snapshot that was asked for, if any."""
    if fork is not None:
        return home.store.write_now(lambda c: save_fork(c, row.id, fork, board, now=time.time()))
    if snapshot is not None:
        return home.store.write_now(
            lambda c: save_snapshot(c, row.id, snapshot, board, now=time.time())
        )
    return None


def _pairs(option: str, given: Sequence[str]) -> dict[str, float]:
    found = {}
    for each in given:
        name, equals, text = each.rpartition("=")
        try:
            found[name] = float(text)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise click.UsageError(f"{option} takes NAME=NUMBER; got '{each}'.")
    return found


def _write(board: Board, csv_file: Path | None, latex_file: Path | None) -> None:
    if csv_file is not None:
        csv_table(cell_rows(board), csv_file)
    if latex_file is not None:
        rows = average_rows(board)
        columns = {name: name for name in rows[0] if name != "team"} if rows else None
        latex_file.parent.mkdir(parents=True, exist_ok=True)
        caption = board_caption(board)
        table = latex_table(rows, columns=columns, caption=caption, digits=board.digits)
        latex_file.write_text(table, encoding="utf-8")


def _words(board: Board) -> Iterator[str]:
    """The answer, the table, what it is weighed by, who is not ranked, and what to beware of."""
    of = f", round {board.round}" if board.round else ""
    by = f", by {board.ranked_by}" if board.metric else ""
    yield f"{board.title}{of}{by}: {board.answer}."
    yield ""
    rows = shown_models(board)
    if rows:
        yield from _table(board, rows)
        yield ""
    if board.models and board.ranking == "measure":
        yield from _verdicts(board)
    elif board.models:
        yield (
            f"AMRS: what a point of {board.metrics[0].title} costs in each metric, the mean "
            f"over {counted(board.pairs, 'neighbouring pair')} of models."
        )
    if board.datasets:
        weighed = board.ranking == "dynascore" or bool(board.metric)
        sets = [_dataset(dataset, weighed=weighed) for dataset in board.datasets]
        yield "Data sets: " + "; ".join(sets) + "."
    if board.rounds and board.round is None:
        rounds = counted_rounds(board.rounds)
        yield f"Some data sets are of {rounds}: --round N shows the board of one."
    if board.not_ranked:
        yield "Not ranked:"
        yield from (f"  {each.name}: {'; '.join(each.reasons)}" for each in board.not_ranked)
    if board.models:
        yield f"{board.method}."
        if board.ranking == "dynascore" and (
            board.tied_sets or any(model.rank_interval for model in board.models)
        ):
            yield "Use the ranks to tell whether two models differ: the rates are uncertain too."
    yield from _missing(board, rows)
    yield from (f"Warning: {warning}" for warning in board.warnings)


def _table(board: Board, rows: Sequence[BoardModel]) -> Iterator[str]:
    metrics = board.metrics
    weighed = board.ranking == "dynascore"
    named = ["rank", "model", *(["Dynascore"] if weighed else [])]
    head = [*named, *(_heading(metric) for metric in metrics)]
    lines = [_row(model, board) for model in rows]
    if not weighed or not board.models:
        yield from table_lines([head, *lines], names=2)
        return
    foot = [
        ["", "weight", "", *(percent(metric.share) for metric in metrics)],
        ["", "AMRS", "", *(_measured(metric.amrs, metric.amrs_interval) for metric in metrics)],
    ]
    yield from table_lines([head, *lines, [""] * len(head), *foot], names=2)


def _missing(board: Board, rows: Sequence[BoardModel]) -> Iterator[str]:
    """Which numbers of the table are missing, or have no interval, by the reason."""
    named: dict[str, list[str]] = {}
    for model in rows:
        shown = {metric.title: model.averages[metric.key] for metric in board.metrics}
        score = board.standing(model)
        if board.ranking == "dynascore" and score is not None:
            shown = {board.ranked_by: score} | shown
        for title, one in shown.items():
            if one.interval is None and one.reason:
                what = "none" if one.value is None else "no interval"
                named.setdefault(f"{title}: {what}, because {one.reason}", []).append(model.name)
    yield from (f"{why} ({listed(names, most=6)})." for why, names in named.items())


def _verdicts(board: Board) -> Iterator[str]:
    """What is sure of the order, by each measure on each data set."""
    for each in board.verdicts:
        where = f"{each.dataset}, " if len(board.datasets) > 1 else ""
        yield f"{where}{each.title}: {each.answer}."


def _row(model: BoardModel, board: Board) -> list[str]:
    unpublished = "" if model.published else " (unpublished)"
    score = []
    if board.ranking == "dynascore":
        score = [_average(board.standing(model))]
    averages = [_average(model.averages[each.key], each.digits) for each in board.metrics]
    return [_rank(model), model.name + unpublished, *score, *averages]


def _average(one: Measured | None, digits: int | None = None) -> str:
    """A number with its interval; a dash where there is none, as the lines below say why."""
    if one is None or one.value is None:
        return NOTHING
    return _measured(one.value, one.interval, digits)


def _rank(model: BoardModel) -> str:
    if not isinstance(model, RankedModel):
        return NOTHING
    ends = model.rank_interval
    if ends is None:
        return str(model.rank)
    return f"{model.rank} ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else str(ends[0])


def _heading(metric: BoardMetric) -> str:
    has_unit = metric.unit and metric.unit != "distance"
    return f"{metric.title}, {metric.unit}" if has_unit else metric.title


def _measured(value: float | None, ends: Ends | None, digits: int | None = None) -> str:
    low, high = ends or (None, None)
    write = readable if digits is None else partial(decimals, digits=digits)
    return measured(value, low, high, write=write)


def _dataset(each: BoardDataset, *, weighed: bool) -> str:
    weight = f", weight {percent(each.share, 0)}" if weighed else ""
    return f"{each.name} ({counted(each.items, 'item')}{weight})"
