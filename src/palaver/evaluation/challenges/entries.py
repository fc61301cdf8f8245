"""What teams hand in: a file for one run of one track, checked, kept, counted and scored.

All that decides about an entry happens in one transaction under the lock of its task, after the file
was checked: of two files that would both be the last one allowed, one is refused, and the very same
file sent twice is one entry.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePath

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError, PalaverError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, CheckedFile, Entry
from palaver.core.evaluation.challenges import (
    Challenge,
    Phase,
    StoredChallenge,
    Track,
)
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.challenges.arrival import (
    check_size,
    checked_run,
    entry_allowance,
    last_phase,
    open_phase,
)
from palaver.evaluation.challenges.counting import counting_entries, is_live
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.elsewhere import belongs_elsewhere
from palaver.evaluation.challenges.entry_decisions import (
    choose_final,
    own_entry,
    withdraw_entry,
)
from palaver.evaluation.challenges.entry_list import list_entries
from palaver.evaluation.challenges.material import questions_of, shared_file
from palaver.evaluation.challenges.stored import check_not_frozen, find_track
from palaver.evaluation.challenges.teams import check_approved, check_terms, find_team
from palaver.evaluation.datasets import find_dataset, read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.uploads import (
    CheckedAnswers,
    PredictionsError,
    add_predictions,
    check_predictions,
)
from palaver.evaluation.runs.plans import plan_pairs
from palaver.evaluation.submissions.teams import check_allowance
from palaver.evaluation.tasks import find_task, stored_task
from palaver.storage.audit.entries import record
from palaver.storage.engine.keys import new_key
from palaver.storage.evaluation import challenges as rows
from palaver.storage.evaluation.models import set_model
from palaver.storage.evaluation.runs import hold_task

__all__ = [
    "check_file",
    "choose_final",
    "counting_entries",
    "list_entries",
    "questions_of",
    "shared_file",
    "submit_file",
    "withdraw_entry",
]

BLOCK = 1 << 20
SHORT_DIGEST = 16
SUFFIXES = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class _TrackPlace:
    """Where a file belongs: a track in a phase, its task and its data."""

    challenge: Challenge
    track: Track
    phase: Phase
    task_row: StoredTask
    task: Task
    dataset: Dataset


class _HandedInError(PalaverError):
    """The very same file is there already, as this entry."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"The same file was handed in as '{entry.key}'.")
        self.entry = entry


def check_file(
    home: EvaluationHome,
    row: StoredChallenge,
    track: str,
    content: Path | bytes,
    *,
    name: str,
    now: float,
) -> CheckedFile:
    """What a file is worth to the open phase of a track; nothing is stored and nothing counted."""
    place = _place(home, row, track, now=now)
    problems: tuple[str, ...] = ()
    try:
        _checked(home, place, content, name=name, now=now)
    except PredictionsError as error:
        problems = error.problems
    except InputError as error:
        problems = (str(error),)
    late = f" and is late since {in_both_zones(place.phase.closes or 0.0)}"
    is_late = place.phase.state(now) == "late"
    note = f"Checked for the phase '{place.phase.title}', which is open{late if is_late else ''}."
    return CheckedFile(
        file=name,
        track=place.track.name,
        items=place.dataset.items,
        problems=problems,
        notes=(note,),
    )


def submit_file(
    home: EvaluationHome,
    row: StoredChallenge,
    team: ChallengeTeam,
    *,
    track: str,
    run: int | None = None,
    content: Path | bytes,
    name: str,
    now: float,
    by: Actor = SERVER,
) -> Entry:
    """Hand in a file for a run of a track; `now` is when all of it had arrived.

    Without a run it is the next free one. A run that was handed in before is replaced; the very same
    file again is the same entry. InputError and AccessError leave everything as it was.
    """
    row, team = home.store.read_now(lambda c: _current(c, row, team))
    challenge = stored_definition(row)
    wanted = find_track(challenge, track)
    checked_run(challenge, run, ())
    digest = _digest(content)
    same = home.store.read_now(
        lambda c: _same_file(c, row, team, wanted, challenge, digest=digest, run=run, now=now)
    )
    if same is not None:
        return own_entry(home, row, same.key, now=now)
    place = _place(home, row, track, now=now)
    home.store.read_now(lambda c: _check_left(c, row, team, place, now=now))
    answers = _checked(home, place, content, name=name, now=now)
    key = new_key("e")
    path = _path(row, team, key, digest, name)
    home.objects.put(path, content)

    def plan(
        connection: Connection, task_row: StoredTask, model: Model, *, now: float
    ) -> list[Run]:
        hold_task(connection, task_row.id)
        held = rows.hold_challenge(connection, row.id)
        _current(connection, held, team)
        twice = _same_file(
            connection, held, team, wanted, challenge, digest=digest, run=run, now=now
        )
        if twice is not None:
            raise _HandedInError(twice)
        _check_left(connection, held, team, place, now=now)
        if find_dataset(connection, task_row.id, place.dataset.name).digest != place.dataset.digest:
            raise InputError(
                f"The data of '{wanted.title}' was replaced while {name} was being checked. Hand it "
                "in again."
            )
        set_model(connection, model.id, submitter_id=team.id)
        number = _record(connection, held, team, place, run, key, path, digest, model, now=now)
        record(
            connection,
            "submission.make",
            by=by,
            now=now,
            subject=f"{row.name}/{key}",
            detail={"team": team.team, "track": track, "phase": place.phase.name, "run": number},
        )
        return plan_pairs(connection, task_row, [model], [place.dataset], now=now)

    try:
        add_predictions(
            home,
            place.task_row,
            place.task,
            name=_model_name(key),
            files={place.dataset.name: answers},
            partial=True,
            now=now,
            plan=plan,
        )
    except _HandedInError as error:
        return own_entry(home, row, error.entry.key, now=now)
    return own_entry(home, row, key, now=now)


