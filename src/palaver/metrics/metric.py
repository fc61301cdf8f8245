"""A metric: one number from predictions and references, and what a reader must know of it.

A `Metric` checks what it is given before it computes, so that every metric refuses the same mistakes
in the same words: different lengths, missing values, items of the wrong kind, unknown options. What
comes back is a `Score`. A score that is undefined is NaN with a reason.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.registry import near
from palaver.core.serial import if_any, internal, plain
from palaver.metrics.shapes import Shape

Family = Literal["classification", "qa", "text", "distribution", "outcome", "own"]
Direction = Literal["higher", "lower", "none"]

FAMILIES: tuple[Family, ...] = ("classification", "qa", "text", "distribution", "outcome", "own")
NO_ITEMS = "there are no items"
# What a notebook shows of a score beside its parts.
_SHOWN = ("metric", "value", "n", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a metric says of some predictions.

    `value` is NaN where it is undefined; `reason` then says why. `parts` are numbers beside it (each
    class, precision and recall). `per_item` holds one value per item where the metric is the mean of
    such values, for bootstraps and paired tests; otherwise it is empty. `signature` says how a
    library computed it, in the library's words.
    """

    metric: str = ""
    value: float
    n: int = 0
    reason: str = if_any("")
    parts: Mapping[str, Any] = if_any(factory=dict)
    per_item: tuple[float, ...] = internal(())
    signature: str = if_any("")
    warnings: tuple[str, ...] = if_any(())

    @classmethod
    def undefined(cls, reason: str, **known: Any) -> Self:
        return cls(value=MISSING, reason=reason, **known)

    @classmethod
    def mean_of(cls, values: Iterable[float], **known: Any) -> Self:
        """The mean of one value per item."""
        items = tuple(float(value) for value in values)
        return cls(value=math.fsum(items) / len(items), per_item=items, **known)

    @property
    def is_defined(self) -> bool:
        return not math.isnan(self.value)

    def __str__(self) -> str:
        return f"{self.value:.4f}" if self.is_defined else f"undefined: {self.reason}"

    def _repr_html_(self) -> str:
        shown = {name: each for name, each in plain(self).items() if name in _SHOWN}
        parts = plain(self.parts)
        single = {
            name: value for name, value in parts.items() if not isinstance(value, dict | list)
        }
        classes = parts.get("classes")
        return html_table([shown | single]) + (html_table(classes) if classes else "")


@dataclass(frozen=True, slots=True)
class Example:
    """Two or three items and their scores."""

    predictions: list[Any]
    references: list[Any] | None
    value: float
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One way to score predictions.

    `function(predictions, references, **options)` computes; without references it is called with the
    predictions alone. What says nothing else is a share from 0 to 1, the higher the better; an end of
    the range that is infinite is open. `decomposes` promises that the value is the mean of
    `per_item`. `extra` names the optional package that is needed, if any. A changed definition gets a
    new `version`, so that stored scores are computed anew. With `needs_classes` the references must
    hold two classes for the number to say what its name does.
    """

    name: str
    title: str
    family: Family
    about: str
    direction: Direction = "higher"
    unit: str = "share"
    low: float = internal(0)
    high: float = internal(1)
    paper: str
    predictions: Shape
    function: Callable[..., Score] = internal()
    references: Shape | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    decomposes: bool = False
    extra: str | None = None
    version: str = "1"
    example: Example | None = if_any(None)
    needs_classes: bool = internal(False)
    derived = ("range",)

    @property
    def range(self) -> tuple[float | None, float | None]:
        return self.low, self.high

    def compute(self, predictions: Any, references: Any = None, **options: Any) -> Score:
        """The score of `predictions`; InputError says what is wrong with what was given."""
        return self.measure(self.checked(predictions, references, **options), **options)

    def measure(self, sides: tuple[list[Any], ...], **options: Any) -> Score:
        """The score of what `checked` returned."""
        if not sides[0]:
            return Score.undefined(NO_ITEMS, metric=self.name)
        found = self.function(*sides, **options)
        return replace(found, metric=self.name, n=found.n or len(sides[0]))

    def checked(
        self, predictions: Any, references: Any = None, **options: Any
    ) -> tuple[list[Any], ...]:
        """Predictions, and references if it takes any, as `function` takes them."""
        self.check_options(options)
        given = self.items(predictions, self.predictions, "prediction")
        if self.references is not None:
            return (given, self._matching(references, self.references, len(given)))
        if references is not None:
            raise InputError(f"Metric '{self.name}' takes no references; some were given.")
        return (given,)

    def _repr_html_(self) -> str:
        known = {name: value for name, value in plain(self).items() if name != "example"}
        return html_table([{"": name, self.name: value} for name, value in known.items()])

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Raise InputError for an option that it does not have."""
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise InputError(
                    f"Metric '{self.name}' has no option '{name}'."
                    f"{near(name, self.options)} It has: {known}."
                )

    def _matching(self, references: Any, shape: Shape, wanted: int) -> list[Any]:
        if references is None:
            raise InputError(f"Metric '{self.name}' needs references: {shape.words} for each item.")
        found = self.items(references, shape, "reference")
        if len(found) != wanted:
            raise InputError(
                f"Metric '{self.name}' needs one reference per prediction; "
                f"got {wanted} predictions and {len(found)} references."
            )
        return found

    def items(self, values: Any, shape: Shape, side: str) -> list[Any]:
        """One side as `function` takes it; InputError says which item is wrong."""
        return shape.read(_listed(values, side), f"Metric '{self.name}', {side}")


def _listed(values: Any, side: str) -> list[Any]:
    if hasattr(values, "tolist"):  # numpy's numbers become Python's
        values = values.tolist()
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(
            f"The {side}s must be a list with one item each; got {type(values).__name__}."
        )
    return list(values)
