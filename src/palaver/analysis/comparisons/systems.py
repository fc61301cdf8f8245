"""Every pair of systems compared: the one question most studies ask.

Which test is used follows from what is known of the answers (`choice`), unless one is named. The
difference, its interval, the p-value, the effect size and, where a margin is given, the verdict come
together; p-values are corrected for the number of pairs.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isclose
from typing import Any, TypeVar

from palaver.analysis.comparisons.answers import SystemAnswers, gather
from palaver.analysis.comparisons.choice import ChosenTest, TestName, choose
from palaver.analysis.comparisons.pairwise import (
    ComparisonSettings,
    PairComparison,
    compare_pair,
    difference_of_means,
    margins_by_interval,
)
from palaver.analysis.comparisons.result import TestResult
from palaver.analysis.corrections import Correction, adjusted
from palaver.analysis.means import FEW_CLUSTERS, Clusters, Values, mean
from palaver.analysis.mixed.linear import linear_mixed
from palaver.analysis.mixed.ordinal import ordinal_mixed
from palaver.analysis.mixed.ratings import Contrast, MixedResult
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.rank_sets import MOST_NAMED
from palaver.analysis.resampling import BootstrapSettings
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain
from palaver.core.words import counted, listed

# What the smallest p-value that can be drawn should be after a correction for all pairs.
FINEST = 0.005
LONE_RATER = "One rater gave all answers: intervals and p-values say nothing about other raters."
UNKNOWN = (
    "If rows belong together (turns of one dialogue, answers of one rater), say so with --rater or "
    "--cluster: otherwise intervals are too narrow."
)

KNOWN_SPREAD = "that of the difference, over the root of all variances, which is taken as known"

Told = TypeVar("Told", Estimate, TestResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All systems and all pairs; `rule` says which test was used and why."""

    systems: Mapping[str, Estimate]
    pairs: tuple[PairComparison, ...]
    test: str
    rule: str
    correction: Correction
    confidence: float
    n: int
    model: MixedResult | None = None
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The parts by name; the systems are a list."""
        found: dict[str, Any] = {
            "systems": [{"system": name, **plain(each)} for name, each in self.systems.items()],
            "pairs": self.pairs,
            "test": self.test,
            "rule": self.rule,
            "correction": self.correction,
            "confidence": self.confidence,
            "n": self.n,
            "warnings": self.warnings,
        }
        return found | ({"model": self.model} if self.model else {})

    def _repr_html_(self) -> str:
        rows = [
            {
                "a": pair.a,
                "b": pair.b,
                "difference": str(pair.difference),
                "p": plain(pair.test.p),
                "adjusted p": plain(pair.adjusted),
            }
            for pair in self.pairs
        ]
        return html_table(rows, caption=self.rule)


def compare_systems(
    values: Sequence[float],
    systems: Sequence[str],
    *,
    items: Sequence[Hashable] | None = None,
    raters: Sequence[Hashable] | None = None,
    clusters: Mapping[str, Sequence[Hashable]] | None = None,
    test: TestName = "auto",
    correction: Correction = "holm",
    settings: ComparisonSettings | None = None,
) -> Comparison:
    """Compare every pair of systems; each list has one entry per answer.

    `items` pairs the systems' answers. Answers that share a rater, an item or a cluster are not taken
    for independent; with raters an answer given twice is an error.

    >>> found = compare_systems([3, 4, 5, 2, 3, 3], ["new"] * 3 + ["old"] * 3, items=[1, 2, 3] * 2)
    >>> found.test, found.pairs[0].difference.value
    ('permutation', 1.3333333333333333)
    """
    used = settings or ComparisonSettings()
    answers = gather(values, systems, items=items, raters=raters, clusters=clusters)
    chosen = choose(answers, test)
    model = None
    if chosen.name in ("mixed", "ordinal-mixed"):
        model, pairs = _modelled(answers, chosen, used)
    else:
        pairs = [
            compare_pair(answers, a, b, chosen, used) for a, b in combinations(answers.names, 2)
        ]
        pairs = _drawn_finer(pairs, answers, chosen, used)
    corrected = adjusted([pair.test.p for pair in pairs], correction)
    warnings = [*chosen.warnings, *_cautions(answers)]
    if model is not None:
        warnings += model.warnings
    return Comparison(
        systems={name: _quiet(_summary(answers, name, used)) for name in answers.names},
        pairs=tuple(
            replace(
                each,
                adjusted=p,
                difference=_quiet(each.difference),
                test=_quiet(each.test),
            )
            for each, p in zip(pairs, corrected, strict=True)
        ),
        test=chosen.name,
        rule=chosen.rule,
        correction=correction,
        confidence=used.confidence,
        n=len(answers.values),
        model=model,
        warnings=tuple(warnings),
    )


def _drawn_finer(
    pairs: list[PairComparison],
    answers: SystemAnswers,
    chosen: ChosenTest,
    settings: ComparisonSettings,
) -> list[PairComparison]:
    """The pairs, with more draws for p-values that are as small as a permutation test can give.

    Of B random rearrangements the smallest p is 1 / (B + 1). With so many pairs that no correction
    could leave that below 0.05 / 10, whoever reached it is tested again with enough of them: a test
    of its own, whose p-value is valid.
    """
    least, trials = 1 / (settings.trials + 1), round(len(pairs) / FINEST)
    if trials <= settings.trials:
        return pairs
    finer = replace(settings, trials=trials)
    return [
        compare_pair(answers, each.a, each.b, chosen, finer)
        if isclose(each.test.p, least)
        else each
        for each in pairs
    ]


def _cautions(answers: SystemAnswers) -> list[str]:
    """What to know of all pairs together."""
    found = [_few(answers)]
    if answers.has_lone_rater:
        found.append(LONE_RATER)
    elif answers.raters is None and not answers.clusters:
        found.append(UNKNOWN)
    if answers.missing:
        found.append(f"{answers.missing} rows have no value and were left out.")
    return [text for text in found if text]


def _few(answers: SystemAnswers) -> str:
    """One sentence for all systems: of which there is too little, and what to collect."""
    numbers = {name: _independent(answers, name) for name in answers.names}
    few = {name: number for name, number in numbers.items() if number < FEW_CLUSTERS}
    if not few:
        return ""
    named = next(iter(answers.clusters), "value" if answers.items is None else "item")
    noun = min(answers.factors, key=lambda name: _least(answers, name), default=named)
    low, high = min(few.values()), max(few.values())
    many = counted(high, noun) if low == high else f"{low} to {high} {noun}s"
    so = "intervals are likely to be too narrow and small p-values out of reach"
    if answers.is_clustered:
        so = "intervals are wide, and assume that these vary normally"
    return (
        f"There are only {many} of {listed(list(few), most=MOST_NAMED)}, so {so}: collect "
        f"{FEW_CLUSTERS} or more of each system."
    )


def _independent(answers: SystemAnswers, name: str) -> int:
    """How many things the answers about a system are from: clusters, items, or the answers."""
    rows = answers.rows[name]
    return min(
        (_distinct(codes[rows]) for codes in answers.factors.values()),
        default=len(rows),
    )


def _least(answers: SystemAnswers, factor: str) -> int:
    codes = answers.factors[factor]
    return min(_distinct(codes[rows]) for rows in answers.rows.values())


def _distinct(codes: Numbers) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _quiet(found: Told) -> Told:
    """The same without its own warning of few: the comparison has one for all."""
    kept = tuple(text for text in found.warnings if text != found.few)
    return replace(found, warnings=kept, few="")


def _summary(answers: SystemAnswers, name: str, settings: ComparisonSettings) -> Estimate:
    """A system's mean or share; answers that share something are not taken for independent."""
    side = answers.side(name)
    if answers.is_binary and not answers.is_clustered and not answers.is_repeated:
        successes, n = int(side.values.sum()), len(side.values)
        return Estimate(
            value=successes / n,
            interval=wilson_interval(successes, n, confidence=settings.confidence),
            n=n,
            method="Wilson; assumes independent answers",
        )
    shared = [codes for codes in side.factors if len(codes) > _distinct(codes)]
    clusters = [*side.clusters, *shared]
    return system_mean(side.values, clusters, settings, shares=answers.is_binary)


