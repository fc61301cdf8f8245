"""Verified error rates: what counts, and intervals by writer against independent computations."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm

from palaver.analysis.clustered_shares import clustered_share, effective_clusters
from palaver.analysis.proportions import wilson_interval
from palaver.core.evaluation.rounds import Round, RoundModel, RoundTerms, WrittenExample
from palaver.evaluation.rounds.rates import board_mer, compare_models, error_rate, round_rates
from support.written_rounds import example

ROUND = Round(
    task="nli",
    number=1,
    state="open",
    study="loop",
    stage=0,
    terms=RoundTerms(labels=("entailed", "neutral", "contradictory")),
    models=(RoundModel(name="m", version=1), RoundModel(name="unused", version=2)),
    contexts=1,
    opened=0.0,
)


def drawn(writers: int = 9, *, seed: int = 3) -> Iterator[WrittenExample]:
    """What writers of differing skill and zeal wrote."""
    dice = np.random.default_rng(seed)
    for writer in range(writers):
        skill = dice.beta(2, 4)
        for n in range(int(dice.integers(2, 30))):
            standing = "correct" if dice.random() < skill else "incorrect"
            yield example(n, f"w{writer}", standing=standing)


def test_what_was_refused_waits_or_was_said_before_is_not_verified() -> None:
    written = [
        example(1, "ann", standing="correct"),
        example(2, "ann", standing="correct", notes=("duplicate",)),
        example(3, "ann", standing="incorrect"),
        example(4, "ben", standing="flagged"),
        example(5, "ben", standing="split"),
        example(6, "ben", standing="waiting"),
        example(7, "ben", standing="correct", retracted=True),
        example(8, "ben", wrong=False, kept=False),
    ]

    rate = error_rate("all", written)

    assert (rate.examples, rate.fooling, rate.verified) == (8, 6, 1)
    assert (rate.refused, rate.waiting, rate.writers) == (4, 1, 2)
    assert rate.rate.value == 1 / 8
    # Fooled, less what was verified not to be right: 6 − 2 of 8.
    assert board_mer(written) == 50.0


def test_the_variance_is_that_of_a_cluster_robust_regression() -> None:
    """statsmodels has CR0 for the mean; with clusters of one size CR2 is that times G/(G − 1)."""
    dice = np.random.default_rng(5)
    groups, each = 12, 8
    writer = np.repeat(np.arange(groups), each)
    skills = dice.beta(0.8, 1.2, groups)
    values = (dice.random(groups * each) < skills[writer]).astype(float)

    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": writer, "use_correction": False}
    )
    expected = float(fit.cov_params()[0][0]) * groups / (groups - 1)

    found = clustered_share(values, writer.tolist())
    assert found.interval is not None
    # Wilson's interval at the size that this variance stands for, with t of G − 1 degrees.
    p, z = values.mean(), 1.959963984540054
    centre = (values.sum() + z * z / 2) / (len(values) + z * z)
    size = centre * (1 - centre) / expected
    assert size < len(values)
    t = 2.2009851600916384  # Student's 97.5 % point for 11 degrees of freedom
    scale = 1 + t * t / size
    half = t * np.sqrt(p * (1 - p) / size + t * t / (4 * size * size)) / scale
    middle = (p + t * t / (2 * size)) / scale
    assert found.interval.low == pytest.approx(middle - half, rel=1e-9)
    assert found.interval.high == pytest.approx(middle + half, rel=1e-9)


def test_clusters_make_an_interval_wider_than_independent_tries_would() -> None:
    written = list(drawn())
    rate = error_rate("all", written).rate
    independent = wilson_interval(sum(each.is_verified for each in written), len(written))
    assert rate.interval is not None
    assert independent is not None
    assert rate.interval.high - rate.interval.low > independent.high - independent.low


def test_where_none_fooled_the_model_writers_count_and_not_tries() -> None:
    written = [example(n, f"w{n % 4}", standing="incorrect") for n in range(400)]
    rate = error_rate("all", written).rate
    assert rate.value == 0.0
    assert rate.interval is not None
    assert rate.interval.low == 0.0
    # Wilson's upper end for none of 4, with Student's t of 3 degrees instead of 1.96.
    t = 3.182446305284263
    assert rate.interval.high == pytest.approx(t * t / (4 + t * t))


def test_one_writer_says_nothing_of_others() -> None:
    rate = error_rate("all", [example(n, "ann", standing="correct") for n in range(9)])
    assert rate.rate.value == 1.0
    assert rate.rate.interval is None
    assert "single writer" in rate.rate.reason


def test_rates_come_by_model_label_tag_and_writer() -> None:
    written = [
        example(1, "ann", standing="correct", tag="boats"),
        example(2, "ben", standing="incorrect", values={"label": "entailed"}),
    ]

    found = round_rates(ROUND, written, label_field="label")

    assert [(r.name, r.examples) for r in found.models] == [("m@1", 2), ("unused@2", 0)]
    assert [(r.name, r.verified) for r in found.labels] == [
        ("entailed", 0),
        ("neutral", 1),
        ("contradictory", 0),
    ]
    assert [r.name for r in found.tags] == ["boats"]
    assert [(r.name, r.verified) for r in found.writers] == [("ann", 1), ("ben", 0)]
    assert found.overall.verified == 1


def test_two_models_are_compared_by_the_writers_they_share() -> None:
    written = [
        replace(each, model=f"m{n % 2}@1") for n, each in enumerate(drawn(12)) if each.writer
    ]
    [found] = compare_models(written)
    ones = [e.is_verified for e in written if e.model == "m0@1"]
    others = [e.is_verified for e in written if e.model == "m1@1"]
    assert found.difference.value == pytest.approx(np.mean(ones) - np.mean(others))
    assert found.difference.interval is not None
    assert 0.0 in found.difference.interval


def test_effective_clusters_are_fewer_where_one_writes_most() -> None:
    assert effective_clusters(np.array([0] * 5 + [1] * 5)) == 2.0
    assert effective_clusters(np.array([0] * 9 + [1])) == pytest.approx(100 / 82)
