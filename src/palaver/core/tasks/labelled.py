"""Fields whose values are labels of a fixed set, or probabilities of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.tasks.fields import Field, shown

# Probabilities are sums of floats that somebody rounded.
SUM_TOLERANCE = 1e-4


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

    With `sparse` a label that is not given has the probability 0.
    """

    kind: ClassVar[str] = "prob"

    labels: tuple[str, ...] = ()
    sparse: bool = False

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
        if self.single:
            return 0.5
        shares = [0.5 ** (n + 1) for n in range(len(self.labels) - 1)]
        return dict(zip(self.labels, [*shares, shares[-1]], strict=True))

    def _checked(self, value: Any, *, sparse: bool) -> Any:
        if self.single:
            return _probability(value)
        if not isinstance(value, dict):
            raise ValueError(f"expected a probability for each label; got {shown(value)}")
        if value.keys() != set(self.labels):
            self._check_labels(value, sparse=sparse)
        found = {label: _probability(value.get(label, 0.0)) for label in self.labels}
        total = math.fsum(found.values())
        if abs(total - 1) > SUM_TOLERANCE:
            raise ValueError(f"the probabilities add up to {total:.6g}, not 1")
        return found

    def _check_labels(self, value: Mapping[str, Any], *, sparse: bool) -> None:
        extra = [str(label) for label in value if label not in self.labels]
        missing = [label for label in self.labels if label not in value and not sparse]
        if missing or extra:
            wrong = f"unknown: {', '.join(extra)}" if extra else f"missing: {', '.join(missing)}"
            raise ValueError(f"expected a probability for {', '.join(self.labels)}; {wrong}")


def _probability(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"expected a probability from 0 to 1; got {shown(value)}")
    return float(value)
