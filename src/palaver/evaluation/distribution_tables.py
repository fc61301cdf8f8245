"""Distributions over any label set, predicted and true, as long tables: one row per item and label.

The gold table may hold one row per item and label with a count, or one row per judgement; the table
of predictions a probability, or again one row per judgement. Which labels there are, and in which
order, is said by `labels`; else they are those that occur, numbers in their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.item_means import SHARE, item_mean
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain
from palaver.formats.frames import Frame
from palaver.metrics.distances import DISTANCES, Level

Masses = dict[str, dict[str, float]]
# How many items are named in a message.
NAMED = 5
NONE_SCORED = "no item has a score"


@dataclass(frozen=True, slots=True)
class DistributionScores:
    """The distances between predicted and true distributions, item by item.

    `values` holds, by measure, a number per item of `items`, NaN where the item is missing or
    undefined. `missing` items have no prediction, `unknown` ones are predicted but not in the gold
    table, `undefined` ones have a distribution that sums to 0.
    """

    level: Level
    labels: tuple[str, ...]
    items: tuple[str, ...]
    values: dict[str, Numbers]
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def estimate(self, measure: str) -> Estimate:
        """The mean over the items that have this score, with its interval over items."""
        # Every distance lies between 0 and 1.
        found = item_mean(self.values[measure], SHARE)
        return found if found.n else Estimate.undefined(NONE_SCORED)

    def rows(self) -> list[dict[str, Any]]:
        """One row per item: every score, and why one is not there."""
        gone, empty = set(self.missing), set(self.undefined)
        return [
            {"item": item}
            | {measure: plain(values[n]) for measure, values in self.values.items()}
            | {
                "reason": "no prediction"
                if item in gone
                else "a distribution sums to 0"
                if item in empty
                else ""
            }
            for n, item in enumerate(self.items)
        ]

    def as_json(self) -> dict[str, Any]:
        """The means with their intervals, the label set, and how many items have no score."""
        return {
            "level": self.level,
            "labels": list(self.labels),
            **{measure: plain(self.estimate(measure)) for measure in self.values},
            "items": len(self.items),
            "undefined": len(self.undefined),
            "missing": len(self.missing),
            "unknown": len(self.unknown),
            "warnings": list(self.warnings),
        }

    def _repr_html_(self) -> str:
        return html_table(
            [{"measure": value} | plain(self.estimate(value)) for value in self.values]
        )


def score_tables(
    gold: Frame,
    predicted: Frame,
    *,
    item: str,
    label: str,
    level: Level,
    count: str | None = None,
    prob: str | None = None,
    labels: Sequence[str] | None = None,
    lenient: bool = False,
) -> DistributionScores:
    """The distances of the level between the predicted and the true distribution of each item.

    `count` is the column of the gold table, `prob` that of the predictions; without one, each row
    counts once. Items that only one table has are an InputError, unless `lenient`.
    """
    true = _masses(gold, item, label, count)
    given = _masses(predicted, item, label, prob)
    known, warnings = _label_set(true, given, level, labels)
    items = tuple(true)
    missing = tuple(each for each in items if each not in given)
    unknown = tuple(each for each in given if each not in true)
    if not lenient:
        _refuse(missing, f"have no prediction in {predicted.name}")
        _refuse(unknown, f"are predicted but not in {gold.name}")
    if len(missing) == len(items):
        raise InputError(f"{gold.name} and {predicted.name} have no item in common.")
    first, second = _matrix(items, given, known), _matrix(items, true, known)
    found = {name: f(first, second) for name, f in DISTANCES[level].items()}
    holes = np.isnan(next(iter(found.values())))
    undefined = tuple(each for n, each in enumerate(items) if holes[n] and each in given)
    return DistributionScores(level, known, items, found, missing, unknown, undefined, warnings)


def _masses(frame: Frame, item: str, label: str, weight: str | None) -> Masses:
    """What each item gives to each label; InputError names the row that is wrong."""
    items, labels = frame.texts(item), frame.texts(label)
    weights = frame.numbers(weight) if weight else [1.0] * len(frame)
    if not items:
        raise InputError(f"{frame.name} has no rows.")
    found: Masses = {}
    for row, (key, name, mass) in enumerate(zip(items, labels, weights, strict=True)):
        if key is None or name is None:
            raise InputError(f"{frame.row(row)}: the columns '{item}' and '{label}' need a value.")
        if not mass >= 0:
            raise InputError(
                f"{frame.row(row)}: '{weight}' takes numbers of 0 or more; got {mass:g}."
            )
        masses = found.setdefault(key, {})
        if weight and name in masses:
            raise InputError(
                f"{frame.row(row)}: item '{key}' has the label '{name}' twice; "
                f"each label of an item has one row."
            )
        masses[name] = masses.get(name, 0.0) + mass
    return found


def _label_set(
    true: Masses, given: Masses, level: Level, labels: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels in their order, and what a reader should know of how it was found."""
    used = list(
        dict.fromkeys(name for each in (true, given) for one in each.values() for name in one)
    )
    if labels is not None:
        known = tuple(labels)
        if len(set(known)) != len(known):
            raise InputError(f"A label is listed twice: {', '.join(known)}.")
        strange = [name for name in used if name not in known]
        if strange:
            raise InputError(
                f"The label '{strange[0]}' is in the tables but not among the given labels: "
                f"{', '.join(known)}."
            )
    elif all(map(_is_number, used)):
        known = tuple(sorted(used, key=float))
    elif level == "nominal":
        known = tuple(used)
    else:
        raise InputError(
            f"Ordinal labels that are not numbers need an order; got {', '.join(used[:NAMED])}. "
            "Give it, as in --labels low,middle,high."
        )
    if level == "ordinal" and len(known) < 2:
        raise InputError(f"An ordinal scale needs two or more labels; got {', '.join(known)}.")
    if level == "ordinal" and labels is None:
        scale = ", ".join(known)
        return known, (
            f"The scale was taken from the labels that occur ({scale}); if it has more points, "
            "list them with --labels: distances depend on its length.",
        )
    return known, ()


def _is_number(text: str) -> bool:
    try:
        return float(text) - float(text) == 0
    except ValueError:
        return False


def _refuse(items: Sequence[str], what: str) -> None:
    if items:
        more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
        raise InputError(
            f"{len(items)} items {what}: {', '.join(items[:NAMED])}{more}. "
            f"To score the others, use --lenient."
        )


def _matrix(items: Sequence[str], masses: Masses, labels: Sequence[str]) -> Numbers:
    column = {name: n for n, name in enumerate(labels)}
    found = np.zeros((len(items), len(labels)))
    for row, item in enumerate(items):
        for name, mass in masses.get(item, {}).items():
            found[row, column[name]] = mass
    return found
