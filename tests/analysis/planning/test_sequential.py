"""Studies that stop by a rule: the shortcut for two systems says what a live verdict would."""

import numpy as np
import pytest

from palaver.analysis.planning import assume
from palaver.analysis.planning.plan import Plan
from palaver.analysis.planning.search import PowerPoint
from palaver.analysis.planning.sequential import _of_two, _one_by_one, sequential_plan
from palaver.analysis.planning.simulated_studies import StudyDrawing
from palaver.analysis.ranking.votes import Votes
from palaver.analysis.sequential.live import live_verdict
from palaver.analysis.sequential.stopping import should_stop
from palaver.core.errors import InputError
from palaver.core.studies.stops import StoppingRule


def fixed(raters: int, votes: int, **more: int) -> Plan:
    assumed = assume("votes", 0.2, raters, **more)
    return Plan(
        assumptions=assumed,
        asked=0.8,
        point=PowerPoint(votes // assumed.block, 16, 20, assumed.block),
        curve=(),
        pay=None,
        method="",
    )


@pytest.mark.parametrize("number", range(2))
def test_two_systems_stop_where_the_live_verdict_does(number: int) -> None:
    assumed = assume("votes", 0.15, 120)
    rule = StoppingRule(within=0.05)
    drawn = _one_by_one(StudyDrawing(assumed, seed=3).study(240, number))
    votes, how = _of_two(drawn, assumed, rule, 2)

    def verdict(n: int):
        cast = Votes(
            systems=("s0", "s1"),
            first=drawn.first[:n],
            second=drawn.second[:n],
            outcome=drawn.value[:n],
            both_bad=np.zeros(n, dtype=bool),
            clusters={"rater": drawn.rater[:n]},
        )
        return live_verdict(cast, within=rule.within)

    looks = [verdict(n) for n in range(max(2, votes - 8), votes + 1, 2)]
    stops = [should_stop(rule, each) is not None for each in looks]
    assert stops == [False] * (len(looks) - 1) + [how == "right"]


def test_three_systems_and_warnings() -> None:
    found = sequential_plan(fixed(60, 360, systems=3), until="leader", simulations=6)
    assert found.rule.at_most == 1080
    assert (found.per_rater, found.warnings) == (6, ())
    assert found.better.right >= 0.8
    assert found.better.mean < found.equal.mean
    few = sequential_plan(fixed(6, 360, systems=3), within=0.25, simulations=6)
    assert [
        part
        for part, text in zip(("count as equal", "At most 18 raters"), few.warnings, strict=True)
        if part in text
    ] == ["count as equal", "At most 18 raters"]
    assert few.better.nothing == 1


def test_what_cannot_be_planned() -> None:
    none = Plan(
        assumptions=assume("votes", 0.01, 20), asked=0.8, point=None, curve=(), pay=None, method=""
    )
    with pytest.raises(InputError, match="a limit has to be given"):
        sequential_plan(none)
    with pytest.raises(InputError, match="less than one for each pair"):
        sequential_plan(fixed(20, 200, systems=4), at_most=3)
