"""Where an entry belongs, and what it meets there: a track in its open phase, the limits, its run.

Whatever is handed in, a file or an endpoint, is decided about in one transaction under the lock of its
task: of two that would both be the last one allowed, one is refused, and the very same sent twice is one
entry.
"""

import hashlib
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import PalaverError, UnknownNameError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import Challenge, Phase, StoredChallenge, Track
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.challenges.arrival import (
    checked_run,
    entry_allowance,
    last_phase,
    open_phase,
)
from palaver.evaluation.challenges.counting import is_live
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import check_not_frozen, find_track
from palaver.evaluation.challenges.teams import check_approved, check_terms, find_team
from palaver.evaluation.datasets import find_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.submissions.teams import check_allowance
from palaver.evaluation.tasks import find_task, stored_task
from palaver.storage.audit.entries import record
from palaver.storage.evaluation import challenges as rows
from palaver.storage.evaluation.models import set_model
from palaver.storage.evaluation.runs import hold_task


@dataclass(frozen=True, slots=True)
class TrackPlace:
    """A track in a phase, its task and its data; None while there are no data yet."""

    challenge: Challenge
    track: Track
    phase: Phase
    task_row: StoredTask
    task: Task
    dataset: Dataset | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """What is handed in: its key, the run that is meant, and what makes it the very same again."""

    key: str
    run: int | None
    digest: str
    path: str = ""
    kind: str = ""


class HandedInError(PalaverError):
    """The very same is there already, as this entry."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"The same was handed in as '{entry.key}'.")
        self.entry = entry


def read_place(home: EvaluationHome, row: StoredChallenge, track: str, *, now: float) -> TrackPlace:
    """Where something for a track belongs now; AccessError if no phase of it is open."""
    check_not_frozen(row)
    challenge = stored_definition(row)
    wanted = find_track(challenge, track)
    phase = open_phase(challenge, wanted, now=now)
    task_row, dataset = home.store.read_now(lambda c: phase_data(c, wanted, phase))
    return TrackPlace(challenge, wanted, phase, task_row, stored_task(task_row), dataset)


def phase_data(
    connection: Connection, track: Track, phase: Phase
) -> tuple[StoredTask, Dataset | None]:
    """The task of a track and its data in a phase; None where they are yet to come."""
    task_row = find_task(connection, track.task)
    try:
        return task_row, find_dataset(connection, task_row.id, track.datasets[phase.name])
    except UnknownNameError:
        if not track.takes_endpoints:
            raise
        return task_row, None


def current_team(
    connection: Connection, row: StoredChallenge, team: ChallengeTeam
) -> tuple[StoredChallenge, ChallengeTeam]:
    """Challenge and team as they are now; an error if the team may not hand in."""
    row = rows.find_challenge_by_id(connection, row.id)
    check_not_frozen(row)
    team = find_team(connection, row, team.id)
    check_approved(team)
    check_terms(row, team)
    return row, team


def check_left(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    place: TrackPlace,
    *,
    now: float,
) -> None:
    """Raise AllowanceError if the team has used up what it may hand in."""
    left = entry_allowance(connection, row, team, place.track, place.phase, now=now)
    check_allowance(left, now=now)


def same_entry(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    track: str,
    *,
    digest: str,
    run: int | None,
    now: float,
) -> Entry | None:
    """The entry that has this for this run already, also when its phase has just closed."""
    challenge = stored_definition(row)
    phase = last_phase(challenge, find_track(challenge, track), now=now)
    if phase is None:
        return None
    entries = rows.list_entries(
        connection, row.id, submitter_id=team.id, track=track, phase=phase.name
    )
    return next(
        (
            each
            for each in reversed(entries)
            if each.digest == digest and is_live(each) and run in (None, each.run)
        ),
        None,
    )


def take_entry(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    place: TrackPlace,
    model: Model,
    new: NewEntry,
    *,
    by: Actor,
    now: float,
) -> None:
    """Store an entry in the place of an earlier one of its run, if all that it must meet still holds.

    HandedInError where the very same came first.
    """
    hold_task(connection, place.task_row.id)
    held = rows.hold_challenge(connection, row.id)
    current_team(connection, held, team)
    track = place.track.name
    twice = same_entry(connection, held, team, track, digest=new.digest, run=new.run, now=now)
    if twice is not None:
        raise HandedInError(twice)
    check_left(connection, held, team, place, now=now)
    set_model(connection, model.id, submitter_id=team.id)
    number = _store(connection, held, team, place, model, new, now=now)
    detail = {"team": team.team, "track": track, "phase": place.phase.name, "run": number}
    told = detail | ({"kind": new.kind} if new.kind else {})
    subject = f"{row.name}/{new.key}"
    record(connection, "submission.make", by=by, now=now, subject=subject, detail=told)


def model_name(key: str) -> str:
    """The name of the model behind an entry: entries of challenges have names of their own."""
    return f"entry-{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def _store(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    place: TrackPlace,
    model: Model,
    new: NewEntry,
    *,
    now: float,
) -> int:
    """Store the entry; its run number."""
    track, phase = place.track.name, place.phase
    theirs = rows.list_entries(
        connection, row.id, submitter_id=team.id, track=track, phase=phase.name
    )
    number = checked_run(place.challenge, new.run, theirs)
    before = [each for each in theirs if each.run == number]
    rows.record_entry(
        connection,
        key=new.key,
        submitter_id=team.id,
        model_version_id=model.version_id,
        track=track,
        phase=phase.name,
        run=number,
        late=phase.state(now) == "late",
        path=new.path,
        digest=new.digest,
        now=now,
    )
    if any(each.is_final for each in before):
        rows.set_entries(connection, [each.key for each in before], final=False)
        rows.set_entries(connection, [new.key], final=True)
    rows.retire_entry_models(connection, [each.model_version_id for each in before], now=now)
    return number
