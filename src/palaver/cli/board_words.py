"""A board in words, for the terminal: of today or frozen."""

from collections.abc import Iterator

from palaver.cli.tables import aligned
from palaver.core.evaluation.boards import Board, BoardDataset, BoardMetric, Ends, RankedModel
from palaver.core.words import counted, readable

_DASH = "–"


def board_words(board: Board) -> Iterator[str]:
    """The answer, the table, what it is weighed by, who is not ranked, and what to beware of."""
    yield f"{board.title}: {board.answer}."
    yield ""
    if board.models:
        yield from _table(board)
        yield ""
        yield (
            f"AMRS: what a point of {board.metrics[0].title} costs in each metric, the mean "
            f"over {counted(board.pairs, 'neighbouring pair')} of models."
        )
    if board.datasets:
        yield "Data sets: " + "; ".join(_dataset(each) for each in board.datasets) + "."
    if board.not_ranked:
        yield "Not ranked:"
        yield from (f"  {each.name}: {'; '.join(each.reasons)}" for each in board.not_ranked)
    if board.models:
        yield f"{board.method}."
        if board.tied_sets or any(each.rank_interval for each in board.models):
            yield "Whether two models differ is said by the ranks: the rates are uncertain too."
    yield from (f"Warning: {each}" for each in board.warnings)


def _table(board: Board) -> Iterator[str]:
    metrics = board.metrics
    head = ["rank", "model", "Dynascore", *(_heading(each) for each in metrics)]
    rows = [_row(model) for model in board.models]
    foot = [
        ["", "weight", "", *(f"{100 * each.share:.1f} %" for each in metrics)],
        ["", "AMRS", "", *(_measured(each.amrs, each.amrs_interval) for each in metrics)],
    ]
    yield from aligned([head, *rows, [""] * len(head), *foot], left=range(2))


def _row(model: RankedModel) -> list[str]:
    unpublished = "" if model.published else " (unpublished)"
    return [
        _rank(model),
        model.name + unpublished,
        _measured(model.dynascore.value, model.dynascore.interval),
        *(_measured(each.value, each.interval) for each in model.averages.values()),
    ]


def _rank(model: RankedModel) -> str:
    ends = model.rank_interval
    if ends is None:
        return str(model.rank)
    return f"{model.rank} ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else str(ends[0])


def _heading(metric: BoardMetric) -> str:
    return f"{metric.title}, {metric.unit}" if metric.unit else metric.title


def _measured(value: float | None, ends: Ends | None) -> str:
    if value is None:
        return _DASH
    low, high = ends or (None, None)
    if low is None or high is None:
        return readable(value)
    return f"{readable(value)} [{readable(low)}, {readable(high)}]"


def _dataset(each: BoardDataset) -> str:
    return f"{each.name} ({counted(each.items, 'item')}, weight {100 * each.share:.0f} %)"
