"""Closing a challenge: its final boards are computed once, written, kept, and then it is frozen.

The files come first and the transaction that freezes comes last: a process that dies on the way leaves
a challenge that is open, with files that nothing points at. They lie under the moment of closing, which
the row holds, so the row is the pointer. Whatever arrives while the boards are computed makes them
be computed again.
"""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from palaver.analysis.tukey import TRIALS
from palaver.analysis.tukey_trials import TrialProgress
from palaver.core.audit import Actor
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_results import ChallengeResults
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.evaluation.challenges.announcements import tell_results
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.final_boards import FinalBoards, final_boards
from palaver.evaluation.challenges.run_folders import write_runs
from palaver.evaluation.challenges.standings import SEED
from palaver.evaluation.home import EvaluationHome
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.challenges import (
    find_challenge_by_id,
    hold_challenge,
    set_challenge,
)
from palaver.storage.evaluation.standings import standings_mark
from palaver.storage.kept_folders import keep_folder, kept_file

__all__ = [
    "challenge_results",
    "check_over",
    "close_challenge",
    "publish_results",
    "result_file",
    "write_runs",
]

# Writes the page and the tables of all boards into an empty folder.
ResultsWriter = Callable[[FinalBoards, Path], None]

# How often boards are computed anew because something arrived meanwhile.
ATTEMPTS = 3
RESULTS = "results.json"


def close_challenge(
    home: EvaluationHome,
    row: StoredChallenge,
    *,
    writer: ResultsWriter,
    by: Actor,
    now: float,
    publish: bool = False,
    trials: int = TRIALS,
    seed: int = SEED,
    progress: TrialProgress | None = None,
) -> ChallengeResults:
    """Compute, write and keep the results, and freeze the challenge; with `publish`, show them.

    InputError if it is closed already, while entries are being scored, and if entries do not stop
    arriving; then nothing has changed.
    """
    for _ in range(ATTEMPTS):
        held, mark = home.store.read_now(lambda c: _state(c, row))
        _check_open(held)
        final = final_boards(home, held, now=now, trials=trials, seed=seed, progress=progress)
        kept, digest = _keep(home, held, final, writer)
        if home.store.write_now(
            lambda c: _freeze(c, held, mark, kept, digest, publish=publish, by=by, now=now)  # noqa: B023
        ):
            return kept
    raise InputError(
        f"Entries of '{row.name}' kept arriving while the results were computed. It is still open; "
        "close it after its last phase is over."
    )


def check_over(row: StoredChallenge, *, now: float) -> None:
    """Raise InputError while a phase still takes entries; closing would end it early."""
    for phase in stored_definition(row).phases:
        if phase.takes(now):
            until = ""
            if phase.closes is not None:
                until = f" until {in_both_zones(phase.closes + phase.late_hours * 3600)}"
            raise InputError(
                f"The phase '{phase.title}' of '{row.name}' takes entries{until}. Close the "
                "challenge after that, or end it early on purpose."
            )


def publish_results(
    connection: Connection, row: StoredChallenge, *, by: Actor, now: float
) -> StoredChallenge:
    """Show the results of a closed challenge to whoever may see it, and tell its teams."""
    held = hold_challenge(connection, row.id, alone=True)
    if held.frozen is None:
        raise InputError(f"The challenge '{row.name}' is still open. Close it first.")
    if held.published is None:
        set_challenge(connection, row.id, published=now)
        record(connection, "challenge.publish", by=by, now=now, subject=row.name)
        tell_results(connection, held, now=now)
    return find_challenge_by_id(connection, row.id)


def challenge_results(home: EvaluationHome, row: StoredChallenge) -> ChallengeResults:
    """The results as they were kept when the challenge was closed; InputError while it is open."""
    content = home.objects.read(f"{_folder(row, _closed(row))}/{RESULTS}")
    return msgspec.json.decode(content, type=ChallengeResults)


def result_file(home: EvaluationHome, row: StoredChallenge, path: str) -> bytes:
    """A file of the results, byte by byte as it was kept; a folder stands for its page."""
    files = challenge_results(home, row).files
    found = kept_file(home.objects, _folder(row, _closed(row)), files, path)
    if found is None:
        raise UnknownNameError(f"The results of '{row.name}' have no file '{path[:80]}'.")
    return found


def _state(connection: Connection, row: StoredChallenge) -> tuple[StoredChallenge, str]:
    """The challenge as it is, and a mark that changes with whatever its boards are made of."""
    held = find_challenge_by_id(connection, row.id)
    return held, repr((held.digest, standings_mark(connection, row.id)))


def _check_open(row: StoredChallenge) -> None:
    if row.frozen is not None:
        raise InputError(
            f"The challenge '{row.name}' was closed on {in_both_zones(row.frozen)}; its results are "
            "final and are kept."
        )


def _closed(row: StoredChallenge) -> float:
    if row.frozen is None:
        raise InputError(f"The challenge '{row.name}' is still open, so it has no results.")
    return row.frozen


def _folder(row: StoredChallenge, closed: float) -> str:
    return f"challenges/{row.name}/results/{closed:.6f}"


def _keep(
    home: EvaluationHome, row: StoredChallenge, final: FinalBoards, writer: ResultsWriter
) -> tuple[ChallengeResults, str]:
    """Write the files and put them into the object store; the results, and the digest of their list."""
    folder = _folder(row, final.closed)
    with tempfile.TemporaryDirectory(prefix="palaver-results-") as made:
        writer(final, Path(made))
        files = keep_folder(home.objects, folder, Path(made))
    results = ChallengeResults(
        challenge=row.name,
        title=final.challenge.title,
        closed=final.closed,
        trials=final.trials,
        seed=final.seed,
        tracks=tuple(each.result for each in final.boards),
        files=files,
    )
    content = msgspec.json.encode(results)
    home.objects.put(f"{folder}/{RESULTS}", content)
    return results, hashlib.sha256(content).hexdigest()


def _freeze(
    connection: Connection,
    row: StoredChallenge,
    mark: str,
    kept: ChallengeResults,
    digest: str,
    *,
    publish: bool,
    by: Actor,
    now: float,
) -> bool:
    """Close it if nothing has changed since the boards were computed; whether it was closed."""
    _check_open(hold_challenge(connection, row.id, alone=True))
    if _state(connection, row)[1] != mark:
        return False
    set_challenge(connection, row.id, frozen=now)
    detail = {
        "runs": {each.key: len(each.runs) for each in kept.tracks},
        "trials": kept.trials,
        "results": digest,
    }
    record(connection, "challenge.close", by=by, now=now, subject=row.name, detail=detail)
    if publish:
        publish_results(connection, row, by=by, now=now)
    return True
