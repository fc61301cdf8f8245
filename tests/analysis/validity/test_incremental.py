"""Incremental validity, against statsmodels and against every subset there is."""

from itertools import combinations
from math import nan

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.validity import incremental_validity
from palaver.core.errors import InputError
from palaver.core.serial import plain

from .making import made_up, table


def ols(columns: dict[str, list[float]], labels: tuple[str, ...]):
    x = np.column_stack([columns[label] for label in labels])
    return sm.OLS(columns["quality"], sm.add_constant(x)).fit()


@pytest.mark.parametrize("beam", [1, 10])
def test_every_step_is_that_of_least_squares(beam: int) -> None:
    columns = made_up(n=60, labels=6)
    found = incremental_validity(table(columns), "quality", beam=beam)
    full = ols(columns, found.steps[0].labels)

    assert [len(step.labels) for step in found.steps] == [6, 5, 4, 3, 2, 1]
    for step in found.steps:
        fit = ols(columns, step.labels)
        assert step.r2 == pytest.approx(fit.rsquared, abs=1e-10)
        assert step.adjusted == pytest.approx(fit.rsquared_adj, abs=1e-10)
        assert step.aic == pytest.approx(fit.aic, abs=1e-8)
    for step in found.steps[1:]:
        _, p, _ = full.compare_f_test(ols(columns, step.labels))
        assert step.p == pytest.approx(p, rel=1e-6, abs=1e-12)


def test_one_by_one_the_least_is_dropped() -> None:
    """Greedy elimination, done slowly with statsmodels."""
    columns = made_up(n=60, labels=6, seed=5)
    found = incremental_validity(table(columns), "quality", beam=1)

    left = found.steps[0].labels
    for step in found.steps[1:]:
        best = max(
            combinations(left, len(left) - 1), key=lambda labels: ols(columns, labels).rsquared
        )
        assert step.labels == best
        assert set(step.dropped) == set(left) - set(best)
        assert step.returned == ()
        left = best


@given(st.integers(0, 500))
@settings(max_examples=15, deadline=None)
def test_a_wide_beam_finds_the_best_set_of_each_size(seed: int) -> None:
    columns = made_up(n=25, labels=4, seed=seed)
    found = incremental_validity(table(columns), "quality", beam=100)

    for step in found.steps:
        best = max(
            ols(columns, labels).rsquared
            for labels in combinations(("x0", "x1", "x2", "x3"), len(step.labels))
        )
        assert step.r2 == pytest.approx(best, abs=1e-10)


@given(st.integers(0, 500), st.permutations(range(4)))
@settings(max_examples=25, deadline=None)
def test_properties(seed: int, order: list[int]) -> None:
    columns = made_up(n=25, labels=4, seed=seed)
    scores = table(columns)
    found = incremental_validity(scores, "quality")
    other = table({f"x{k}": columns[f"x{k}"] for k in order} | {"quality": columns["quality"]})
    again = incremental_validity(other, "quality")

    falling = [step.r2 for step in found.steps]
    assert falling == sorted(falling, reverse=True)
    assert all(0 <= step.r2 <= 1 and step.adjusted <= step.r2 for step in found.steps)
    assert found.chosen is not None
    assert found.chosen.adjusted == max(step.adjusted for step in found.steps)
    for one, two in zip(found.steps, again.steps, strict=True):
        assert set(one.labels) == set(two.labels)
        assert one.r2 == pytest.approx(two.r2, abs=1e-10)


def test_labels_that_cannot_take_part_are_named() -> None:
    columns = made_up(n=40, labels=2)
    columns["flat"] = [2.0] * 40
    columns["twice"] = [2 * a + b for a, b in zip(columns["x0"], columns["x1"], strict=True)]
    found = incremental_validity(table(columns), "quality")

    assert found.left_out == {
        "flat": "it is the same in every dialogue",
        "twice": "it is a linear combination of other labels",
    }
    assert found.steps[0].labels == ("x0", "x1")


def test_incomplete_dialogues_are_counted() -> None:
    columns = made_up(n=40, labels=2)
    columns["x1"][3] = columns["quality"][7] = nan
    found = incremental_validity(table(columns), "quality")

    assert (found.dialogues, found.incomplete) == (38, 2)
    assert "2 dialogues lack quality or a label" in found.warnings[-1]
    kept = [n for n in range(40) if n not in (3, 7)]
    own = {name: [column[n] for n in kept] for name, column in columns.items()}
    assert found.steps[0].r2 == pytest.approx(ols(own, ("x0", "x1")).rsquared)


def test_undefined_has_a_reason() -> None:
    few = incremental_validity(table(made_up(n=5, labels=4)), "quality")
    assert few.steps == ()
    assert few.reason == "4 labels need at least 6 dialogues that have them all; there are 5"
    assert plain(few)["chosen"] is None
    flat = incremental_validity(table({"x": [1, 2, 3, 4], "quality": [1, 1, 1, 1]}), "quality")
    assert flat.reason == "quality is the same in every dialogue"
    none = incremental_validity(table({"x": [1, nan], "quality": [nan, 1]}), "quality")
    assert none.reason == "no dialogue has quality and all labels"
    dull = incremental_validity(table({"x": [1, 1, 1], "quality": [1, 2, 3]}), "quality")
    assert dull.reason == "no label varies between dialogues"


def test_bad_input() -> None:
    with pytest.raises(InputError, match="A beam keeps one set or more"):
        incremental_validity(table(made_up()), "quality", beam=0)
    with pytest.raises(InputError, match="no label besides"):
        incremental_validity(table({"quality": [1, 2]}), "quality")


def test_few_dialogues_per_label_are_warned_of() -> None:
    found = incremental_validity(table(made_up(n=20, labels=4)), "quality")
    assert "below ten dialogues per label" in found.warnings[0]
    assert "<caption>backward elimination" in found._repr_html_()
