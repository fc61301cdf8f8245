"""What labels cost, by hand-worked numbers."""

from math import isnan, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.weightstats import zconfint

from palaver.analysis.validity import Timed, dialogues_for_width, label_costs, validity
from palaver.analysis.validity.summary import ValiditySettings
from palaver.core.errors import InputError
from palaver.core.serial import plain

from .making import made_up, table


def test_seconds_add_up_per_dialogue_and_rater() -> None:
    labels = ["rude"] * 5 + ["dull"]
    found = label_costs(
        labels, ["a", "a", "b", "b", "a", "a"], ["x", "x", "x", "x", "y", "x"],
        [10, 20, 5, 15, 60, 7], pay=18,
    )  # fmt: skip

    dull, rude = found
    assert (dull.label, dull.median_dialogue_seconds) == ("dull", 7)
    assert (rude.judgements, rude.dialogues) == (5, 2)
    assert (rude.median_seconds, rude.mean_seconds) == (15, 22)
    # x needs 30 s for a and 20 s for b, y needs 60 s for a.
    assert rude.median_dialogue_seconds == 30
    assert rude.mean_dialogue_seconds == pytest.approx(110 / 3)
    assert rude.cost_per_dialogue == pytest.approx(110 / 3 * 18 / 3600)


def test_a_dialogue_with_a_time_missing_does_not_look_quicker() -> None:
    (found,) = label_costs(["x"] * 3, ["a", "a", "b"], ["r"] * 3, [10, nan, 40])

    assert found.mean_seconds == 25
    assert found.mean_dialogue_seconds == 40
    assert found.without_time == 1
    assert found.cost_per_dialogue is None


def test_no_times_at_all() -> None:
    (found,) = label_costs(["x"], ["a"], ["r"], [nan])

    assert found.reason == "no judgement of it has a time"
    assert plain(found)["mean_seconds"] is None


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=20), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_order_does_not_matter(seconds: list[float], dice: object) -> None:
    rows = [(f"d{n % 3}", second) for n, second in enumerate(seconds)]
    one = _of(rows)
    dice.shuffle(rows)
    other = _of(rows)

    assert other.mean_dialogue_seconds == pytest.approx(one.mean_dialogue_seconds)
    assert other.median_seconds == one.median_seconds
    assert min(seconds) <= one.median_seconds <= max(seconds)
    assert one.mean_dialogue_seconds * len({d for d, _ in rows}) == pytest.approx(sum(seconds))


def _of(rows: list[tuple[str, float]]):
    names, seconds = zip(*rows, strict=True)
    return label_costs(["x"] * len(rows), names, ["r"] * len(rows), seconds)[0]


def test_a_width_is_reached_by_that_many_dialogues() -> None:
    columns = made_up(n=200)
    needed = dialogues_for_width(table({"x": columns["x0"]}), "x", 0.2)

    low, high = zconfint(columns["x0"])
    assert needed == pytest.approx(200 * ((high - low) / 0.2) ** 2, rel=0.01)


def test_spread_is_that_within_systems() -> None:
    apart = table({"x": [0, 1, 100, 101]}, systems=["A", "A", "B", "B"])
    assert dialogues_for_width(apart, "x", 1.0) == 8
    assert dialogues_for_width(table({"x": [1, 1]}), "x", 1.0) is None
    assert dialogues_for_width(table({"x": [1]}), "x", 1.0) is None


@pytest.mark.parametrize(
    ("seconds", "pay", "problem"),
    [
        ([-1.0], None, "Seconds are never negative; got -1 for 'x'"),
        ([1.0], -2.0, "hourly pay"),
        ([1.0, 2.0], None, "seconds for each judgement"),
    ],
)
def test_bad_input(seconds: list[float], pay: float | None, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        label_costs(["x"], ["a"], ["r"], seconds, pay=pay)
    with pytest.raises(InputError, match="above 0; got 0"):
        dialogues_for_width(table({"x": [1, 2]}), "x", 0)


def test_all_four_in_one() -> None:
    columns = made_up(n=40)
    scores = table(columns, systems=["A", "B"] * 20)
    rows = [f"d{n}" for n in range(40)]
    timed = Timed(["x0"] * 40, rows, ["r"] * 40, [30.0] * 40)
    found = validity(
        scores, "quality", timed=timed, settings=ValiditySettings(resamples=50, pay=12, width=0.5)
    )

    document = plain(found)
    assert [len(document[name]) for name in ("predictive", "sensitivity", "cost")] == [4, 5, 1]
    cost = found.cost[0]
    assert cost.cost_per_dialogue == pytest.approx(0.1)
    assert cost.cost_for_width == pytest.approx(0.1 * cost.dialogues_for_width)
    assert document["incremental"]["chosen"]["r2"] > 0
    assert "<caption>cost</caption>" in found._repr_html_()


def test_parts_that_cannot_be_answered_are_named() -> None:
    found = validity(table(made_up(n=40)), "quality", settings=ValiditySettings(resamples=20))

    assert found.sensitivity == ()
    assert found.cost == ()
    assert "There are fewer than two systems, so sensitivity is not reported." in found.warnings
    assert "There are no times, so cost is not reported." in found.warnings
    assert not isnan(found.predictive[0].r2.value)
