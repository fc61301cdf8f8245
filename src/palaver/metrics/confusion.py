"""Who was taken for what: the counts that classification metrics are computed from."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.core.estimates import MISSING
from palaver.core.numeric import Numbers, np
from palaver.metrics.shapes import Label, fit_label


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each class (row) was predicted as each class (column).

    `counted` are the places of the classes that averages go over: all that occur, or those that were
    asked for.
    """

    classes: tuple[Label, ...]
    matrix: Numbers
    counted: tuple[int, ...]

    @property
    def right(self) -> Numbers:
        """Per counted class, how many items are of it and were predicted as it."""
        return _at(np.diag(self.matrix), self.counted)

    @property
    def support(self) -> Numbers:
        """Per counted class, how many items are of it."""
        return _at(self.matrix.sum(axis=1), self.counted)

    @property
    def predicted(self) -> Numbers:
        """Per counted class, how many items were predicted as it."""
        return _at(self.matrix.sum(axis=0), self.counted)

    @property
    def precision(self) -> Numbers:
        """Of what was predicted as the class, the share that is; NaN where nothing was."""
        return ratio(self.right, self.predicted)

    @property
    def recall(self) -> Numbers:
        """Of what is of the class, the share that was predicted; NaN where nothing is."""
        return ratio(self.right, self.support)

    @property
    def f1(self) -> Numbers:
        """2 right / (support + predicted); NaN for a class that occurs on neither side."""
        return ratio(2 * self.right, self.support + self.predicted)

    def named(self, places: Iterable[int]) -> str:
        """The counted classes at `places`, for a sentence."""
        return ", ".join(repr(self.classes[self.counted[place]]) for place in places)

    def parts(self) -> dict[str, Any]:
        """Each counted class with its numbers, and the whole matrix."""
        columns = zip(
            self.precision, self.recall, self.f1, self.support, self.predicted, strict=True
        )
        return {
            "classes": [
                {
                    "label": self.classes[place],
                    "precision": float(precision),
                    "recall": float(recall),
                    "f1": float(f1),
                    "support": int(support),
                    "predicted": int(predicted),
                    **_why_undefined(int(support), int(predicted)),
                }
                for place, (precision, recall, f1, support, predicted) in zip(
                    self.counted, columns, strict=True
                )
            ],
            "confusion": {"labels": list(self.classes), "matrix": self.matrix.tolist()},
        }


def confusion(
    predictions: Sequence[Label],
    references: Sequence[Label],
    *,
    labels: Iterable[Any] | None = None,
) -> ConfusionMatrix:
    """The confusion matrix of items that each have one class; rows are references.

    The classes are those that occur in predictions or references, sorted; averages go over all of
    them, or over `labels` if given.

    >>> found = confusion(["a", "b", "b"], ["a", "a", "b"])
    >>> found.classes, found.matrix.tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    """
    wanted = None if labels is None else [fit_label_option(each) for each in _listed(labels)]
    check_one_kind([*predictions, *references, *(wanted or ())])
    classes = tuple(sorted({*predictions, *references, *(wanted or ())}))
    place = {label: n for n, label in enumerate(classes)}
    matrix = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for (reference, prediction), times in Counter(
        zip(references, predictions, strict=True)
    ).items():
        matrix[place[reference], place[prediction]] = times
    counted = range(len(classes)) if wanted is None else sorted({place[each] for each in wanted})
    return ConfusionMatrix(classes, matrix, tuple(counted))


def check_one_kind(labels: Iterable[Label]) -> None:
    """InputError if labels are of different kinds: the text '1' and the number 1 never match."""
    first: dict[type, Label] = {}
    for label in labels:
        first.setdefault(type(label), label)
    if len(first) > 1:
        shown = " and ".join(f"{label!r} ({kind.__name__})" for kind, label in first.items())
        raise InputError(f"Labels must all be of one kind; got {shown}. Make them all text.")


def fit_label_option(value: Any) -> Label:
    """A label that was given as an option."""
    try:
        return fit_label(value)
    except ValueError as error:
        raise InputError(f"Option 'labels' takes a list of labels; got {value!r} in it.") from error


def ratio(above: Numbers, below: Numbers) -> Numbers:
    """above / below, NaN where both are 0."""
    found: Numbers = np.full(len(below), MISSING)
    np.divide(above, below, out=found, where=below > 0)
    return found


def mean_defined(values: Numbers) -> float:
    """The mean of the values that are not NaN; NaN if there is none."""
    defined = [float(value) for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else MISSING


def _why_undefined(support: int, predicted: int) -> dict[str, str]:
    """Why a class lacks a number: for whoever reads the null."""
    reasons = [
        reason
        for count, reason in (
            (predicted, "never predicted, so there is no precision"),
            (support, "never in the references, so there is no recall"),
        )
        if count == 0
    ]
    return {"reason": "; ".join(reasons)} if reasons else {}


def _at(counts: Numbers, places: Sequence[int]) -> Numbers:
    found: Numbers = counts[list(places)]
    return found


def _listed(labels: Iterable[Any]) -> list[Any]:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InputError(f"Option 'labels' takes a list of labels; got {labels!r}.")
    listed = list(labels)
    if not listed:
        raise InputError("Option 'labels' takes at least one label; got an empty list.")
    return listed
