"""A team's sheet: the terms, what each track wants now, what is left, and what was handed in."""

from sqlalchemy import Connection

from palaver.core.evaluation.challenge_entries import (
    ChallengeSheet,
    ChallengeTeam,
    TrackSheet,
)
from palaver.core.evaluation.challenges import Challenge, StoredChallenge, Track
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.challenges.arrival import entry_allowance
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_list import list_entries
from palaver.evaluation.challenges.entry_place import phase_data
from palaver.evaluation.challenges.teams import find_team, has_accepted
from palaver.evaluation.home import EvaluationHome


def team_sheet(
    connection: Connection,
    row: StoredChallenge,
    team: ChallengeTeam,
    *,
    now: float,
    home: EvaluationHome | None = None,
) -> ChallengeSheet:
    """A team as it is now, the tracks it can hand in to, and its entries with the scores it may see."""
    challenge = stored_definition(row)
    team = find_team(connection, row, team.id)
    phase = challenge.phase_at(now)
    return ChallengeSheet(
        team=team,
        title=challenge.title,
        terms=challenge.terms,
        terms_digest=terms_digest(challenge.terms) if challenge.terms else "",
        accepted=has_accepted(row, team),
        phase=None if phase is None else phase.name,
        closes=None if phase is None else phase.closes,
        tracks=tuple(
            _track_sheet(connection, row, challenge, track, team, now=now)
            for track in challenge.tracks
        ),
        entries=tuple(list_entries(connection, row, team=team, now=now, audience="own", home=home)),
        audience="organisers" if phase is None else phase.audience(now),
    )


def _track_sheet(
    connection: Connection,
    row: StoredChallenge,
    challenge: Challenge,
    track: Track,
    team: ChallengeTeam,
    *,
    now: float,
) -> TrackSheet:
    phase = challenge.phase_for(track, now)
    told = TrackSheet(
        track=track.name,
        title=track.title,
        task=track.task,
        language=track.language,
        phase=None,
        dataset=None,
        items=None,
        allowance=None,
        takes=track.takes,
    )
    if phase is None:
        return told
    _, dataset = phase_data(connection, track, phase)
    return TrackSheet(
        track=track.name,
        title=track.title,
        task=track.task,
        language=track.language,
        phase=phase.name,
        dataset=track.datasets[phase.name],
        items=None if dataset is None else dataset.items,
        takes=track.takes,
        asks=phase.asks,
        allowance=entry_allowance(connection, row, team, track, phase, now=now),
    )
