"""One pair of systems: difference, test, effect size and verdict, as the chosen test has them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isclose
from typing import Any, TypedDict

from palaver.analysis.comparisons.answers import PairedValues, Side, SystemAnswers
from palaver.analysis.comparisons.choice import ChosenTest
from palaver.analysis.comparisons.clustered_effects import of_pairs, of_sides
from palaver.analysis.comparisons.effects import d_z, hedges_g, rank_biserial
from palaver.analysis.comparisons.equivalence import (
    Claim,
    MarginResult,
    Verdict,
    margin_interval,
    margin_means,
    margin_paired_shares,
    margin_shares,
)
from palaver.analysis.comparisons.paired import (
    mcnemar,
    paired_t,
    paired_table,
    sign_test,
    wilcoxon,
)
from palaver.analysis.comparisons.permutation import (
    TRIALS,
    paired_permutation,
    unpaired_permutation,
)
from palaver.analysis.comparisons.result import TestResult
from palaver.analysis.comparisons.robust import robust
from palaver.analysis.comparisons.shares import paired_risk_difference, risk_difference
from palaver.analysis.comparisons.unpaired import counted, mann_whitney, two_shares, welch
from palaver.analysis.means import difference, paired_difference
from palaver.analysis.resampling import BootstrapSettings
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Estimate, Interval


class MarginQuestion(TypedDict):
    margin: float
    claim: Claim
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings(BootstrapSettings):
    """How sure intervals are, how much is drawn, and the margin that is asked about, if any.

    With `at_least` the question is whether one system is at least as good, else whether the two are
    equivalent; the level of both is 1 − confidence.
    """

    trials: int = TRIALS
    margin: float | None = None
    at_least: bool = False
    word: str = "good"

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1:
            raise InputError(f"A confidence must be between 0.5 and 1; got {self.confidence}.")

    @property
    def level(self) -> float:
        """1 − confidence."""
        return round(1 - self.confidence, 12)

    def asked(self) -> MarginQuestion:
        assert self.margin is not None
        claim: Claim = "at least" if self.at_least else "equivalent"
        return {"margin": self.margin, "claim": claim, "level": self.level}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two systems: the difference, the test, its corrected p-value and the verdicts on a margin.

    `difference` is that of the two means over answers. What a test compares may be another one, such
    as the mean over pairs or the contrast of a model: `tested` then is it, and `estimand` says what.
    """

    a: str
    b: str
    difference: Estimate
    test: TestResult
    adjusted: float = MISSING
    margins: tuple[Verdict, ...] = ()
    tested: Estimate | None = None
    estimand: str = ""

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "difference": self.difference.value,
            "interval": self.difference.interval,
            "p": self.test.p,
            "adjusted_p": self.adjusted,
            "effects": self.test.effects,
            "n": self.test.n,
            "statistic": self.test.statistic,
            "method": self.test.method,
            "interval_method": self.difference.method,
            "warnings": [*self.difference.warnings, *self.test.warnings],
        }
        if self.tested is not None:
            found["tested_difference"] = self.tested.value
            found["tested_interval"] = self.tested.interval
            found["estimand"] = self.estimand
        if self.test.reason:
            found["reason"] = self.test.reason
        if self.margins:
            found["margins"] = self.margins
        return found


def compare_pair(
    answers: SystemAnswers, a: str, b: str, chosen: ChosenTest, settings: ComparisonSettings
) -> PairComparison:
    """The pair by the chosen test; the p-value is not yet corrected."""
    if chosen.paired:
        return _paired(answers, a, b, chosen, settings)
    return _unpaired(answers, a, b, chosen, settings)


def difference_of_means(
    answers: SystemAnswers, a: str, b: str, settings: ComparisonSettings, confidence: float
) -> Estimate:
    """Mean a − mean b over answers, whatever the test, with an interval for all that is known.

    Answers that share a rater, an item or a cluster are not taken for independent. Where items alone
    are known and all are answered alike, the interval is that of their pairs.
    """
    if not answers.is_clustered and answers.items is not None:
        pairs = answers.pairs(a, b)
        if pairs.is_whole:
            return _paired_interval(pairs, settings, confidence, answers.is_binary)
    one, other = answers.side(a), answers.side(b)
    if not answers.factors and answers.is_binary:
        return risk_difference(counted(one.values), counted(other.values), confidence=confidence)
    return difference(
        one.values,
        other.values,
        one.factors,
        other.factors,
        resamples=settings.resamples,
        seed=settings.seed,
        confidence=confidence,
    )


def margins_by_interval(
    a: str, b: str, apart: Estimate, settings: ComparisonSettings
) -> tuple[Verdict, ...]:
    """The verdicts that an interval gives, in words; both ways round for "at least"."""

    def asked(swapped: bool) -> MarginResult:
        return margin_interval(negated(apart) if swapped else apart, **settings.asked())

    return _verdicts(a, b, settings, asked)


def negated(apart: Estimate) -> Estimate:
    """b minus a, from a minus b."""
    ends = apart.interval
    turned = Interval(-ends.high, -ends.low) if ends else None
    return replace(apart, value=-apart.value, interval=turned)


