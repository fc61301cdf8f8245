"""The aspects question: one scale, and a point of it for each of several aspects."""

from typing import Any

import msgspec

from palaver.core.errors import AnswerError
from palaver.core.questions.options import Option, check_options, meanings, offered, worded
from palaver.core.questions.question import CodedValue, Fields, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse
from palaver.core.questions.scale import Anchors, anchor_at, check_points, coded_points, read_point


class Aspects(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="aspects"):
    """How much of each aspect there is; where it is not required, some may be left out."""

    aspects: tuple[Option, ...]
    points: tuple[int, ...] = (1, 2, 3, 4, 5)
    anchors: Anchors = msgspec.field(default_factory=dict)

    def in_words(self, value: Any) -> str:
        """Each aspect with its point."""
        return "; ".join(f"{worded(self.aspects, [key])} {point}" for key, point in value.items())

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.aspects, least=1, what="aspects")
        check_points(self.points, self.anchors)

    @property
    def kind(self) -> str:
        return "aspects"

    @property
    def level(self) -> Level:
        """Points have an order; the distances between them are not known."""
        return "ordinal"

    @property
    def label_names(self) -> tuple[str, ...]:
        """What is measured: the label of each aspect."""
        return meanings(self.aspects)

    @property
    def stored_as(self) -> str:
        return "for the id of each aspect, one of the points"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return tuple(
            msgspec.structs.replace(point, of=aspect.id)
            for aspect in self.aspects
            for point in coded_points(self.points, self.anchors)
        )

    def anchor(self, point: int) -> str:
        """The words at a point; empty where there are none."""
        return anchor_at(self.anchors, point)

    def options_for(self, shown: Shown) -> tuple[Option, ...]:
        """The aspects that the page asks for."""
        return offered(self.aspects, shown)

    def parse(self, fields: Fields) -> dict[str, str] | None:
        """The point of each aspect that has one; None where none has."""
        given = {aspect: next((v for v in values if v), "") for aspect, values in fields.items()}
        return {aspect: point for aspect, point in given.items() if point} or None

    def read(self, answer: Any, shown: Shown) -> dict[str, int]:
        """The point of each aspect, in the order of the aspects."""
        ids = [aspect.id for aspect in self.options_for(shown)]
        if not isinstance(answer, dict):
            raise refuse(self.name, f"a point for each of {listed(ids)}", answer)
        for given in answer:
            if given not in ids:
                raise refuse(self.name, listed(ids), given)
        value = {
            aspect: read_point(self.name, self.points, answer[aspect], of=aspect)
            for aspect in ids
            if answer.get(aspect) not in (None, "")
        }
        missing = [aspect for aspect in ids if aspect not in value]
        if missing and (self.required or not value):
            raise AnswerError(f"Question '{self.name}' needs a point for {listed(missing)}.")
        return value

    def labels(self, value: Any) -> tuple[str, ...]:
        """None: points speak for themselves."""
        return ()
