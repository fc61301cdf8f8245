"""Intervals: against scipy's bootstrap, against plain loops over clusters, and their coverage."""

import warnings
from importlib import import_module

import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap

from palaver.analysis.agreement import Judgement, agreement, alpha_from_matrix, measure
from palaver.analysis.resampling import widened
from palaver.core.errors import InputError
from palaver.core.serial import plain
from support.raters import judged, noisy

sampling = import_module("palaver.analysis.agreement.sampling")


def in_dialogues(rng, *, dialogues, turns, raters, keep=0.7):
    """Turns of a dialogue share how hard they are, and often their answer."""
    hard = np.repeat(rng.beta(keep * 3, (1 - keep) * 3, dialogues), turns)[:, None]
    shared = np.repeat(rng.integers(5, size=dialogues), turns)
    own = rng.integers(5, size=dialogues * turns)
    truth = np.where(rng.random(len(own)) < 0.6, shared, own)[:, None]
    size = (len(own), raters)
    given = np.where(rng.random(size) < hard, truth, rng.integers(5, size=size))
    return given.astype(float), np.repeat(np.arange(dialogues), turns)


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_it_agrees_with_scipy_where_units_are_drawn(method, level):
    matrix = noisy(np.random.default_rng(2), units=40, raters=3, values=[1, 2, 3, 4])

    def alpha(places):
        return alpha_from_matrix(matrix[places], level=level, resamples=0).alpha

    expected = scipy_bootstrap(
        (np.arange(len(matrix)),),
        alpha,
        vectorized=False,
        n_resamples=1500,
        method="BCa" if method == "bca" else "percentile",
        rng=np.random.default_rng(4),
    ).confidence_interval

    found = alpha_from_matrix(matrix, level=level, method=method, resamples=20_000).interval

    assert found.low == pytest.approx(expected.low, abs=0.02)
    assert found.high == pytest.approx(expected.high, abs=0.02)


