"""Metrics over classes as sums over items: counts per class, and the value of counts.

`rows` are items × counts. Where counts are per class they stand in blocks, first the right ones of
every class, then how often each class occurs, then how often it was predicted, so that a value finds
them without knowing the classes.
"""

from collections.abc import Sequence
from typing import Any

from palaver.core.numeric import Numbers, np
from palaver.metrics.classification import sought_class
from palaver.metrics.confusion import check_one_kind, confusion
from palaver.metrics.dataperf import LabelSets, label_counts
from palaver.metrics.shapes import Label

Labels = Sequence[Label]


def divided(above: Numbers, below: Numbers) -> Numbers:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = np.where(below != 0, above / below, np.nan)
    return found


def ratio_value(sums: Numbers) -> Numbers:
    return divided(sums[..., 0], sums[..., 1])


def class_rows(predictions: Labels, references: Labels, *, labels: Any = None) -> Numbers:
    """Per item and counted class: right, of it, predicted as it."""
    found = confusion(predictions, references, labels=labels)
    place = {label: n for n, label in enumerate(found.classes)}
    counted = np.array(found.counted)
    right = np.array([place[label] for label in references])[:, None] == counted
    given = np.array([place[label] for label in predictions])[:, None] == counted
    rows: Numbers = np.hstack([right & given, right, given]).astype(np.float64)
    return rows


def macro_f1_value(sums: Numbers) -> Numbers:
    """The mean F1 of the classes that occur on either side."""
    right, support, predicted = _blocks(sums, 3)
    return _mean_over(support + predicted > 0, divided(2 * right, support + predicted))


def macro_precision_value(sums: Numbers) -> Numbers:
    """The mean precision of the classes that occur; 0 where nothing was predicted."""
    right, support, predicted = _blocks(sums, 3)
    values = np.nan_to_num(divided(right, predicted))
    return _mean_over(support + predicted > 0, values)


def macro_recall_value(sums: Numbers) -> Numbers:
    """The mean recall of the classes that occur; 0 where nothing is of the class."""
    right, support, predicted = _blocks(sums, 3)
    return _mean_over(support + predicted > 0, np.nan_to_num(divided(right, support)))


def weighted_f1_value(sums: Numbers) -> Numbers:
    """The mean F1 of the classes, weighted with how often they occur."""
    right, support, predicted = _blocks(sums, 3)
    values = np.nan_to_num(divided(2 * right, support + predicted))
    return divided((values * support).sum(axis=-1), support.sum(axis=-1))


def balanced_accuracy_value(sums: Numbers) -> Numbers:
    """The mean recall of the classes that are in the references."""
    right, support, _ = _blocks(sums, 3)
    return _mean_over(support > 0, divided(right, support))


def micro_f1_value(sums: Numbers) -> Numbers:
    """F1 of all counted classes together."""
    right, support, predicted = (block.sum(axis=-1) for block in _blocks(sums, 3))
    return divided(2 * right, support + predicted)


def matthews_value(sums: Numbers) -> Numbers:
    """Matthews' correlation coefficient; NaN where one side has a single class."""
    right, support, predicted = _blocks(sums.astype(np.float64), 3)
    items = support.sum(axis=-1)
    spread = (items**2 - (predicted**2).sum(axis=-1)) * (items**2 - (support**2).sum(axis=-1))
    above = right.sum(axis=-1) * items - (support * predicted).sum(axis=-1)
    found: Numbers = np.clip(divided(above, np.sqrt(spread)), -1.0, 1.0)
    return found


def one_class_rows(predictions: Labels, references: Labels, *, positive: Any = None) -> Numbers:
    """Right, of it, predicted as it, for the class that is sought."""
    check_one_kind([*predictions, *references])
    wanted = sought_class({*predictions, *references}, positive)
    return class_rows(predictions, references, labels=[wanted])


def false_positive_rows(
    predictions: Labels, references: Labels, *, positive: Any = None
) -> Numbers:
    """Taken for the class that is sought without being of it; not of it."""
    _, right, given = one_class_rows(predictions, references, positive=positive).T
    rows: Numbers = np.stack([given * (1 - right), 1 - right], axis=1)
    return rows


def label_set_rows(predictions: LabelSets, references: LabelSets) -> Numbers:
    """Per item and label: both have it, the reference has it, the prediction has it."""
    found = label_counts(predictions, references)
    rows: Numbers = np.hstack([found.given & found.right, found.right, found.given])
    return rows.astype(np.float64)


def label_agreement_rows(predictions: LabelSets, references: LabelSets) -> Numbers:
    """Per item and label: whether both sides say the same, whether the reference has it; 1."""
    found = label_counts(predictions, references)
    one = np.ones((len(predictions), 1))
    rows: Numbers = np.hstack([found.given == found.right, found.right, one])
    return rows.astype(np.float64)


def label_agreement_value(sums: Numbers) -> Numbers:
    """The mean over labels of the references of the share of items that agree about them."""
    same, support = _blocks(sums[..., :-1], 2)
    return _mean_over(support > 0, divided(same, sums[..., -1:]))


def count_rows(predictions: Sequence[float], references: Sequence[float]) -> Numbers:
    """Two numbers per item, to be summed and divided."""
    return np.array([predictions, references], dtype=np.float64).T


def _blocks(sums: Numbers, count: int) -> list[Numbers]:
    return np.split(sums, count, axis=-1)


def _mean_over(counted: Numbers, values: Numbers) -> Numbers:
    return divided(np.where(counted, values, 0.0).sum(axis=-1), counted.sum(axis=-1))
