"""Entries as somebody may see them: all of them or one's own, with scores where the date allows it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from palaver.core.deadlines import in_both_zones
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenges import (
    Audience,
    Challenge,
    Phase,
    StoredChallenge,
)
from palaver.core.evaluation.submissions import Team
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_scores import current_entries, entry_scores
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation import challenges as rows


def list_entries(
    connection: Connection,
    row: StoredChallenge,
    *,
    team: Team | None = None,
    now: float,
    audience: Audience,
    key: str | None = None,
    home: EvaluationHome | None = None,
) -> list[Entry]:
    """What was handed in, oldest first, with the scores that `audience` may see now.

    Organisers see everything; a team (`own`, with `team`) its own entries; everybody those that stand
    in phases whose scores are public. Scores on a half of the data need the `home` that holds them.
    """
    challenge = stored_definition(row)
    phases = {phase.name: phase for phase in challenge.phases}
    submitter_id = None if team is None else team.id
    found = rows.list_entries(connection, row.id, submitter_id=submitter_id, key=key)
    if audience == "everybody":
        found = [
            each
            for each in found
            if _sees(phases[each.phase], audience, now) and each.state == "scored"
            if not each.is_replaced
        ]
    return with_scores(connection, challenge, row, found, now=now, audience=audience, home=home)


def with_scores(
    connection: Connection,
    challenge: Challenge,
    row: StoredChallenge,
    entries: Sequence[Entry],
    *,
    now: float,
    audience: Audience,
    home: EvaluationHome | None = None,
) -> list[Entry]:
    """The entries with their scores, or with the reason why they are withheld."""
    entries = current_entries(connection, row, entries)
    phases = {phase.name: phase for phase in challenge.phases}
    judged = {(track.name, phase) for track in challenge.tracks for phase in track.judged}
    seen = [
        each
        for each in entries
        if _sees(phases[each.phase], audience, now)
        if audience == "organisers" or (each.track, each.phase) not in judged
    ]
    scores: dict[str, Mapping[str, float | None]] = {}
    for phase in challenge.phases:
        theirs = [each for each in seen if each.phase == phase.name and each.state == "scored"]
        scores |= entry_scores(connection, row, theirs, part=phase.part(now), home=home)
    return [
        replace(
            each,
            scores=scores.get(each.key, {}),
            part=phases[each.phase].part(now),
            asks=phases[each.phase].asks if each.state == "scheduled" else None,
            withheld=_withheld(challenge, phases[each.phase], each, audience, now),
        )
        for each in entries
    ]


def _withheld(
    challenge: Challenge, phase: Phase, entry: Entry, audience: Audience, now: float
) -> str:
    if not _sees(phase, audience, now):
        return withheld(phase, audience, now)
    is_judged = any(t.name == entry.track and phase.name in t.judged for t in challenge.tracks)
    return "People judge the answers." if is_judged and audience != "organisers" else ""


def withheld(phase: Phase, audience: Audience, now: float) -> str:
    """Why somebody sees no scores of a phase, and from when on they will."""
    wide_enough = [sight for sight in phase.sights if _WIDTH[sight.who] >= _WIDTH[audience]]
    coming = [sight.since for sight in wide_enough if sight.since is not None and sight.since > now]
    if coming:
        return f"Scores of '{phase.title}' are shown from {in_both_zones(min(coming))} on."
    return f"Scores of '{phase.title}' are for the organisers."


def _sees(phase: Phase, audience: Audience, now: float) -> bool:
    return audience == "organisers" or _WIDTH[phase.audience(now)] >= _WIDTH[audience]


_WIDTH: Mapping[Audience, int] = {"organisers": 0, "own": 1, "everybody": 2}
