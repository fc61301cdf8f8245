"""Ours beside theirs: each pair of states, and what is said of it."""

from typing import Any

import pytest

from palaver.core.recruiting.submissions import KeptSubmission
from palaver.core.studies.outcomes import outcome_of
from palaver.studies.recruiting.submissions.reconciliation import (
    LINGER_SECONDS,
    Mismatch,
    PanelVisit,
    reconcile,
)

NOW = 1_800_000_000.0
LONG_AGO = NOW - 10 * LINGER_SECONDS


def visit(reason: str = "complete", **given: Any) -> PanelVisit:
    """Somebody who ended here for a reason; "" for one who is here."""
    usual: dict[str, Any] = {
        "key": "a_1",
        "name": "P01",
        "participant": "person",
        "session": "piece",
        "state": "finished" if reason else "active",
        "reason": reason,
        "outcome": outcome_of(reason) if reason else None,
        "code": "RIGHT" if reason else None,
        "created": LONG_AGO,
        "finished": LONG_AGO if reason else None,
    }
    return PanelVisit(**{**usual, **given})


def submission(state: str, **given: Any) -> KeptSubmission:
    usual: dict[str, Any] = {
        "id": 1,
        "panel_id": "piece",
        "participant": "person",
        "state": state,
        "state_time": LONG_AGO,
        "code": "RIGHT" if state in ("awaiting_review", "approved") else None,
        "seen": LONG_AGO,
    }
    return KeptSubmission(**{**usual, **given})


def found(
    visits: list[PanelVisit], submissions: list[KeptSubmission], *, checked: float | None = NOW
) -> list[Mismatch]:
    return list(reconcile(visits, submissions, checked=checked, now=NOW).mismatches)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("complete", "awaiting_review"),
        ("complete", "approved"),
        ("complete", "processing"),
        ("complete", "rejected"),
        ("", "active"),
        ("", "reserved"),
        ("full", "screened_out"),
        ("full", "returned"),
        ("declined", "returned"),
        ("timed_out", "timed_out"),
        ("partner_left", "approved"),
        ("quit", "partially_approved"),
        ("checked_out", "awaiting_review"),
    ],
)
def test_pairs_that_fit(here: str, there: str) -> None:
    assert found([visit(here)], [submission(there)]) == []


@pytest.mark.parametrize(
    ("here", "there", "kind"),
    [
        (visit(), submission("active"), "not_sent_back"),
        (visit(), submission("timed_out"), "gone_but_done"),
        (visit(), submission("returned"), "gone_but_done"),
        (visit(""), submission("returned"), "gone_but_here"),
        (visit(""), submission("awaiting_review"), "unfinished"),
        (visit(), submission("awaiting_review", code=None), "no_code"),
        (visit(), submission("awaiting_review", code="NOCODE"), "no_code"),
        (visit(), submission("awaiting_review", code="OTHER"), "other_code"),
        (visit("quit", code=None), submission("awaiting_review"), "other_code"),
        (visit(participant="somebody"), submission("awaiting_review"), "other_person"),
        (visit("declined"), submission("approved"), "paid_unfinished"),
        (visit(""), submission("partially_approved"), "paid_unfinished"),
        (visit(), submission("awaiting_review", decision_state="unknown"), "decision_unknown"),
        (visit(), submission("on_the_moon"), "state_unknown"),
        (None, submission("awaiting_review"), "never_arrived"),
        (None, submission("approved"), "never_arrived"),
        (None, submission("active"), "never_arrived"),
        (visit(), None, "unknown_there"),
    ],
)
def test_what_does_not_fit_says_what_to_do(
    here: PanelVisit | None, there: KeptSubmission | None, kind: str
) -> None:
    (only,) = found([here] if here else [], [there] if there else [])
    assert only.kind == kind
    assert only.words.endswith(".")
    assert only.advice.endswith(".")
    assert only.remedies


def test_whoever_has_just_come_or_just_finished_is_no_mismatch() -> None:
    lately = NOW - 60
    assert found([], [submission("active", state_time=lately)]) == []
    assert found([visit(finished=lately)], [submission("active")]) == []
    assert found([visit(created=lately)], []) == []
    assert found([visit()], [], checked=None) == []


def test_a_person_without_their_piece_of_work_is_found_by_their_id() -> None:
    (row,) = reconcile(
        [visit(session="another")], [submission("awaiting_review")], checked=NOW, now=NOW
    ).rows
    assert row.visit is not None
    assert row.submission is not None
    assert row.mismatches == ()


def test_two_submissions_of_one_person_are_named_once() -> None:
    both = [submission("approved"), submission("awaiting_review", id=2, panel_id="second")]
    kinds = [each.kind for each in found([visit()], both)]
    assert kinds == ["twice", "never_arrived"]


def test_one_that_was_given_back_does_not_count_twice() -> None:
    both = [submission("returned", id=2, panel_id="first"), submission("awaiting_review")]
    assert found([visit()], both) == []


def test_whoever_did_not_agree_is_known_by_the_code_alone() -> None:
    (row,) = reconcile(
        [],
        [submission("awaiting_review", code="NOTME")],
        checked=NOW,
        codes={"no_consent": "NOTME", "completed": "RIGHT"},
        now=NOW,
    ).rows
    assert (row.by_code, row.mismatches) == ("no_consent", ())


def test_somebody_who_was_erased_and_waits_is_decided_on_over_there() -> None:
    gone = visit("withdrawn", participant=None, session=None)
    waits = submission("awaiting_review", panel_id=None, participant=None, code=None)
    assert [each.kind for each in found([gone], [waits])] == ["erased"]


def test_somebody_who_was_erased_is_no_mismatch() -> None:
    gone = visit("withdrawn", participant=None, session=None)
    assert found([gone], [submission("approved", panel_id=None, participant=None)]) == []
