"""Who said what of which unit, as numbers: what every way of aggregating reads."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np


@dataclass(frozen=True, slots=True)
class Answers:
    """One entry per answer: `units[unit[i]]` got `labels[label[i]]` from `raters[rater[i]]`.

    Entries stand in the order of their units. `missing` answers had no value and are left out.
    """

    units: list[Any]
    raters: list[Any]
    labels: list[Any]
    unit: Numbers
    rater: Numbers
    label: Numbers
    missing: int = 0

    @classmethod
    def of(
        cls,
        judgements: Iterable[tuple[Hashable, Hashable, Any]],
        *,
        labels: Sequence[Any] | None = None,
        repeated: bool = False,
    ) -> "Answers":
        """The answers of (unit, rater, value) triples; None and NaN are missing values.

        `labels` names every possible label in its order; without it they are those that occur,
        sorted. A rater who judged a unit twice is an InputError unless `repeated` says that each
        of the answers counts.

        >>> found = Answers.of([("d1", "ann", "yes"), ("d1", "ben", "no"), ("d2", "ann", None)])
        >>> found.units, found.labels, found.missing
        (['d1'], ['no', 'yes'], 1)
        """
        given = list(judgements)
        kept = [each for each in given if not _is_missing(each[2])]
        if not kept:
            raise InputError(
                "There are no answers to aggregate: the table is empty or every value is missing."
            )
        order = _order([value for _, _, value in kept], labels)
        units, raters = encode(each[0] for each in kept), encode(each[1] for each in kept)
        place = {value: n for n, value in enumerate(order)}
        label = np.array([place[value] for _, _, value in kept], dtype=np.intp)
        sequence = np.argsort(units.codes, kind="stable")
        found = cls(
            units=units.levels,
            raters=raters.levels,
            labels=order,
            unit=units.codes[sequence],
            rater=raters.codes[sequence],
            label=label[sequence],
            missing=len(given) - len(kept),
        )
        if not repeated:
            found._forbid_twins()
        return found

    def __len__(self) -> int:
        return len(self.unit)

    def counts(self) -> Numbers:
        """How often each unit got each label: units × labels."""
        width = len(self.labels)
        cells = np.bincount(self.unit * width + self.label, minlength=len(self.units) * width)
        return cells.reshape(len(self.units), width).astype(float)

    def per_rater(self) -> Numbers:
        return np.bincount(self.rater, minlength=len(self.raters))

    def _forbid_twins(self) -> None:
        cells = np.sort(self.unit * len(self.raters) + self.rater)
        twins = cells[1:][cells[1:] == cells[:-1]]
        if len(twins):
            unit, rater = divmod(int(twins[0]), len(self.raters))
            raise InputError(
                f"Rater {self.raters[rater]!r} judged unit {self.units[unit]!r} twice; "
                "keep one of the two answers."
            )


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _order(values: list[Any], labels: Sequence[Any] | None) -> list[Any]:
    kinds = {_kind(value) for value in values}
    if len(kinds) > 1:
        raise InputError(
            f"Labels are all numbers, all texts or all true/false; got {' and '.join(sorted(kinds))}."
        )
    found = set(values)
    if labels is None:
        return sorted(found)
    order = list(dict.fromkeys(labels))
    strange = sorted(found - set(order))
    if strange:
        raise InputError(
            f"The label {strange[0]!r} was given and is not among those possible: "
            f"{', '.join(map(repr, order))}."
        )
    return order


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true/false"
    if isinstance(value, int | float):
        return "numbers"
    if isinstance(value, str):
        return "texts"
    raise InputError(f"A label is a text, a number or true/false; got {value!r}.")
