"""A board as rows of named cells, for CSV, LaTeX and the terminal."""

from typing import Any

from palaver.core.evaluation.boards import Board, RankedModel, UnrankedModel

Rows = list[dict[str, Any]]


def shown_models(board: Board) -> tuple[RankedModel | UnrankedModel, ...]:
    """The models of a table of averages: those that are ranked, then others that have one."""
    others = [
        each
        for each in board.not_ranked
        if any(one.value is not None for one in each.averages.values())
    ]
    return (*board.models, *others)


def average_rows(board: Board) -> Rows:
    """A row per model that has averages: rank, Dynascore and these, each with its interval."""
    return _filled([_row(board, model) for model in shown_models(board)])


def cell_rows(board: Board) -> Rows:
    """The same rows, with every data set's scores behind the averages; then models without a rank."""
    rows = []
    for model in board.everybody:
        row = _row(board, model)
        for dataset in board.datasets:
            for metric in board.metrics:
                cell = model.scores[dataset.name][metric.key]
                heading = f"{dataset.name}: {metric.title}"
                row[heading] = cell.value
                row[f"{heading}, 95 %"] = cell.interval
                row[f"{heading}, n"] = cell.n
                row[f"{heading}, warning"] = cell.warning
        row["not ranked because"] = "; ".join(model.reasons) or None
        rows.append(row)
    return _filled(rows)


def board_caption(board: Board) -> str:
    """What stands above a table of averages: whose it is, and which of them rest on few variants."""
    said = {
        f"{metric.title}: {warning}"
        for model in board.models
        for metric in board.metrics
        if (warning := model.averages[metric.key].warning)
    }
    return ". ".join([f"Board of {board.title}", *sorted(said)])


def _filled(rows: Rows) -> Rows:
    """The rows without columns in which no row has anything."""
    used = [
        name for name in (rows[0] if rows else ()) if any(row[name] is not None for row in rows)
    ]
    return [{name: row[name] for name in used} for row in rows]


def _row(board: Board, model: RankedModel | UnrankedModel) -> dict[str, Any]:
    score = model.dynascore
    row: dict[str, Any] = {
        "rank": model.rank,
        "ranks, 95 %": model.rank_interval,
        "model": model.name,
        "team": model.team,
        "Dynascore": score and score.value,
        "Dynascore, 95 %": score and score.interval,
    }
    for metric in board.metrics:
        average = model.averages.get(metric.key)
        row[metric.title] = average and average.value
        row[f"{metric.title}, 95 %"] = average and average.interval
    return row
