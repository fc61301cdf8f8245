"""What `palaver submit` says: a file that was checked, an entry, what a team has submitted."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from palaver.cli.output import sheet_lines, table_lines
from palaver.core.deadlines import in_both_zones, written_moment
from palaver.core.evaluation.challenge_entries import (
    ChallengeSheet,
    CheckedFile,
    Entry,
    TrackSheet,
)
from palaver.core.evaluation.models import ProbedEndpoint
from palaver.core.words import counted

# How many faults of a file are named.
SHOWN = 20


def checked_lines(checked: CheckedFile, noun: str) -> Iterator[str]:
    """Whether a file would be taken: "valid, 390 dialogues", or its faults with their places."""
    if checked.valid:
        yield f"valid, {counted(checked.items, noun)}"
        yield from _scores(checked.scores)
        yield from checked.notes
        return
    yield f"not valid, {counted(len(checked.problems), 'fault')}"
    yield from (f"  {problem}" for problem in checked.problems[:SHOWN])
    if len(checked.problems) > SHOWN:
        yield f"  … and {len(checked.problems) - SHOWN:,} more."


def probed_lines(probed: ProbedEndpoint) -> Iterator[str]:
    """What came of asking an endpoint made-up questions."""
    if probed.answers:
        yield f"It answers: {len(probed.questions)} made-up questions in {probed.seconds:.1f} s."
    else:
        yield probed.problem
        if probed.mend:
            yield probed.mend
    for each in probed.questions:
        yield f"  sent: {_json(each.sent)}"
        yield f"  came: {_json(each.came) if each.came is not None else each.problem or 'nothing'}"


def submitted_lines(file: str, entry: Entry, sheet: ChallengeSheet) -> Iterator[str]:
    """What became of a file that was submitted, and what is left."""
    late = ", late" if entry.is_late else ""
    yield f"{file} is run {entry.run} of {entry.track} in the phase {entry.phase}{late}."
    told = {
        "entry": entry.key,
        "arrived": in_both_zones(entry.created),
        "state": _state(entry),
        "reason": entry.reason,
    }
    yield from sheet_lines(told)
    yield from _scores(entry.scores)
    if entry.withheld:
        yield entry.withheld
    track = next((each for each in sheet.tracks if each.track == entry.track), None)
    if track is not None and track.allowance is not None:
        yield f"{_left(track)} left."


def entry_lines(sheet: ChallengeSheet) -> Iterator[str]:
    """What a team has submitted, oldest first, and what each track still takes."""
    if sheet.entries:
        head = ("entry", "track", "phase", "run", "arrived (UTC)", "state", "scores")
        yield from table_lines([head, *map(_row, sheet.entries)], whole=(0,))
    else:
        yield "Nothing was submitted yet."
    for track in sheet.tracks:
        if track.phase is None:
            yield f"{track.track}: no phase is open."
        else:
            yield f"{track.track}: {track.phase} is open, {_left(track)} left."
    if not sheet.accepted:
        yield "The terms are not accepted yet: --terms prints them."


def _row(entry: Entry) -> tuple[str, ...]:
    marks: list[str] = [_state(entry)]
    marks += [word for word, holds in (("late", entry.is_late), ("final", entry.is_final)) if holds]
    marks += ["replaced"] if entry.is_replaced else []
    scores = " ".join(f"{name} {_number(value)}" for name, value in entry.scores.items())
    return (
        entry.key,
        entry.track,
        entry.phase,
        str(entry.run),
        written_moment(entry.created),
        ", ".join(marks),
        scores or entry.reason or ("withheld" if entry.withheld else ""),
    )


def _state(entry: Entry) -> str:
    """The state in a word; of an endpoint also when it is asked, or how far it is."""
    if not entry.is_endpoint:
        return entry.state
    if entry.state == "scheduled":
        when = "with the data" if entry.asks is None else written_moment(entry.asks)
        return f"scheduled ({when})"
    if entry.state == "running":
        return f"asked {entry.asked} of {entry.items}"
    return "answered" if entry.state == "scored" else entry.state


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _left(track: TrackSheet) -> str:
    if track.allowance is None:
        return "nothing"
    return f"{track.allowance.left} of {counted(track.allowance.most, 'submission')}"


def _scores(scores: Mapping[str, float | None]) -> Iterator[str]:
    yield from sheet_lines({name: _number(value) for name, value in scores.items()})


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
