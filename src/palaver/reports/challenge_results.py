"""The results of a challenge: the page of all tracks, one of each, every table, and all as a ZIP."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from palaver.analysis.tukey import TRIALS
from palaver.analysis.tukey_trials import TrialProgress
from palaver.core.audit import Actor
from palaver.core.evaluation.challenge_results import ChallengeResults
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.serial import encode
from palaver.core.words import counted
from palaver.evaluation.challenges.closing import (
    challenge_results,
    close_challenge,
    result_file,
)
from palaver.evaluation.challenges.final_boards import FinalBoard, FinalBoards
from palaver.evaluation.challenges.standings import SEED
from palaver.evaluation.dialeval.shared_task import SharedTeam
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.standings.boards import RunResult
from palaver.reports import manifest
from palaver.reports.packaging import check_free, place_folder, staging_folder, zip_folder
from palaver.reports.shared_task import PAGE, TaskResults, results_page, write_results

# Everything in one file, beside the pages.
ARCHIVE = "tables.zip"


def close_and_write(
    home: EvaluationHome,
    row: StoredChallenge,
    *,
    by: Actor,
    now: float,
    publish: bool = False,
    trials: int = TRIALS,
    seed: int = SEED,
    progress: TrialProgress | None = None,
) -> ChallengeResults:
    """Close a challenge with the page and the tables of its results."""
    return close_challenge(
        home,
        row,
        writer=write_final_boards,
        by=by,
        now=now,
        publish=publish,
        trials=trials,
        seed=seed,
        progress=progress,
    )


def write_final_boards(final: FinalBoards, folder: Path) -> None:
    """Write the page of all tracks, one of each track, all tables, and all of it as a ZIP."""
    write_results(_results(final, final.boards), folder)
    for each in final.boards:
        page = results_page(_results(final, [each]), below=True)
        inside = folder / each.board.key
        inside.mkdir(exist_ok=True)
        (inside / PAGE).write_text(page, encoding="utf-8")
    told = {
        "challenge": final.challenge.name,
        "title": final.challenge.title,
        "closed": final.closed,
        "trials": final.trials,
        "seed": final.seed,
        "tracks": [{"result": each.result, "board": each.board} for each in final.boards],
    }
    content = msgspec.json.format(encode(told), indent=2)
    (folder / manifest.NAME).write_bytes(content)
    with tempfile.TemporaryFile() as packed:
        zip_folder(folder, packed, now=final.closed)
        packed.seek(0)
        (folder / ARCHIVE).write_bytes(packed.read())


def write_kept_results(
    home: EvaluationHome, row: StoredChallenge, destination: Path, *, overwrite: bool = False
) -> Path:
    """Write the results as they were kept into a folder; the page's path."""
    check_free(destination, overwrite=overwrite, folder=True)
    with staging_folder(destination) as staged:
        for file in challenge_results(home, row).files:
            target = staged / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(result_file(home, row, file.path))
        place_folder(staged, destination, overwrite=overwrite)
    return destination / PAGE


def _results(final: FinalBoards, boards: Sequence[FinalBoard]) -> TaskResults:
    there = {result.team for each in boards for result in _first(each)}
    teams = [
        SharedTeam(team.team, team.affiliation, team.link, baseline=team.is_baseline)
        for team in final.teams
        if team.team in there
    ]
    title = final.challenge.title
    runs = sum(len(each.board.runs) for each in boards)
    left_out = [
        f"{each.board.title}: {run} is not on the board. {reason}"
        for each in boards
        for run, reason in each.result.left_out.items()
    ]
    return TaskResults(
        title=f"{title}: results"
        if len(boards) != 1 or len(final.boards) == 1
        else f"{title}, {boards[0].board.title}: results",
        lead=f"{counted(len(teams), 'team')}, {counted(runs, 'run')}. These results are final.",
        boards=[each.board for each in boards],
        teams=teams,
        methods=tuple(_methods(boards)),
        notes=left_out,
        trials=final.trials,
        seed=final.seed,
    )


def _first(each: FinalBoard) -> Sequence[RunResult]:
    return each.board.measures[0].results if each.board.measures else ()


def _methods(boards: Sequence[FinalBoard]) -> list[str]:
    """What was measured, on how much of the data."""
    told = []
    for each in boards:
        if not each.board.measures:
            continue
        measures = ", ".join(
            f"{measure.title} ({measure.direction} is better)" for measure in each.board.measures
        )
        part = {"all": "all items", "public": "the public half", "private": "the private half"}
        told.append(
            f"{each.board.title}: {measures}; on {part[each.result.part]} of the data, "
            f"{each.result.items:,} items."
        )
    return told