def system_mean(
    values: Values,
    clusters: Clusters,
    settings: BootstrapSettings | None = None,
    *,
    shares: bool = True,
) -> Estimate:
    """The mean of a system's answers; its interval never has a width of 0.

    `shares` says that answers of 0 and 1 are those of a share.

    >>> system_mean([0.0] * 40, [[n // 2 for n in range(40)]]).interval.high > 0.1
    True
    >>> system_mean([5.0, 5.0, 5.0], []).interval is None
    True
    """
    used = settings or BootstrapSettings()
    return mean(
        values,
        clusters,
        resamples=used.resamples,
        seed=used.seed,
        confidence=used.confidence,
        shares=shares,
    )


def _modelled(
    answers: SystemAnswers, chosen: ChosenTest, settings: ComparisonSettings
) -> tuple[MixedResult, list[PairComparison]]:
    """The pairs as a mixed model sees them."""
    factors: dict[str, Sequence[Hashable]] = {
        name: codes.tolist() for name, codes in answers.clusters.items()
    }
    if answers.items is not None:
        factors["item"] = answers.items
    if answers.raters is not None:
        factors["rater"] = answers.raters
    values = answers.values.tolist()
    if chosen.name == "ordinal-mixed":
        if settings.margin is not None:
            raise InputError("A margin is in units of the values; the ordinal model has none.")
        model = ordinal_mixed(values, answers.systems, factors, confidence=settings.confidence)
        return model, [_of_contrast(answers, each, model, settings) for each in model.contrasts]
    model = linear_mixed(values, answers.systems, factors, confidence=settings.confidence)
    if settings.margin is None:
        return model, [_of_contrast(answers, each, model, settings) for each in model.contrasts]
    wide = 1 - 2 * settings.level
    wider = linear_mixed(values, answers.systems, factors, confidence=wide).contrasts
    return model, [
        replace(
            _of_contrast(answers, each, model, settings),
            margins=margins_by_interval(each.a, each.b, other.difference, settings),
        )
        for each, other in zip(model.contrasts, wider, strict=True)
    ]


