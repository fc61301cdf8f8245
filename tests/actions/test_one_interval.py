"""One number has one interval behind every door, and none of them is without a width or a word."""

import csv
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from palaver.analysis.item_means import SHARE, item_mean
from palaver.metrics.registry import find_metric
from support.doors import Doors
from support.points import points_in

LAKES = ["Lake Constance", "Lake Geneva", "Loch Ness", "Lake Garda"]
Ends = tuple[float, float, float]


def items(count: int) -> list[dict[str, Any]]:
    return [
        {
            "uid": f"q{n}",
            "context": f"{LAKES[n % 4]} lies in the mountains, some say, number {n}.",
            "question": "What lies there?",
            "answer": [LAKES[n % 4]],
        }
        for n in range(count)
    ]


def handed_in(doors: Doors, given: list[dict[str, Any]], said: list[str]) -> str:
    """A data set and uploaded answers to it; the key of their run."""
    data, answers = doors.folder / "lakes.jsonl", doors.folder / "said.jsonl"
    _write(data, given)
    _write(answers, [{"uid": e["uid"], "answer": a} for e, a in zip(given, said, strict=True)])
    doors.command("dataset", "add", "qa", "lakes", str(data), "--access", "scoring")
    doors.command("model", "add", "qa", "mine", "--predictions", f"lakes={answers}")
    (run,) = doors.document("runs", "list", "qa")["runs"]
    return str(run["key"])


def _write(file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")


def doors_to(doors: Doors, key: str, metric: str) -> dict[str, Ends]:
    """Value, low and high of a metric of the only run, as each door tells them."""
    found: dict[str, Any] = {}
    for name, sheet in {
        "runs show": doors.document("runs", "show", key),
        "API of a run": doors.ask("GET", f"/runs/{key}"),
    }.items():
        found[name] = next(each for each in sheet["scores"] if each["metric"] == metric)
    page = doors.desk.client.get(f"/desk/tasks/qa/runs/{key}/scores.csv").text
    rows = list(csv.DictReader(io.StringIO(page)))
    found["the page's table"] = next(row for row in rows if row["metric"] == metric)
    (run,) = doors.document("runs", "list", "qa")["runs"]
    if run["metric"] == metric:
        found["runs list"] = run["performance"]
    told = {
        name: (float(e["value"]), float(e["low"]), float(e["high"])) for name, e in found.items()
    }
    for name, board in {
        "board": doors.document("board", "qa", "--draws", "100"),
        "API of the board": doors.ask("GET", "/tasks/qa/board"),
    }.items():
        (model,) = board["models"]
        for what, cell in (
            ("cell", model["scores"]["lakes"].get(metric)),
            ("average", model["averages"].get(metric)),
        ):
            if cell is not None:
                shown = (cell["value"], *cell["interval"])
                told[f"{name}, {what}"] = tuple(each / 100 for each in shown)  # type: ignore[assignment]
    return told


@pytest.mark.parametrize("metric", ["squad_f1", "squad_em"])
def test_a_score_has_one_interval_behind_every_door(doors: Doors, metric: str) -> None:
    given, dice = items(300), Random(3)
    said = [
        dice.choice([each["answer"][0], each["context"][:25], "the mountains"]) for each in given
    ]
    key = handed_in(doors, given, said)
    score = find_metric(metric).compute(said, [each["answer"] for each in given])
    local = item_mean(np.array(score.per_item), SHARE)
    assert local.interval is not None
    wanted = (local.value, local.interval.low, local.interval.high)
    told = doors_to(doors, key, metric)
    assert len(told) == (8 if metric == "squad_f1" else 7)
    for door, found in told.items():
        assert found == pytest.approx(wanted, abs=1e-7), door


def test_answers_that_are_all_right_have_an_interval_everywhere(doors: Doors) -> None:
    """Two right answers of two."""
    given = items(2)
    key = handed_in(doors, given, [each["answer"][0] for each in given])
    for door, found in doors_to(doors, key, "squad_f1").items():
        assert found == pytest.approx((1.0, 0.34238, 1.0), abs=1e-5), door


def test_answers_that_are_all_half_right_say_why_there_is_no_interval(doors: Doors) -> None:
    given = items(8)
    key = handed_in(
        doors, given, ["Lake Ontario" if n % 4 != 2 else "Loch Lomond" for n in range(8)]
    )
    sheet = doors.document("runs", "show", key)
    (score,) = (each for each in sheet["scores"] if each["metric"] == "squad_f1")
    assert (score["value"], score["low"]) == (0.5, None)
    assert score["reason"] == "all 8 values are the same"
    board = doors.document("board", "qa", "--draws", "100")
    (model,) = board["models"]
    assert model["averages"]["squad_f1"]["reason"] == "all 8 values are the same"
    why = "no interval: all 8 values are the same"
    assert why in doors.command("runs", "show", key)
    assert "no interval, because all 8 values are the same" in doors.command("board", "qa")
    assert why in doors.desk.client.get(f"/desk/tasks/qa/runs/{key}").text
    assert why in doors.desk.client.get("/tasks/qa").text
    assert not list(points_in([sheet, board]))
