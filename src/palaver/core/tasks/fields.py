"""What a field of a task may hold: one class per kind, which checks predictions and gold alike.

A field checks a value beside the whole record it stands in, because a span must stand in its
context. `check` raises ValueError with what is wrong; whoever called it adds which record it was.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

# Probabilities are sums of floats that somebody rounded.
SUM_TOLERANCE = 1e-4
SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(ABC):
    """A named part of an example or of an answer."""

    kind: ClassVar[str]
    # Whether gold may be a list of values that are all right.
    takes_several: ClassVar[bool] = False

    name: str
    title: str = ""
    about: str = ""

    @abstractmethod
    def check(self, value: Any, record: Mapping[str, Any]) -> Any:
        """The value as it is kept; ValueError if it is none of this kind."""

    def check_gold(self, value: Any, record: Mapping[str, Any]) -> Any:
        """A gold value as it is kept: one value, or a list of values that are all right."""
        if not (self.takes_several and isinstance(value, list)):
            return self.check(value, record)
        return [self.check(each, record) for each in value]


@dataclass(frozen=True, slots=True, kw_only=True)
class String(Field):
    """A text, also an empty one."""

    kind: ClassVar[str] = "string"
    takes_several: ClassVar[bool] = True

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        """The text."""
        if not isinstance(value, str):
            raise ValueError(f"expected a text; got {shown(value)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(Field):
    """The address of an image; a model is sent its bytes in base64."""

    kind: ClassVar[str] = "image"

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        """The address."""
        if not isinstance(value, str) or not value:
            raise ValueError(f"expected the address of an image; got {shown(value)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns(Field):
    """A dialogue so far: a list of objects with `speaker` and `text`."""

    kind: ClassVar[str] = "turns"

    def check(self, value: Any, record: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The turns."""
        if not isinstance(value, list):
            raise ValueError(f"expected a list of turns; got {shown(value)}")
        for n, turn in enumerate(value, 1):
            texts = isinstance(turn, dict) and all(
                isinstance(turn.get(key), str) for key in ("speaker", "text")
            )
            if not texts:
                raise ValueError(f"turn {n} needs 'speaker' and 'text'; got {shown(turn)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiclass(Field):
    """One of several labels; `codes` are old names for them."""

    kind: ClassVar[str] = "multiclass"
    takes_several: ClassVar[bool] = True

    labels: tuple[str, ...]

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        """The label."""
        if not isinstance(value, str) or value not in self.labels:
            raise ValueError(f"expected one of {', '.join(self.labels)}; got {shown(value)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Multilabel(Field):
    """Any number of several labels, each at most once."""

    kind: ClassVar[str] = "multilabel"

    labels: tuple[str, ...]

    def check(self, value: Any, record: Mapping[str, Any]) -> list[str]:
        """The labels."""
        if not isinstance(value, list):
            raise ValueError(f"expected a list of labels; got {shown(value)}")
        for each in value:
            if each not in self.labels:
                raise ValueError(f"expected labels of {', '.join(self.labels)}; got {shown(each)}")
        if len(set(value)) != len(value):
            raise ValueError(f"a label stands twice in {shown(value)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Prob(Field):
    """A probability per label, or a single one where there are no labels."""

    kind: ClassVar[str] = "prob"

    labels: tuple[str, ...] = ()

    @property
    def single(self) -> bool:
        """Whether it is one number instead of one per label."""
        return not self.labels

    def check(self, value: Any, record: Mapping[str, Any]) -> Any:
        """The probability, or the probability of each label, in the order of the labels."""
        if self.single:
            return _probability(value)
        if not isinstance(value, dict):
            raise ValueError(f"expected a probability for each label; got {shown(value)}")
        missing = [label for label in self.labels if label not in value]
        extra = [str(label) for label in value if label not in self.labels]
        if missing or extra:
            wrong = f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(extra)}"
            raise ValueError(f"expected a probability for {', '.join(self.labels)}; {wrong}")
        found = {label: _probability(value[label]) for label in self.labels}
        total = math.fsum(found.values())
        if abs(total - 1) > SUM_TOLERANCE:
            raise ValueError(f"the probabilities add up to {total:.6g}, not to 1")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextStringSelection(Field):
    """A text that stands word for word in another field."""

    kind: ClassVar[str] = "context_string_selection"
    takes_several: ClassVar[bool] = True

    reference: str

    def check(self, value: Any, record: Mapping[str, Any]) -> str:
        """The text."""
        if not isinstance(value, str):
            raise ValueError(f"expected a part of '{self.reference}'; got {shown(value)}")
        if value not in str(record.get(self.reference, "")):
            raise ValueError(f"{shown(value)} does not stand in '{self.reference}'")
        return value


def _probability(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"expected a probability from 0 to 1; got {shown(value)}")
    return float(value)


def shown(value: Any) -> str:
    """A value for a message, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
