"""Fields whose values are labels of a fixed set, or probabilities of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.tasks.fields import Field, shown

# Probabilities are sums of floats that somebody rounded.
SUM_TOLERANCE = 1e-4
# What a network that fills up short dialogues calls the filling; it is none of a task's labels.
PADDING = frozenset({"PAD", "<pad>", "<PAD>", "[PAD]"})
# An integer of JSON may be longer than a float can say.
MOST = 2**1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled(Field):
    """A field with labels. A whole number is read as the label that is written so."""

    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse labels that cannot be told apart."""
        twice = sorted({label for label in self.labels if self.labels.count(label) > 1})
        if twice:
            raise ValueError(f"The label '{twice[0]}' is listed twice in 'labels'.")
        if len(self.labels) < 2:
            raise ValueError("'labels' takes two labels or more.")

    def named(self, value: Any, codes: Mapping[str, str]) -> Any:
        """The label of today; of a list or a mapping by label, each."""
        if isinstance(value, list):
            return [self._label(each, codes) for each in value]
        if isinstance(value, dict):
            if value.keys() <= set(self.labels):
                return value
            return {self._label(label, codes): share for label, share in value.items()}
        return self._label(value, codes)

    def _label(self, value: Any, codes: Mapping[str, str]) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            text = str(value)
            return text if text in self.labels else codes.get(text, value)
        if isinstance(value, str) and value not in self.labels:
            return codes.get(value, value)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiclass(Labelled):
    """One of several labels."""

    kind: ClassVar[str] = "multiclass"
    takes_several: ClassVar[bool] = True

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        if not isinstance(value, str) or value not in self.labels:
            raise ValueError(f"expected one of {', '.join(self.labels)}; got {shown(value)}")
        return value

    def check_gold(self, value: Any, record: Mapping[str, Any]) -> Any:
        """One label, or a list of labels that are all right; not an empty one."""
        if value == []:
            raise ValueError(f"expected one of {', '.join(self.labels)}; got an empty list")
        return Field.check_gold(self, value, record)

    def sample(self, record: Mapping[str, Any]) -> str:
        return self.labels[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Multilabel(Labelled):
    """Any number of several labels, each at most once."""

    kind: ClassVar[str] = "multilabel"

    def check(self, value: Any, record: Mapping[str, Any]) -> list[str]:
        if not isinstance(value, list):
            raise ValueError(f"expected a list of labels; got {shown(value)}")
        for each in value:
            if each not in self.labels:
                raise ValueError(
                    f"expected labels from {', '.join(self.labels)}; got {shown(each)}"
                )
        if len(set(value)) != len(value):
            raise ValueError(f"a label is listed twice in {shown(value)}")
        return value

    def is_right(self, value: Any, gold: Any) -> bool:
        """Whether the same labels were given, in any order."""
        return set(value) == set(gold)

    def sample(self, record: Mapping[str, Any]) -> list[str]:
        return [self.labels[0]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prob(Labelled):
    """A probability per label, or a single one where there are no labels.

    With `sparse` a label that is not given has the probability 0. Without `normalised` the numbers
    are masses of any positive sum, counts as well as shares: they are kept as they came, and whoever
    measures them divides by their sum.
    """

    kind: ClassVar[str] = "prob"

    labels: tuple[str, ...] = ()
    sparse: bool = False
    normalised: bool = True

    def __post_init__(self) -> None:
        """Refuse labels that cannot be told apart."""
        if self.labels:
            Labelled.__post_init__(self)

    @property
    def single(self) -> bool:
        """Whether it is one number instead of one per label."""
        return not self.labels

    def check(self, value: Any, record: Mapping[str, Any]) -> Any:
        """The probability, or the probability of each label, in the order of the labels."""
        return self._checked(value, sparse=self.sparse)

    def check_uploaded(self, value: Any, record: Mapping[str, Any]) -> Any:
        """The same; a label that is not given has the probability 0."""
        return self._checked(value, sparse=True)

    def measured(self, value: Any) -> Any:
        """The masses in the order of the labels."""
        return value if self.single else [value[label] for label in self.labels]

    def sample(self, record: Mapping[str, Any]) -> Any:
        """Halves: 0.5, 0.25, … and what is left."""
        return 0.5 if self.single else halves(self.labels)

    def _checked(self, value: Any, *, sparse: bool) -> Any:
        if self.single:
            return _probability(value)
        return distribution(value, self.labels, sparse=sparse, normalised=self.normalised)


def distribution(
    value: Any, labels: Sequence[str], *, sparse: bool, normalised: bool
) -> dict[str, float]:
    """A number per label, in the order of the labels; ValueError says what is wrong with it.

    Normalised ones are probabilities that add up to 1. Others are masses: finite, none negative, not
    all 0.
    """
    if not isinstance(value, dict):
        raise ValueError(f"expected a probability for each label; got {shown(value)}")
    if value.keys() != set(labels):
        _check_labels(value, labels, sparse=sparse)
    if not normalised:
        return _masses(value, labels)
    found = {label: _probability(value.get(label, 0.0)) for label in labels}
    total = math.fsum(found.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(f"the probabilities add up to {total:.6g}, not 1")
    return found


def halves(labels: Sequence[str]) -> dict[str, float]:
    """A distribution to show: 0.5, 0.25, … and what is left.

    >>> halves(["a", "b", "c"])
    {'a': 0.5, 'b': 0.25, 'c': 0.25}
    """
    shares = [0.5 ** (n + 1) for n in range(len(labels) - 1)]
    return dict(zip(labels, [*shares, shares[-1]], strict=True))


def _check_labels(value: Mapping[str, Any], labels: Sequence[str], *, sparse: bool) -> None:
    extra = [str(label) for label in value if label not in labels]
    if padding := [label for label in extra if label in PADDING]:
        raise ValueError(
            f"'{padding[0]}' is not a label: leave it out, and the other shares are divided by "
            "their sum"
        )
    missing = [label for label in labels if label not in value and not sparse]
    if missing or extra:
        wrong = f"unknown: {', '.join(extra)}" if extra else f"missing: {', '.join(missing)}"
        raise ValueError(f"expected a probability for {', '.join(labels)}; {wrong}")


def _masses(value: Mapping[str, Any], labels: Sequence[str]) -> dict[str, float]:
    plain = {label: value.get(label, 0.0) for label in labels}
    numbers = plain.values()
    # Most are plain numbers, and there are many: one look at all of them says so.
    if set(map(type, numbers)) == {float} and min(numbers) >= 0 and 0 < sum(numbers) < MOST:
        return plain
    found = {label: _mass(label, mass) for label, mass in plain.items()}
    total = sum(found.values())
    if not 0 < total < math.inf:
        raise ValueError(f"the probabilities sum to {total:g}, so no distance is defined")
    return found


def _mass(label: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"'{label}': a probability is a number; got {shown(value)}")
    if value < 0 and value > -math.inf:
        raise ValueError(f"'{label}': a probability must not be negative; got {value:g}")
    if not 0 <= value < MOST:
        raise ValueError(f"'{label}': a probability must be a finite number; got {shown(value)}")
    return float(value)


def _probability(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"expected a probability from 0 to 1; got {shown(value)}")
    return float(value)
