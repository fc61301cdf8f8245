"""What came of self-play: intervals over scenarios where these repeat, and none without a width."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from palaver.metrics import find_metric
from palaver.studies.play.results import estimate, mean_of, reward_difference, rewards_of

EASY, HARD = "easy", "hard"


def played(scenario: str, *, rewards: tuple[float, float], turned: bool = False) -> dict[str, Any]:
    """A dialogue of ann and bob, as its line of JSON has it; `rewards` are ann's and bob's."""
    seats = ["bob", "ann"] if turned else ["ann", "bob"]
    earned = dict(zip(("ann", "bob"), rewards, strict=True))
    outcome = {"reward": {str(n): earned[name] for n, name in enumerate(seats)}, "success": True}
    return {
        "id": f"{scenario}-{rewards}",
        "scenario": {"id": scenario, "game": "open_chat"},
        "seats": [{"index": n, "occupant": name} for n, name in enumerate(seats)],
        "events": [{"action": "end", "data": {"outcome": outcome}}],
        "reason": "complete",
    }


def test_dialogues_of_one_scenario_are_not_independent() -> None:
    """Twenty scenarios, each played five times with nearly the same end."""
    dice = np.random.default_rng(4)
    own = np.repeat(dice.normal(3, 1, 20), 5)
    values = (own + dice.normal(0, 0.01, 100)).tolist()
    scenarios = [n // 5 for n in range(100)]
    clustered, alone = mean_of(values, scenarios), mean_of(values, list(range(100)))
    means = np.reshape(values, (20, 5)).mean(axis=1)
    wide = stats.t.interval(0.95, 19, means.mean(), stats.sem(means))
    assert clustered.interval is not None
    assert alone.interval is not None
    assert [clustered.interval.low, clustered.interval.high] == pytest.approx(wide, abs=0.12)
    assert clustered.interval.high - clustered.interval.low > 1.8 * (
        alone.interval.high - alone.interval.low
    )
    assert "scenarios" in clustered.method


def test_a_share_of_all_counts_each_scenario_once() -> None:
    found = mean_of([1.0] * 40, [n // 10 for n in range(40)], within=(0, 1))
    ends = stats.binomtest(4, 4).proportion_ci(method="wilson")
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))
    assert (found.n, found.value) == (40, 1.0)


def test_one_scenario_says_nothing_of_others() -> None:
    found = mean_of([1.0, 2.0, 4.0, 3.0] * 6, ["open"] * 24)
    assert found.interval is not None
    assert found.method.endswith("about this one scenario alone")


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0], [0.0] * 5, [1.0] * 5])
def test_points_that_never_vary_have_no_interval_and_a_reason(values: list[float]) -> None:
    for scenarios in (list(range(len(values))), ["open"] * len(values), [n // 2 for n in range(5)]):
        found = mean_of(values, scenarios[: len(values)])
        assert found.interval is None
        assert found.reason


def test_what_two_systems_earn_is_compared_in_each_dialogue() -> None:
    """One gets what the other leaves: their sum is 10 in every dialogue."""
    dialogues = [
        played(f"s{n % 10}", rewards=(float(n % 7), 10.0 - n % 7), turned=n % 2 == 1)
        for n in range(40)
    ]
    ann, bob = rewards_of(("ann", "bob"), dialogues)
    apart = reward_difference(("ann", "bob"), dialogues)
    assert apart is not None
    assert apart.interval is not None
    assert apart.value == pytest.approx(ann.reward.value - bob.reward.value)
    assert apart.interval.low < apart.value < apart.interval.high
    assert "scenarios" in apart.method
    assert reward_difference(("ann", "ann"), dialogues) is None


def test_success_in_all_of_some_dialogues_has_wilsons_interval() -> None:
    outcomes = [{"success": True, "scenario": n} for n in range(6)]
    found = estimate(find_metric("success_rate"), outcomes)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(
        stats.binomtest(6, 6).proportion_ci(method="wilson").low
    )
