"""Whether the parts of a challenge fit each other: dates in order, phases apart, runs that add up."""

from collections.abc import Iterator
from itertools import combinations

from palaver.core.deadlines import in_both_zones
from palaver.core.evaluation.challenges import Challenge, Phase
from palaver.core.registry import near
from palaver.core.words import listed
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem

HOUR = 3600.0


def meaning_problems(challenge: Challenge) -> Iterator[KeyProblem]:
    """Everything in a challenge that is well formed and does not make sense."""
    yield from _track_problems(challenge)
    registration = challenge.registration
    yield from _order(registration.opens, registration.closes, ("registration", "closes"))
    for phase in challenge.phases:
        yield from _order(phase.opens, phase.closes, ("phases", phase.name, "closes"))
        yield from _late_problems(phase)
        yield from _asking_problems(challenge, phase)
    yield from _overlaps(challenge)
    yield from _final_problems(challenge)
    if challenge.final_runs > challenge.most_runs:
        yield KeyProblem(
            ("final_runs",),
            f"A team has {challenge.most_runs} runs ('runs'), so it cannot choose "
            f"{challenge.final_runs} of them.",
        )


def _track_problems(challenge: Challenge) -> Iterator[KeyProblem]:
    names = [phase.name for phase in challenge.phases]
    for track in challenge.tracks:
        for phase in track.datasets:
            if phase not in names:
                hint = near(phase, names) or f" Phases: {', '.join(names)}."
                yield KeyProblem(
                    ("tracks", track.name, "data", phase),
                    f"There is no phase '{phase}'.{hint}",
                    at_key=True,
                )
        for phase in track.judged:
            if phase not in track.datasets:
                told = "has no data on this track" if phase in names else "is not there"
                hint = near(phase, track.datasets) or f" Phases: {', '.join(track.datasets)}."
                yield KeyProblem(
                    ("tracks", track.name, "judged", phase),
                    f"The phase '{phase}' {told}, so nothing of it can be judged.{hint}",
                    at_key=True,
                )
    for phase in names:
        if not any(phase in track.datasets for track in challenge.tracks):
            yield KeyProblem(("phases", phase), f"No track has data for the phase '{phase}'.")


def _order(opens: float | None, closes: float | None, steps: Steps) -> Iterator[KeyProblem]:
    if opens is not None and closes is not None and closes < opens:
        yield KeyProblem(
            steps,
            f"It closes at {in_both_zones(closes)}, before it opens at {in_both_zones(opens)}.",
        )


def _late_problems(phase: Phase) -> Iterator[KeyProblem]:
    if phase.late_hours and phase.closes is None:
        yield KeyProblem(
            ("phases", phase.name, "late_hours"),
            f"The phase '{phase.name}' never closes, so nothing can be late. Give 'closes'.",
        )
    if phase.public_share and phase.closes is None:
        yield KeyProblem(
            ("phases", phase.name, "halves"),
            f"The phase '{phase.name}' never closes, so its private half would never be shown. "
            "Give 'closes'.",
        )


def _asking_problems(challenge: Challenge, phase: Phase) -> Iterator[KeyProblem]:
    if phase.asks is None:
        return
    steps = ("phases", phase.name, "asks")
    if not any(t.takes_endpoints and phase.name in t.datasets for t in challenge.tracks):
        yield KeyProblem(
            steps,
            f"No track takes endpoints in the phase '{phase.name}', so nothing is asked. Say 'takes: "
            "endpoints' in a track.",
        )
    if phase.opens is not None and phase.asks < phase.opens:
        yield KeyProblem(
            steps,
            f"Endpoints would be asked from {in_both_zones(phase.asks)} on, before the phase opens "
            f"at {in_both_zones(phase.opens)}.",
        )


def _overlaps(challenge: Challenge) -> Iterator[KeyProblem]:
    for one, other in combinations(challenge.phases, 2):
        shared = [
            track.name
            for track in challenge.tracks
            if one.name in track.datasets
            and track.datasets.get(one.name) == track.datasets.get(other.name)
        ]
        if shared and _begin(one) <= _end(other) and _begin(other) <= _end(one):
            later = max(one, other, key=_begin)
            first = other if later is one else one
            late = " and its late hours" if first.late_hours else ""
            yield KeyProblem(
                ("phases", later.name, "opens"),
                f"The phases '{first.name}'{late} and '{later.name}' overlap, and in "
                f"{listed(shared)} they have the same data: nobody could tell which one a "
                "submission belongs to. Set their dates apart, or give them other data.",
            )


def _begin(phase: Phase) -> float:
    return float("-inf") if phase.opens is None else phase.opens


def _end(phase: Phase) -> float:
    return float("inf") if phase.closes is None else phase.closes + phase.late_hours * HOUR


def _final_problems(challenge: Challenge) -> Iterator[KeyProblem]:
    final = [phase.name for phase in challenge.phases if phase.is_final]
    if not final:
        yield KeyProblem(
            ("phases",),
            "No phase is final. Add 'final: true' to the one whose runs the results are made of.",
        )
    for name in final[1:]:
        yield KeyProblem(
            ("phases", name, "final"),
            f"'{final[0]}' is the final phase already; results are made of the runs of one phase.",
        )
