"""A board's JSON as rows of named cells, for CSV, LaTeX and the terminal.

Rows are made from the JSON and not from the board, so that a snapshot is shown as it was frozen.
"""

from collections.abc import Mapping
from typing import Any


def average_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row per ranked model: rank, Dynascore and the averages, each with its interval."""
    return _filled([_row(document, model) for model in document["models"]])


def cell_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The same rows, with every data set's scores behind the averages; then models without a rank."""
    rows = []
    for model in (*document["models"], *document["not_ranked"]):
        row = _row(document, model)
        for dataset in document["datasets"]:
            for metric in document["metrics"]:
                cell = model["scores"][dataset["name"]][metric["key"]]
                heading = f"{dataset['name']}: {metric['title']}"
                row[heading] = cell["value"]
                row[f"{heading}, 95 %"] = cell["interval"]
                row[f"{heading}, n"] = cell.get("n")
        row["not ranked because"] = "; ".join(model.get("reasons", ())) or None
        rows.append(row)
    return _filled(rows)


def _filled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without columns in which no row has anything."""
    used = [
        name for name in (rows[0] if rows else ()) if any(row[name] is not None for row in rows)
    ]
    return [{name: row[name] for name in used} for row in rows]


def _row(document: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any]:
    score = model.get("dynascore") or {}
    row = {
        "rank": model.get("rank"),
        "ranks, 95 %": model.get("rank_interval"),
        "model": model["name"],
        "team": model["team"],
        "Dynascore": score.get("value"),
        "Dynascore, 95 %": score.get("interval"),
    }
    for metric in document["metrics"]:
        average = model.get("averages", {}).get(metric["key"], {})
        row[metric["title"]] = average.get("value")
        row[f"{metric['title']}, 95 %"] = average.get("interval")
    return row
