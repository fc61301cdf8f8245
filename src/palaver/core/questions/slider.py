"""The slider question: a number between two ends."""

import math
from typing import Any

import msgspec

from palaver.core.questions.question import CodedValue, Level, Shown, Stem
from palaver.core.questions.refusals import refuse

TOLERANCE = 1e-9
LEAST_STEP = 1e-6
MOST_STEPS = 1_000_000


class Slider(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="slider"):
    """How much of something there is, as a number; whole where ends and step are whole."""

    least: float = 0.0
    most: float = 100.0
    step: float = 1.0
    anchors: dict[int | float | str, str] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -math.inf < self.least < self.most < math.inf:
            raise ValueError(f"'least' must be below 'most'; got {self.least:g} and {self.most:g}.")
        if not LEAST_STEP <= self.step < math.inf:
            raise ValueError(f"'step' takes {LEAST_STEP:f} or more; got {self.step:g}.")
        steps = (self.most - self.least) / self.step
        if not 1 <= steps <= MOST_STEPS:
            raise ValueError(
                f"'step' must fit 1 to {MOST_STEPS:,} times between 'least' and 'most'; "
                f"got {self.step:g}."
            )
        for key in self.anchors:
            if _number(key) is None:
                raise ValueError(f"'anchors' takes numbers as keys; got '{key}'.")

    @property
    def kind(self) -> str:
        return "slider"

    @property
    def level(self) -> Level:
        """Numbers whose distances count."""
        return "interval"

    @property
    def is_whole(self) -> bool:
        """Whether every value is a whole number."""
        return all(float(number).is_integer() for number in (self.least, self.most, self.step))

    @property
    def stored_as(self) -> str:
        return f"a number from {self.least:g} to {self.most:g} in steps of {self.step:g}"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return tuple(
            CodedValue(value=float(value), text=words) for value, words in self.anchors.items()
        )

    def anchor(self, value: float) -> str:
        """The words at a value; empty where there are none."""
        return next((text for key, text in self.anchors.items() if _number(key) == value), "")

    def read(self, answer: Any, shown: Shown) -> int | float:
        number = _number(answer)
        if number is None or not self._is_on_grid(number):
            steps = f"in steps of {self.step:g}"
            raise refuse(
                self.name, f"a number from {self.least:g} to {self.most:g} {steps}", answer
            )
        return round(number) if self.is_whole else round(number, 9)

    def labels(self, value: Any) -> tuple[str, ...]:
        """None: a number speaks for itself."""
        return ()

    def _is_on_grid(self, number: float) -> bool:
        if not self.least - TOLERANCE <= number <= self.most + TOLERANCE:
            return False
        steps = round((number - self.least) / self.step)
        return abs(self.least + steps * self.step - number) <= TOLERANCE


def _number(given: Any) -> float | None:
    """A number or its decimal text as a number; None if it is neither, or not finite."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        number = float(given)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