def _verdicts(
    a: str, b: str, settings: ComparisonSettings, asked: Callable[[bool], MarginResult]
) -> tuple[Verdict, ...]:
    if settings.margin is None:
        return ()
    first = asked(False)
    found = [Verdict(sentence=first.verdict(a, b, word=settings.word), result=first)]
    if settings.at_least:
        second = asked(True)
        found.append(Verdict(sentence=second.verdict(b, a, word=settings.word), result=second))
    return tuple(found)


def _paired(
    answers: SystemAnswers, a: str, b: str, chosen: ChosenTest, settings: ComparisonSettings
) -> PairComparison:
    pairs = chosen.answers.pairs(a, b)
    if not len(pairs.a):
        raise InputError(
            f"'{a}' and '{b}' have no item in common; without --item they can be compared."
        )
    test = _paired_test(pairs, chosen.name, settings)
    if pairs.left_out:
        told = f"{pairs.left_out} items were left out: they have answers about one of the two only."
        test = replace(test, warnings=(*test.warnings, told))
    apart = difference_of_means(answers, a, b, settings, settings.confidence)
    counts = answers.is_binary and not pairs.averaged
    tested = None
    if not isclose(apart.value, float((pairs.a - pairs.b).mean()), rel_tol=1e-9, abs_tol=1e-12):
        tested = _paired_interval(pairs, settings, settings.confidence, counts)

    def asked(swapped: bool) -> MarginResult:
        one, other = (pairs.b, pairs.a) if swapped else (pairs.a, pairs.b)
        if answers.is_clustered:
            return _asked_of_means(answers, *((b, a) if swapped else (a, b)), settings)
        if counts:
            return margin_paired_shares(one, other, **settings.asked())
        return margin_means(one, other, paired=True, **settings.asked())

    return PairComparison(
        a=a,
        b=b,
        difference=apart,
        test=of_pairs(test, pairs, settings.confidence) if answers.is_clustered else test,
        margins=_verdicts(a, b, settings, asked),
        tested=tested,
        estimand="mean difference of pairs" if tested else "",
    )


def _asked_of_means(
    answers: SystemAnswers, a: str, b: str, settings: ComparisonSettings
) -> MarginResult:
    """Whether the wider interval of clustered answers lies within the margin."""
    wide = difference_of_means(answers, a, b, settings, 1 - 2 * settings.level)
    return margin_interval(wide, **settings.asked())


def _paired_interval(
    pairs: PairedValues, settings: ComparisonSettings, confidence: float, counts: bool
) -> Estimate:
    if counts and not pairs.clusters and not pairs.averaged:
        return paired_risk_difference(paired_table(pairs.a, pairs.b), confidence=confidence)
    return paired_difference(
        pairs.a,
        pairs.b,
        pairs.clusters,
        resamples=settings.resamples,
        seed=settings.seed,
        confidence=confidence,
    )


def _paired_test(pairs: PairedValues, name: str, settings: ComparisonSettings) -> TestResult:
    a, b, confidence = pairs.a, pairs.b, settings.confidence
    if name == "permutation":
        found = paired_permutation(
            a,
            b,
            clusters=pairs.clusters[0] if pairs.clusters else None,
            trials=settings.trials,
            seed=settings.seed,
        )
        return replace(found, effects={"d_z": d_z(a, b, confidence=confidence)})
    if name == "wilcoxon":
        return wilcoxon(a, b, confidence=confidence, seed=settings.seed)
    if name == "sign":
        effect = rank_biserial(a, b, confidence=confidence, seed=settings.seed)
        return replace(sign_test(a, b), effects={"rank-biserial": effect})
    if name == "mcnemar":
        return mcnemar(a, b, confidence=confidence)
    return paired_t(a, b, confidence=confidence)


def _unpaired(
    answers: SystemAnswers, a: str, b: str, chosen: ChosenTest, settings: ComparisonSettings
) -> PairComparison:
    one, other = chosen.answers.side(a), chosen.answers.side(b)
    test = _unpaired_test(one, other, chosen.name, settings)

    def asked(swapped: bool) -> MarginResult:
        left, right = (other, one) if swapped else (one, other)
        if answers.is_clustered:
            return _asked_of_means(answers, *((b, a) if swapped else (a, b)), settings)
        if answers.is_binary:
            return margin_shares(counted(left.values), counted(right.values), **settings.asked())
        return margin_means(left.values, right.values, **settings.asked())

    return PairComparison(
        a=a,
        b=b,
        difference=difference_of_means(answers, a, b, settings, settings.confidence),
        test=of_sides(test, one, other, settings.confidence) if answers.is_clustered else test,
        margins=_verdicts(a, b, settings, asked),
    )


def _unpaired_test(one: Side, other: Side, name: str, settings: ComparisonSettings) -> TestResult:
    a, b, confidence = one.values, other.values, settings.confidence
    if name == "robust":
        return robust(a, b, one.factors, other.factors)
    if name == "permutation":
        found = unpaired_permutation(
            a,
            b,
            clusters_a=one.clusters[0] if one.clusters else None,
            clusters_b=other.clusters[0] if other.clusters else None,
            trials=settings.trials,
            seed=settings.seed,
        )
        # Finding an interval takes long, and clustered answers get another one.
        effect = hedges_g(a, b, confidence=None if one.clusters else confidence)
        return replace(found, effects={"Hedges' g": effect})
    if name == "mann-whitney":
        return mann_whitney(a, b, confidence=confidence)
    if name == "z":
        return two_shares(counted(a), counted(b), confidence=confidence)
    return welch(a, b, confidence=confidence)
