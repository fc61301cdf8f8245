"""Ours beside theirs: each visit beside the submission that the panel has of it, and what does not fit.

A visit and a submission belong together by the id of the piece of work, else by the person. Most pairs
fit: somebody is under way on both sides, or finished here, went back with the code of their outcome and
waits to be decided on there. Whatever else is found is a mismatch, with what it means and what to do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.core.recruiting.submissions import GONE, PAID, KeptSubmission
from palaver.core.serial import if_any, internal
from palaver.core.studies.outcomes import WORDS, Outcome
from palaver.core.studies.visits import ACTIVE
from palaver.core.words import duration

# Somebody who has finished here reads the last page before they go back.
LINGER_SECONDS = 1200.0
# News of somebody who has just come may be on its way.
SETTLE_SECONDS = 300.0
# Outcomes after which nothing here says who it was.
UNNAMED: tuple[Outcome, ...] = ("no_consent", "withdrew")

MismatchKind = Literal[
    "never_arrived",
    "unknown_there",
    "not_sent_back",
    "gone_but_done",
    "gone_but_here",
    "unfinished",
    "no_code",
    "other_code",
    "other_person",
    "twice",
    "paid_unfinished",
    "erased",
    "decision_unknown",
    "state_unknown",
]
# What may be done about a mismatch, from the table.
Remedy = Literal[
    "approve",
    "pay_part",
    "reject",
    "ask_return",
    "screen_out",
    "complete",
    "message",
    "free",
    "look",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelVisit:
    """A visit as far as a panel is concerned: who, for which piece of work, and what came of it."""

    key: str
    name: str
    participant: str | None
    session: str | None
    state: str
    reason: str
    outcome: Outcome | None
    code: str | None = internal(None)
    created: float
    finished: float | None

    @property
    def is_here(self) -> bool:
        return self.state == ACTIVE

    @property
    def is_complete(self) -> bool:
        return self.outcome == "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Something that does not fit between a visit and a submission, and what to do about it."""

    kind: MismatchKind
    words: str
    advice: str
    remedies: tuple[Remedy, ...] = ()
    visit: PanelVisit | None = None
    submission: KeptSubmission | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconciliationRow:
    """A visit beside its submission; one of them may be missing.

    `by_code` is the outcome of somebody whom nothing here names any more, by the code they went back
    with.
    """

    visit: PanelVisit | None = None
    by_code: Outcome | None = if_any(None)
    submission: KeptSubmission | None = None
    mismatches: tuple[Mismatch, ...] = if_any(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """Every visit beside every submission; `checked` is when the panel's list was read in whole."""

    derived: ClassVar[tuple[str, ...]] = ("mismatches",)

    rows: tuple[ReconciliationRow, ...]
    checked: float | None = None

    @property
    def mismatches(self) -> tuple[Mismatch, ...]:
        """What does not fit, in the order of the rows."""
        return tuple(found for row in self.rows for found in row.mismatches)


def reconcile(
    visits: Sequence[PanelVisit],
    submissions: Sequence[KeptSubmission],
    *,
    checked: float | None,
    codes: Mapping[str, str] | None = None,
    now: float,
) -> Reconciliation:
    """Put each visit beside its submission and name what does not fit.

    With the `codes` of outcomes, somebody who did not agree or withdrew, of whom no id is kept here, is
    known by the code with which they went back.
    """
    unnamed = {codes[each]: each for each in UNNAMED if each in codes} if codes else {}
    pairs = list(_pairs(visits, submissions))
    twice = _twice(pairs)
    rows = []
    for visit, submission in pairs:
        told = submission.code if submission is not None and visit is None else None
        by_code = unnamed.get(told or "")
        fits = (
            () if by_code else _mismatches(visit, submission, checked=checked, twice=twice, now=now)
        )
        rows.append(
            ReconciliationRow(
                visit=visit, submission=submission, by_code=by_code, mismatches=tuple(fits)
            )
        )
    return Reconciliation(rows=tuple(rows), checked=checked)


def _pairs(
    visits: Sequence[PanelVisit], submissions: Sequence[KeptSubmission]
) -> Iterator[tuple[PanelVisit | None, KeptSubmission | None]]:
    """Visits with their submissions: by the piece of work, then by the person, then alone."""
    by_session = {each.panel_id: each for each in submissions if each.panel_id}
    found: dict[int, PanelVisit] = {}
    left: list[PanelVisit] = []
    for visit in visits:
        known = by_session.get(visit.session or "")
        if known is None or known.id in found:
            left.append(visit)
        else:
            found[known.id] = visit
    alone = {
        each.participant: each for each in submissions if each.participant and each.id not in found
    }
    for visit in left:
        known = alone.pop(visit.participant or "", None)
        if known is None:
            yield visit, None
        else:
            found[known.id] = visit
    for submission in submissions:
        yield found.get(submission.id), submission


def _twice(
    pairs: Sequence[tuple[PanelVisit | None, KeptSubmission | None]],
) -> frozenset[int]:
    """The submissions of people who have another that counts, all but the first."""
    seen: set[str] = set()
    twice: set[int] = set()
    for _, submission in pairs:
        if submission is None or submission.participant is None or submission.state in GONE:
            continue
        if submission.participant in seen:
            twice.add(submission.id)
        seen.add(submission.participant)
    return frozenset(twice)


def _mismatches(
    visit: PanelVisit | None,
    submission: KeptSubmission | None,
    *,
    checked: float | None,
    twice: frozenset[int],
    now: float,
) -> Iterator[Mismatch]:
    if submission is None:
        assert visit is not None
        yield from _unknown_there(visit, checked)
        return
    if submission.decision_state == "unknown":
        yield Mismatch(
            kind="decision_unknown",
            words="A decision was sent to the panel, and no answer came.",
            advice="Look at the panel what became of it. Reading the list again settles it, too.",
            remedies=("look",),
            visit=visit,
            submission=submission,
        )
    if submission.id in twice:
        yield Mismatch(
            kind="twice",
            words="This person has another submission of this study.",
            advice="One visit is one submission: decide on the one with the work, and ask the "
            "person to return the other.",
            remedies=("ask_return", "look"),
            visit=visit,
            submission=submission,
        )
    if visit is None:
        yield from _never_arrived(submission, now)
        return
    if visit.participant and submission.participant and visit.participant != submission.participant:
        yield Mismatch(
            kind="other_person",
            words="The panel gave this piece of work to another person than the one who came.",
            advice="Look at both ids before anything is paid: an address may have been passed on.",
            remedies=("look",),
            visit=visit,
            submission=submission,
        )
    yield from _of_states(visit, submission, now)


def _unknown_there(visit: PanelVisit, checked: float | None) -> Iterator[Mismatch]:
    """A visit whose submission the panel's whole list, read after it came, does not name."""
    if visit.participant is None or checked is None or visit.created + SETTLE_SECONDS > checked:
        return
    yield Mismatch(
        kind="unknown_there",
        words="The panel knows no such submission.",
        advice="The address was opened with ids that are not from this recruitment: somebody tried "
        "it out, or came from another study. It is not paid through the panel.",
        remedies=("look",),
        visit=visit,
    )


def _never_arrived(submission: KeptSubmission, now: float) -> Iterator[Mismatch]:
    """A submission of which nothing came here."""
    if submission.panel_id is None and submission.state == "awaiting_review":
        yield Mismatch(
            kind="erased",
            words="Somebody who withdrew waits for a decision, and their ids are erased here.",
            advice="Decide at the panel: what they had earned stays earned.",
            remedies=("look",),
            submission=submission,
        )
    if submission.panel_id is None or submission.state in GONE | {"screened_out"}:
        return  # erased here, or gone there before they came
    if submission.is_under_way and now - submission.state_time < LINGER_SECONDS:
        return
    paid = submission.state in PAID
    yield Mismatch(
        kind="never_arrived",
        words="Nobody came here with this submission"
        + (
            ", and it was paid."
            if paid
            else ", and it was handed in."
            if submission.state == "awaiting_review"
            else "."
        ),
        advice="There is nothing to be paid for: ask the person to return it, or write to them "
        "what happened."
        if not paid
        else "Look what the person says; a payment is not taken back.",
        remedies=("look",) if paid else ("ask_return", "message", "reject"),
        submission=submission,
    )


def _of_states(visit: PanelVisit, submission: KeptSubmission, now: float) -> Iterator[Mismatch]:
    """What does not fit between how a visit stands here and how its submission stands there."""
    state = submission.state
    if state in GONE:
        yield from _of_gone(visit, submission, now)
    elif state in ("reserved", "active"):
        ended = visit.finished
        if not visit.is_here and visit.code and ended is not None and now - ended > LINGER_SECONDS:
            yield Mismatch(
                kind="not_sent_back",
                words=f"They {_ended(visit)} here {duration(now - ended)} ago and have not gone back.",
                advice="Complete it from here, or write to them: their time there runs on.",
                remedies=("complete", "message")
                if visit.is_complete
                else ("complete", "pay_part", "message"),
                visit=visit,
                submission=submission,
            )
    elif state == "awaiting_review":
        yield from _of_review(visit, submission)
    elif state in PAID and not visit.is_complete and state == "approved":
        if visit.is_here or visit.outcome in ("no_consent", "stopped", "attention_failed"):
            yield Mismatch(
                kind="paid_unfinished",
                words=f"Paid in full, and here they {_ended(visit)}.",
                advice="A payment is not taken back. Take it into account where visits are counted.",
                remedies=("look",),
                visit=visit,
                submission=submission,
            )
    elif state == "partially_approved" and visit.is_here:
        yield Mismatch(
            kind="paid_unfinished",
            words="Paid in part, and the visit goes on here.",
            advice="End the visit to free its place here, too, or let them go on.",
            remedies=("free", "look"),
            visit=visit,
            submission=submission,
        )
    elif state == "processing":
        return
    elif state not in PAID:
        yield Mismatch(
            kind="state_unknown",
            words=f"The panel says '{state[:40]}', which is not a state that is known here.",
            advice="Look at the panel what it means.",
            remedies=("look",),
            visit=visit,
            submission=submission,
        )


def _of_gone(visit: PanelVisit, submission: KeptSubmission, now: float) -> Iterator[Mismatch]:
    """They are gone there: a mismatch if they are still here, or have done the work."""
    there = submission.state.replace("_", " ")
    if visit.is_here and now - submission.seen > SETTLE_SECONDS:
        yield Mismatch(
            kind="gone_but_here",
            words=f"The panel says '{there}', and the visit goes on here.",
            advice="Their place there went to somebody else. End the visit to free it here, too.",
            remedies=("free", "message"),
            visit=visit,
            submission=submission,
        )
    elif visit.is_complete and submission.state != "rejected":
        yield Mismatch(
            kind="gone_but_done",
            words=f"They did all steps here, and the panel says '{there}'.",
            advice="The work is here: approve it, or pay it as a bonus where the panel does not let "
            "you.",
            remedies=("approve", "message"),
            visit=visit,
            submission=submission,
        )


def _of_review(visit: PanelVisit, submission: KeptSubmission) -> Iterator[Mismatch]:
    """Handed in there: a mismatch if it is not done here, or the code is not theirs."""
    if visit.is_here:
        yield Mismatch(
            kind="unfinished",
            words="Handed in there, and the visit is not finished here.",
            advice="Write to the person: they can go on here with their return code. If they do "
            "not, ask them to return it, or pay for what they did.",
            remedies=("message", "ask_return", "screen_out"),
            visit=visit,
            submission=submission,
        )
    elif submission.code is None or submission.code.upper() in NO_CODE:
        if visit.code is not None:
            yield Mismatch(
                kind="no_code",
                words=f"Handed in without a code; here they {_ended(visit)}.",
                advice="Decide by what they did here: the code alone says nothing more.",
                remedies=("approve",) if visit.is_complete else ("screen_out", "ask_return"),
                visit=visit,
                submission=submission,
            )
    elif visit.code is not None and submission.code != visit.code:
        yield Mismatch(
            kind="other_code",
            words=f"Handed in with the code {submission.code[:40]}, and they were given {visit.code}.",
            advice=f"Decide by what they did: here they {_ended(visit)}.",
            remedies=("approve",) if visit.is_complete else ("ask_return", "reject", "screen_out"),
            visit=visit,
            submission=submission,
        )
    elif visit.code is None:
        yield Mismatch(
            kind="other_code",
            words=f"Handed in with the code {submission.code[:40]}; here no code was given, and they "
            f"{_ended(visit)}.",
            advice="A code was passed on or guessed. Ask the person to return it.",
            remedies=("ask_return", "reject"),
            visit=visit,
            submission=submission,
        )


def _ended(visit: PanelVisit) -> str:
    if visit.outcome is None:
        return "are under way"
    return WORDS[visit.outcome]


# What the panel notes where somebody handed in without a code.
NO_CODE = frozenset({"", "NOCODE", "NO_CODE"})
