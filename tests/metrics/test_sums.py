"""Every additive form gives the metric itself, and its bootstrap is that of the metric."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.metrics import METRICS, find_metric
from palaver.metrics.sums import (
    FORMS,
    Form,
    form_for,
    mean_rows,
    pack_rows,
    time_rows,
    unpack_rows,
)

from .battery import CONTRACTS

# Metrics that are no sums over items, and self-BLEU, whose items are compared with each other.
NO_FORM = {"dataperf_auc", "distinct_1", "distinct_2", "success_per_turn"}
AMONG_THEMSELVES = {"self_bleu"}
BLEU_OPTIONS = [
    {"smooth": smooth, "effective_order": effective}
    for smooth in ("exp", "floor", "add-k", "none")
    for effective in (False, True)
]
CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in sorted(set(CONTRACTS) - NO_FORM - AMONG_THEMSELVES - {"sp_bleu"})),
    *(("bleu", options) for options in BLEU_OPTIONS),
    ("bleu", {"tokenize": "char", "lowercase": True}),
    ("macro_f1", {"labels": ["a", "b"]}),
    ("micro_f1", {"labels": ["a", "c"]}),
    ("weighted_f1", {"labels": ["b", "c"]}),
    ("dataperf_f1", {"legacy": True}),
    ("ter", {"case_sensitive": True, "no_punct": True}),
    ("wer", {"lowercase": True}),
]
quick = settings(max_examples=15, deadline=None)


def drawn_pairs(name: str) -> st.SearchStrategy[list[Any]]:
    """Random items of a metric."""
    contract = CONTRACTS[name]
    partners = st.none() if contract.partners is None else contract.partners
    return st.lists(st.tuples(contract.items, partners), min_size=1, max_size=8)


def sides(name: str, pairs: list[Any]) -> tuple[list[Any], list[Any] | None]:
    """Predictions, and references if there are any."""
    references = None if CONTRACTS[name].references is None else [pair[1] for pair in pairs]
    return [pair[0] for pair in pairs], references


def same(first: float, second: float) -> bool:
    """Whether two values are equal; undefined equals undefined."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


def found_form(name: str, options: dict[str, Any]) -> Form:
    """The form, which must be there."""
    form = form_for(find_metric(name), options)
    assert form is not None
    return form


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
@quick
@given(data=st.data())
def test_the_value_of_the_sums_is_the_metric(
    name: str, options: dict[str, Any], data: st.DataObject
) -> None:
    options = options | CONTRACTS[name].options
    predictions, references = sides(name, data.draw(drawn_pairs(name)))
    metric, form = find_metric(name), found_form(name, options)
    score = metric.compute(predictions, references, **options)
    if metric.decomposes and not score.is_defined:
        return
    rows = form.rows(metric, predictions, references, **options)
    assert rows.shape[0] == len(predictions)
    assert same(float(form.value(rows.sum(axis=0))), score.value)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
@quick
@given(data=st.data(), seed=st.integers(0, 10_000))
def test_a_bootstrap_of_the_sums_is_one_of_the_items(
    name: str, options: dict[str, Any], data: st.DataObject, seed: int
) -> None:
    options = options | CONTRACTS[name].options
    pairs = data.draw(drawn_pairs(name))
    predictions, references = sides(name, pairs)
    metric, form = find_metric(name), found_form(name, options)
    score = metric.compute(predictions, references, **options)
    if metric.decomposes and not score.is_defined:
        return
    rows = form.rows(metric, predictions, references, **options)
    picks = np.random.default_rng(seed).integers(0, len(pairs), (3, len(pairs)))
    counts = np.stack([np.bincount(pick, minlength=len(pairs)) for pick in picks])
    values = form.value(counts @ rows)
    assert values.shape == (3,)
    for pick, value in zip(picks, values, strict=True):
        again, against = sides(name, [pairs[n] for n in pick])
        expected = metric.compute(again, against, **options).value
        assert same(float(value), expected)


def test_spbleu(tmp_path: Path) -> None:
    trainer = pytest.importorskip("sentencepiece", reason="spBLEU needs sentencepiece")
    talk = CONTRACTS["sp_bleu"].perfect
    trainer.SentencePieceTrainer.train(
        sentence_iterator=iter(talk * 20),
        model_prefix=str(tmp_path / "small"),
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    options = {"model": str(tmp_path / "small.model")}
    metric, form = find_metric("sp_bleu"), found_form("sp_bleu", options)
    said = ["the cat sat on a mat", talk[1], "we met at noon"]
    score = metric.compute(said, talk, **options).value
    assert 0 < score < 100
    rows = form.rows(metric, said, talk, **options)
    assert float(form.value(rows.sum(axis=0))) == pytest.approx(score)


def test_which_metrics_have_no_form() -> None:
    without = {name for name in METRICS.names() if form_for(find_metric(name)) is None}
    assert without == NO_FORM
    assert form_for(find_metric("bleu"), {"smooth": "floor"}) is FORMS["bleu-floor"]
    assert form_for(find_metric("statistics:mean")) is None


def test_a_throughput_is_items_over_busy_seconds() -> None:
    rows = time_rows([0.5, 1.5, 2.0], busy=1.0)
    assert float(FORMS["throughput"].value(rows.sum(axis=0))) == pytest.approx(3.0)
    # Twice the slowest item: 3 items in (2 + 2 + 0.5) / 4 of the busy second.
    twice = np.array([1, 0, 2]) @ rows
    assert float(FORMS["throughput"].value(twice)) == pytest.approx(3 / (4.5 / 4))


def test_an_item_without_a_value_adds_nothing() -> None:
    rows = mean_rows([0.5, float("nan"), 1.0])
    assert rows.tolist() == [[0.5, 1.0], [0.0, 0.0], [1.0, 1.0]]
    assert float(FORMS["mean"].value(rows.sum(axis=0))) == 0.75
    assert math.isnan(float(FORMS["mean"].value(np.zeros(2))))


@quick
@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(-5, 70_000), st.floats(-1e9, 1e9)), max_size=20
    )
)
def test_packed_counts_come_back_exactly_and_other_numbers_with_seven_digits(
    rows: list[tuple[int, int, float]],
) -> None:
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    back = unpack_rows(pack_rows(table))
    assert np.array_equal(back[:, :2], table[:, :2])
    assert back[:, 2] == pytest.approx(table[:, 2], rel=1e-6, abs=0)


def test_rows_of_shares_take_little_room() -> None:
    rows = mean_rows(np.random.default_rng(1).integers(0, 2, 100_000))
    assert len(pack_rows(rows)) < 20_000


def test_what_are_no_rows_is_refused() -> None:
    for wrong in (b"", b"{}", b'{"items":1,"types":["u1"]}\nnot zlib'):
        with pytest.raises(InputError, match="cannot be read"):
            unpack_rows(wrong)
