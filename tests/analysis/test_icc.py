"""Intraclass correlations: Shrout and Fleiss' table, statsmodels' ANOVA, and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS

from palaver.analysis.agreement import intraclass, measure
from palaver.core.errors import InputError
from support.raters import judged, matrices

# P. E. Shrout and J. L. Fleiss (1979), Psychological Bulletin 86, table 2: six targets, four judges;
# the coefficients are in table 4.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
PUBLISHED = {
    "ICC(1)": 0.17,
    "ICC(A,1)": 0.29,
    "ICC(C,1)": 0.71,
    "ICC(k)": 0.44,
    "ICC(A,k)": 0.62,
    "ICC(C,k)": 0.91,
}
# W. Revelle's package psych, help page of ICC, prints these 95 % intervals for the same table.
ENDS = {
    "ICC(1)": (-0.133, 0.72),
    "ICC(A,1)": (0.019, 0.76),
    "ICC(C,1)": (0.342, 0.95),
    "ICC(k)": (-0.884, 0.91),
    "ICC(A,k)": (0.071, 0.93),
    "ICC(C,k)": (0.676, 0.99),
}


@pytest.mark.parametrize("form", PUBLISHED)
def test_the_table_of_shrout_and_fleiss(form):
    found = intraclass(JUDGES).forms[form]

    assert found.value == pytest.approx(PUBLISHED[form], abs=0.005)
    assert found.interval.low == pytest.approx(ENDS[form][0], abs=0.0006)
    assert found.interval.high == pytest.approx(ENDS[form][1], abs=0.006)
    assert "normal" in found.method


def mean_squares(table):
    """The two-way analysis of variance by least squares: what each group of dummies explains."""
    n, k = table.shape
    unit, rater = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    y, ones = table.ravel(), np.ones((n * k, 1))
    by_unit = (unit[:, None] == np.arange(1, n)).astype(float)
    by_rater = (rater[:, None] == np.arange(1, k)).astype(float)

    def left(*parts):
        return OLS(y, np.hstack([ones, *parts])).fit().ssr

    error = left(by_unit, by_rater)
    return {
        "rows": (left(by_rater) - error) / (n - 1),
        "columns": (left(by_unit) - error) / (k - 1),
        "error": error / ((n - 1) * (k - 1)),
        "within": left(by_unit) / (n * (k - 1)),
    }


@pytest.mark.parametrize("case", range(5))
def test_it_agrees_with_an_analysis_of_variance_by_least_squares(case):
    rng = np.random.default_rng(case)
    n, k = 8 + case, 3
    table = rng.normal(size=(n, 1)) + rng.normal(size=(1, k)) + rng.normal(size=(n, k)) + 50

    found = {name: form.value for name, form in intraclass(table).forms.items()}

    m = mean_squares(table)
    rows, columns, error, within = m["rows"], m["columns"], m["error"], m["within"]
    assert found == pytest.approx(
        {
            "ICC(1)": (rows - within) / (rows + (k - 1) * within),
            "ICC(A,1)": (rows - error) / (rows + (k - 1) * error + k / n * (columns - error)),
            "ICC(C,1)": (rows - error) / (rows + (k - 1) * error),
            "ICC(k)": (rows - within) / rows,
            "ICC(A,k)": (rows - error) / (rows + (columns - error) / n),
            "ICC(C,k)": (rows - error) / rows,
        },
        abs=1e-9,
    )


@pytest.mark.parametrize("form", ["ICC(1)", "ICC(A,1)", "ICC(C,1)"])
def test_intervals_cover_the_truth_about_as_often_as_they_say(form):
    # Units, raters and noise with variances 1, 0.25 and 0.5; raters are drawn anew for ICC(1), ICC(A,1).
    raters = 0.0 if form == "ICC(1)" else 0.25
    truth = {"ICC(1)": 1 / 1.5, "ICC(A,1)": 1 / 1.75, "ICC(C,1)": 1 / 1.5}[form]
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(400):
        table = (
            rng.normal(size=(30, 1))
            + rng.normal(scale=raters**0.5, size=(1, 4))
            + rng.normal(scale=0.5**0.5, size=(30, 4))
        )
        covered.append(truth in intraclass(table).forms[form].interval)

    assert 0.92 < np.mean(covered) < 0.98


@settings(max_examples=50, deadline=None)
@given(matrix=matrices(missing=False), seed=st.integers(0, 99), shift=st.floats(-5, 5))
def test_order_and_shift_do_not_matter(matrix, seed, shift):
    rng = np.random.default_rng(seed)
    moved = rng.permutation(rng.permutation(matrix, axis=0), axis=1) * 3 + shift

    one, other = intraclass(matrix).forms, intraclass(moved).forms

    for name, form in one.items():
        assert other[name].value == pytest.approx(form.value, nan_ok=True, abs=1e-6, rel=1e-6)
        assert form.is_defined or form.reason
        if form.interval is not None and form.is_defined:
            assert form.interval.low - 1e-9 <= form.value <= form.interval.high + 1e-9


def test_a_rater_who_is_always_one_point_higher_is_consistent_but_does_not_agree():
    table = [[value, value + 1] for value in (1, 2, 4, 5, 9)]

    found = intraclass(table).forms

    assert found["ICC(C,1)"].value == pytest.approx(1.0)
    assert found["ICC(A,1)"].value < 1
    assert found["ICC(C,1)"].interval is None  # there is no error to make an interval of


def test_units_that_lack_a_rater_are_left_out_and_counted():
    holes = [*map(list, JUDGES), [1, np.nan, 2, 3], [np.nan] * 4]

    found = intraclass(holes)

    assert (found.units, found.raters, found.left_out) == (6, 4, 1)
    assert found.forms["ICC(1)"].value == intraclass(JUDGES).forms["ICC(1)"].value
    report = measure(judged(holes), level="interval", resamples=0)
    assert report.icc.forms == found.forms
    assert any("6 of 7" in each for each in report.warnings)


@pytest.mark.parametrize("matrix", [np.zeros((0, 0)), [[1, 2]], [[1], [2]], [[1, np.nan], [2, 3]]])
def test_too_few_units_or_raters(matrix):
    found = intraclass(matrix).forms["ICC(A,1)"]

    assert not found.is_defined
    assert "two units" in found.reason


@pytest.mark.parametrize("value", [3.0, 0.1])
def test_without_variance_it_is_undefined(value):
    for form in intraclass(np.full((5, 3), value)).forms.values():
        assert not form.is_defined
        assert "do not differ" in form.reason


def test_bad_settings_are_refused():
    with pytest.raises(InputError, match="confidence"):
        intraclass(JUDGES, confidence=95)
    with pytest.raises(InputError, match="two dimensions"):
        intraclass([1, 2, 3])


def test_names_have_none():
    found = measure(judged([[1, 1], [2, 2]]), level="nominal", resamples=0)

    assert "names" in found.icc.forms["ICC(1)"].reason
