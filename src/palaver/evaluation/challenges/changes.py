"""What of a challenge may change once there are entries, and what would make them mean something else.

Texts, later deadlines, new tracks and phases may. What entries were measured by may not: the task of
a track, the data of a phase, how its halves were cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from palaver.core.deadlines import in_both_zones
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenges import Challenge, Phase, Track
from palaver.core.words import counted
from palaver.formats.key_problems import KeyProblem


def changed_parts(old: Challenge, new: Challenge) -> tuple[str, ...]:
    """The parts that differ, tracks and phases by name."""
    changed = []
    for each in fields(Challenge):
        before, after = getattr(old, each.name), getattr(new, each.name)
        if each.name in ("tracks", "phases", "files"):
            named_before = {part.name: part for part in before}
            named_after = {part.name: part for part in after}
            names = {**named_before, **named_after}
            changed += [
                f"{each.name}.{name}"
                for name in names
                if named_before.get(name) != named_after.get(name)
            ]
        elif before != after:
            changed.append(each.name)
    return tuple(changed)


def refused_changes(
    old: Challenge, new: Challenge, entries: Sequence[Entry]
) -> Iterator[KeyProblem]:
    """Changes that would make the entries that are there mean something else."""
    if not entries:
        return
    tracks = {track.name: track for track in new.tracks}
    phases = {phase.name: phase for phase in new.phases}
    for track in old.tracks:
        theirs = [entry for entry in entries if entry.track == track.name]
        if theirs:
            yield from _track_changes(track, tracks.get(track.name), theirs)
    for phase in old.phases:
        theirs = [entry for entry in entries if entry.phase == phase.name]
        if theirs:
            yield from _phase_changes(phase, phases.get(phase.name), theirs)
    highest = max(entry.run for entry in entries)
    if new.most_runs < highest:
        yield KeyProblem(("runs",), f"Run {highest} has been handed in, so 'runs' cannot be less.")
    if new.final_runs < old.final_runs:
        yield KeyProblem(
            ("final_runs",),
            f"Teams have been told that they may choose {old.final_runs} runs; with entries there "
            "it cannot become less.",
        )


def _track_changes(old: Track, new: Track | None, entries: Sequence[Entry]) -> Iterator[KeyProblem]:
    steps = ("tracks", old.name)
    there = f"has {counted(len(entries), 'entry', 'entries')}"
    if new is None:
        yield KeyProblem(("tracks",), f"The track '{old.name}' {there}, so it cannot be removed.")
        return
    if new.task != old.task:
        yield KeyProblem(
            (*steps, "task"),
            f"The track '{old.name}' {there} that were measured as '{old.task}'; as '{new.task}' "
            "their scores would mean something else. Make a new track.",
        )
    yield from _taking_changes(old, new, entries)
    for phase in {entry.phase: None for entry in entries}:
        if (phase in old.judged) != (phase in new.judged):
            told = "were to be judged by people" if phase in old.judged else "were to be scored"
            yield KeyProblem(
                (*steps, "judged"),
                f"The track '{old.name}' has entries in the phase '{phase}' whose teams were told "
                f"that they {told}; that cannot change. Make a new phase.",
            )
        before, after = old.datasets.get(phase), new.datasets.get(phase)
        if before != after:
            yield KeyProblem(
                (*steps, "data", phase),
                f"The track '{old.name}' has entries in the phase '{phase}' that answer "
                f"'{before}'; they do not answer '{after}'. To correct the gold of '{before}', add "
                "it again under its name; for other data make a new phase.",
            )


def _taking_changes(old: Track, new: Track, entries: Sequence[Entry]) -> Iterator[KeyProblem]:
    """What a track no longer takes, though some were handed in."""
    for what, is_taken, were in (
        ("files", new.takes_files, [each for each in entries if not each.is_endpoint]),
        ("endpoints", new.takes_endpoints, [each for each in entries if each.is_endpoint]),
    ):
        if were and not is_taken:
            yield KeyProblem(
                ("tracks", old.name, "takes"),
                f"The track '{old.name}' has entries that are {what}, so it goes on taking them. "
                "Say 'takes: both'.",
            )


def _phase_changes(old: Phase, new: Phase | None, entries: Sequence[Entry]) -> Iterator[KeyProblem]:
    steps = ("phases", old.name)
    there = f"The phase '{old.name}' has {counted(len(entries), 'entry', 'entries')}"
    if new is None:
        yield KeyProblem(("phases",), f"{there}, so it cannot be removed.")
        return
    if (new.public_share, new.final_part) != (old.public_share, old.final_part):
        yield KeyProblem(
            (*steps, "halves"),
            f"{there}, and teams may have seen scores on the halves as they are: they cannot be "
            "cut anew.",
        )
    if new.is_final != old.is_final:
        yield KeyProblem((*steps, "final"), f"{there}, so whether it is final cannot change.")
    first = min(entry.created for entry in entries)
    if new.opens is not None and new.opens > first:
        yield KeyProblem(
            (*steps, "opens"),
            f"{there}, the first from {in_both_zones(first)}; it cannot open after that.",
        )
    if new.closes is not None and (old.closes is None or new.closes < old.closes):
        before = "was without one" if old.closes is None else f"was {in_both_zones(old.closes)}"
        yield KeyProblem(
            (*steps, "closes"),
            f"{there}, so its deadline ({before}) may be later but not earlier.",
        )
    if new.late_hours < old.late_hours:
        yield KeyProblem((*steps, "late_hours"), f"{there}, so its late hours cannot become fewer.")
