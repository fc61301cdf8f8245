"""Standings of a challenge: who sees which numbers when, halves, ranks, and the one verdict."""

from pathlib import Path

import pytest

from palaver.core.deadlines import read_moment
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_standings import TrackStandings
from palaver.evaluation.challenges.board_rows import Viewer, live_rows
from palaver.evaluation.challenges.entries import withdraw_entry
from palaver.evaluation.challenges.halves import items_in, part_of
from palaver.evaluation.challenges.standings import make_verdict, track_board
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation import standings as stored
from support.challenges import DEADLINE, DEV, FILE, FINAL, PRACTICE, TEST, Cup, answers

SHOWN = read_moment("2026-12-15 12:00 UTC")
HALVES = FILE.replace(
    "    final: true\n    scores: {everybody: 2026-12-15 12:00 UTC}",
    "    final: true\n    scores: everybody\n    halves: {public: 0.5, final: private}",
)


def seen(cup: Cup, viewer: Viewer, *, now: float = FINAL, phase: str = "final") -> TrackStandings:
    return live_rows(cup.home, cup.row, "english", phase, now=now, viewer=viewer)


def names(board: TrackStandings) -> list[str]:
    return [row.name for row in board.rows]


def test_scores_are_shown_to_whom_they_may_be_at_each_time(local_cup: Cup) -> None:
    otters, crows = local_cup.team("Otters"), local_cup.team("Crows")
    local_cup.submit(otters)
    local_cup.submit(crows, answers(TEST, right=3))

    for viewer in ("everybody", otters):
        board = seen(local_cup, viewer)
        assert (board.rows, board.verdict) == ((), None)
        assert board.withheld.startswith("Scores of 'Final' are shown from 2026-12-15 12:00 UTC")
    assert names(seen(local_cup, "organisers")) == ["Otters-run1", "Crows-run1"]
    before, after = (seen(local_cup, crows, now=now) for now in (SHOWN - 1, SHOWN))
    assert before.rows == ()
    assert (names(after), after.withheld) == (["Otters-run1", "Crows-run1"], "")
    assert [row.is_own for row in after.rows] == [False, True]
    assert [row.rank for row in after.rows] == [1.0, 2.0]
    assert after.rows[1].scores["accuracy"].value == 0.5


def test_a_team_that_sees_its_own_scores_sees_no_ranks_and_nobody_else(local_cup: Cup) -> None:
    otters, crows = local_cup.team("Otters"), local_cup.team("Crows")
    for team in (otters, crows):
        local_cup.submit(team, answers(DEV, right=3), now=PRACTICE)

    board = seen(local_cup, crows, phase="practice", now=PRACTICE)
    (row,) = board.rows
    assert (row.team, row.is_own, row.rank) == ("Crows", True, None)
    assert (row.scores["accuracy"].value, row.scores["accuracy"].rank) == (0.75, None)
    assert board.withheld == "Scores of 'Practice' are for the organisers."
    assert seen(local_cup, "everybody", phase="practice", now=PRACTICE).rows == ()


def test_rows_follow_what_is_handed_in_withdrawn_and_scored_late(cup: Cup) -> None:
    otters, crows = cup.team("Otters"), cup.team("Crows")
    first = cup.submit(otters)
    assert names(seen(cup, "organisers")) == ["Otters-run1"]

    cup.submit(crows, answers(TEST, right=3), now=DEADLINE + 60)
    board = seen(cup, "organisers")
    assert names(board) == ["Otters-run1", "Crows-run1"]
    assert [row.is_late for row in board.rows] == [False, True]

    withdraw_entry(cup.home, cup.row, otters, first.key, now=FINAL)
    assert names(seen(cup, "organisers")) == ["Crows-run1"]


