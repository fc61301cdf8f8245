"""What one item of predictions or references, or an option, may be, and what is said of another."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.core.words import shortened

Label = str | int | bool
SHOWN = 60


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of item: `words` name it, `fit` turns an item into what is computed with.

    `fit` raises ValueError for an item of another kind.
    """

    words: str
    fit: Callable[[Any], Any]

    def as_json(self) -> str:
        return self.words

    def read(self, values: Iterable[Any], side: str) -> list[Any]:
        """The items, checked; InputError says which is wrong and what was expected."""
        found = []
        for n, value in enumerate(values, start=1):
            try:
                found.append(self.fit(value))
            except ValueError as error:
                why = f" ({error})" if str(error) else ""
                raise InputError(
                    f"{side} {n} must be {self.words}; got {_shown(value)}{why}."
                ) from error
        return found


def _shown(value: Any) -> str:
    return shortened(repr(value), SHOWN)


def one_of(name: str, value: Any, known: Iterable[Any]) -> Any:
    listed = list(known)
    if not any(value == each and type(value) is type(each) for each in listed):
        shown = ", ".join(str(each) for each in listed)
        raise InputError(f"Option '{name}' takes one of {shown}; got {value!r}.")
    return value


def yes_or_no(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"Option '{name}' takes true or false; got {value!r}.")
    return value


def fit_text(value: Any) -> str:
    """A text, also an empty one."""
    if not isinstance(value, str):
        raise ValueError
    return value


def fit_texts(value: Any) -> tuple[str, ...]:
    """One text or several, as a tuple."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not value:
        raise ValueError
    return tuple(fit_text(each) for each in value)


def fit_answers(value: Any) -> tuple[str, ...]:
    """One text, several, or none."""
    return () if isinstance(value, list | tuple) and not value else fit_texts(value)


def fit_several(value: Any) -> tuple[str, ...]:
    """Two texts or more."""
    if isinstance(value, str) or not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError
    return tuple(fit_text(each) for each in value)


def fit_label(value: Any) -> Label:
    """A text, a whole number or a truth value; 2.0 is the whole number 2."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError


def fit_labels(value: Any) -> tuple[Label, ...]:
    """One label or several that are all right, as a tuple."""
    if not isinstance(value, list | tuple):
        return (fit_label(value),)
    if not value:
        raise ValueError
    return tuple(fit_label(each) for each in value)


def fit_label_set(value: Any) -> frozenset[Label]:
    """Any number of labels, each at most once, in any order."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise ValueError
    found = frozenset(fit_label(each) for each in value)
    if len(found) != len(value):
        raise ValueError("a label is listed twice")
    return found


def fit_number(value: Any) -> float:
    """A finite number; a truth value is none."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)


def fit_count(value: Any) -> float:
    """A number from 0 up."""
    found = fit_number(value)
    if found < 0:
        raise ValueError
    return found


def fit_masses(value: Any) -> tuple[float, ...]:
    """The masses of a distribution over two labels or more: not negative, not all 0."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError
    # Most are plain numbers, and there are many: one look at all of them says so.
    if set(map(type, value)) == {float} and min(value) >= 0 and 0 < sum(value) < math.inf:
        return tuple(value)
    masses = tuple(fit_number(each) for each in value)
    if min(masses) < 0:
        raise ValueError("a mass is negative")
    if sum(masses) == 0:
        raise ValueError("all masses are 0")
    return masses


def fit_turn_masses(value: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """A dialogue: for each turn who speaks and the masses of their labels."""
    if not isinstance(value, list | tuple) or not value:
        raise ValueError
    found = []
    for n, turn in enumerate(value, start=1):
        if not isinstance(turn, list | tuple) or len(turn) != 2 or not isinstance(turn[0], str):
            raise ValueError(f"turn {n} is not a speaker and a list of masses")
        try:
            found.append((turn[0], fit_masses(turn[1])))
        except ValueError as error:
            raise ValueError(f"turn {n}: {error or 'it has no masses'}") from error
    return tuple(found)


def fit_outcome(value: Any) -> Any:
    """An outcome: a truth value, a number, or an object with named fields."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool | Mapping):
        return value
    return fit_number(value)


def fit_present(value: Any) -> Any:
    """Anything but a missing value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise ValueError
    return value


TEXT = Shape("a text", fit_text)
TEXTS = Shape("a text, or a list of texts that are all correct", fit_texts)
ANSWERS = Shape("a text, or a list of right answers (empty: there is no answer)", fit_answers)
HUMAN_ANSWERS = Shape("a list of two or more answers, one per person", fit_several)
LABEL = Shape("a label (text, whole number, or true or false)", fit_label)
LABELS = Shape("a label, or a list of labels that are all correct", fit_labels)
LABEL_SET = Shape("a list of labels, each at most once", fit_label_set)
NUMBER = Shape("a number", fit_number)
COUNT = Shape("a number of 0 or more", fit_count)
MASSES = Shape("a list of two or more masses or probabilities, none negative", fit_masses)
TURN_MASSES = Shape(
    "a list with one turn after the other, each a speaker and the masses of their labels",
    fit_turn_masses,
)
OUTCOME = Shape("an outcome (true or false, a number, or an object with fields)", fit_outcome)
PRESENT = Shape("a value, as the function takes it", fit_present)
