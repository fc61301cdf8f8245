"""Metrics of data-centric challenges: sets of labels, scores of one class, fixes that were needed.

The names are those under which such challenges report them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palaver.core.numeric import Numbers, np, stats
from palaver.metrics.classification import BALANCED_ACCURACY, SOKOLOVA, sought_class
from palaver.metrics.confusion import check_one_kind, mean_defined, ratio
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import COUNT, LABEL, LABEL_SET, NUMBER, Label, yes_or_no

LabelSets = Sequence[frozenset[Label]]


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Items × labels: whether the item was given the label, and whether it has it."""

    labels: tuple[Label, ...]
    given: Numbers
    right: Numbers


def label_counts(predictions: LabelSets, references: LabelSets) -> LabelCounts:
    """Who was given which label; the labels are those of both sides, sorted."""
    every: set[Label] = set().union(*predictions, *references)
    check_one_kind(every)
    labels = tuple(sorted(every))
    return LabelCounts(labels, _held(predictions, labels), _held(references, labels))


def dataperf_f1(predictions: LabelSets, references: LabelSets, *, legacy: bool = False) -> Score:
    """The mean over labels of F1_k = 2 both_k / (given_k + right_k), for items with many labels.

    The labels are those that occur on either side. With `legacy` it is the number that Dynabench
    stored under this name: for each label of the references the share of items on which the two
    sides agree about it, because a micro average over "has it" and "has it not" is the accuracy.
    """
    found = label_counts(predictions, references)
    if yes_or_no("legacy", legacy):
        return _legacy_f1(found)
    both = (found.given & found.right).sum(axis=0)
    given, right = found.given.sum(axis=0), found.right.sum(axis=0)
    if not found.labels:
        return Score.undefined("no item has a label on either side")
    values = ratio(2 * both, given + right)
    classes = [
        {"label": label, "f1": float(value), "support": int(has), "predicted": int(was)}
        for label, value, has, was in zip(found.labels, values, right, given, strict=True)
    ]
    return Score(value=mean_defined(values), parts={"labels": classes})


def _legacy_f1(found: LabelCounts) -> Score:
    occurs = found.right.any(axis=0)
    if not occurs.any():
        return Score.undefined("no reference has a label")
    return Score(value=float((found.given == found.right)[:, occurs].mean()))


def dataperf_auc(
    predictions: Sequence[float], references: Sequence[Label], *, positive: Any = None
) -> Score:
    """The area under the ROC curve: how often an item of the class is scored above one that is not.

    (Σ of the ranks of the items of the class − m (m + 1) / 2) / (m k), with m items of the class and
    k others, ties sharing the mean of their ranks: Mann and Whitney's U over m k. Undefined when all
    items are of the class, or none.
    """
    check_one_kind(references)
    wanted = sought_class(set(references), positive)
    of_class = np.array([label == wanted for label in references])
    inside = int(of_class.sum())
    outside = len(references) - inside
    if not inside or not outside:
        side = "every item is" if inside else "no item is"
        return Score.undefined(f"{side} of the class {wanted!r}")
    ranks = stats.rankdata(predictions)
    above = float(ranks[of_class].sum()) - inside * (inside + 1) / 2
    return Score(value=above / (inside * outside), parts={"of_class": inside, "others": outside})


def fraction_of_fixes(predictions: Sequence[float], references: Sequence[float]) -> Score:
    """How many fixes were needed, as a share of all that could be made: Σ needed / Σ possible."""
    possible = sum(references)
    if possible == 0:
        return Score.undefined("there is nothing to fix")
    return Score(value=sum(predictions) / possible)


def _held(sets: LabelSets, labels: Iterable[Label]) -> Numbers:
    place = {label: n for n, label in enumerate(labels)}
    held: Numbers = np.zeros((len(sets), len(place)), dtype=bool)
    for row, each in enumerate(sets):
        held[row, [place[label] for label in each]] = True
    return held


DATAPERF_F1 = Metric(
    name="dataperf_f1",
    title="F1 over labels",
    family="classification",
    about="The mean over labels of F1, for items that may have many labels.",
    paper=SOKOLOVA,
    predictions=LABEL_SET,
    references=LABEL_SET,
    options={"legacy": "true: the number Dynabench stored, which is the accuracy per label"},
    function=dataperf_f1,
    example=Example([["cat"], ["cat", "dog"], []], [["cat"], ["dog"], ["dog"]], 2 / 3),
)
DATAPERF_AUC = Metric(
    name="dataperf_auc",
    title="Area under the ROC curve",
    family="classification",
    about="How often an item of a class scores above one that is not of it.",
    paper="J. A. Hanley, B. J. McNeil (1982), The meaning and use of the area under a receiver "
    "operating characteristic (ROC) curve, Radiology 143, 29–36.",
    predictions=NUMBER,
    references=LABEL,
    options={"positive": "the class to look for; true, 1 or '1' if not given"},
    function=dataperf_auc,
    example=Example([0.9, 0.4, 0.6, 0.1], [1, 1, 0, 0], 0.75),
    needs_classes=True,
)
DATAPERF_BALANCED_ACCURACY = replace(BALANCED_ACCURACY, name="dataperf_balanced_accuracy")
DATAPERF_FRACTION_OF_FIXES = Metric(
    name="dataperf_fraction_of_fixes",
    title="Fraction of fixes",
    family="classification",
    about="The share of all possible fixes of the data that were needed.",
    direction="lower",
    high=float("inf"),
    paper="M. Mazumder et al. (2023), DataPerf: benchmarks for data-centric AI development, NeurIPS.",
    predictions=COUNT,
    references=COUNT,
    function=fraction_of_fixes,
    example=Example([30, 10], [100, 100], 0.2),
)
