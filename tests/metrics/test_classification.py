"""Classification metrics against scikit-learn, and where they differ from it on purpose."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from palaver.core.errors import InputError
from palaver.metrics import find_metric
from palaver.metrics.confusion import confusion

PAIRS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=40
)
SUBSETS = st.sets(st.sampled_from("abcde"), min_size=1)
quick = settings(max_examples=50, deadline=None)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's words about what it sets to 0
        yield


def split(pairs: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Predictions and references."""
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


ORACLES: dict[str, Callable[[list[str], list[str]], float]] = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "macro_f1": lambda true, said: sk.f1_score(true, said, average="macro"),
    "micro_f1": lambda true, said: sk.f1_score(true, said, average="micro"),
    "weighted_f1": lambda true, said: sk.f1_score(true, said, average="weighted"),
    "macro_precision": lambda true, said: sk.precision_score(true, said, average="macro"),
    "macro_recall": lambda true, said: sk.recall_score(true, said, average="macro"),
}


@pytest.mark.parametrize("name", ORACLES)
@quick
@given(pairs=PAIRS)
def test_as_scikit_learn(name: str, pairs: list[tuple[str, str]]) -> None:
    said, true = split(pairs)
    found = find_metric(name).compute(said, true).value
    assert found == pytest.approx(ORACLES[name](true, said), abs=1e-12)


@quick
@given(pairs=PAIRS)
def test_matthews_as_scikit_learn_where_it_is_defined(pairs: list[tuple[str, str]]) -> None:
    said, true = split(pairs)
    found = find_metric("mcc").compute(said, true)
    if len(set(said)) > 1 and len(set(true)) > 1:
        assert found.value == pytest.approx(sk.matthews_corrcoef(true, said), abs=1e-12)
    else:
        # scikit-learn says 0 here.
        assert math.isnan(found.value)
        assert "of one class" in found.reason


@quick
@given(pairs=PAIRS, labels=SUBSETS)
def test_averages_over_some_labels(pairs: list[tuple[str, str]], labels: set[str]) -> None:
    said, true = split(pairs)
    wanted = sorted(labels)
    macro = find_metric("macro_f1").compute(said, true, labels=wanted).value
    expected = sk.f1_score(true, said, labels=wanted, average="macro", zero_division=np.nan)
    assert macro == pytest.approx(expected, abs=1e-12, nan_ok=True)
    micro = find_metric("micro_f1").compute(said, true, labels=wanted)
    assert micro.is_defined == bool(labels & {*said, *true})
    if micro.is_defined:
        expected = sk.f1_score(true, said, labels=wanted, average="micro")
        assert micro.value == pytest.approx(expected, abs=1e-12)
    weighted = find_metric("weighted_f1").compute(said, true, labels=wanted)
    assert weighted.is_defined == bool(labels & set(true))
    if weighted.is_defined:
        expected = sk.f1_score(true, said, labels=wanted, average="weighted")
        assert weighted.value == pytest.approx(expected, abs=1e-12)


@quick
@given(pairs=PAIRS)
def test_each_class_and_the_matrix(pairs: list[tuple[str, str]]) -> None:
    said, true = split(pairs)
    parts = find_metric("macro_f1").compute(said, true).parts
    labels = sorted({*said, *true})
    columns = sk.precision_recall_fscore_support(true, said, labels=labels, zero_division=np.nan)
    for row, label, precision, recall, f1, support in zip(
        parts["classes"], labels, *columns, strict=True
    ):
        assert (row["label"], row["support"]) == (label, support)
        assert row["precision"] == pytest.approx(precision, nan_ok=True)
        assert row["recall"] == pytest.approx(recall, nan_ok=True)
        assert row["f1"] == pytest.approx(f1)
        assert ("reason" in row) == (math.isnan(row["precision"]) or math.isnan(row["recall"]))
    assert parts["confusion"]["labels"] == labels
    assert parts["confusion"]["matrix"] == sk.confusion_matrix(true, said, labels=labels).tolist()


@quick
@given(pairs=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_one_class_as_scikit_learn(pairs: list[Any]) -> None:
    said, true = split(pairs)
    found = find_metric("f1").compute(said, true)
    if 1 in {*said, *true}:
        assert found.value == pytest.approx(sk.f1_score(true, said), abs=1e-12)
    else:
        assert found.reason == "the class 1 occurs neither in predictions nor in references"


def test_which_class_is_sought() -> None:
    f1 = find_metric("f1")
    assert f1.compute(["1", "0"], ["1", "1"]).value == pytest.approx(2 / 3)
    assert f1.compute([True, False], [True, True]).value == pytest.approx(2 / 3)
    assert f1.compute(["spam", "ham"], ["spam", "spam"], positive="ham").value == 0.0
    with pytest.raises(InputError, match="the classes are 'ham', 'spam'"):
        f1.compute(["spam", "ham"], ["spam", "spam"])
    with pytest.raises(InputError, match="Labels must all be of one kind"):
        f1.compute(["1", "0"], ["1", "1"], positive=1)


def test_accuracy_with_several_right_labels() -> None:
    found = find_metric("accuracy").compute(["a", "b", "c"], [["a", "b"], "b", ["a"]])
    assert found.per_item == (1.0, 1.0, 0.0)


def test_numbers_and_texts_are_not_mixed() -> None:
    for name in ("accuracy", "macro_f1", "mcc"):
        with pytest.raises(InputError, match=r"'1' \(str\) and 1 \(int\)"):
            find_metric(name).compute(["1", "1"], [1, 1])
        with pytest.raises(InputError, match="one kind"):
            find_metric(name).compute([True, False], [1, 0])


def test_arrays_will_do() -> None:
    found = find_metric("macro_f1").compute(np.array([1, 0, 1]), np.array([1.0, 0.0, 0.0]))
    assert found.value == find_metric("macro_f1").compute([1, 0, 1], [1, 0, 0]).value


def test_one_class_in_the_references_is_said() -> None:
    found = find_metric("macro_f1").compute(["a", "a", "b"], ["a", "a", "a"])
    # With recall r on the only class macro F1 is r / (1 + r), about half of what one expects.
    assert found.value == pytest.approx((2 / 3) / (1 + 2 / 3))
    assert "Only one class occurs in the references" in found.warnings[0]


def test_what_counts_as_0_and_what_is_left_out_is_said() -> None:
    found = find_metric("macro_precision").compute(["a", "a"], ["a", "b"])
    assert found.value == 0.25
    assert found.warnings == ("Never predicted, so precision counts as 0: 'b'.",)
    found = find_metric("macro_f1").compute(["a", "b"], ["a", "b"], labels=["a", "z"])
    assert found.value == 1.0
    assert found.warnings == ("Left out, because they occur on neither side: 'z'.",)
    found = find_metric("macro_f1").compute(["a"], ["a"], labels=["z"])
    assert found.reason == "none of the labels occurs on either side"


def test_wrong_labels() -> None:
    for wrong in ("abc", 3, []):
        with pytest.raises(InputError, match="Option 'labels' takes"):
            confusion(["a"], ["a"], labels=wrong)
    with pytest.raises(InputError, match="got None in it"):
        confusion(["a"], ["a"], labels=["a", None])


def test_many_items_do_not_overflow() -> None:
    # (10⁵)⁴ does not fit 64 bits.
    said, true = [0, 1] * 50_000, [0, 1, 1, 0] * 25_000
    assert find_metric("mcc").compute(said, true).value == 0.0
