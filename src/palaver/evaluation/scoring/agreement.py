"""Fairness and robustness: whether a model says of variants what it says of the original.

For every original with variants, the share of its variants whose prediction agrees with that on the
original; the score is the mean over originals. What is right plays no part. When two predictions agree:

- labels: they are the same; sets of labels: they hold the same;
- texts and spans: they are the same after SQuAD's normalisation (case, punctuation, articles, spaces);
- probabilities of labels: by the share of the mass that lies on the same labels, Σ min(p, q);
- probabilities of each turn: the mean of that over the turns; undefined where their number differs;
- a single probability: by 1 − |p − q|;
- anything else: they are equal.

Dynabench took the performance metric of the variants' predictions against the original's instead,
under which one of two unchanged labels is a macro F1 of 33.33; `legacy` holds that number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.item_means import SHARE
from palaver.core.errors import InputError
from palaver.core.numeric import np
from palaver.core.tasks import Example, Task
from palaver.evaluation.scoring.intervals import additive
from palaver.evaluation.scoring.material import Answers, predicted
from palaver.evaluation.scoring.result import Scored, choice_version, legacy_value
from palaver.evaluation.scoring.scores import find_choice
from palaver.metrics.metric import Metric
from palaver.metrics.qa import normalised
from palaver.metrics.sums import FORMS, mean_rows

NO_VARIANTS = "no original has a variant"
Agree = Callable[[Any, Any], float]


@dataclass(frozen=True, slots=True)
class Family:
    """The variants of each original, as places in the perturbed set."""

    variants: tuple[tuple[int, ...], ...]  # per original
    strays: int  # variants whose original is not there


def _same(first: Any, second: Any) -> float:
    return float(first == second)


def _same_labels(first: Any, second: Any) -> float:
    return float(set(first) == set(second))


def _same_words(first: str, second: str) -> float:
    return float(normalised(first) == normalised(second))


def _shared_mass(first: Any, second: Any) -> float:
    if isinstance(first, list):
        one, other = sum(first), sum(second)
        return float(sum(min(p / one, q / other) for p, q in zip(first, second, strict=True)))
    return 1.0 - abs(float(first) - float(second))


def _shared_turns(first: Any, second: Any) -> float:
    if len(first) != len(second) or not first:
        return float("nan")
    pairs = zip(first, second, strict=True)
    return sum(_shared_mass(one, other) for (_, one), (_, other) in pairs) / len(first)


AGREEMENTS: Mapping[str, Agree] = {
    "multilabel": _same_labels,
    "string": _same_words,
    "context_string_selection": _same_words,
    "prob": _shared_mass,
    "turn_probs": _shared_turns,
}


def find_family(originals: Sequence[Example], variants: Sequence[Example]) -> Family:
    """Which variants belong to which original, by `input_id`."""
    place = {example.uid: n for n, example in enumerate(originals)}
    members: list[list[int]] = [[] for _ in originals]
    strays = 0
    for n, variant in enumerate(variants):
        origin = place.get(variant.input_id or "")
        if origin is None:
            strays += 1
        else:
            members[origin].append(n)
    return Family(tuple(tuple(member) for member in members), strays)


def agreement(
    kind: str,
    task: Task,
    originals: tuple[Sequence[Example], Answers],
    variants: tuple[Sequence[Example], Answers],
) -> Scored:
    """How far predictions on variants agree with those on their originals, as score `kind`.

    Where the performance is a mean over several fields, so is the agreement.
    """
    choice = task.performance
    metric = find_choice(task, choice)
    version = choice_version(metric, choice)
    family = find_family(originals[0], variants[0])
    parts = {
        "originals": sum(bool(variant) for variant in family.variants),
        "originals_without_variants": sum(not variant for variant in family.variants),
        "variants": len(variants[0]) - family.strays,
        "variants_without_original": family.strays,
    }
    if not parts["originals"]:
        return Scored.undefined(kind, version, NO_VARIANTS, parts=parts)
    before = {field: predicted(task, *originals, field) for field in choice.fields}
    after = {field: predicted(task, *variants, field) for field in choice.fields}
    values = np.mean(
        [_shares(task, field, before[field], after[field], family) for field in choice.fields],
        axis=0,
    )
    rows = mean_rows(values)
    found = additive(FORMS["mean"], rows, SHARE).estimate()
    first = choice.fields[0]
    old = _legacy(metric, dict(choice.options), before[first], after[first], family)
    return Scored(
        metric=kind,
        version=version,
        value=found.value,
        interval=found.interval,
        reason=found.reason,
        n=parts["originals"],
        parts={**parts, "legacy": {kind: old}},
        form="mean",
        rows=rows,
    )


def _shares(
    task: Task, output: str, before: list[Any], after: list[Any], family: Family
) -> list[float]:
    """Per original the share of its variants that agree; NaN where it has none."""
    agree = AGREEMENTS.get(task.output(output).kind, _same)
    return [
        sum(agree(after[n], before[original]) for n in places) / len(places)
        if places
        else float("nan")
        for original, places in enumerate(family.variants)
    ]


def _legacy(
    metric: Metric, options: dict[str, Any], before: list[Any], after: list[Any], family: Family
) -> float | None:
    """The performance metric per original, averaged and rounded; None where it cannot be had.

    Texts of the same pattern score the same, so each pattern of labels is computed once.
    """
    if metric.references is None:
        return None
    known: dict[str, float] = {}
    total, originals = 0.0, 0
    try:
        for original, places in enumerate(family.variants):
            if not places:
                continue
            given, once = [after[n] for n in places], before[original]
            pattern = repr((given, once))
            if pattern not in known:
                score = metric.compute(given, [once] * len(given), **options)
                known[pattern] = legacy_value(metric, score.value)
            total += known[pattern]
            originals += 1
    except InputError:
        return None
    mean = total / originals
    return None if np.isnan(mean) else round(mean, 2)
