"""Time and cost: how long an answer takes, and what it costs at an hourly pay."""

from collections.abc import Sequence
from dataclasses import dataclass

from palaver.analysis.figures.figure import Figure
from palaver.analysis.figures.forest import ForestRow, forest
from palaver.core.estimates import Interval


@dataclass(frozen=True, slots=True)
class AnswerTimeRow:
    """Seconds that answers to one question took: the median and the middle half."""

    question: str
    median: float
    middle: Interval | None
    note: str = ""


def answer_times(rows: Sequence[AnswerTimeRow], *, title: str) -> Figure:
    """The median time of each question as a dot, the middle half of the times as a line."""
    lines = [ForestRow(row.question, row.median, row.middle, row.note) for row in rows]
    ends = [row.middle.high if row.middle else row.median for row in rows]
    most = max((end for end in ends if end == end), default=1.0) * 1.06 or 1.0
    return forest(
        lines,
        name="time",
        title=title,
        axis="Seconds per answer: median and middle half",
        ends=(0.0, most),
    )
