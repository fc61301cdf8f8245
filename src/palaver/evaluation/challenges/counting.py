"""Which entries count: the newest file of each run, and in the final phase the runs that were chosen.

A team that has chosen nothing is taken at its newest runs. What is withdrawn, was replaced or has
failed never counts, and nothing of a team that was refused does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from sqlalchemy import Connection

from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.teams import list_teams
from palaver.storage.evaluation.challenges import list_entries


def counting_entries(
    connection: Connection, row: StoredChallenge, track: str, phase: str
) -> list[Entry]:
    """The entries of a track and a phase that standings are made of, by team and run."""
    found = _of_teams(connection, row, track, phase)
    return chosen_entries(found, most=_most(row, phase))


def failed_entries(
    connection: Connection, row: StoredChallenge, track: str, phase: str
) -> list[Entry]:
    """The entries that would count if they had not failed, by team and run."""
    found = _of_teams(connection, row, track, phase)
    failed = {each.key: each for each in found if each.state == "failed"}
    well = (replace(each, state="running") if each.key in failed else each for each in found)
    chosen = chosen_entries(well, most=_most(row, phase))
    return [failed[each.key] for each in chosen if each.key in failed]


def chosen_entries(entries: Iterable[Entry], *, most: int | None) -> list[Entry]:
    """Of each team all its live runs, or with `most` those it chose, else its newest ones."""
    live = sorted((each for each in entries if is_live(each)), key=_team)
    chosen = [each for _, theirs in groupby(live, _team) for each in _of_team(list(theirs), most)]
    return sorted(chosen, key=lambda each: (each.team, each.run))


def is_live(entry: Entry) -> bool:
    """Whether an entry stands for its run."""
    return not entry.is_replaced and entry.state in ("scored", "running", "scheduled")


def _of_teams(connection: Connection, row: StoredChallenge, track: str, phase: str) -> list[Entry]:
    """What teams handed in that were not refused."""
    out = {team.id for team in list_teams(connection, row) if team.state == "refused"}
    found = list_entries(connection, row.id, track=track, phase=phase)
    return [each for each in found if each.submitter_id not in out]


def _most(row: StoredChallenge, phase: str) -> int | None:
    challenge = stored_definition(row)
    is_final = any(each.is_final for each in challenge.phases if each.name == phase)
    return challenge.final_runs if is_final else None


def _of_team(entries: Sequence[Entry], most: int | None) -> Sequence[Entry]:
    if most is None:
        return entries
    final = [each for each in entries if each.is_final]
    # Entries come oldest first; of two of one moment the later one is the newer.
    return final or list(entries)[-most:]


def _team(entry: Entry) -> int:
    return entry.submitter_id
