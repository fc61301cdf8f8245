"""Points on a scale and the words at them, for the kinds that rate."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.questions.question import CodedValue
from palaver.core.questions.refusals import refuse

# A YAML file may write the key of an anchor as a number or in quotes.
Anchors = dict[int | str, str]


def check_points(points: Sequence[int], anchors: Mapping[int | str, str]) -> None:
    """ValueError unless the points can be told apart and every anchor stands at one of them."""
    if len(points) < 2:
        raise ValueError(f"'points' needs 2 or more points; got {len(points)}.")
    if len(set(points)) < len(points):
        raise ValueError("'points' has a point twice.")
    written = [str(key) for key in anchors]
    for key in written:
        if key not in {str(point) for point in points}:
            raise ValueError(f"'anchors' takes the points {range_of(points)}; got '{key}'.")
        if written.count(key) > 1:
            raise ValueError(f"'anchors' has the point {key} twice.")


def anchor_at(anchors: Mapping[int | str, str], point: int) -> str:
    """The words at a point; empty where there are none."""
    return anchors.get(point, anchors.get(str(point), ""))


def worded_points(points: Sequence[int], anchors: Mapping[int | str, str]) -> tuple[int, ...]:
    """The points that have words, in the order shown."""
    return tuple(point for point in points if anchor_at(anchors, point))


def coded_points(points: Sequence[int], anchors: Mapping[int | str, str]) -> tuple[CodedValue, ...]:
    """The points as a codebook lists them."""
    return tuple(CodedValue(value=point, text=anchor_at(anchors, point)) for point in points)


def range_of(points: Sequence[int]) -> str:
    """The points in words.

    >>> range_of((1, 2, 3, 4, 5)), range_of((0, 5, 10))
    ('1 to 5', '0, 5, 10')
    """
    first, last = points[0], points[-1]
    if list(points) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(str(point) for point in points)


def read_point(name: str, points: Sequence[int], answer: Any, *, of: str = "") -> int:
    """The point that an answer names, as a number or as its decimal text."""
    if isinstance(answer, str):
        written = {str(point): point for point in points}
        if answer.strip() in written:
            return written[answer.strip()]
    elif isinstance(answer, int | float) and not isinstance(answer, bool) and answer in points:
        return int(answer)
    raise refuse(name, range_of(points) + (f" for '{of}'" if of else ""), answer)
