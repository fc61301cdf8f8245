"""A board's JSON as a page shows it: live, forked, or frozen."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palaver.core.words import counted
from palaver.storage.evaluation.boards import SavedBoard
from palaver.web.formatting import moment
from palaver.web.tasks.pages.board import BoardTable, ModelRow, Saved, SetRow, Strip
from palaver.web.tasks.pages.parts import Cell, Weight
from palaver.web.tasks.words import NOTHING, between, number, ranks, share, weight

Json = Mapping[str, Any]

MOST_WEIGHT = 5.0
# Boards with more cells than this leave those of single data sets to the models' cards.
MOST_CELLS = 12_000
# Free space at either end of the strips, as a share of their scale.
MARGIN = 0.04


def board_table(document: Json, *, url: str, tag: str = "") -> BoardTable:
    """The table; `url` is the address of the task, `tag` leaves out models without it."""
    models = [*document["models"], *document["not_ranked"]]
    scale = Scale.of(document["models"])
    size = len(models) * len(document["datasets"]) * len(document["metrics"])
    rows = tuple(
        model_row(document, each, url=url, scale=scale, with_sets=size <= MOST_CELLS)
        for each in models
        if not tag or tag in each["tags"]
    )
    return BoardTable(
        columns=tuple(_metric(each) for each in document["metrics"]),
        sets=tuple(_dataset(each) for each in document["datasets"]),
        rows=rows,
        ranked=len(document["models"]),
        low=scale.low_text,
        high=scale.high_text,
        answer=document["answer"],
        pairs=counted(document["pairs"], "pair"),
        method=document["method"],
        warnings=tuple(document["warnings"]),
        tied=tuple(", ".join(each) for each in document["tied_sets"] if len(each) > 1),
    )


def tags_of(document: Json) -> list[str]:
    """Every tag that a model of the board has, in the order of the alphabet."""
    return sorted({tag for part in ("models", "not_ranked") for each in document[part]
                   for tag in each["tags"]})  # fmt: skip


def cells_json(document: Json) -> str:
    """What the script computes scores from: the cells of every model, and the metrics' directions."""
    metrics = document["metrics"]
    models = [*document["models"], *document["not_ranked"]]
    # In the order in which they came, which decides between models that are equal.
    models.sort(key=lambda each: each["id"])
    return msgspec.json.encode(
        {
            "metrics": [[each["direction"], each["offset"]] for each in metrics],
            "keys": [each["key"] for each in models],
            "cells": [
                [
                    [scores[metric["key"]]["value"] for metric in metrics]
                    for scores in (each["scores"][one["name"]] for one in document["datasets"])
                ]
                for each in models
            ],
        }
    ).decode()


def model_row(
    document: Json, model: Json, *, url: str, scale: "Scale", with_sets: bool = True
) -> ModelRow:
    """A model with its averages, and what it has on each data set."""
    metrics = document["metrics"]
    score = model.get("dynascore")
    averages = model.get("averages", {})
    return ModelRow(
        key=model["key"],
        name=model["name"],
        url=f"{url}/models/{model['key']}",
        team=model["team"] or "",
        tags=tuple(model["tags"]),
        is_published=model["published"],
        rank=str(model["rank"]) if score else NOTHING,
        ranks=ranks(model.get("rank_interval")),
        score=cell(score),
        strip=scale.strip(score),
        averages=tuple(cell(averages.get(each["key"])) for each in metrics),
        sets=tuple(
            SetRow(
                name=one["name"],
                cells=tuple(cell(model["scores"][one["name"]][each["key"]]) for each in metrics),
            )
            for one in document["datasets"]
        )
        if with_sets
        else (),
        reasons=tuple(model.get("reasons", ())),
    )


def cell(measured: Json | None) -> Cell:
    """One number of the JSON."""
    if measured is None:
        return Cell(text=NOTHING)
    count = measured.get("n")
    return Cell(
        text=number(measured["value"]),
        interval=between(measured["interval"]),
        n=f"{count:,}" if count else "",
        reason=measured.get("reason", ""),
    )


def saved_row(saved: SavedBoard, *, url: str) -> Saved:
    """A fork or snapshot with its permanent address."""
    return Saved(
        name=saved.name,
        url=f"{url}/{saved.kind}s/{saved.key}",
        kind=saved.kind,
        about=saved.about,
        by=saved.created_by,
        made=moment(saved.created),
    )


class Scale:
    """The scale that the strips of all rows share: from the lowest to the highest end."""

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    @classmethod
    def of(cls, models: Sequence[Json]) -> "Scale":
        """The scale of some ranked models."""
        scores = [each["dynascore"] for each in models if each["dynascore"]["value"] is not None]
        ends = [end for each in scores for end in (each["interval"] or ()) if end is not None]
        ends += [each["value"] for each in scores]
        return cls(min(ends), max(ends)) if ends else cls(0.0, 0.0)

    @property
    def low_text(self) -> str:
        """The lower end in words; empty where there is no scale."""
        return number(self.low) if self.high > self.low else ""

    @property
    def high_text(self) -> str:
        """The higher end in words."""
        return number(self.high) if self.high > self.low else ""

    def strip(self, score: Json | None) -> Strip | None:
        """Where a score and its interval stand."""
        if score is None or score["value"] is None:
            return None
        low, high = score["interval"] or (None, None)
        return Strip(
            at=self._place(score["value"]),
            low=None if low is None else self._place(low),
            high=None if high is None else self._place(high),
        )

    def _place(self, value: float) -> float:
        span = self.high - self.low
        inside = (value - self.low) / span if span > 0 else 0.5
        return round(100 * (MARGIN + (1 - 2 * MARGIN) * inside), 2)


def _metric(each: Json) -> Weight:
    return Weight(
        key=each["key"],
        title=each["title"],
        unit=each["unit"],
        note="lower is better" if each["direction"] < 0 else "",
        weight=weight(each["weight"]),
        most=weight(max(MOST_WEIGHT, each["weight"])),
        share=share(each["share"]),
        amrs=number(each["amrs"]),
        amrs_interval=between(each["amrs_interval"]),
        set_aside=each.get("set_aside", ""),
    )


def _dataset(each: Json) -> Weight:
    return Weight(
        key=each["name"],
        title=each["name"],
        note=f"{counted(each['items'], 'item')}, version {each['version']}",
        weight=weight(each["weight"]),
        most=weight(max(MOST_WEIGHT, each["weight"])),
        share=share(each["share"]),
    )
