"""Averages over classes: macro, micro and weighted F1, macro precision and recall.

A class that occurs on neither side (it can only come from the option `labels`) has no F1 and is left
out of averages, with a warning. A class that is never predicted has no precision, and one that never
occurs in the references no recall: beside the score both are shown as undefined, and in averages of
precision or recall they count as 0, which is what they cost the classifier.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from palaver.core.numeric import Numbers, np
from palaver.metrics.classification import SOKOLOVA, about_references
from palaver.metrics.confusion import ConfusionMatrix, confusion, mean_defined
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import LABEL, Label

LABELS_OPTION = {"labels": "the classes that count, as a list; all that occur if not given"}
_PREDICTED = ["yes", "no", "yes", "maybe"]
_TRUE = ["yes", "no", "no", "no"]


def macro_f1(
    predictions: Sequence[Label],
    references: Sequence[Label],
    *,
    labels: Iterable[Any] | None = None,
) -> Score:
    """The mean over classes of F1_k = 2 right_k / (support_k + predicted_k).

    Every class counts alike, however rare. The classes are those of predictions and references
    together, so a class that was predicted and never occurs counts with 0.
    """
    return _averaged(confusion(predictions, references, labels=labels), "f1")


def macro_precision(
    predictions: Sequence[Label],
    references: Sequence[Label],
    *,
    labels: Iterable[Any] | None = None,
) -> Score:
    """The mean over classes of right_k / predicted_k; 0 for a class that is never predicted."""
    return _averaged(confusion(predictions, references, labels=labels), "precision")


def macro_recall(
    predictions: Sequence[Label],
    references: Sequence[Label],
    *,
    labels: Iterable[Any] | None = None,
) -> Score:
    """The mean over classes of right_k / support_k; 0 for a class that never occurs."""
    return _averaged(confusion(predictions, references, labels=labels), "recall")


def weighted_f1(
    predictions: Sequence[Label],
    references: Sequence[Label],
    *,
    labels: Iterable[Any] | None = None,
) -> Score:
    """The mean of F1_k over classes, each weighted with how often it occurs in the references."""
    found = confusion(predictions, references, labels=labels)
    weights = found.support
    if weights.sum() == 0:
        return Score.undefined("none of the labels occurs in the references", parts=found.parts())
    occurs = weights > 0
    value = float((found.f1[occurs] * weights[occurs]).sum() / weights.sum())
    return Score(value=value, parts=found.parts(), warnings=_about(found))


def micro_f1(
    predictions: Sequence[Label],
    references: Sequence[Label],
    *,
    labels: Iterable[Any] | None = None,
) -> Score:
    """F1 of all classes pooled: 2 Σ right_k / Σ (support_k + predicted_k).

    With one class per item and all classes counted this is the accuracy; it differs when `labels`
    leaves a class out, such as "other".
    """
    found = confusion(predictions, references, labels=labels)
    below = int(found.support.sum() + found.predicted.sum())
    if below == 0:
        return Score.undefined("none of the labels occurs on either side", parts=found.parts())
    return Score(
        value=2 * int(found.right.sum()) / below, parts=found.parts(), warnings=_about(found)
    )


def _averaged(found: ConfusionMatrix, what: str) -> Score:
    values: Numbers = getattr(found, what)
    seen = found.support + found.predicted > 0
    if not seen.any():
        return Score.undefined("none of the labels occurs on either side", parts=found.parts())
    missing = [place for place, value in enumerate(values) if seen[place] and np.isnan(value)]
    warnings = list(_about(found))
    if missing:
        why = "predicted" if what == "precision" else "in the references"
        warnings.append(f"Never {why}, so {what} counts as 0: {found.named(missing)}.")
    value = mean_defined(np.where(np.isnan(values), 0.0, values)[seen])
    return Score(value=value, parts=found.parts(), warnings=tuple(warnings))


def _about(found: ConfusionMatrix) -> tuple[str, ...]:
    """What a reader of an average must know."""
    absent = [n for n, total in enumerate(found.support + found.predicted) if total == 0]
    left_out = f"Left out, because they occur on neither side: {found.named(absent)}."
    return (*about_references(found), *([left_out] if absent else []))


_average_metric = partial(
    Metric,
    family="classification",
    paper=SOKOLOVA,
    predictions=LABEL,
    references=LABEL,
    options=LABELS_OPTION,
)
MACRO_F1 = _average_metric(
    name="macro_f1",
    title="Macro F1",
    about="The mean of the F1 of each class: rare classes count as much as frequent ones.",
    function=macro_f1,
    example=Example(_PREDICTED, _TRUE, 7 / 18),
    needs_classes=True,
)
MICRO_F1 = _average_metric(
    name="micro_f1",
    title="Micro F1",
    about="F1 of all counted classes pooled; the accuracy, unless a class is left out.",
    function=micro_f1,
    example=Example(_PREDICTED, _TRUE, 4 / 7, {"labels": ["yes", "no"]}),
)
WEIGHTED_F1 = _average_metric(
    name="weighted_f1",
    title="Weighted F1",
    about="The mean of the F1 of each class, weighted by how often the class occurs.",
    function=weighted_f1,
    example=Example(_PREDICTED, _TRUE, 13 / 24),
    needs_classes=True,
)
MACRO_PRECISION = _average_metric(
    name="macro_precision",
    title="Macro precision",
    about="The share of the items predicted as a class that belong to it; mean over classes.",
    function=macro_precision,
    example=Example(_PREDICTED, _TRUE, 0.5),
    needs_classes=True,
)
MACRO_RECALL = _average_metric(
    name="macro_recall",
    title="Macro recall",
    about="The share of the items of a class that were predicted as it; mean over classes.",
    function=macro_recall,
    example=Example(_PREDICTED, _TRUE, 4 / 9),
    needs_classes=True,
)
