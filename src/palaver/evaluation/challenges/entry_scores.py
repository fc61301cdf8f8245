"""Scores of entries, out of the ordinary scores of their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenges import Part, Phase, StoredChallenge, Track
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_values import (
    entry_runs,
    measured_run,
    read_ground,
    summarise,
    unmeasured,
)
from palaver.evaluation.home import EvaluationHome

EntryScores = dict[str, Mapping[str, float | None]]


def entry_scores(
    connection: Connection,
    row: StoredChallenge,
    entries: Sequence[Entry],
    *,
    part: Part,
    home: EvaluationHome | None = None,
) -> EntryScores:
    """The scores of entries of one phase by their keys and by measure, on a part of the data.

    Which items a half has is known from the data in the home; without it there are none on a half.
    """
    found: EntryScores = {}
    for track, phase, theirs in _grouped(row, entries):
        ground = read_ground(connection, row, track, phase)
        runs = {
            key: run
            for key, each in entry_runs(connection, ground.dataset, theirs).items()
            if (run := measured_run(ground, each)) is not None
        }
        scores = summarise(connection, home, row, ground, phase, list(runs.values()), part=part)
        for key, run in runs.items():
            if run.run_id in scores:
                found[key] = {name: score.value for name, score in scores[run.run_id].items()}
    return found


def current_entries(
    connection: Connection, row: StoredChallenge, entries: Sequence[Entry]
) -> list[Entry]:
    """The entries; one whose data were replaced by others is failed, and says so."""
    changed: dict[str, Entry] = {}
    scored = [each for each in entries if each.state == "scored" and not each.is_replaced]
    for track, phase, theirs in _grouped(row, scored):
        ground = read_ground(connection, row, track, phase)
        runs = entry_runs(connection, ground.dataset, theirs)
        for each in theirs:
            if measured_run(ground, runs.get(each.key)) is None:
                reason = unmeasured(ground, runs.get(each.key))
                changed[each.key] = replace(each, state="failed", reason=reason)
    return [changed.get(each.key, each) for each in entries]


def _grouped(
    row: StoredChallenge, entries: Sequence[Entry]
) -> list[tuple[Track, Phase, list[Entry]]]:
    """Entries by track and phase; those of a track or a phase that is gone are left out."""
    challenge = stored_definition(row)
    groups = [
        (track, phase, [e for e in entries if (e.track, e.phase) == (track.name, phase.name)])
        for track in challenge.tracks
        for phase in challenge.phases
        if phase.name in track.datasets
    ]
    return [group for group in groups if group[2]]
