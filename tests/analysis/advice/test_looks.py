"""How far intervals of advice reach while a round is looked at."""

import math

import pytest

from palaver.analysis.advice import preference_board
from palaver.analysis.advice.looks import AT_ANY_TIME, BEST_AT, ONCE
from palaver.analysis.sequential.asymptotic import boundary
from palaver.core.situations import AdviceJudgement


def judged(preferred: int, n: int) -> list[AdviceJudgement]:
    return [
        AdviceJudgement(situation=f"s{k}", model="m", rater=f"r{k}", prefers_model=k < preferred)
        for k in range(n)
    ]


def test_with_many_degrees_it_is_the_boundary_of_the_sequence() -> None:
    for n in (50, 200, 1000):
        expected = boundary(n, confidence=0.95, best_at=BEST_AT)
        assert AT_ANY_TIME.reach(0.95, 1e9, n) == pytest.approx(expected)
    assert AT_ANY_TIME.reach(0.95, 12, 200) > AT_ANY_TIME.reach(0.95, 1e9, 200)
    assert ONCE.reach(0.95, 1e9, 200) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("degrees", [8.0, 30.0, 1e9])
@pytest.mark.parametrize("n", [50, 200, 700])
def test_the_p_value_is_five_per_cent_where_the_interval_ends(n: int, degrees: float) -> None:
    reach = AT_ANY_TIME.reach(0.95, degrees, n)
    assert AT_ANY_TIME.p(reach, degrees, n, level=0.95) == pytest.approx(0.05)
    assert AT_ANY_TIME.p(0.0, degrees, n, level=0.95) == 1.0


def test_before_fifty_situations_it_is_too_early() -> None:
    (row,) = preference_board(judged(49, 49), inference="anytime").rows
    assert math.isnan(row.low)
    assert not row.against_people.is_significant()
    assert row.votes.interval is None
    (row,) = preference_board(judged(50, 50), inference="anytime").rows
    assert row.against_people.is_significant()


def test_while_a_round_runs_intervals_are_wider_and_verdicts_rarer() -> None:
    said = judged(116, 200)
    (once,), (live,) = (
        preference_board(said, inference=each).rows for each in ("fixed", "anytime")
    )
    assert live.low < once.low < once.rate == live.rate < once.high < live.high
    assert once.against_people.is_significant()
    assert not live.against_people.is_significant()
