"""Challenges between their files and the store: added, found again, and changed with care."""

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenges import AddedChallenge, Challenge, StoredChallenge, Track
from palaver.core.registry import near
from palaver.core.serial import extended
from palaver.evaluation.challenges.changes import changed_parts, refused_changes
from palaver.evaluation.challenges.consistency import meaning_problems
from palaver.evaluation.challenges.definition import (
    ChallengeFile,
    challenge_digest,
    challenge_json,
    read_challenge_file,
    stored_definition,
)
from palaver.evaluation.challenges.endpoint_plans import plan_endpoints
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import builtin_names
from palaver.formats.key_problems import KeyProblem
from palaver.storage.audit.entries import record
from palaver.storage.evaluation import challenges as rows
from palaver.storage.evaluation.challenges import find_challenge, list_challenges
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.tasks import list_tasks

__all__ = [
    "add_challenge",
    "check_not_frozen",
    "find_challenge",
    "find_public_challenge",
    "find_track",
    "list_challenges",
    "set_challenge",
]


def add_challenge(
    home: EvaluationHome, file: Path | Challenge, *, by: Actor, now: float
) -> AddedChallenge:
    """Store a challenge or its new wording; what may not change after entries is refused.

    StudyError names the place of each problem in a file; a `Challenge` made in Python has none.
    """
    if isinstance(file, Challenge):
        return home.store.write_now(lambda c: _add(c, file, None, by=by, now=now))
    read = read_challenge_file(file)
    return home.store.write_now(lambda c: _add(c, read.challenge, read, by=by, now=now))


def find_public_challenge(connection: Connection, name: str) -> StoredChallenge:
    """The challenge called `name` if strangers may see it.

    UnknownNameError tells them the same of one that is not public and of one that does not exist.
    """
    known = {each.name: each for each in list_challenges(connection) if each.public}
    if name not in known:
        raise UnknownNameError(
            f"No public challenge has this name.{near(name, known)} The people who run one that is "
            "not public can sign in to see it, and can make it public."
        )
    return known[name]


def set_challenge(
    connection: Connection, row: StoredChallenge, *, public: bool, by: Actor, now: float
) -> StoredChallenge:
    """Decide whether everybody sees the pages of a challenge and may register; it stays possible
    for teams with a token to hand in."""
    if row.public != public:
        rows.set_challenge(connection, row.id, public=public)
        detail = {"public": public}
        record(connection, "challenge.change", by=by, now=now, subject=row.name, detail=detail)
    return find_challenge(connection, row.name)


def find_track(challenge: Challenge, name: str) -> Track:
    """The track called `name`; UnknownNameError names the others."""
    known = {track.name: track for track in challenge.tracks}
    if name not in known:
        raise UnknownNameError(
            f"The challenge '{challenge.name}' has no track '{name[:80]}'.{near(name, known)} "
            f"Tracks: {', '.join(known)}."
        )
    return known[name]


def check_not_frozen(row: StoredChallenge) -> None:
    """Raise InputError once a challenge is closed."""
    if row.frozen is not None:
        raise InputError(
            f"The challenge '{row.name}' is closed: its results are final and nothing of it changes "
            "any more."
        )


def _add(
    connection: Connection,
    challenge: Challenge,
    read: ChallengeFile | None,
    *,
    by: Actor,
    now: float,
) -> AddedChallenge:
    folder = "" if read is None else str(read.folder)
    known = next((c for c in list_challenges(connection) if c.name == challenge.name), None)
    if known is not None:
        known = rows.hold_challenge(connection, known.id, alone=True)
    if known and _says_the_same(known, challenge) and known.folder == folder:
        return extended(known, AddedChallenge, state="same")
    problems = [*_data_problems(connection, challenge)]
    if read is None:
        problems += meaning_problems(challenge)
    if known is not None:
        check_not_frozen(known)
        entries = rows.list_entries(connection, known.id)
        problems += refused_changes(stored_definition(known), challenge, entries)
    _refuse(problems, read)
    rows.register_challenge(
        connection,
        name=challenge.name,
        title=challenge.title,
        definition=challenge_json(challenge),
        digest=challenge_digest(challenge),
        folder=folder,
        now=now,
    )
    stored = find_challenge(connection, challenge.name)
    plan_endpoints(connection, stored, now=now)
    if known is None:
        record(connection, "challenge.add", by=by, now=now, subject=challenge.name)
        return extended(stored, AddedChallenge, state="new")
    changed = changed_parts(stored_definition(known), challenge) or ("folder",)
    record(
        connection,
        "challenge.change",
        by=by,
        now=now,
        subject=challenge.name,
        detail={"changed": list(changed), "before": known.digest[:16], "after": stored.digest[:16]},
    )
    return extended(stored, AddedChallenge, state="changed", changed=changed)


def _says_the_same(known: StoredChallenge, challenge: Challenge) -> bool:
    # By what the row says: an earlier version of this program made another digest of the same.
    return challenge_digest(stored_definition(known)) == challenge_digest(challenge)


def _refuse(problems: list[KeyProblem], read: ChallengeFile | None) -> None:
    if read is not None:
        read.refuse(problems)
    elif problems:
        raise InputError("\n".join(problem.message for problem in problems))


def _data_problems(connection: Connection, challenge: Challenge) -> Iterator[KeyProblem]:
    """Tasks and data sets of the tracks that are not stored here."""
    stored = {task.name: task for task in list_tasks(connection)}
    for track in challenge.tracks:
        steps = ("tracks", track.name)
        if track.task not in stored and track.task not in builtin_names():
            known = sorted({*stored, *builtin_names()})
            hint = near(track.task, known) or f" Tasks: {', '.join(known)}."
            yield KeyProblem(
                (*steps, "task"), f"No task '{track.task}' is stored here or built in.{hint}"
            )
            continue
        task = stored.get(track.task)
        names = [] if task is None else [each.name for each in list_datasets(connection, task.id)]
        for phase, dataset in track.datasets.items():
            # A set that is made after teams have registered their endpoints is waited for.
            if dataset not in names and not track.takes_endpoints:
                yield KeyProblem(
                    (*steps, "data", phase),
                    f"The task '{track.task}' has no data set '{dataset}'.{near(dataset, names)} "
                    f"Add it first: palaver dataset add {track.task} {dataset} FILE",
                )
