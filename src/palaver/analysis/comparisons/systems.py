"""Every pair of systems compared: the one question most studies ask.

Which test is used follows from what is known of the answers (`choosing`), unless one is named. The
difference, its interval, the p-value, the effect size and, where a margin is given, the verdict come
together; p-values are corrected for the number of pairs.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isclose
from typing import Any, TypeVar

from palaver.analysis.comparisons.answers import SystemAnswers, gather
from palaver.analysis.comparisons.choice import ChosenTest, TestName, choose
from palaver.analysis.comparisons.equivalence import Verdict
from palaver.analysis.comparisons.pairwise import (
    ComparisonSettings,
    PairComparison,
    compare_pair,
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
from palaver.analysis.resampling import BootstrapSettings, encode
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval, html_table
from palaver.core.numeric import np
from palaver.core.serial import plain
from palaver.core.words import counted, listed

# What the smallest p-value that can be drawn should be after a correction for all pairs.
FINEST = 0.005

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

    `items` pairs the systems' answers. Whole `clusters` are drawn for intervals. `raters` and items
    are random factors of the mixed models, and with raters an answer given twice is an error.

    >>> found = compare_systems([3, 4, 5, 2, 3, 3], ["new"] * 3 + ["old"] * 3, items=[1, 2, 3] * 2)
    >>> found.test, found.pairs[0].difference.value
    ('permutation', 1.3333333333333333)
    """
    used = settings or ComparisonSettings()
    answers = gather(values, systems, items=items, raters=raters, clusters=clusters)
    chosen = choose(answers, test)
    answers = chosen.answers
    model = None
    if chosen.name in ("mixed", "ordinal-mixed"):
        model, pairs = _modelled(answers, chosen, used)
    else:
        pairs = [
            compare_pair(answers, a, b, chosen, used) for a, b in combinations(answers.names, 2)
        ]
        pairs = _drawn_finer(pairs, answers, chosen, used)
    corrected = adjusted([pair.test.p for pair in pairs], correction)
    few = _few(answers)
    warnings = [*chosen.warnings, *([few] if few else [])]
    if answers.missing:
        warnings.append(f"{answers.missing} rows have no value and were left out.")
    if model is not None:
        warnings += model.warnings
    return Comparison(
        systems={name: _quiet(_summary(answers, name, used)) for name in answers.names},
        pairs=tuple(
            replace(
                each,
                adjusted=p,
                difference=_with_width(_quiet(each.difference)),
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


def _few(answers: SystemAnswers) -> str:
    """One sentence for all systems: of which there is too little, and what to collect."""
    numbers = {name: _independent(answers, name) for name in answers.names}
    few = {name: number for name, number in numbers.items() if number < FEW_CLUSTERS}
    if not few:
        return ""
    noun = next(iter(answers.clusters), "item" if answers.items is not None else "value")
    low, high = min(few.values()), max(few.values())
    many = counted(high, noun) if low == high else f"{low} to {high} {noun}s"
    return (
        f"There are only {many} of {listed(list(few), most=MOST_NAMED)}, so intervals are likely to "
        f"be too narrow and small p-values out of reach: collect {FEW_CLUSTERS} or more of each "
        "system."
    )


def _independent(answers: SystemAnswers, name: str) -> int:
    """How many things the answers about a system are from: clusters, items, or the answers."""
    rows = answers.rows[name]
    columns = list(answers.clusters.values())
    if not columns and answers.items:
        columns = [encode(answers.items).codes]
    return min((int((np.bincount(codes[rows]) > 0).sum()) for codes in columns), default=len(rows))


def _quiet(found: Told) -> Told:
    """The same without its own warning of few: the comparison has one for all."""
    kept = tuple(text for text in found.warnings if text != found.few)
    return replace(found, warnings=kept, few="")


def _with_width(found: Estimate) -> Estimate:
    """A difference without an interval of width 0: sides that never vary do not say how sure it is."""
    ends = found.interval
    return replace(found, interval=None) if ends is not None and ends.low == ends.high else found


def _summary(answers: SystemAnswers, name: str, settings: ComparisonSettings) -> Estimate:
    """A system's mean or share; answers about one item are a cluster where there are several."""
    side = answers.side(name)
    if answers.is_binary and not side.clusters and not answers.is_repeated:
        successes, n = int(side.values.sum()), len(side.values)
        return Estimate(
            value=successes / n,
            interval=wilson_interval(successes, n, confidence=settings.confidence),
            n=n,
            method="Wilson; assumes independent answers",
        )
    clusters: Clusters = side.clusters
    if not clusters and answers.is_repeated and answers.items is not None:
        rows = zip(answers.items, answers.systems, strict=True)
        clusters = ([item for item, system in rows if system == name],)
    return system_mean(side.values, clusters, settings)


def system_mean(
    values: Values, clusters: Clusters, settings: BootstrapSettings | None = None
) -> Estimate:
    """The mean of a system's answers; its interval never has a width of 0.

    Where all answers are the same no draw differs from another. A share of none or all then has
    Wilson's interval, with as many trials as there are clusters; any other mean has none.

    >>> system_mean([0.0] * 40, [[n // 2 for n in range(40)]]).interval.high > 0.1
    True
    >>> system_mean([5.0, 5.0, 5.0], []).interval is None
    True
    """
    used = settings or BootstrapSettings()
    found = mean(
        values,
        clusters,
        resamples=used.resamples,
        seed=used.seed,
        confidence=used.confidence,
    )
    ends = found.interval
    if ends is None or ends.low < ends.high:
        return found
    trials = min((len(encode(cluster).levels) for cluster in clusters), default=len(values))
    if found.value not in (0, 1):
        return replace(found, interval=None, method="none, as all answers are the same")
    return replace(
        found,
        interval=wilson_interval(found.value * trials, trials, confidence=used.confidence),
        method="Wilson, each cluster counted once, where all answers are the same",
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
        return model, [_of_contrast(contrast, model, ()) for contrast in model.contrasts]
    model = linear_mixed(values, answers.systems, factors, confidence=settings.confidence)
    if settings.margin is None:
        return model, [_of_contrast(contrast, model, ()) for contrast in model.contrasts]
    wide = 1 - 2 * settings.level
    wider = linear_mixed(values, answers.systems, factors, confidence=wide).contrasts
    return model, [
        _of_contrast(each, model, margins_by_interval(each.a, each.b, other.difference, settings))
        for each, other in zip(model.contrasts, wider, strict=True)
    ]


def _of_contrast(
    contrast: Contrast, model: MixedResult, margins: tuple[Verdict, ...]
) -> PairComparison:
    apart = contrast.difference
    if model.name == "linear mixed":
        total = sum(model.components.values()) ** 0.5
        effects = {"d (total)": Estimate(value=apart.value / total, n=apart.n)}
    else:
        ends = apart.interval
        effects = {
            "odds ratio": Estimate(
                value=float(np.exp(apart.value)),
                interval=Interval(float(np.exp(ends.low)), float(np.exp(ends.high)))
                if ends
                else None,
                n=apart.n,
            )
        }
    return PairComparison(
        a=contrast.a,
        b=contrast.b,
        difference=apart,
        test=TestResult(
            name=model.name,
            p=contrast.p,
            n=apart.n,
            difference=apart.value,
            effects=effects,
            method=model.method,
            reason="" if contrast.p == contrast.p else "the model gives no standard error",
        ),
        margins=margins,
    )
