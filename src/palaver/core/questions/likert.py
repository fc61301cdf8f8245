"""The Likert question: one point of a scale."""

from typing import Any

import msgspec

from palaver.core.questions.question import CodedValue, Level, Shown, Stem
from palaver.core.questions.scale import (
    Anchors,
    anchor_at,
    check_points,
    coded_points,
    read_point,
    worded_points,
)


class Likert(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="likert"):
    """How much of something there is, as one of a few points with words at some of them."""

    points: tuple[int, ...] = (1, 2, 3, 4, 5)
    anchors: Anchors = msgspec.field(default_factory=dict)
    label: str = ""

    def in_words(self, value: Any) -> str:
        """The point, with its words where it has some."""
        words = self.anchor(value)
        return f"{value} ({words})" if words else str(value)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_points(self.points, self.anchors)

    @property
    def kind(self) -> str:
        return "likert"

    @property
    def level(self) -> Level:
        """Points have an order; the distances between them are not known."""
        return "ordinal"

    @property
    def label_names(self) -> tuple[str, ...]:
        """What the scale measures, where it says so."""
        return (self.label,) if self.label else ()

    @property
    def stored_as(self) -> str:
        return "one of the points"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return coded_points(self.points, self.anchors)

    def anchor(self, point: int) -> str:
        """The words at a point; empty where there are none."""
        return anchor_at(self.anchors, point)

    @property
    def worded(self) -> tuple[int, ...]:
        """The points that have words."""
        return worded_points(self.points, self.anchors)

    def read(self, answer: Any, shown: Shown) -> int:
        return read_point(self.name, self.points, answer)

    def labels(self, value: Any) -> tuple[str, ...]:
        """None: a point speaks for itself."""
        return ()
