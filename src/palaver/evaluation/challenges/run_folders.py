"""What teams handed in, as the folder that a shared task is scored from: TEAM/runN/FILE.

A team is never called what no folder can be called. `teams.yaml` beside the runs says who the teams are,
so that the folder, with the gold data, is scored to the same standings as the challenge.
"""

from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import Phase, StoredChallenge, Track
from palaver.core.evaluation.runs import Run
from palaver.evaluation.challenges.counting import counting_entries
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.final_boards import final_phases
from palaver.evaluation.challenges.teams import list_teams
from palaver.evaluation.dialeval.runs import language_of
from palaver.evaluation.dialeval.shared_task import TEAMS_FILE
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.predictions import run_predictions
from palaver.evaluation.tasks import find_task
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.runs import list_runs

# What the official files of the DialEval tasks hold, by the task.
_PARTS = {"dialogue-nugget": "nugget", "dialogue-quality": "quality"}


def write_runs(
    home: EvaluationHome, row: StoredChallenge, folder: Path, *, track: str | None = None
) -> list[str]:
    """Write the runs that count in the final phases, of all tracks or one; the paths of the files.

    The folder must be empty or new.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder. Choose another place.")
    challenge = stored_definition(row)
    wanted = [pair for pair in final_phases(challenge) if track in (None, pair[0].name)]
    if not wanted:
        names = ", ".join(each.name for each in challenge.tracks)
        raise UnknownNameError(f"'{row.name}' has no track '{str(track)[:80]}'. Tracks: {names}.")
    teams, held = home.store.read_now(lambda c: _held(c, row, wanted))
    written = []
    for (chosen, phase), entries in zip(wanted, held, strict=True):
        several = sum(other == chosen for other, _ in wanted) > 1
        for entry in entries:
            ending = ".jsonl" if entry.is_endpoint else Path(entry.path).suffix
            name = _file_name(chosen, phase if several else None, ending)
            path = f"{entry.team}/run{entry.run}/{name}"
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_content(home, chosen, entry))
            written.append(path)
    folder.mkdir(parents=True, exist_ok=True)
    _write_teams(teams, held, folder / TEAMS_FILE)
    return written


def export_runs(
    home: EvaluationHome, row: StoredChallenge, folder: Path, *, by: Actor, now: float
) -> list[str]:
    """Write the runs for somebody who takes them away, which is put on record."""
    written = write_runs(home, row, folder)
    if not home.store.read_only:
        detail = {"format": "runs", "files": len(written)}
        home.store.write_now(
            lambda c: record(c, "export.make", by=by, now=now, subject=row.name, detail=detail)
        )
    return written


def _held(
    connection: Connection, row: StoredChallenge, wanted: Sequence[tuple[Track, Phase]]
) -> tuple[list[ChallengeTeam], list[list[Entry]]]:
    entries = [counting_entries(connection, row, track.name, phase.name) for track, phase in wanted]
    return list_teams(connection, row), entries


def _file_name(track: Track, phase: Phase | None, ending: str) -> str:
    """A name that says track and language, in the words that a shared task knows."""
    stem = track.name if phase is None else f"{track.name}-{phase.name}"
    named = f"{stem}_{track.language}" if track.language else stem
    try:
        language_of(named)
    except InputError:
        # The track's name says another language than the track has.
        named = f"track_{track.language}"
    return f"{named}{ending or '.json'}"


def _content(home: EvaluationHome, track: Track, entry: Entry) -> bytes:
    """The file of an entry as it came; of an endpoint, what it answered."""
    if not entry.is_endpoint:
        return _own_part(track, home.objects.read(entry.path))
    runs = home.store.read_now(
        lambda c: _runs_of_model(c, find_task(c, track.task).id, entry.model_version_id)
    )
    answers = run_predictions(home, runs[-1]) if runs else []
    lines = [{"id": each.uid, **each.answer} for each in answers if each.answer is not None]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _runs_of_model(connection: Connection, task_id: int, version_id: int) -> list[Run]:
    """The runs of a model version, oldest first."""
    found = list_runs(connection, task_id=task_id)
    return [run for run in found if run.model_version_id == version_id]


def _own_part(track: Track, content: bytes) -> bytes:
    """The file as it came; of an official file that answers two tasks, what answers this track."""
    part = _PARTS.get(track.task)
    others = [f'"{other}"'.encode() for other in _PARTS.values() if other != part]
    if part is None or not any(other in content for other in others):
        return content
    entries: Any = msgspec.json.decode(content)
    if not isinstance(entries, list):
        return content
    return msgspec.json.encode(list(_without_others(entries, part)))


def _without_others(entries: Sequence[Any], part: str) -> Iterator[Any]:
    others = set(_PARTS.values()) - {part}
    for entry in entries:
        yield {key: value for key, value in entry.items() if key not in others}


def _write_teams(
    teams: Sequence[ChallengeTeam], held: Sequence[Sequence[Entry]], path: Path
) -> None:
    there = {entry.submitter_id for entries in held for entry in entries}
    listed: list[dict[str, Any]] = []
    for team in teams:
        if team.id not in there:
            continue
        told = {"team": team.team, "affiliation": team.affiliation, "link": team.link}
        found: dict[str, Any] = {key: value for key, value in told.items() if value}
        listed.append(found | ({"baseline": True} if team.is_baseline else {}))
    stream = StringIO()
    YAML(typ="safe", pure=True).dump(listed, stream)
    path.write_text(stream.getvalue(), encoding="utf-8")