def _current(
    connection: Connection, row: StoredChallenge, team: ChallengeTeam
) -> tuple[StoredChallenge, ChallengeTeam]:
    """Challenge and team as they are now; an error if the team may not hand in."""
    row = rows.find_challenge_by_id(connection, row.id)
    check_not_frozen(row)
    team = find_team(connection, row, team.id)
    check_approved(team)
    check_terms(row, team)
    return row, team


def _place(home: EvaluationHome, row: StoredChallenge, track: str, *, now: float) -> _TrackPlace:
    check_not_frozen(row)
    challenge = stored_definition(row)
    wanted = find_track(challenge, track)
    phase = open_phase(challenge, wanted, now=now)

    def read(connection: Connection) -> tuple[StoredTask, Dataset]:
        task_row = find_task(connection, wanted.task)
        return task_row, find_dataset(connection, task_row.id, wanted.datasets[phase.name])

    task_row, dataset = home.store.read_now(read)
    return _TrackPlace(challenge, wanted, phase, task_row, stored_task(task_row), dataset)


def _checked(
    home: EvaluationHome, place: _TrackPlace, content: Path | bytes, *, name: str, now: float
) -> CheckedAnswers:
    """The answers of a file, in the order of the data; InputError names every problem's place."""
    check_size(home, content, name)
    examples = read_examples(home, place.task, place.dataset)
    try:
        return CheckedAnswers(check_predictions(place.task, examples, content, name=name))
    except PredictionsError as error:
        hint = belongs_elsewhere(
            home, place.challenge, place.track, place.phase, content, name=name, now=now
        )
        if hint:
            raise PredictionsError(name, [hint, *error.problems]) from error
        raise


def _same_file(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    track: Track,
    challenge: Challenge,
    *,
    digest: str,
    run: int | None,
    now: float,
) -> Entry | None:
    """The entry that has this file for this run already, also when its phase has just closed."""
    phase = last_phase(challenge, track, now=now)
    if phase is None:
        return None
    entries = rows.list_entries(
        connection, row.id, submitter_id=team.id, track=track.name, phase=phase.name
    )
    return next(
        (
            each
            for each in reversed(entries)
            if each.digest == digest and is_live(each) and run in (None, each.run)
        ),
        None,
    )


def _check_left(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    place: _TrackPlace,
    *,
    now: float,
) -> None:
    left = entry_allowance(connection, row, team, place.track, place.phase, now=now)
    check_allowance(left, now=now)


def _record(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    place: _TrackPlace,
    run: int | None,
    key: str,
    path: str,
    digest: str,
    model: Model,
    *,
    now: float,
) -> int:
    """Store the entry in the place of an earlier one of its run; its run number."""
    theirs = rows.list_entries(
        connection,
        row.id,
        submitter_id=team.id,
        track=place.track.name,
        phase=place.phase.name,
    )
    number = checked_run(place.challenge, run, theirs)
    before = [each for each in theirs if each.run == number]
    rows.record_entry(
        connection,
        key=key,
        submitter_id=team.id,
        model_version_id=model.version_id,
        track=place.track.name,
        phase=place.phase.name,
        run=number,
        late=place.phase.state(now) == "late",
        path=path,
        digest=digest,
        now=now,
    )
    if any(each.is_final for each in before):
        rows.set_entries(connection, [each.key for each in before], final=False)
        rows.set_entries(connection, [key], final=True)
    rows.retire_entry_models(connection, [each.model_version_id for each in before], now=now)
    return number


def _path(row: StoredChallenge, team: ChallengeTeam, key: str, digest: str, name: str) -> str:
    """Where a file is kept as it was sent; no word of its path comes from outside."""
    suffix = PurePath(name).suffix.lower()
    ending = suffix if suffix in SUFFIXES else ""
    return f"challenges/{row.name}/{team.id}/{key}-{digest[:SHORT_DIGEST]}{ending}"


def _model_name(key: str) -> str:
    """The name of the model behind an entry: entries of challenges have names of their own."""
    return f"entry-{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def _digest(content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    found = hashlib.sha256()
    with content.open("rb") as stream:
        while block := stream.read(BLOCK):
            found.update(block)
    return found.hexdigest()
