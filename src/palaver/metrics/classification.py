"""Metrics for items that have one class each, over all classes or for one of them.

Where a count is divided by 0, nothing is made up: a coefficient whose denominator is 0 is undefined.
Averages over classes stand in `averages.py`.
"""

import math
from collections.abc import Sequence
from typing import Any

from palaver.core.errors import InputError
from palaver.metrics.confusion import (
    ConfusionMatrix,
    check_one_kind,
    confusion,
    fit_label_option,
    mean_defined,
)
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import LABEL, LABELS, Label

ONE_CLASS = (
    "Only one class occurs in the references, so a classifier that always answers it looks perfect."
)
_PREDICTED = ["yes", "no", "yes", "maybe"]
_TRUE = ["yes", "no", "no", "no"]
VAN_RIJSBERGEN = "C. J. van Rijsbergen (1979), Information Retrieval, 2nd edition, chapter 7."
SOKOLOVA = (
    "M. Sokolova, G. Lapalme (2009), A systematic analysis of performance measures for "
    "classification tasks, Information Processing & Management 45, 427–437."
)


def accuracy(predictions: Sequence[Label], references: Sequence[tuple[Label, ...]]) -> Score:
    """The share of items whose prediction is the reference, or one of several right ones.

    >>> ACCURACY.compute(["yes", "no"], ["yes", ["maybe", "yes"]]).value
    0.5
    """
    check_one_kind([*predictions, *(label for reference in references for label in reference)])
    return Score.mean_of(
        float(prediction in right)
        for prediction, right in zip(predictions, references, strict=True)
    )


def balanced_accuracy(predictions: Sequence[Label], references: Sequence[Label]) -> Score:
    """The mean recall over the classes that occur in the references.

    With right_k of the support_k items of class k predicted as k: 1/K Σ_k right_k / support_k.
    Chance is 1/K however unequal the classes are. Classes that were only predicted have no recall
    and are not averaged over.
    """
    found = confusion(predictions, references)
    return Score(
        value=mean_defined(found.recall), parts=found.parts(), warnings=about_references(found)
    )


def binary_f1(
    predictions: Sequence[Label], references: Sequence[Label], *, positive: Any = None
) -> Score:
    """F1 of one class against all others: 2 right / (support + predicted).

    Undefined when the class occurs on neither side: then there was nothing to find, and nothing was
    claimed. Without `positive` it is True, 1 or "1", whichever kind the labels are of.
    """
    check_one_kind([*predictions, *references])
    wanted = sought_class({*predictions, *references}, positive)
    found = confusion(predictions, references, labels=[wanted])
    (value,) = found.f1
    parts = found.parts()
    if math.isnan(value):
        reason = f"the class {wanted!r} occurs neither in predictions nor in references"
        return Score.undefined(reason, parts=parts)
    return Score(value=float(value), parts=parts)


def false_positive_rate(
    predictions: Sequence[Label], references: Sequence[Label], *, positive: Any = None
) -> Score:
    """Of the items that are not of a class, the share that was taken for it: FP / (FP + TN).

    Undefined when all items are of the class. Without `positive` it is True, 1 or "1", whichever
    kind the labels are of.
    """
    check_one_kind([*predictions, *references])
    wanted = sought_class({*predictions, *references}, positive)
    others = [
        given for given, right in zip(predictions, references, strict=True) if right != wanted
    ]
    if not others:
        return Score.undefined(f"every item is of the class {wanted!r}")
    taken = sum(given == wanted for given in others)
    return Score(value=taken / len(others), parts={"taken_for_it": taken, "others": len(others)})


