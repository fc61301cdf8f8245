"""What teams hand in as files: one for one run of one track, checked, kept, counted and scored."""

import hashlib
from pathlib import Path, PurePath

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, CheckedFile, Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.challenges.arrival import check_size, checked_run
from palaver.evaluation.challenges.counting import counting_entries
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.elsewhere import belongs_elsewhere
from palaver.evaluation.challenges.entry_decisions import (
    choose_final,
    own_entry,
    withdraw_entry,
)
from palaver.evaluation.challenges.entry_list import list_entries
from palaver.evaluation.challenges.entry_place import (
    HandedInError,
    NewEntry,
    TrackPlace,
    check_left,
    current_team,
    model_name,
    read_place,
    same_entry,
    take_entry,
)
from palaver.evaluation.challenges.material import questions_of, shared_file
from palaver.evaluation.challenges.stored import find_track
from palaver.evaluation.datasets import find_dataset, read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.uploads import (
    CheckedAnswers,
    PredictionsError,
    check_predictions,
    keep_predictions,
)
from palaver.evaluation.runs.plans import plan_pairs
from palaver.storage.engine.keys import new_key

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
    place = read_place(home, row, track, now=now)
    dataset = _file_data(place)
    problems: tuple[str, ...] = ()
    try:
        _checked(home, place, dataset, content, name=name, now=now)
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
        items=dataset.items,
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
    row, team = home.store.read_now(lambda c: current_team(c, row, team))
    challenge = stored_definition(row)
    wanted = find_track(challenge, track)
    checked_run(challenge, run, ())
    digest = _digest(content)
    same = home.store.read_now(
        lambda c: same_entry(c, row, team, wanted.name, digest=digest, run=run, now=now)
    )
    if same is not None:
        return own_entry(home, row, same.key, now=now)
    place = read_place(home, row, track, now=now)
    dataset = _file_data(place)
    home.store.read_now(lambda c: check_left(c, row, team, place, now=now))
    answers = _checked(home, place, dataset, content, name=name, now=now)
    key = new_key("e")
    path = _path(row, team, key, digest, name)
    home.objects.put(path, content)
    new = NewEntry(key=key, run=run, digest=digest, path=path)

    def plan(
        connection: Connection, task_row: StoredTask, model: Model, *, now: float
    ) -> list[Run]:
        take_entry(connection, row, team, place, model, new, by=by, now=now)
        if find_dataset(connection, task_row.id, dataset.name).digest != dataset.digest:
            raise InputError(
                f"The data of '{wanted.title}' was replaced while {name} was being checked. Hand it "
                "in again."
            )
        return plan_pairs(connection, task_row, [model], [dataset], now=now)

    try:
        keep_predictions(
            home,
            place.task_row,
            place.task,
            name=model_name(key),
            files={dataset.name: answers},
            partial=True,
            now=now,
            plan=plan,
        )
    except HandedInError as error:
        return own_entry(home, row, error.entry.key, now=now)
    return own_entry(home, row, key, now=now)


def _file_data(place: TrackPlace) -> Dataset:
    """The data that files for a track answer; InputError if it takes none, or has none yet."""
    if not place.track.takes_files:
        raise InputError(
            f"The track '{place.track.title}' takes endpoints, not files. Register the address of "
            "your model."
        )
    if place.dataset is None:
        raise InputError(
            f"There is nothing to answer on the track '{place.track.title}' yet: its data are made "
            "later. Until then it takes endpoints alone."
        )
    return place.dataset


def _checked(
    home: EvaluationHome,
    place: TrackPlace,
    dataset: Dataset,
    content: Path | bytes,
    *,
    name: str,
    now: float,
) -> CheckedAnswers:
    """The answers of a file, in the order of the data; InputError names every problem's place."""
    check_size(home, content, name)
    examples = read_examples(home, place.task, dataset)
    try:
        return CheckedAnswers(check_predictions(place.task, examples, content, name=name))
    except PredictionsError as error:
        hint = belongs_elsewhere(
            home, place.challenge, place.track, place.phase, content, name=name, now=now
        )
        if hint:
            raise PredictionsError(name, [hint, *error.problems]) from error
        raise


def _path(row: StoredChallenge, team: ChallengeTeam, key: str, digest: str, name: str) -> str:
    """Where a file is kept as it was sent; no word of its path comes from outside."""
    suffix = PurePath(name).suffix.lower()
    ending = suffix if suffix in SUFFIXES else ""
    return f"challenges/{row.name}/{team.id}/{key}-{digest[:SHORT_DIGEST]}{ending}"


def _digest(content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    found = hashlib.sha256()
    with content.open("rb") as stream:
        while block := stream.read(BLOCK):
            found.update(block)
    return found.hexdigest()
