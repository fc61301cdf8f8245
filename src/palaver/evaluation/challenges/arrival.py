"""What a file meets when it arrives: the phase that takes it by the clock, the limits, its run number.

The time is when all of the file had arrived. A deadline is told in UTC and anywhere on earth.
"""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.deadlines import in_both_zones
from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenges import Challenge, Phase, StoredChallenge, Track
from palaver.core.evaluation.submissions import Allowance, Team
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.submissions.teams import HOUR, allowance_of
from palaver.storage.evaluation.challenges import list_entries

MEGABYTE = 1_000_000
HEAD = 4096


def open_phase(challenge: Challenge, track: Track, *, now: float) -> Phase:
    """The phase that takes submissions to a track now; AccessError says when one does or did."""
    found = challenge.phase_for(track, now)
    if found is None:
        raise AccessError(_closed_words(challenge, track, now))
    return found


def last_phase(challenge: Challenge, track: Track, *, now: float) -> Phase | None:
    """The phase of a track that takes submissions now, else the one that closed last."""
    found = challenge.phase_for(track, now)
    over = [
        phase
        for phase in challenge.phases
        if phase.name in track.datasets and phase.state(now) == "over"
    ]
    return found or max(over, key=lambda phase: phase.closes or 0.0, default=None)


def entry_allowance(
    connection: Connection,
    row: StoredChallenge,
    team: Team,
    track: Track,
    phase: Phase,
    *,
    now: float,
) -> Allowance:
    """What a team may still hand in to a track in a phase; entries that failed are not counted."""
    since = now - phase.submission_hours * HOUR
    found = list_entries(
        connection, row.id, submitter_id=team.id, track=track.name, phase=phase.name
    )
    made = [each.created for each in found if each.created > since and not _has_failed(each)]
    return allowance_of(sorted(made), most=phase.most_submissions, hours=phase.submission_hours)


def checked_run(challenge: Challenge, run: int | None, entries: Sequence[Entry]) -> int:
    """The run that is meant; None is the next one that is free. InputError if there is no such run."""
    most = challenge.most_runs
    if run is not None:
        if not 1 <= run <= most:
            raise InputError(f"Runs are numbered 1 to {most}; got {run}.")
        return run
    used = {each.run for each in entries if each.withdrawn is None}
    free = next((number for number in range(1, most + 1) if number not in used), None)
    if free is None:
        raise InputError(
            f"All {most} runs have been handed in. Name the one to replace, or withdraw one."
        )
    return free


def check_size(home: EvaluationHome, content: Path | bytes, name: str) -> None:
    """Raise InputError if a file is empty, or larger than the home takes."""
    most = home.settings.upload_megabytes * MEGABYTE
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    if size > most:
        raise InputError(
            f"{name} has {size / MEGABYTE:,.0f} MB; at most {most / MEGABYTE:,.0f} MB are taken."
        )
    if size <= HEAD and not _head(content).strip():
        raise InputError(f"{name} is empty. It needs one answer to each item.")


def _head(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content[:HEAD]
    with content.open("rb") as stream:
        return stream.read(HEAD)


def _has_failed(entry: Entry) -> bool:
    return entry.state == "failed"


def _closed_words(challenge: Challenge, track: Track, now: float) -> str:
    """Why nothing is taken: what opens next, else what closed last."""
    known = [phase for phase in challenge.phases if phase.name in track.datasets]
    coming = [phase for phase in known if phase.state(now) == "before"]
    over = [phase for phase in known if phase.state(now) == "over"]
    words = [f"The track '{track.name}' takes no submissions now, {in_both_zones(now)}."]
    if over:
        last = max(over, key=lambda phase: phase.closes or 0.0)
        closes = last.closes or 0.0
        words.append(f"The phase '{last.title}' closed at {in_both_zones(closes)}.")
        if last.late_hours:
            late = in_both_zones(closes + last.late_hours * HOUR)
            words.append(f"Late submissions were taken until {late}.")
    if coming:
        first = min(coming, key=lambda phase: phase.opens or 0.0)
        words.append(f"The phase '{first.title}' opens at {in_both_zones(first.opens or 0.0)}.")
    return " ".join(words)
