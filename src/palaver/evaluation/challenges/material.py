"""What teams are given: the questions of the open phase, and files behind the terms."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from palaver.core.deadlines import in_both_zones
from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.registry import near
from palaver.evaluation.challenges.arrival import open_phase
from palaver.evaluation.challenges.definition import inside, stored_definition
from palaver.evaluation.challenges.stored import find_track
from palaver.evaluation.challenges.teams import check_approved, check_terms
from palaver.evaluation.datasets import find_dataset, read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import find_task, stored_task

_encode = msgspec.json.Encoder().encode


def questions_of(
    home: EvaluationHome, row: StoredChallenge, track: str, *, now: float
) -> Iterator[bytes]:
    """What the open phase of a track asks, a line of JSON per item, without gold and tags."""
    challenge = stored_definition(row)
    wanted = find_track(challenge, track)
    phase = open_phase(challenge, wanted, now=now)
    if not wanted.takes_files:
        raise AccessError(
            f"The track '{wanted.title}' takes endpoints, which are asked from here; what they are "
            "asked is not handed out."
        )
    task_row = home.store.read_now(lambda c: find_task(c, wanted.task))
    task = stored_task(task_row)
    name = wanted.datasets[phase.name]
    dataset = home.store.read_now(lambda c: find_dataset(c, task_row.id, name))
    examples = read_examples(home, task, dataset)
    return (_encode(task.question(example)) + b"\n" for example in examples)


def shared_file(
    home: EvaluationHome, row: StoredChallenge, team: ChallengeTeam, name: str, *, now: float
) -> Path:
    """Where a shared file lies, for an approved team that accepted the terms, once its date is there."""
    known = {each.name: each for each in stored_definition(row).files}
    if name not in known:
        raise UnknownNameError(
            f"The challenge '{row.name}' has no file '{name[:80]}'.{near(name, known)}"
        )
    check_approved(team)
    check_terms(row, team)
    shared = known[name]
    if shared.since is not None and now < shared.since:
        raise AccessError(f"'{shared.title}' can be had from {in_both_zones(shared.since)} on.")
    place = inside(Path(row.folder), shared.path)
    if place is None or not place.is_file():
        raise InputError(
            f"'{shared.title}' is not where it was when the challenge was added. Ask the organisers."
        )
    return place
