"""Which votes count, in which order, and which intervals they have."""

import pytest

from palaver.analysis.ranking.votes import Votes
from palaver.core.numeric import np
from palaver.evaluation.verdicts import AGAIN, WAITS, cast_votes, study_verdict, vote_turns
from palaver.storage.judging.votes import VoteRows


def rows(*votes: tuple[int, int | None, float | None]) -> VoteRows:
    """Votes for a by these raters, in these visits, which ended at these moments."""
    made = VoteRows()
    for place, (rater, visit, ended) in enumerate(votes):
        made.add(
            ("a", "b"),
            "first",
            unit=place,
            rater=rater,
            kind="person",
            visit=visit,
            ended=ended,
            time=float(place),
        )
    return made


def test_votes_count_in_the_order_in_which_raters_were_done() -> None:
    made = rows((1, 11, 90.0), (2, 12, 50.0), (1, 11, 90.0), (3, 13, 70.0))
    assert vote_turns(made).tolist() == [2, 0, 3, 1]
    votes, counts = cast_votes(made).in_turn()
    assert votes.clusters["rater"].tolist() == [1, 2, 0, 0]
    assert counts.all()


def test_votes_of_those_at_work_wait_and_a_second_visit_does_not_count() -> None:
    made = rows((1, 11, 90.0), (2, 12, None), (1, 14, 99.0))
    assert vote_turns(made).tolist() == [0, WAITS, AGAIN]
    verdict = study_verdict(cast_votes(made), final=False)
    assert (verdict.votes, verdict.waiting) == (3, 1)
    assert "1 vote of raters who came again is not in" in verdict.warnings[-1]


def test_whoever_votes_without_a_visit_counts_from_the_first_vote_on() -> None:
    made = rows((1, None, None), (2, 12, 0.5), (1, None, None))
    assert vote_turns(made).tolist() == [0, 2, 1]


def test_votes_are_those_that_columns_of_names_would_make() -> None:
    made = VoteRows()
    said = [("b", "a", "second", 7), ("a", "c", "neither", 3), ("a", "a", "tie", 3)]
    for place, (one, other, side, rater) in enumerate(said):
        made.add(
            (one, other),
            side,
            unit=place,
            rater=rater,
            kind="model",
            visit=None,
            ended=None,
            time=0.0,
        )
    found = cast_votes(made).votes
    columns = Votes.of(
        ["b", "a", "a"],
        ["a", "c", "a"],
        ["second", "bothbad", "tie"],
        clusters={"rater": [7, 3, 3]},
    )
    assert (found.systems, found.self_comparisons) == (columns.systems, 1)
    for name in ("first", "second", "outcome", "both_bad"):
        assert getattr(found, name).tolist() == getattr(columns, name).tolist()
    assert found.clusters["rater"].tolist() == columns.clusters["rater"].tolist()
    assert len(cast_votes(made, "person").votes) == 0


@pytest.mark.parametrize(
    ("final", "stopped", "inference"),
    [(False, False, "anytime"), (True, False, "fixed"), (True, True, "anytime")],
)
def test_intervals_of_one_look_are_those_of_a_finished_plan(
    final: bool, stopped: bool, inference: str
) -> None:
    made = rows(*((rater, rater, float(rater)) for rater in range(1, 31)))
    found = study_verdict(cast_votes(made), final=final, stopped=stopped)
    assert found.inference == inference
    assert np.isfinite([found.systems[0].rate.value]).all()