def test_clusters_are_drawn_as_a_plain_loop_would():
    rng = np.random.default_rng(5)
    matrix, dialogue = in_dialogues(rng, dialogues=25, turns=4, raters=3)
    looped = []
    for _ in range(1500):
        chosen = rng.integers(25, size=25)
        rows = np.concatenate([np.flatnonzero(dialogue == each) for each in chosen])
        looped.append(alpha_from_matrix(matrix[rows], level="ordinal", resamples=0).alpha)

    found = alpha_from_matrix(
        matrix, level="ordinal", clusters=[dialogue], method="percentile", resamples=20_000
    ).interval

    low, high = np.quantile(looped, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_clusters_of_the_same_content_may_be_drawn_as_counts(monkeypatch):
    rng = np.random.default_rng(8)
    matrix = rng.integers(2, size=(400, 2)).astype(float)
    matrix[::3, 1] = matrix[::3, 0]
    dialogue = np.repeat(np.arange(200), 2)

    def drawn():
        return alpha_from_matrix(
            matrix, level="nominal", clusters=[dialogue], method="bca", resamples=20_000
        ).interval

    one_by_one = drawn()
    monkeypatch.setattr(sampling, "MANY", 2)
    as_counts = drawn()

    assert as_counts != one_by_one
    assert as_counts.low == pytest.approx(one_by_one.low, abs=0.005)
    assert as_counts.high == pytest.approx(one_by_one.high, abs=0.005)


def test_two_factors_are_drawn_as_a_plain_pigeonhole_would():
    rng = np.random.default_rng(6)
    matrix, dialogue = in_dialogues(rng, dialogues=20, turns=4, raters=3)
    topic = rng.integers(15, size=len(matrix))
    looped = []
    for _ in range(2000):
        one = np.bincount(rng.integers(20, size=20), minlength=20)
        other = np.bincount(rng.integers(15, size=15), minlength=15)
        rows = np.repeat(np.arange(len(matrix)), one[dialogue] * other[topic])
        looped.append(alpha_from_matrix(matrix[rows], level="nominal", resamples=0).alpha)

    found = alpha_from_matrix(
        matrix,
        level="nominal",
        clusters=[dialogue, topic],
        method="bca",
        resamples=10_000,
        confidence=0.8,
    ).interval

    # With two factors it is always the percentile interval, widened for the fewer clusters.
    tail = (1 - widened(0.8, 15)) / 2
    low, high = np.quantile(looped, [tail, 1 - tail])
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_the_jackknife_leaves_out_one_unit_or_one_cluster_at_a_time():
    rng = np.random.default_rng(7)
    matrix = noisy(rng, units=30, raters=3, values=[1, 2])
    patterns_of = import_module("palaver.analysis.agreement.patterns").collapse
    patterns = patterns_of(matrix.astype(int) - 1, values=2, least=2)
    cluster = np.repeat(np.arange(10), 3)
    for factors, groups in (((), np.arange(30)), ((cluster,), cluster)):
        plan = sampling.sampling_of(patterns.of_unit, patterns.times, factors)
        found = [
            tuple(row)
            for weights, times in plan.without_one()
            for row in np.repeat(weights, times, axis=0)
        ]
        expected = [
            tuple(np.bincount(patterns.of_unit[groups != each], minlength=len(patterns.times)))
            for each in np.unique(groups)
        ]
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_large_tables_take_another_way_to_the_same_interval(level, monkeypatch):
    rng = np.random.default_rng(8)
    matrix, dialogue = in_dialogues(rng, dialogues=30, turns=5, raters=3)

    def interval():
        return alpha_from_matrix(
            matrix, level=level, clusters=[dialogue], method="bca", resamples=300
        ).interval

    usual = interval()
    monkeypatch.setattr(sampling, "TABLE", 1)  # no matrix of clusters × patterns

    other = interval()

    assert other.low == pytest.approx(usual.low, abs=1e-9)
    assert other.high == pytest.approx(usual.high, abs=1e-9)


def test_a_jackknife_of_groups_stands_for_that_of_many_units(monkeypatch):
    x = np.random.default_rng(9).normal(size=(1500, 1)) + np.random.default_rng(1).normal(
        size=(1500, 3)
    )
    usual = alpha_from_matrix(x, level="interval", method="bca", resamples=500).interval
    monkeypatch.setattr(sampling, "TABLE", 1000)

    grouped = alpha_from_matrix(x, level="interval", method="bca", resamples=500).interval

    assert grouped.low == pytest.approx(usual.low, abs=0.004)
    assert grouped.high == pytest.approx(usual.high, abs=0.004)


def test_clusters_of_one_unit_are_units():
    matrix = noisy(np.random.default_rng(3), units=50, raters=3, values=[1, 2, 3])

    plain = alpha_from_matrix(matrix, level="nominal", method="bca").interval

    assert (
        plain
        == alpha_from_matrix(
            matrix, level="nominal", method="bca", clusters=[np.arange(50)]
        ).interval
    )


def test_clustered_turns_make_the_interval_wider():
    matrix, dialogue = in_dialogues(np.random.default_rng(10), dialogues=40, turns=8, raters=3)

    turns = alpha_from_matrix(matrix, level="ordinal").interval
    dialogues = alpha_from_matrix(matrix, level="ordinal", clusters=[dialogue]).interval

    assert dialogues.high - dialogues.low > 1.2 * (turns.high - turns.low)


def test_it_covers_the_truth_where_dialogues_are_drawn_and_not_where_turns_are():
    rng = np.random.default_rng(11)
    many, _ = in_dialogues(rng, dialogues=60_000, turns=5, raters=3)
    truth = alpha_from_matrix(many, level="ordinal", resamples=0).alpha
    clustered, naive = [], []
    for seed in range(250):
        matrix, dialogue = in_dialogues(rng, dialogues=40, turns=5, raters=3)
        given = {"level": "ordinal", "method": "bca", "resamples": 300, "seed": seed}
        clustered.append(truth in alpha_from_matrix(matrix, clusters=[dialogue], **given).interval)
        naive.append(truth in alpha_from_matrix(matrix, **given).interval)

    assert 0.90 < np.mean(clustered) < 0.985
    assert np.mean(naive) < 0.9


def test_every_coefficient_has_an_interval_that_holds_it():
    matrix, dialogue = in_dialogues(np.random.default_rng(12), dialogues=30, turns=3, raters=2)
    said = judged(matrix)

    found = measure(
        said, level="ordinal", clusters=[dict(enumerate(dialogue.tolist()))], resamples=300
    )

    for estimate in found.estimates().values():
        assert estimate.interval.low < estimate.value < estimate.interval.high
    assert found.clusters == (30,)
    assert plain(found)["clusters"] == 30


def test_kappa_is_bootstrapped_over_units_with_scipys_result():
    matrix = noisy(np.random.default_rng(13), units=60, raters=2, values=[1, 2, 3])

    def kappa(places):
        return measure(judged(matrix[places]), level="nominal", resamples=0).kappa.value

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = scipy_bootstrap(
            (np.arange(len(matrix)),),
            kappa,
            vectorized=False,
            n_resamples=1000,
            method="percentile",
            rng=np.random.default_rng(4),
        ).confidence_interval

    found = measure(judged(matrix), level="nominal", method="percentile", resamples=5000).kappa

    assert found.interval.low == pytest.approx(expected.low, abs=0.03)
    assert found.interval.high == pytest.approx(expected.high, abs=0.03)


def test_the_order_of_rows_does_not_change_an_interval():
    matrix, dialogue = in_dialogues(np.random.default_rng(14), dialogues=12, turns=3, raters=3)
    said = judged(matrix)
    clusters = [dict(enumerate(dialogue.tolist()))]

    one = agreement(said, level="nominal", clusters=clusters, method="bca")
    other = agreement(said[::-1], level="nominal", clusters=clusters, method="bca")

    assert one == other


def test_the_names_of_clusters_do_not_change_an_interval():
    matrix, dialogue = in_dialogues(np.random.default_rng(15), dialogues=12, turns=3, raters=3)
    keys = np.random.default_rng(16).permutation(12)

    def measured(names):
        clusters = [{unit: names(each) for unit, each in enumerate(dialogue.tolist())}]
        return agreement(judged(matrix), level="ordinal", clusters=clusters, method="bca")

    assert measured(lambda each: each) == measured(lambda each: f"d_{keys[each]}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "wald"}, "bca or percentile"),
        ({"resamples": -1}, "bootstrap"),
        ({"confidence": 1.0}, "bootstrap"),
        ({"clusters": [{1: "d"}]}, "no cluster"),
    ],
)
def test_bad_settings_are_refused(given, said):
    with pytest.raises(InputError, match=said):
        measure(
            [Judgement(1, "A", 1), Judgement(2, "A", 1)],
            level="nominal",
            **given,
        )