def matthews(predictions: Sequence[Label], references: Sequence[Label]) -> Score:
    """Matthews' correlation coefficient, for two classes or more.

    With s items of which c are right, t_k of class k and p_k predicted as k,

        (c s − Σ_k t_k p_k) / √((s² − Σ_k p_k²) (s² − Σ_k t_k²)),

    1 for a perfect classifier, 0 for one that guesses. Undefined when all predictions, or all
    references, are of one class: then one of the factors is 0. (scikit-learn reports 0 there.)
    """
    found = confusion(predictions, references)
    items = len(predictions)
    predicted = [int(count) for count in found.predicted]
    support = [int(count) for count in found.support]
    spread = (items**2 - sum(p * p for p in predicted)) * (items**2 - sum(t * t for t in support))
    if spread == 0:
        side = "predictions" if max(predicted) == items else "references"
        return Score.undefined(f"all {side} are of one class", parts=found.parts())
    shared = sum(p * t for p, t in zip(predicted, support, strict=True))
    value = (int(found.right.sum()) * items - shared) / math.sqrt(spread)
    return Score(value=max(-1.0, min(1.0, value)), parts=found.parts())


def about_references(found: ConfusionMatrix) -> tuple[str, ...]:
    """What a reader must know where the references hold one class only."""
    return (ONE_CLASS,) if int((found.matrix.sum(axis=1) > 0).sum()) == 1 else ()


def sought_class(labels: set[Label], positive: Any) -> Label:
    """The class that is sought: the one asked for, else True, 1 or "1"."""
    if positive is not None:
        wanted = fit_label_option(positive)
        check_one_kind([next(iter(labels)), wanted])
        return wanted
    usual: tuple[Label, ...] = (True, 1, "1")
    wanted = next(each for each in usual if type(each) is type(next(iter(labels))))
    if wanted == "1" and not labels <= {"0", "1"}:
        shown = ", ".join(repr(label) for label in sorted(labels))
        raise InputError(
            f"Option 'positive' must name the class to look for; the classes are {shown}."
        )
    return wanted


ACCURACY = Metric(
    name="accuracy",
    title="Accuracy",
    family="classification",
    about="The share of items that were given the right label.",
    paper=SOKOLOVA,
    predictions=LABEL,
    references=LABELS,
    function=accuracy,
    example=Example(_PREDICTED, _TRUE, 0.5),
    decomposes=True,
)
BALANCED_ACCURACY = Metric(
    name="balanced_accuracy",
    title="Balanced accuracy",
    family="classification",
    about="The mean recall over the classes that occur: every class counts the same.",
    paper="K. H. Brodersen et al. (2010), The balanced accuracy and its posterior distribution, "
    "ICPR, 3121–3124.",
    predictions=LABEL,
    references=LABEL,
    function=balanced_accuracy,
    example=Example(_PREDICTED, _TRUE, 2 / 3),
    needs_classes=True,
)
BINARY_F1 = Metric(
    name="f1",
    title="F1 of one class",
    family="classification",
    about="How well one class is found: the harmonic mean of its precision and recall.",
    paper=VAN_RIJSBERGEN,
    predictions=LABEL,
    references=LABEL,
    options={"positive": "the class to look for; true, 1 or '1' if not given"},
    function=binary_f1,
    example=Example([1, 1, 0, 0], [1, 0, 1, 0], 0.5),
    needs_classes=True,
)
FPR = Metric(
    name="fpr",
    title="False positive rate of one class",
    family="classification",
    about="How often an item that is not of a class is predicted as it.",
    direction="lower",
    paper="T. Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27, "
    "861–874.",
    predictions=LABEL,
    references=LABEL,
    options={"positive": "the class to look for; true, 1 or '1' if not given"},
    function=false_positive_rate,
    example=Example([1, 1, 0, 0], [1, 0, 0, 0], 1 / 3),
)
MCC = Metric(
    name="mcc",
    title="Matthews' correlation coefficient",
    family="classification",
    about="The correlation of predicted and true classes: 0 is guessing, however unequal they are.",
    unit="correlation",
    low=-1,
    paper="B. W. Matthews (1975), Biochimica et Biophysica Acta 405, 442–451; more than two "
    "classes: J. Gorodkin (2004), Computational Biology and Chemistry 28, 367–374.",
    predictions=LABEL,
    references=LABEL,
    function=matthews,
    example=Example(["a", "b", "b", "a"], ["a", "b", "b", "b"], 1 / math.sqrt(3)),
    needs_classes=True,
)
