"""A board in words, for the terminal, from its JSON: of today or frozen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from palaver.core.words import counted, readable

_DASH = "–"


def board_words(document: Mapping[str, Any]) -> Iterator[str]:
    """The answer, the table, what it is weighed by, who is not ranked, and what to beware of."""
    yield f"{document['title']}: {document['answer']}."
    yield ""
    if document["models"]:
        yield from _table(document)
        yield ""
        yield (
            f"AMRS: what a point of {document['metrics'][0]['title']} costs in each metric, the mean "
            f"over {counted(document['pairs'], 'neighbouring pair')} of models."
        )
    if document["datasets"]:
        yield "Data sets: " + "; ".join(_dataset(each) for each in document["datasets"]) + "."
    if document["not_ranked"]:
        yield "Not ranked:"
        yield from (
            f"  {each['name']}: {'; '.join(each['reasons'])}" for each in document["not_ranked"]
        )
    if document["models"]:
        yield f"{document['method']}."
        if document["tied_sets"] or any(each["rank_interval"] for each in document["models"]):
            yield "Whether two models differ is said by the ranks: the rates are uncertain too."
    yield from (f"Warning: {each}" for each in document["warnings"])


def _table(document: Mapping[str, Any]) -> Iterator[str]:
    metrics = document["metrics"]
    head = ["rank", "model", "Dynascore", *(_heading(each) for each in metrics)]
    rows = [_row(model, metrics) for model in document["models"]]
    foot = [
        ["", "weight", "", *(f"{100 * each['share']:.1f} %" for each in metrics)],
        ["", "AMRS", "", *(_amrs(each) for each in metrics)],
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, *foot, strict=True)]
    for row in (head, *rows, [""] * len(head), *foot):
        rank, model, *rest = row
        numbers = (cell.rjust(width) for cell, width in zip(rest, widths[2:], strict=True))
        start = [rank.ljust(widths[0]), model.ljust(widths[1])]
        yield "  ".join([*start, *numbers]).rstrip()


def _row(model: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[str]:
    unpublished = "" if model["published"] else " (unpublished)"
    return [
        _rank(model),
        model["name"] + unpublished,
        _measured(model["dynascore"]),
        *(_measured(model["averages"][each["key"]]) for each in metrics),
    ]


def _rank(model: Mapping[str, Any]) -> str:
    ends = model["rank_interval"]
    if ends is None:
        return str(model["rank"])
    return f"{model['rank']} ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else str(ends[0])


def _heading(metric: Mapping[str, Any]) -> str:
    return f"{metric['title']}, {metric['unit']}" if metric["unit"] else str(metric["title"])


def _measured(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return _DASH
    ends = found["interval"]
    interval = f" [{readable(ends[0])}, {readable(ends[1])}]" if ends else ""
    return readable(found["value"]) + interval


def _amrs(metric: Mapping[str, Any]) -> str:
    return _measured({"value": metric["amrs"], "interval": metric["amrs_interval"]})


def _dataset(each: Mapping[str, Any]) -> str:
    return f"{each['name']} ({counted(each['items'], 'item')}, weight {100 * each['share']:.0f} %)"
