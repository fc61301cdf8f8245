"""Effect sizes and margins against their definitions, statsmodels and brute force."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import confint_proportions_2indep
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from palaver.analysis.comparisons import (
    PairedTable,
    Successes,
    cliffs_delta,
    cohens_d,
    common_language,
    d_z,
    hedges_g,
    margin_interval,
    margin_means,
    margin_paired_shares,
    margin_shares,
    odds_ratio,
    paired_odds_ratio,
    paired_risk_difference,
    rank_biserial,
    risk_difference,
)
from palaver.analysis.comparisons.equivalence import paired_score, score
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval
from palaver.core.serial import plain

INTEGERS = st.lists(st.integers(0, 9), min_size=3, max_size=10)
SHARES = st.integers(1, 40).flatmap(lambda n: st.builds(Successes, st.integers(0, n), st.just(n)))
TABLES = st.builds(PairedTable, *[st.integers(0, 15)] * 4).filter(lambda table: table.n > 0)


def test_d_and_its_interval_invert_the_noncentral_t() -> None:
    dice = np.random.default_rng(1)
    for size, shift in ((5, 2.0), (20, 0.1), (200, -0.5), (40, -4.0), (12, 8.0)):
        a, b = dice.normal(shift, 1, size), dice.normal(0, 1, size + 3)
        pooled = ((size - 1) * a.var(ddof=1) + (size + 2) * b.var(ddof=1)) / (2 * size + 1)
        found = cohens_d(a, b)
        root = (size * (size + 3) / (2 * size + 3)) ** 0.5
        t = found.value * root

        assert found.value == pytest.approx((a.mean() - b.mean()) / pooled**0.5)
        assert t == pytest.approx(stats.ttest_ind(a, b).statistic)
        # By symmetry the tails are looked up on the side where scipy is accurate.
        low, high = sorted(np.sign(t) * np.array(plain(found.interval)))
        tails = stats.nct.cdf(abs(t), 2 * size + 1, np.array([low, high]) * root)
        assert tails == pytest.approx([0.975, 0.025], abs=1e-6)


def clustered_sides(seed: int):
    """Rounded values of two sides in seven clusters, most with values of both."""
    dice = np.random.default_rng(seed)
    a, b = np.round(dice.normal(0.5, 1, 30), 1), np.round(dice.normal(0, 1, 30), 1)
    return a, b, dice.integers(0, 7, 30), dice.integers(0, 7, 30)


@pytest.mark.parametrize("effect", [cohens_d, hedges_g, cliffs_delta, common_language])
def test_clusters_are_left_out_one_at_a_time(effect) -> None:
    a, b, one, other = clustered_sides(1)
    found = effect(a, b, clusters_a=[one], clusters_b=[other])
    whole = effect(a, b).value
    factor = whole / cohens_d(a, b).value if effect is hedges_g else 1.0
    plain_one = cohens_d if effect is hedges_g else effect
    on_scale = {cliffs_delta: np.arctanh, common_language: lambda x: np.arctanh(2 * x - 1)}.get(
        effect, lambda x: x
    )
    centre = on_scale(whole / factor)
    left = [on_scale(plain_one(a[one != g], b[other != g]).value) for g in range(7)]
    error = (6 / 7 * sum((each - centre) ** 2 for each in left)) ** 0.5
    sizes = np.bincount(np.concatenate([one, other]))
    half = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1) * error

    assert found.value == pytest.approx(whole)
    ends = [on_scale(found.interval.low / factor), on_scale(found.interval.high / factor)]
    assert ends == pytest.approx([centre - half, centre + half])
    assert "cluster jackknife" in found.method


@pytest.mark.parametrize("effect", [d_z, rank_biserial])
def test_clusters_of_pairs_are_left_out_one_at_a_time(effect) -> None:
    a, b, group, _ = clustered_sides(2)
    found = effect(a, b, clusters=[group]).interval
    on_scale = np.arctanh if effect is rank_biserial else np.asarray
    centre = on_scale(effect(a, b).value)
    left = [on_scale(effect(a[group != g], b[group != g]).value) for g in range(7)]
    error = (6 / 7 * sum((each - centre) ** 2 for each in left)) ** 0.5
    sizes = np.bincount(group)
    half = stats.t.ppf(0.975, 900 / (sizes**2).sum() - 1) * error

    assert [on_scale(found.low), on_scale(found.high)] == pytest.approx(
        [centre - half, centre + half]
    )


def test_the_jackknife_is_close_to_the_bootstrap_of_clusters() -> None:
    dice = np.random.default_rng(3)
    group = np.repeat(np.arange(60), 5)
    a = dice.normal(0.4, 0.6, 60)[group] + dice.normal(size=300)
    b = dice.normal(0, 0.6, 60)[group] + dice.normal(size=300)
    found = hedges_g(a, b, clusters_a=[group], clusters_b=[group]).interval
    table = a.reshape(60, 5), b.reshape(60, 5)
    draws = []
    for _ in range(600):
        rows = dice.integers(0, 60, 60)
        draws.append(
            hedges_g(table[0][rows].ravel(), table[1][rows].ravel(), confidence=None).value
        )

    assert found.high - found.low == pytest.approx(2 * 2.001 * np.std(draws), rel=0.08)


def test_crossed_clusterings_are_never_narrower_than_one() -> None:
    a, b, one, other = clustered_sides(4)
    item = np.arange(30) % 10
    ends = [
        cohens_d(a, b, clusters_a=first, clusters_b=second).interval
        for first, second in (([one], [other]), ([item], [item]), ([one, item], [other, item]))
    ]
    widths = [each.high - each.low for each in ends]
    assert widths[2] > 0.9 * max(widths)  # more degrees of freedom may make up for a little
    within = cohens_d(a, b, clusters_a=[one, np.arange(30)], clusters_b=[other, 30 + np.arange(30)])
    assert within.interval == ends[0]  # what lies within clusters adds nothing


def test_sides_of_their_own_clusters_have_the_degrees_of_the_smaller() -> None:
    dice = np.random.default_rng(5)
    few, many = np.repeat(np.arange(3), 10), 3 + np.repeat(np.arange(30), 10)
    a = dice.normal(0, 2, 33)[few] + dice.normal(size=30)
    b = dice.normal(0, 0.1, 33)[many] + dice.normal(size=300)
    apart = cohens_d(a, b, clusters_a=[few], clusters_b=[many])
    error = np.std([cohens_d(a[few != g], b).value for g in range(3)])
    # Three clusters of one side: about two degrees of freedom, where t is 4.3 and not 2.
    assert apart.interval.high - apart.interval.low > 2 * 3.5 * (2 / 3 * 3) ** 0.5 * error


def test_one_cluster_or_no_variation_has_no_interval() -> None:
    a, b = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    assert cohens_d(a, b, clusters_a=[[1, 1, 1]], clusters_b=[[1, 1, 1]]).interval is None
    assert cliffs_delta(a, b, clusters_a=[[1, 2, 3]], clusters_b=[[1, 2, 3]]).interval is None
    with pytest.raises(InputError, match="same clusterings"):
        cohens_d(a, b, clusters_a=[[1, 2, 3]])
    with pytest.raises(InputError, match="needs a cluster"):
        d_z(a, [4.0, 5.0, 7.0], clusters=[[1, 2]])


def test_g_removes_the_bias_of_d() -> None:
    """Over many small samples the mean of g is the true 0.8; that of d is 10 % more."""
    dice = np.random.default_rng(2)
    drawn = [(dice.normal(0.8, 1, 5), dice.normal(0, 1, 5)) for _ in range(6000)]
    pooled = [((a.var(ddof=1) + b.var(ddof=1)) / 2) ** 0.5 for a, b in drawn]
    d = np.mean([(a.mean() - b.mean()) / s for (a, b), s in zip(drawn, pooled, strict=True)])
    ratio = hedges_g(*drawn[0]).value / cohens_d(*drawn[0]).value

    assert d * ratio == pytest.approx(0.8, abs=0.03)
    assert d > 0.85


def test_d_z_is_t_over_root_n() -> None:
    a, b = [3.0, 4, 5, 7, 6], [1.0, 3, 4, 4, 6]

    assert d_z(a, b).value == pytest.approx(stats.ttest_rel(a, b).statistic / 5**0.5)


@given(INTEGERS, INTEGERS)
@settings(max_examples=50, deadline=None)
def test_dominance_is_counted(a, b) -> None:
    above = sum(x > y for x in a for y in b)
    below = sum(x < y for x in a for y in b)
    delta, area = cliffs_delta(a, b), common_language(a, b)

    assert delta.value == pytest.approx((above - below) / (len(a) * len(b)))
    assert area.value == pytest.approx((delta.value + 1) / 2)
    assert 0 <= area.interval.low <= area.value <= area.interval.high <= 1
    assert cliffs_delta(b, a).value == pytest.approx(-delta.value)
    assert plain(cliffs_delta(b, a).interval) == pytest.approx(
        [-delta.interval.high, -delta.interval.low], abs=1e-6
    )


def test_the_interval_of_dominance_covers() -> None:
    """Normal values 0.7 apart: A = Φ(0.7/√2) = 0.69; 400 studies of 15 and 25."""
    dice = np.random.default_rng(3)
    true = stats.norm.cdf(0.7 / 2**0.5)
    hits = [
        true in common_language(dice.normal(0.7, 1, 15), dice.normal(0, 1, 25)).interval
        for _ in range(400)
    ]
    assert 0.92 < np.mean(hits) < 0.985


def test_complete_dominance_still_has_an_interval() -> None:
    found = common_language([5, 6, 7], [1, 2, 3])

    assert found.value == 1
    assert found.interval.low < 0.9
    assert found.interval.high == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12))
@settings(max_examples=50, deadline=None)
def test_rank_biserial_comes_from_signed_ranks(pairs) -> None:
    a, b = zip(*pairs, strict=True)
    apart = np.array([x - y for x, y in pairs if x != y])
    found = rank_biserial(a, b, resamples=100)
    if not len(apart):
        assert found.reason == "every pair is tied"
        return
    ranks = stats.rankdata(np.abs(apart))

    assert found.value == pytest.approx((ranks * np.sign(apart)).sum() / ranks.sum())
    assert rank_biserial(b, a, resamples=0).value == pytest.approx(-found.value)


@given(SHARES, SHARES)
@settings(max_examples=50, deadline=None)
def test_risk_difference_is_that_of_statsmodels(a, b) -> None:
    found = risk_difference(a, b)
    low, high = confint_proportions_2indep(
        a.successes, a.n, b.successes, b.n, method="newcomb", compare="diff"
    )
    assert plain(found.interval) == pytest.approx([low, high], abs=1e-9)
    assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1
    swapped = risk_difference(b, a).interval
    assert [-swapped.high, -swapped.low] == pytest.approx([low, high], abs=1e-9)


def test_odds_ratio_is_that_of_statsmodels() -> None:
    table = Table2x2([[12, 8], [5, 15]])
    found = odds_ratio(Successes(12, 20), Successes(5, 20))

    assert found.value == pytest.approx(table.oddsratio)
    assert plain(found.interval) == pytest.approx(table.oddsratio_confint())
    assert "one half" in odds_ratio(Successes(0, 5), Successes(2, 5)).warnings[0]


@given(TABLES)
@settings(max_examples=50, deadline=None)
def test_paired_risk_difference_turns_with_its_table(table) -> None:
    found = paired_risk_difference(table)
    turned = paired_risk_difference(
        PairedTable(table.both, table.only_b, table.only_a, table.neither)
    )
    assert found.value == pytest.approx((table.only_a - table.only_b) / table.n)
    assert found.interval.low <= found.value <= found.interval.high
    assert [-turned.interval.high, -turned.interval.low] == pytest.approx(
        plain(found.interval), abs=1e-12
    )


def test_the_interval_of_paired_shares_covers() -> None:
    dice = np.random.default_rng(5)
    drawn = dice.multinomial(40, [0.5, 0.25, 0.1, 0.15], size=600)
    hits = [0.15 in paired_risk_difference(PairedTable(*map(int, row))).interval for row in drawn]

    assert 0.92 < np.mean(hits) < 0.985


def test_paired_odds_ratio_is_conditional() -> None:
    found = paired_odds_ratio(PairedTable(10, 12, 4, 3))
    share = stats.binomtest(12, 16).proportion_ci(method="exact")

    assert found.value == 3
    assert plain(found.interval) == pytest.approx(
        [share.low / (1 - share.low), share.high / (1 - share.high)]
    )
    assert paired_odds_ratio(PairedTable(1, 0, 0, 1)).reason
    assert "no bound" in paired_odds_ratio(PairedTable(1, 3, 0, 1)).reason


def test_effects_that_nothing_can_standardise_are_undefined() -> None:
    assert cohens_d([1, 1], [2, 2]).reason
    assert hedges_g([1], [2]).reason
    assert d_z([2, 3], [1, 2]).reason
    assert common_language([], [1]).reason
    assert risk_difference(Successes(0, 0), Successes(1, 2)).reason
    assert odds_ratio(Successes(0, 0), Successes(1, 2)).reason


@given(SHARES, SHARES, st.sampled_from([-0.3, -0.1, 0.05, 0.2]))
@settings(max_examples=50, deadline=None)
def test_the_score_uses_the_likeliest_shares_that_differ_so(a, b, apart) -> None:
    def unlikely(share: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [
                (a.successes, share + apart),
                (a.n - a.successes, 1 - share - apart),
                (b.successes, share),
                (b.n - b.successes, 1 - share),
            ]
            return -sum(count * math.log(max(p, 1e-300)) for count, p in parts if count)

    low, high = max(0.0, -apart), min(1.0, 1 - apart)
    share = optimize.minimize_scalar(
        unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    ).x
    variance = (share + apart) * (1 - share - apart) / a.n + share * (1 - share) / b.n
    expected = (a.share - b.share - apart) / variance**0.5

    assert score(a, b, apart) == pytest.approx(expected, rel=1e-3, abs=1e-3)
    assert score(b, a, -apart) == pytest.approx(-score(a, b, apart), abs=1e-6)


@given(TABLES, st.sampled_from([-0.3, -0.1, 0.05, 0.2]))
@settings(max_examples=50, deadline=None)
def test_the_paired_score_uses_the_likeliest_chances_that_differ_so(table, apart) -> None:
    same = table.both + table.neither

    def unlikely(only_b: float) -> float:
        parts = [
            (table.only_a, only_b + apart),
            (table.only_b, only_b),
            (same, 1 - 2 * only_b - apart),
        ]
        return -sum(count * math.log(max(p, 1e-300)) for count, p in parts if count)

    low, high = max(0.0, -apart), (1 - apart) / 2
    only_b = optimize.minimize_scalar(
        unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    ).x
    variance = table.n * (2 * only_b + apart - apart**2)
    expected = (table.only_a - table.only_b - table.n * apart) / variance**0.5

    assert paired_score(table, apart) == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_margins_of_means_are_those_of_statsmodels() -> None:
    dice = np.random.default_rng(7)
    a, b = dice.normal(0.1, 1, 40), dice.normal(0, 1.4, 40)
    both, worse, better = ttost_paired(a, b, -0.5, 0.5)
    welch, welch_worse, _ = ttost_ind(a, b, -0.5, 0.5, usevar="unequal")
    given = {"margin": 0.5, "claim": "equivalent"}

    assert margin_means(a, b, paired=True, **given).p == pytest.approx(both)
    assert margin_means(a, b, paired=True, margin=0.5).p == pytest.approx(worse[1])
    assert margin_means(b, a, paired=True, margin=0.5).p == pytest.approx(better[1])
    assert margin_means(a, b, **given).p == pytest.approx(welch)
    assert margin_means(a, b, margin=0.5).p == pytest.approx(welch_worse[1])


@given(INTEGERS, INTEGERS, st.floats(0.5, 5))
@settings(max_examples=50, deadline=None)
def test_a_claim_is_shown_where_the_interval_lies_inside(a, b, margin) -> None:
    at_least = margin_means(a, b, margin=margin)
    equivalent = margin_means(a, b, margin=margin, claim="equivalent")
    if at_least.reason:
        assert math.isnan(at_least.p)
        assert not at_least.shown
        return
    ends = at_least.difference.interval
    if min(abs(ends.low + margin), abs(ends.high - margin)) > 1e-9:
        assert at_least.shown == (ends.low > -margin)
        assert equivalent.shown == (ends.low > -margin and ends.high < margin)
    assert equivalent.p >= at_least.p


def test_non_inferiority_keeps_its_level_at_the_margin() -> None:
    """Shares of 0.6 and 0.7 with a margin of 0.1: the claim is false and is shown in 5 % of studies."""
    dice = np.random.default_rng(8)
    shown = [
        margin_shares(Successes(int(x), 150), Successes(int(y), 150), margin=0.1).shown
        for x, y in zip(dice.binomial(150, 0.6, 1000), dice.binomial(150, 0.7, 1000), strict=True)
    ]
    assert np.mean(shown) == pytest.approx(0.05, abs=0.022)


def test_paired_non_inferiority_keeps_its_level_at_the_margin() -> None:
    dice = np.random.default_rng(9)
    shown = []
    for both, only_a, only_b, neither in dice.multinomial(120, [0.5, 0.1, 0.2, 0.2], size=500):
        a = [1] * (both + only_a) + [0] * (only_b + neither)
        b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
        shown.append(margin_paired_shares(a, b, margin=0.1).shown)
    assert np.mean(shown) == pytest.approx(0.05, abs=0.032)


def test_verdicts_are_sentences() -> None:
    found = margin_shares(Successes(178, 200), Successes(180, 200), margin=0.1)
    same = margin_shares(Successes(178, 200), Successes(180, 200), margin=0.1, claim="equivalent")
    unsure = margin_shares(Successes(5, 10), Successes(5, 10), margin=0.1)

    assert found.verdict("A", "B", word="helpful") == (
        "A is at least as helpful as B, within a margin of 0.1."
    )
    assert same.verdict() == "a and b are equally good, within a margin of 0.1."
    assert unsure.verdict().startswith("Not shown: ")
    assert plain(found)["shown"] is True


def test_an_interval_alone_can_decide() -> None:
    apart = Estimate(value=0.0, interval=Interval(-0.05, 0.2), n=9)

    assert margin_interval(apart, margin=0.1).shown
    assert not margin_interval(apart, margin=0.1, claim="equivalent").shown
    assert plain(margin_interval(apart, margin=0.1))["p"] is None
    assert not margin_interval(Estimate.undefined("no values"), margin=0.1).shown


@pytest.mark.parametrize(("margin", "level"), [(0, 0.05), (-1, 0.05), (math.nan, 0.05), (1, 0.7)])
def test_bad_margins_are_refused(margin, level) -> None:
    with pytest.raises(InputError):
        margin_means([1, 2], [1, 2], margin=margin, level=level)
