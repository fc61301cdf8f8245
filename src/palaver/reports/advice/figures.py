"""The figures of a board of advice: rates beside people's line, by topic, and why models lose."""

from collections.abc import Mapping, Sequence

from palaver.analysis.figures import (
    Figure,
    ForestRow,
    GridPoint,
    dot_grid,
    forest,
    stacked_shares,
)
from palaver.core.estimates import MISSING, Interval
from palaver.reports.advice.words import STILL, WHY
from palaver.studies.advice.board_records import AdviceBoard, AdviceRow, Share

# More topics than these cannot be told apart by their marks.
MOST_TOPICS = 6


def advice_figures(board: AdviceBoard) -> list[Figure]:
    """Every figure for which there are judgements, in the order of the page."""
    if not board.judged:
        return []
    figures = [rates_figure(board)]
    if 1 < len(board.topics) <= MOST_TOPICS:
        figures.append(topics_figure(board))
    if board.has_reasons:
        figures.append(why_figure(board))
    if any(row.lost and row.lost.reasons for row in board.judged):
        figures.append(reasons_figure(board))
    return figures


def rates_figure(board: AdviceBoard) -> Figure:
    """Each model's rate with its interval; people stand at one half."""
    return forest(
        [ForestRow(row.name, _value(row.rate), _interval(row.rate)) for row in board.judged],
        name="rates",
        title=board.answer,
        axis="preferred to people’s best advice",
        reference=board.human_rate,
        ends=(0.0, 1.0),
        percent=True,
    )


def topics_figure(board: AdviceBoard) -> Figure:
    """Each model's rate on the situations of each topic."""
    return dot_grid(
        {
            row.name: {topic: _point(row.on(topic)) for topic in board.topics if row.on(topic).n}
            for row in board.judged
        },
        board.topics,
        name="topics",
        title="How often each model is preferred, by topic",
        axis="preferred to people’s best advice",
        ends=(0.0, 1.0),
        reference=board.human_rate,
        percent=True,
    )


def why_figure(board: AdviceBoard) -> Figure:
    """How helpful the advice still is that raters found worse than people's."""
    return dot_grid(
        {row.name: _still(row, STILL) for row in losing(board)},
        tuple(STILL.values()),
        name="why",
        title="How helpful models’ advice still is where it loses",
        axis="share of these judgements",
        ends=(0.0, 1.0),
        percent=True,
    )


def reasons_figure(board: AdviceBoard) -> Figure:
    """Why raters found models' advice worse: a bar for each model, divided by the reasons."""
    told = {row.name: row.lost.reasons for row in board.judged if row.lost and row.lost.reasons}
    return stacked_shares(
        {
            name: {WHY[reason]: share.value or 0.0 for reason, share in reasons.items()}
            for name, reasons in told.items()
        },
        tuple(WHY.values()),
        name="reasons",
        title="Why models’ advice loses",
        axis="share of these judgements",
        notes={
            name: f"n = {max(share.n for share in reasons.values()):,}"
            for name, reasons in told.items()
        },
    )


def losing(board: AdviceBoard) -> Sequence[AdviceRow]:
    """Those of whose worse advice raters said something."""
    return [row for row in board.judged if row.lost is not None and row.lost.still]


def _still(row: AdviceRow, words: Mapping[str, str]) -> dict[str, GridPoint]:
    assert row.lost is not None
    return {words[name]: _point(share) for name, share in row.lost.still.items()}


def _point(share: Share) -> GridPoint:
    return GridPoint(_value(share), _interval(share))


def _value(share: Share) -> float:
    return MISSING if share.value is None else share.value


def _interval(share: Share) -> Interval | None:
    return None if share.low is None or share.high is None else Interval(share.low, share.high)
