"""Comparing systems: tests of two, effect sizes, margins, and every pair at once."""

from palaver.analysis.comparisons.choice import TESTS, TestName
from palaver.analysis.comparisons.effects import (
    cliffs_delta,
    cohens_d,
    common_language,
    d_z,
    hedges_g,
    rank_biserial,
)
from palaver.analysis.comparisons.equivalence import (
    MarginResult,
    margin_interval,
    margin_means,
    margin_paired_shares,
    margin_shares,
)
from palaver.analysis.comparisons.paired import mcnemar, paired_t, sign_test, wilcoxon
from palaver.analysis.comparisons.pairwise import ComparisonSettings, PairComparison
from palaver.analysis.comparisons.permutation import paired_permutation, unpaired_permutation
from palaver.analysis.comparisons.result import TestResult
from palaver.analysis.comparisons.robust import robust
from palaver.analysis.comparisons.shares import (
    PairedTable,
    Successes,
    odds_ratio,
    paired_odds_ratio,
    paired_risk_difference,
    risk_difference,
)
from palaver.analysis.comparisons.systems import Comparison, compare_systems, system_mean
from palaver.analysis.comparisons.unpaired import mann_whitney, two_shares, welch

__all__ = [
    "TESTS",
    "Comparison",
    "ComparisonSettings",
    "MarginResult",
    "PairComparison",
    "PairedTable",
    "Successes",
    "TestName",
    "TestResult",
    "cliffs_delta",
    "cohens_d",
    "common_language",
    "compare_systems",
    "d_z",
    "hedges_g",
    "mann_whitney",
    "margin_interval",
    "margin_means",
    "margin_paired_shares",
    "margin_shares",
    "mcnemar",
    "odds_ratio",
    "paired_odds_ratio",
    "paired_permutation",
    "paired_risk_difference",
    "paired_t",
    "rank_biserial",
    "risk_difference",
    "robust",
    "sign_test",
    "system_mean",
    "two_shares",
    "unpaired_permutation",
    "welch",
    "wilcoxon",
]