def _of_contrast(
    answers: SystemAnswers, contrast: Contrast, model: MixedResult, settings: ComparisonSettings
) -> PairComparison:
    a, b = contrast.a, contrast.b
    apart = contrast.difference
    if model.name == "linear mixed":
        total = sum(model.components.values()) ** 0.5
        effects = {"d (total)": _scaled(apart, lambda each: each / total, KNOWN_SPREAD)}
    else:
        effects = {"odds ratio": _scaled(apart, lambda each: float(np.exp(each)))}
    return PairComparison(
        a=a,
        b=b,
        difference=difference_of_means(answers, a, b, settings, settings.confidence),
        test=TestResult(
            name=model.name,
            p=contrast.p,
            n=apart.n,
            difference=apart.value,
            effects=effects,
            method=model.method,
            reason="" if contrast.p == contrast.p else "the model gives no standard error",
        ),
        tested=apart,
        estimand=f"contrast of the {model.name} model",
    )


def _scaled(apart: Estimate, to: Callable[[float], float], method: str = "") -> Estimate:
    """A contrast and the ends of its interval on another scale."""
    ends = apart.interval
    moved = Interval(to(ends.low), to(ends.high)) if ends else None
    return Estimate(value=to(apart.value), interval=moved, n=apart.n, method=method)
