"""What to decide of a submission that waits, suggested with its evidence; a person decides.

Nothing here rejects: a rejection hurts somebody's standing at the panel, so it is suggested to nobody.
What speaks against a visit is shown, and the row asks for a look.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.serial import if_any
from palaver.core.studies.outcomes import WORDS, Outcome
from palaver.core.words import counted, duration
from palaver.studies.recruiting.submissions.reconciliation import (
    Mismatch,
    PanelVisit,
    Reconciliation,
)

Suggested = Literal["approve", "ask_return", "screen_out", "look"]
EvidenceKind = Literal[
    "finished", "ended", "code", "time", "fast", "checks", "problem", "mismatch", "nothing"
]

# Faster than this share of the median is said; so few times say nothing of what is fast.
FAST = 1 / 3
FEWEST = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that a suggestion rests on; `speaks_against` where a person should look."""

    kind: EvidenceKind
    words: str
    speaks_against: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What might be decided of a submission, and on what grounds."""

    submission: KeptSubmission
    visit: PanelVisit | None = None
    suggested: Suggested
    evidence: tuple[Evidence, ...] = ()
    mismatches: tuple[Mismatch, ...] = if_any(())
    # What the study file gives for ending so, in the smallest unit, where that is a screen-out.
    pay: int = if_any(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionList:
    """What might be decided of each submission that waits."""

    suggestions: tuple[Suggestion, ...]


def suggest(
    reconciled: Reconciliation,
    *,
    failed: Mapping[str, int],
    reports: Mapping[str, int],
    pays: Mapping[Outcome, int],
) -> tuple[Suggestion, ...]:
    """A suggestion for every submission that waits for a decision.

    `failed` counts the checks that a visit failed and `reports` its reported problems, by its key.
    `pays` says what a screen-out with an outcome is worth.
    """
    waiting = [
        row
        for row in reconciled.rows
        if row.submission is not None and row.submission.state == "awaiting_review"
    ]
    times = [
        each.submission.seconds
        for each in reconciled.rows
        if each.submission is not None
        and each.submission.seconds
        and each.visit is not None
        and each.visit.is_complete
    ]
    usual = median(times) if len(times) >= FEWEST else None
    found = []
    for row in waiting:
        assert row.submission is not None
        visit, submission = row.visit, row.submission
        key = "" if visit is None else visit.key
        outcome = row.by_code or (None if visit is None else visit.outcome)
        pay = 0 if outcome is None else pays.get(outcome, 0)
        evidence = tuple(
            _evidence(
                visit,
                submission,
                row.mismatches,
                by_code=row.by_code,
                usual=usual,
                failed=failed.get(key, 0),
                reports=reports.get(key, 0),
                is_paid=pay > 0,
            )
        )
        found.append(
            Suggestion(
                submission=submission,
                visit=visit,
                suggested=_suggested(visit, row.by_code, evidence, pay=pay),
                evidence=evidence,
                mismatches=row.mismatches,
                pay=pay,
            )
        )
    return tuple(found)


def _suggested(
    visit: PanelVisit | None, by_code: Outcome | None, evidence: Sequence[Evidence], *, pay: int
) -> Suggested:
    if by_code is not None and pay:
        return "screen_out"  # nothing more is known here of whoever withdrew
    if visit is None or visit.outcome == "no_consent":
        return "ask_return"
    if any(each.speaks_against for each in evidence):
        return "look"
    if visit.outcome in ("completed", "partner_left"):
        return "approve"
    in_vain = visit.outcome in ("screened_out", "over_quota", "waited")
    return "screen_out" if in_vain or pay else "look"


def _evidence(
    visit: PanelVisit | None,
    submission: KeptSubmission,
    mismatches: Sequence[Mismatch],
    *,
    by_code: Outcome | None,
    usual: float | None,
    failed: int,
    reports: int,
    is_paid: bool,
) -> Iterator[Evidence]:
    if by_code is not None:
        yield Evidence("ended", WORDS[by_code], speaks_against=not is_paid)
        return
    if visit is None:
        yield Evidence("nothing", "nobody came here with this submission", speaks_against=True)
        return
    if visit.is_complete:
        yield Evidence("finished", "did all steps")
    elif visit.outcome is None:
        yield Evidence("ended", "is still under way here", speaks_against=True)
    else:
        in_doubt = visit.outcome in ("no_consent", "stopped", "attention_failed", "withdrew")
        yield Evidence("ended", WORDS[visit.outcome], speaks_against=in_doubt and not is_paid)
    if visit.code is not None and submission.code == visit.code:
        yield Evidence("code", "came back with the right code")
    if submission.seconds:
        yield from _of_time(submission.seconds, usual)
    if failed:
        told = f"failed {counted(failed, 'check')}"
        yield Evidence("checks", told, speaks_against=True)
    if reports:
        told = f"reported {counted(reports, 'problem')}"
        yield Evidence("problem", told, speaks_against=True)
    for mismatch in mismatches:
        yield Evidence("mismatch", mismatch.words, speaks_against=True)


def _of_time(seconds: float, usual: float | None) -> Iterator[Evidence]:
    if usual is None or seconds >= usual * FAST:
        yield Evidence("time", f"took {duration(seconds)}")
    else:
        share = round(usual / seconds)
        told = f"took {duration(seconds)}, {share} times as fast as the median"
        yield Evidence("fast", told, speaks_against=True)
