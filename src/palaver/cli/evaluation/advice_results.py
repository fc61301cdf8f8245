"""`palaver advice results`: how models did against people, from a study or from a file of results."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click

from palaver.analysis.advice import preference_board
from palaver.cli import options
from palaver.cli.options import HOME, IN_PATH, JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json, table_text, with_interval
from palaver.core.audit import COMMAND
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError
from palaver.core.words import counted, measured, percent, unturned
from palaver.evaluation.boards import Raters
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.formats.advice.crowd_batch import read_batch
from palaver.formats.advice.results import judgements_in, read_results, told_in
from palaver.reports.advice.results import close_and_write, write_board, write_kept
from palaver.studies.advice.board import (
    RoundFacts,
    board_of,
    board_of_preferences,
    read_round_board,
)
from palaver.studies.advice.board_records import LEVEL, AdviceBoard, AdviceRow
from palaver.studies.advice.kept_board import read_board
from palaver.studies.advice.kept_rounds import BOARD_FILE, find_closed, round_file
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_only_study
from palaver.studies.home import existing_home

BATCH, LINES = ".csv", ".jsonl"


@click.command("results")
@click.argument("path", type=IN_PATH)
@click.option(
    "--close", is_flag=True, help="Close the round of a study: its results are final then."
)
@click.option("--early", is_flag=True, help="Close it although raters are missing.")
@click.option(
    "--raters",
    type=click.Choice(get_args(Raters)),
    default="all",
    show_default=True,
    help="Whose judgements of a study count.",
)
@options.output(
    "Write the page, tables and figures into this folder.", OUT_FOLDER, metavar="FOLDER"
)
@OVERWRITE
@HOME
@JSON
def command(
    path: Path,
    close: bool,
    early: bool,
    raters: Raters,
    output: Path | None,
    overwrite: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Say how often models' advice is preferred to people's, and how sure that is.

    PATH is a study, a file of results (.jsonl), or the batch of a crowd service (.csv). A round that
    is closed keeps its results: they are shown as they were then.
    """
    is_file = path.is_file() and path.name.removesuffix(".gz").endswith((BATCH, LINES))
    if is_file and (close or home or raters != "all"):
        raise click.UsageError("--close, --home and --raters are for studies; this is a file.")
    if early and not close:
        raise click.UsageError("--early goes with --close.")
    if is_file:
        board, said = _of_file(path), ""
        page = output and write_board(board, output, overwrite=overwrite)
    else:
        study = load_only_study(path)
        first = f"Open its rating first (palaver advice run {path})"
        where = existing_home(path, home, first=first)
        with open_evaluation(where.folder, where.database_url) as opened:
            if close:
                close_and_write(opened, study, by=COMMAND, now=time.time(), early=early)
            board, said = _of_study(opened, study, raters)
            page = output and _written(opened, board, output, overwrite=overwrite)
    if as_json:
        print_json(board)
    else:
        click.echo("\n".join([*_text(board), *([said] if said else [])]))
    if page is not None:
        click.echo(f"Wrote {page}", err=as_json)


def _of_file(path: Path) -> AdviceBoard:
    facts = RoundFacts(title=path.name)
    if path.name.endswith(BATCH):
        batch = read_batch(path)
        for problem in batch.problems:
            click.echo(str(problem), err=True)
        return board_of([each.judgement for each in batch.answers], facts, now=time.time())
    results = list(read_results(path))
    preferences = preference_board(judgements_in(results), told=told_in(results), level=LEVEL)
    return board_of_preferences(preferences, facts, now=time.time())


def _of_study(home: EvaluationHome, study: Study, raters: Raters) -> tuple[AdviceBoard, str]:
    closed = find_closed(home, study.name)
    if closed is None:
        now = time.time()
        return home.store.read_now(lambda c: read_round_board(c, study, raters, now=now)), ""
    if raters != "all":
        raise InputError(
            f"The round '{study.name}' is closed: its results are those of all raters, as they were "
            "kept. Ask without --raters."
        )
    kept = read_board(round_file(home, study.name, BOARD_FILE))
    if kept is None:
        raise InputError(
            f"The results of '{study.name}' were kept by another version of Palaver; read its page "
            f"with -o FOLDER."
        )
    return kept, f"Closed on {in_both_zones(closed.closed)}; these results are final."


def _written(home: EvaluationHome, board: AdviceBoard, output: Path, *, overwrite: bool) -> Path:
    if find_closed(home, board.study) is not None:
        return write_kept(home, board.study, output, overwrite=overwrite)
    return write_board(board, output, overwrite=overwrite)


def _text(board: AdviceBoard) -> Iterator[str]:
    yield f"{unturned(board.answer)}."
    yield ""
    if board.lines:
        yield table_text([_heads(), _people(board), *map(_cells, board.lines)])
        yield ""
    of = "" if board.needed is None else f" of {board.needed:,}"
    yield (
        f"{board.judgements:,}{of} judgements on {counted(board.situations, 'situation')}; "
        f"{board.state}."
    )
    yield from (f"Warning: {warning}" for warning in board.warnings)


def _heads() -> list[str]:
    rate = with_interval("preferred", LEVEL)
    return ["model", rate, "beside people", "beside the best", "situations", "judgements"]


def _people(board: AdviceBoard) -> list[str]:
    return ["People, best advice", percent(board.human_rate), "the line to cross", "", "", ""]


def _cells(row: AdviceRow) -> list[str]:
    rate = row.rate
    if rate.value is None:
        return [row.name, "no judgements yet", "", "", "0", "0"]
    return [
        row.name,
        measured(rate.value, rate.low, rate.high, write=percent),
        row.people.words if row.people else "",
        "control, not ranked" if row.is_control else row.best.words if row.best else "",
        f"{rate.n:,}",
        f"{row.judgements:,}",
    ]
