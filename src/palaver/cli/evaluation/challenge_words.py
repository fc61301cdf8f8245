"""A challenge in tables of the command line: its schedule, its teams, what was handed in."""

import time
from collections.abc import Sequence

from palaver.core.deadlines import AOE, written_moment
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import Challenge, Phase
from palaver.core.words import measured

Rows = list[tuple[str, ...]]


def schedule_rows(challenge: Challenge, now: float) -> Rows:
    """When what opens and closes, in UTC and anywhere on earth, in the order of time."""
    coming = challenge.registration
    events = [("registration opens", coming.opens, ""), ("registration closes", coming.closes, "")]
    for phase in challenge.phases:
        events.append((f"{phase.name} opens", phase.opens, _limits(phase)))
        events.append((f"{phase.name} closes", phase.closes, _now(phase, now)))
        if phase.late_hours and phase.closes is not None:
            until = phase.closes + phase.late_hours * 3600
            events.append((f"{phase.name}, late entries until", until, ""))
        events.append((f"{phase.name}, endpoints are asked", phase.asks, ""))
        events += [
            (f"{phase.name}, scores for {_WHOM[sight.who]}", sight.since, "")
            for sight in phase.sights
            if sight.since is not None
        ]
    dated = sorted(
        ((name, moment, note) for name, moment, note in events if moment is not None),
        key=lambda event: event[1],
    )
    rows = [
        (name, written_moment(moment), written_moment(moment, AOE), note)
        for name, moment, note in dated
    ]
    return [("", "UTC", "anywhere on earth", ""), *rows]


def team_rows(teams: Sequence[ChallengeTeam]) -> Rows:
    """Teams with their state and how to reach them."""
    head = ("team", "state", "since", "contact", "members", "affiliation")
    return [head, *(_team_row(team) for team in teams)]


def entry_rows(entries: Sequence[Entry]) -> Rows:
    """Entries with what became of them and their scores."""
    head = ("entry", "team", "track", "phase", "run", "arrived", "state", "scores")
    return [head, *(_entry_row(entry) for entry in entries)]


def _team_row(team: ChallengeTeam) -> tuple[str, ...]:
    state = f"{team.state}, baseline" if team.is_baseline else team.state
    since = time.strftime("%Y-%m-%d", time.gmtime(team.created))
    members = ", ".join(team.members)
    return team.team, state, since, team.contact, members, team.affiliation


def _entry_row(entry: Entry) -> tuple[str, ...]:
    marks: list[str] = [entry.state]
    marks += [
        word
        for word, holds in (
            ("late", entry.is_late),
            ("final", entry.is_final),
            ("replaced", entry.is_replaced),
        )
        if holds
    ]
    scores = " ".join(
        f"{name} {measured(value)}" for name, value in entry.scores.items() if value is not None
    )
    return (
        entry.key,
        entry.team,
        entry.track,
        entry.phase,
        str(entry.run),
        written_moment(entry.created),
        ", ".join(marks),
        scores or entry.reason,
    )


def _limits(phase: Phase) -> str:
    return f"{phase.most_submissions} entries in {phase.submission_hours:g} h per team and track"


def _now(phase: Phase, now: float) -> str:
    words = {
        "before": "not open yet",
        "open": "open now",
        "late": "late entries now",
        "over": "over",
    }
    return words[phase.state(now)]


_WHOM = {"organisers": "the organisers", "own": "each team", "everybody": "everybody"}