def test_another_entry_costs_the_scores_of_that_entry_alone(
    local_cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    real = stored.stored_scores

    def counted(connection: object, run_ids: list[int], *given: object, **more: object) -> object:
        read.extend(run_ids)
        return real(connection, run_ids, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("palaver.evaluation.challenges.entry_values.stored_scores", counted)
    for name in ("Otters", "Crows", "Newts"):
        local_cup.submit(local_cup.team(name))
        seen(local_cup, "organisers")
        seen(local_cup, "organisers")

    assert len(read) == len(set(read)) == 3


def test_ranks_go_in_the_direction_of_the_measure_and_ties_share_theirs(local_cup: Cup) -> None:
    for name, right in (("A", 2), ("B", 5), ("C", 5), ("D", 1)):
        local_cup.submit(local_cup.team(name), answers(TEST, right=right))

    ranks = {row.team: row.rank for row in seen(local_cup, "organisers").rows}
    assert ranks == {"B": 1.5, "C": 1.5, "A": 3.0, "D": 4.0}


def test_halves_are_stable_about_as_large_as_told_and_different_for_another_key() -> None:
    uids = [f"d{n}" for n in range(2000)]
    drawn = [part_of("key", uid, 0.3) for uid in uids]

    assert drawn == [part_of("key", uid, 0.3) for uid in uids]
    assert 0.26 < drawn.count("public") / len(uids) < 0.34
    assert drawn != [part_of("another", uid, 0.3) for uid in uids]
    assert {part_of("key", uid, 1.0) for uid in uids} == {"public"}
    public, private = (
        items_in("key", uids, share=0.3, part=part) for part in ("public", "private")
    )
    assert (public ^ private).all()


def test_before_the_phase_is_over_scores_are_on_the_public_half(
    local_home: EvaluationHome, tmp_path: Path
) -> None:
    cup = Cup(local_home, tmp_path, text=HALVES)
    cup.submit(cup.team(), answers(TEST, right=3))
    halves = [part_of(cup.row.salt, item["uid"], 0.5) for item in TEST]

    for now, part in ((FINAL, "public"), (SHOWN, "private")):
        board = seen(cup, "everybody", now=now)
        right = [n < 3 for n, half in enumerate(halves) if half == part]
        assert (board.part, board.items) == (part, len(right))
        score = board.rows[0].scores["accuracy"]
        assert score.value == (sum(right) / len(right) if right else None)
        assert score.n == len(right)
    whole = live_rows(
        cup.home, cup.row, "english", "final", now=FINAL, viewer="organisers", part="all"
    )
    assert whole.rows[0].scores["accuracy"].value == 0.5
    asked = live_rows(
        cup.home, cup.row, "english", "final", now=FINAL, viewer="everybody", part="private"
    )
    assert asked.part == "public"


def test_the_verdict_is_that_of_the_standings_and_goes_with_what_it_was_made_of(
    local_cup: Cup,
) -> None:
    for name, right in (("Otters", 6), ("Crows", 1)):
        local_cup.submit(local_cup.team(name), answers(TEST, right=right))
    assert seen(local_cup, "organisers").verdict is None

    made = make_verdict(local_cup.home, local_cup.row, "english", "final", trials=200, now=FINAL)
    board = track_board(local_cup.home, local_cup.row, "english", "final", trials=200)

    told = {measure.measure: measure.answer for measure in board.measures}
    assert seen(local_cup, "organisers").verdict == made
    assert made.sentences == told
    assert [each.estimate.value for each in board.measures[0].results] == [1.0, 1 / 6]
    assert seen(local_cup, "everybody").verdict is None
    local_cup.submit(local_cup.team("Newts"))
    assert seen(local_cup, "organisers").verdict is None


def test_a_board_without_entries_or_of_an_unknown_phase_says_so(local_cup: Cup) -> None:
    with pytest.raises(InputError, match="No entry of 'English' that counts has been scored"):
        track_board(local_cup.home, local_cup.row, "english", "final")
    with pytest.raises(UnknownNameError, match="has no phase 'finals'"):
        seen(local_cup, "organisers", phase="finals")
    with pytest.raises(InputError, match="has no data in the phase 'Practice'"):
        live_rows(local_cup.home, local_cup.row, "chinese", "practice", now=FINAL)
