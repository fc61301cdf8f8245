"""How many more judgements: by hand, and against the simulations of a plan."""

from math import sqrt

import pytest

from palaver.analysis.means import difference
from palaver.analysis.planning import assume, continuation, plan
from palaver.analysis.planning.simulated_studies import StudyDrawing
from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.votes import Votes
from palaver.core.errors import InputError


def test_by_hand() -> None:
    # (1.959964 + 0.841621)² / 1.5² = 3.48839…; of 40 votes that is 139.5…
    found = continuation(40, 1.5, 1.959964)
    assert (found.needed, found.more, found.is_told, found.is_far) == (140, 100, False, False)
    assert continuation(40, -1.5, 1.959964) == found


def test_what_is_told_apart_needs_no_more() -> None:
    assert continuation(40, 2.5, 1.96).more == 0
    assert continuation(40, 1.95, 1.96).more == 43


def test_equal_systems_and_hair_breadths_are_far() -> None:
    equal = continuation(40, 0.0, 1.96)
    assert (equal.needed, equal.more, equal.is_far) == (None, None, True)
    assert continuation(40, 0.5, 1.96).is_far
    assert not continuation(40, 0.7, 1.96).is_far


@pytest.mark.parametrize("given", [(0, 1.0, 2.0), (5, float("nan"), 2.0), (5, 1.0, 0.0)])
def test_what_makes_no_sense_is_refused(given: tuple[int, float, float]) -> None:
    with pytest.raises(InputError, match="A continuation needs"):
        continuation(*given)


@pytest.mark.long
def test_votes_as_many_as_a_plan_finds_by_simulation() -> None:
    assumed = assume("votes", 0.1, 5, cluster="dialogue", rater_sd=0.0, item_sd=0.5, ties=0.2)
    planned = plan(assumed, simulations=400, seed=3)
    # A pilot so large that it knows the difference and its error well.
    drawn = StudyDrawing(assumed, seed=11).study(6000, 0)
    pilot = Votes.of(
        [f"s{n}" for n in drawn.first],
        [f"s{n}" for n in drawn.second],
        [{0: f"s{a}", 1: f"s{b}", 2: "tie"}[v] for a, b, v in zip(*_columns(drawn), strict=True)],
        clusters={"dialogue": [str(n) for n in drawn.dialogue]},
    )
    found = bradley_terry(pilot, interval="sandwich", clusters=["dialogue"])
    wanted = continuation(6000, found.gaps["s0", "s1"], found.critical)
    assert planned.votes is not None
    assert wanted.needed == pytest.approx(planned.votes, rel=0.12)


def test_ratings_as_many_as_a_plan_finds_by_simulation() -> None:
    assumed = assume("rating", 0.4, 5, cluster="dialogue", taste_sd=0.0, rater_sd=0.0)
    planned = plan(assumed, simulations=200, seed=3)
    drawn = StudyDrawing(assumed, seed=11).study(4000, 0)
    one, other = drawn.value[drawn.first == 0], drawn.value[drawn.first == 1]
    found = difference(one.tolist(), other.tolist(), resamples=2000)
    assert found.interval is not None
    error = (found.interval.high - found.interval.low) / 2 / 1.959964
    # Welch's standard error, for the same values.
    assert error == pytest.approx(sqrt(one.var() / len(one) + other.var() / len(other)), rel=0.05)
    wanted = continuation(8000, found.value / error, 1.959964)
    assert planned.dialogues is not None
    assert wanted.needed == pytest.approx(planned.dialogues, rel=0.12)


def _columns(drawn: object) -> tuple[list[int], list[int], list[int]]:
    return tuple(getattr(drawn, name).tolist() for name in ("first", "second", "value"))
