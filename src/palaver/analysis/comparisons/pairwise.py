"""One pair of systems: difference, test, effect size and verdict, as the chosen test has them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from palaver.analysis.comparisons.answers import PairedValues, Side, SystemAnswers
from palaver.analysis.comparisons.choice import ChosenTest
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
    """Two systems: the difference, the test, its corrected p-value and the verdicts on a margin."""

    a: str
    b: str
    difference: Estimate
    test: TestResult
    adjusted: float = MISSING
    margins: tuple[Verdict, ...] = ()

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
        return _paired(answers, a, b, chosen.name, settings)
    return _unpaired(answers, a, b, chosen.name, settings)


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
    answers: SystemAnswers, a: str, b: str, name: str, settings: ComparisonSettings
) -> PairComparison:
    pairs = answers.pairs(a, b)
    if not len(pairs.a):
        raise InputError(
            f"'{a}' and '{b}' have no item in common; without --item they can be compared."
        )
    counts = answers.is_binary and not pairs.averaged and not pairs.clusters
    test = _paired_test(pairs, name, settings)
    if pairs.left_out:
        told = f"{pairs.left_out} items were left out: they have answers about one of the two only."
        test = replace(test, warnings=(*test.warnings, told))
    apart = _paired_interval(pairs, settings, settings.confidence, counts)

    def asked(swapped: bool) -> MarginResult:
        one, other = (pairs.b, pairs.a) if swapped else (pairs.a, pairs.b)
        if counts:
            return margin_paired_shares(one, other, **settings.asked())
        if pairs.clusters:
            wide = _paired_interval(pairs, settings, 1 - 2 * settings.level, counts)
            return margin_interval(negated(wide) if swapped else wide, **settings.asked())
        return margin_means(one, other, paired=True, **settings.asked())

    return PairComparison(
        a=a,
        b=b,
        difference=apart,
        test=_without_intervals(test) if pairs.clusters else test,
        margins=_verdicts(a, b, settings, asked),
    )


def _paired_interval(
    pairs: PairedValues, settings: ComparisonSettings, confidence: float, counts: bool
) -> Estimate:
    if counts:
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
    answers: SystemAnswers, a: str, b: str, name: str, settings: ComparisonSettings
) -> PairComparison:
    one, other = answers.side(a), answers.side(b)
    counts = not answers.clusters and answers.is_binary
    test = _unpaired_test(one, other, name, settings)

    def asked(swapped: bool) -> MarginResult:
        left, right = (other, one) if swapped else (one, other)
        if counts:
            return margin_shares(counted(left.values), counted(right.values), **settings.asked())
        if answers.clusters:
            wide = _unpaired_interval(left, right, settings, 1 - 2 * settings.level, counts)
            return margin_interval(wide, **settings.asked())
        return margin_means(left.values, right.values, **settings.asked())

    return PairComparison(
        a=a,
        b=b,
        difference=_unpaired_interval(one, other, settings, settings.confidence, counts),
        test=_without_intervals(test) if answers.clusters else test,
        margins=_verdicts(a, b, settings, asked),
    )


def _unpaired_interval(
    one: Side, other: Side, settings: ComparisonSettings, confidence: float, counts: bool
) -> Estimate:
    if counts:
        return risk_difference(counted(one.values), counted(other.values), confidence=confidence)
    return difference(
        one.values,
        other.values,
        one.clusters,
        other.clusters,
        resamples=settings.resamples,
        seed=settings.seed,
        confidence=confidence,
    )


def _unpaired_test(one: Side, other: Side, name: str, settings: ComparisonSettings) -> TestResult:
    a, b, confidence = one.values, other.values, settings.confidence
    if name == "permutation":
        found = unpaired_permutation(
            a,
            b,
            clusters_a=one.clusters[0] if one.clusters else None,
            clusters_b=other.clusters[0] if other.clusters else None,
            trials=settings.trials,
            seed=settings.seed,
        )
        # Finding an interval takes long, and that of clustered answers is not shown.
        effect = hedges_g(a, b, confidence=None if one.clusters else confidence)
        return replace(found, effects={"Hedges' g": effect})
    if name == "mann-whitney":
        return mann_whitney(a, b, confidence=confidence)
    if name == "z":
        return two_shares(counted(a), counted(b), confidence=confidence)
    return welch(a, b, confidence=confidence)


def _without_intervals(test: TestResult) -> TestResult:
    """Effect sizes without their intervals, which would take answers of a cluster for independent."""
    effects = {name: replace(each, interval=None, method="") for name, each in test.effects.items()}
    return replace(test, effects=effects)
