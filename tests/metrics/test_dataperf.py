"""Metrics of data-centric challenges against scikit-learn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, roc_auc_score

from palaver.metrics import find_metric

LABELS = ["cat", "dog", "eel"]
SETS = st.lists(st.sampled_from(LABELS), unique=True)
quick = settings(max_examples=50, deadline=None)


def binary(sets: list[list[str]], label: str) -> list[int]:
    """Whether each item has a label."""
    return [int(label in each) for each in sets]


@quick
@given(st.lists(st.tuples(SETS, SETS), min_size=1, max_size=12))
def test_f1_over_labels_is_the_mean_of_each_labels_f1(pairs: list[tuple[list[str], ...]]) -> None:
    given_sets, right = [list(each) for each in zip(*pairs, strict=True)]
    found = find_metric("dataperf_f1").compute(given_sets, right)
    seen = sorted({label for each in (*given_sets, *right) for label in each})
    if not seen:
        assert found.reason == "no item has a label on either side"
        return
    each = [f1_score(binary(right, label), binary(given_sets, label)) for label in seen]
    assert found.value == pytest.approx(sum(each) / len(each))


@quick
@given(st.lists(st.tuples(SETS, SETS), min_size=1, max_size=12))
def test_legacy_f1_is_a_micro_average_which_is_the_accuracy(
    pairs: list[tuple[list[str], ...]],
) -> None:
    given_sets, right = [list(each) for each in zip(*pairs, strict=True)]
    found = find_metric("dataperf_f1").compute(given_sets, right, legacy=True)
    seen = sorted({label for each in right for label in each})
    if not seen:
        assert not found.is_defined
        return
    each = [
        f1_score(binary(right, label), binary(given_sets, label), average="micro") for label in seen
    ]
    assert found.value == pytest.approx(sum(each) / len(each))


@quick
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=2, max_size=20))
def test_auc_as_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    scores, right = [pair[0] / 4 for pair in pairs], [pair[1] for pair in pairs]
    found = find_metric("dataperf_auc").compute(scores, right)
    if len(set(right)) < 2:
        assert "of the class 1" in found.reason
    else:
        assert found.value == pytest.approx(roc_auc_score(right, scores))


@quick
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=20))
def test_false_positive_rate_and_balanced_accuracy_as_scikit_learn(
    pairs: list[tuple[int, int]],
) -> None:
    predictions, right = [list(each) for each in zip(*pairs, strict=True)]
    table = confusion_matrix(right, predictions, labels=[0, 1])
    found = find_metric("fpr").compute(predictions, right)
    if table[0].sum() == 0:
        assert found.reason == "every item is of the class 1"
    else:
        assert found.value == pytest.approx(table[0, 1] / table[0].sum())
    if len(set(right)) == 2:
        balanced = find_metric("dataperf_balanced_accuracy").compute(predictions, right)
        assert balanced.value == pytest.approx(balanced_accuracy_score(right, predictions))


def test_fraction_of_fixes() -> None:
    metric = find_metric("dataperf_fraction_of_fixes")
    assert metric.compute([3, 2], [10, 10]).value == 0.25
    assert metric.compute([0], [0]).reason == "there is nothing to fix"
