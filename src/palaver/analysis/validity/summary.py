"""All four analyses of one set of labels, in one result."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palaver.analysis.resampling import BootstrapSettings
from palaver.analysis.validity.comparative import (
    DialogueComparison,
    comparative_sensitivity,
    comparative_validity,
)
from palaver.analysis.validity.cost import LabelCost, dialogues_for_width, label_costs
from palaver.analysis.validity.incremental import BEAM, Incremental, incremental_validity
from palaver.analysis.validity.predictive import Predictive, predictive_validity
from palaver.analysis.validity.scores import DialogueScores
from palaver.analysis.validity.sensitivity import Sensitivity, Test, sensitivity
from palaver.core.estimates import html_table
from palaver.core.serial import if_any, plain

NO_SETS: Mapping[str, Collection[str]] = {}


@dataclass(frozen=True, slots=True)
class Timed:
    """The judgements as they were timed: one row each, NaN where the time is not known."""

    labels: Sequence[str]
    dialogues: Sequence[str]
    raters: Sequence[str | None]
    seconds: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValiditySettings(BootstrapSettings):
    """What can be chosen; `width` and `pay` are None where nobody asked for them."""

    beam: int = BEAM
    alpha: float = 0.05
    test: Test = "dialogues"
    pay: float | None = None
    width: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValidity:
    """A set of labels that was asked for by name, and what it explains of quality together."""

    name: str
    labels: tuple[str, ...]
    incremental: Incremental


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Do the labels measure anything? Parts that the data cannot answer are empty, with a warning.

    `incremental` is about all labels; where `sets` of them are compared, it is None and each set has
    its own. `basis` are sentences that say which judgements were taken.
    """

    quality: str
    comparative: bool
    dialogues: int
    predictive: tuple[Predictive, ...]
    incremental: Incremental | None
    sensitivity: tuple[Sensitivity, ...]
    cost: tuple[LabelCost, ...]
    warnings: tuple[str, ...]
    sets: tuple[SetValidity, ...] = if_any(())
    basis: tuple[str, ...] = if_any(())

    def _repr_html_(self) -> str:
        parts = [html_table(plain(self.predictive), caption="predictive validity")]
        if self.incremental:
            parts.append(self.incremental._repr_html_())
        parts += [each.incremental._repr_html_() for each in self.sets]
        if self.sensitivity:
            rows = [{**plain(each), "pairs": None} for each in self.sensitivity]
            parts.append(html_table(rows, caption="sensitivity"))
        if self.cost:
            parts.append(html_table(plain(self.cost), caption="cost"))
        return "".join(parts)


def validity(
    scores: DialogueScores,
    quality: str,
    *,
    comparisons: Sequence[DialogueComparison] = (),
    timed: Timed | None = None,
    sets: Mapping[str, Collection[str]] = NO_SETS,
    basis: Sequence[str] = (),
    settings: ValiditySettings | None = None,
) -> Validity:
    """Predictive and incremental validity, sensitivity and cost of all labels.

    Of `sets` of labels, by name, each has its own incremental validity, so that they can be compared.

    With `comparisons`, quality is what they say and `scores` holds the other labels only; then
    there is no incremental validity. Sensitivity needs two systems, cost needs times.
    """
    chosen = settings or ValiditySettings()
    warnings: list[str] = []
    drawing: dict[str, Any] = {
        "resamples": chosen.resamples,
        "confidence": chosen.confidence,
        "seed": chosen.seed,
    }
    compared: tuple[SetValidity, ...] = ()
    if comparisons:
        predictive = comparative_validity(scores, comparisons, **drawing)
        incremental = None
        warnings.append(
            f"'{quality}' is a comparison of two dialogues: R² is McFadden's, and there is no "
            "incremental validity."
        )
    else:
        predictive = predictive_validity(scores, quality, **drawing)
        compared = tuple(_of_set(scores, quality, *each, beam=chosen.beam) for each in sets.items())
        incremental = None
        if not sets:
            incremental = incremental_validity(scores, quality, beam=chosen.beam)
            warnings += incremental.warnings
        warnings += _set_warnings(compared)
    if scores.missing:
        warnings.append(f"{scores.missing} judgements have no value and were left out.")
    found = _sensitivity(scores, quality, comparisons, chosen, warnings)
    cost = _cost(scores, timed, chosen) if timed else []
    if timed is None:
        warnings.append("There are no times, so cost is not reported.")
    warnings += [text for each in predictive for text in each.r2.warnings]
    warnings += [text for each in found for text in each.warnings]
    return Validity(
        quality=quality,
        comparative=bool(comparisons),
        dialogues=len(scores.dialogues),
        predictive=tuple(predictive),
        incremental=incremental,
        sensitivity=tuple(found),
        cost=tuple(cost),
        warnings=tuple(dict.fromkeys(warnings)),
        sets=compared,
        basis=tuple(basis),
    )


def _of_set(
    scores: DialogueScores, quality: str, name: str, labels: Collection[str], *, beam: int
) -> SetValidity:
    some = scores.only({quality, *labels})
    return SetValidity(
        name=name,
        labels=tuple(some.others(quality)),
        incremental=incremental_validity(some, quality, beam=beam),
    )


def _set_warnings(sets: Sequence[SetValidity]) -> list[str]:
    found = [f"{each.name}: {text}" for each in sets for text in each.incremental.warnings]
    counts = {each.name: each.incremental.dialogues for each in sets}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        found.append(f"The sets are not compared on the same number of dialogues: {told}.")
    return found


def _sensitivity(
    scores: DialogueScores,
    quality: str,
    comparisons: Sequence[DialogueComparison],
    chosen: ValiditySettings,
    warnings: list[str],
) -> list[Sensitivity]:
    known = {
        dialogue: system
        for dialogue, system in zip(scores.dialogues, scores.systems, strict=True)
        if system is not None
    }
    if len(set(known.values())) < 2:
        warnings.append("There are fewer than two systems, so sensitivity is not reported.")
        return []
    found = sensitivity(scores, alpha=chosen.alpha, test=chosen.test)
    sides = [
        (known.get(comparison.first), known.get(comparison.second)) for comparison in comparisons
    ]
    if any(one and other and one != other for one, other in sides):
        found.append(comparative_sensitivity(quality, comparisons, known, alpha=chosen.alpha))
    return sorted(found, key=lambda each: (-each.apart, -each.unadjusted, each.label))


def _cost(scores: DialogueScores, timed: Timed, chosen: ValiditySettings) -> list[LabelCost]:
    found = label_costs(timed.labels, timed.dialogues, timed.raters, timed.seconds, pay=chosen.pay)
    if chosen.width is None:
        return found
    return [_with_width(scores, each, chosen, chosen.width) for each in found]


def _with_width(
    scores: DialogueScores, cost: LabelCost, chosen: ValiditySettings, width: float
) -> LabelCost:
    if cost.label not in scores.labels:
        return cost
    needed = dialogues_for_width(scores, cost.label, width, confidence=chosen.confidence)
    price = cost.cost_per_dialogue
    return replace(
        cost,
        dialogues_for_width=needed,
        cost_for_width=None if needed is None or price is None else needed * price,
    )
