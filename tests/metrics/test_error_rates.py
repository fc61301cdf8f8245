"""Error rates against a table of distances filled in cell by cell, and old names of metrics."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

from palaver.core.errors import InputError
from palaver.metrics import METRICS, find_metric
from palaver.metrics.registry import ALIASES, metric_name
from palaver.metrics.text.error_rates import edit_distance

quick = settings(max_examples=100, deadline=None)
WORDS = st.lists(st.sampled_from(["ab", "ba", "c", "Ab"]), max_size=7)


def filled_table(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Levenshtein's distance by dynamic programming."""
    table = np.zeros((len(first) + 1, len(second) + 1), dtype=int)
    table[:, 0], table[0] = range(len(first) + 1), range(len(second) + 1)
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            table[i, j] = min(
                table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b)
            )
    return int(table[-1, -1])


@quick
@given(st.text("abcé", max_size=80), st.text("abcé", max_size=80))
def test_the_distance_is_that_of_the_table(first: str, second: str) -> None:
    assert edit_distance(first, second) == filled_table(first, second)


@quick
@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=5))
def test_rates_are_edits_over_length(pairs: list[tuple[list[str], list[str]]]) -> None:
    said = [" ".join(pair[0]) for pair in pairs]
    meant = [" ".join(pair[1]) for pair in pairs]
    words = sum(filled_table(*pair) for pair in pairs) / sum(len(pair[1]) for pair in pairs)
    assert find_metric("wer").compute(said, meant).value == pytest.approx(words)
    letters = sum(map(filled_table, said, meant)) / sum(map(len, meant))
    assert find_metric("cer").compute(said, meant).value == pytest.approx(letters)


def test_the_closest_reference_counts() -> None:
    found = find_metric("wer").compute(["a b c"], [["x y z", "a b c d"]])
    assert found.parts == {"edits": 1, "length": 4}
    assert find_metric("wer").compute(["A b"], ["a b"], lowercase=True).value == 0
    assert (
        find_metric("cer").compute(["a"], [" "]).reason == "the references contain nothing to count"
    )


@quick
@given(
    st.lists(
        st.tuples(*[st.lists(st.floats(0.01, 1), min_size=3, max_size=3)] * 2),
        min_size=1,
        max_size=5,
    )
)
def test_divergence_as_scipy(pairs: list[tuple[list[float], list[float]]]) -> None:
    predictions, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = np.mean([entropy(p, q) for q, p in pairs])
    found = find_metric("kl_divergence").compute(predictions, right)
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_what_is_infinitely_far_is_undefined_unless_smoothed() -> None:
    metric = find_metric("kl_divergence")
    found = metric.compute([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    assert found.reason.startswith("prediction 1 gives no mass to a label")
    smoothed = metric.compute([[1, 0]], [[1, 1]], smoothing=0.5)
    assert smoothed.value == pytest.approx(entropy([0.5, 0.5], [0.75, 0.25]))
    with pytest.raises(InputError, match="'smoothing' takes a number of 0 or more"):
        metric.compute([[1, 0]], [[1, 1]], smoothing=-1)


def test_old_names_lead_to_metrics() -> None:
    beside = {"throughput", "memory"}
    assert {*ALIASES.values()} - beside <= set(METRICS.names())
    assert metric_name("Matthews_Correlation") == "mcc"
    assert metric_name("f1", spans=True) == "squad_f1"
    assert metric_name("chrf_pp") == "chrf_pp"
    assert metric_name("mine:function") == "mine:function"
