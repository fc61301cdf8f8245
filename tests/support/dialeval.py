"""DialEval data for tests, and the scores computed again in the plainest way."""

import json
import math
from pathlib import Path
from typing import Any

from palaver.evaluation.dialeval.gold import CountedGold, count_gold
from palaver.formats.dch2 import read_dch2

from .shared import SHARED

STC3 = SHARED / "data" / "dialeval"
EXAMPLES = STC3 / "examples.json"
CUSTOMER = ["CNUG0", "CNUG", "CNUG*", "CNaN"]
HELPDESK = ["HNUG", "HNUG*", "HNaN"]
POINTS = ["2", "1", "0", "-1", "-2"]


def examples() -> Any:
    return json.loads(EXAMPLES.read_text(encoding="utf-8"))


def turn(sender: str) -> dict[str, Any]:
    return {"sender": sender, "utterances": ["…"]}


def dialogue(id_: str, senders: str, *annotations: tuple[str, int, int, int]) -> dict[str, Any]:
    """`senders` is "chc"; an annotation is nuggets in one text, and A, S and E."""
    return {
        "id": id_,
        "turns": [turn("customer" if each == "c" else "helpdesk") for each in senders],
        "annotations": [
            {"nugget": nuggets.split(), "quality": {"A": a, "S": s, "E": e}}
            for nuggets, a, s, e in annotations
        ],
    }


TRUTH = [
    dialogue("d1", "chc", ("CNUG0 HNUG CNaN", 1, 1, 0), ("CNUG0 HNUG* CNUG*", 2, 1, 1)),
    dialogue("d2", "ch", ("CNUG0 HNUG", -1, -1, 0), ("CNUG HNaN", -2, 0, 2)),
    dialogue("d3", "chch", ("CNUG0 HNUG CNUG HNUG*", 0, 0, 0), ("CNUG0 HNUG CNaN HNaN", 0, 1, 0)),
]


def prediction(entry: dict[str, Any], tilt: float = 0.0) -> dict[str, Any]:
    """A prediction for a dialogue: even, with `tilt` more on the first label of each set."""

    def shares(labels: list[str]) -> dict[str, float]:
        return {label: 1 + (tilt if n == 0 else 0) for n, label in enumerate(labels)}

    return {
        "id": entry["id"],
        "nugget": [
            shares(CUSTOMER if each["sender"] == "customer" else HELPDESK)
            for each in entry["turns"]
        ],
        "quality": {scale: shares(POINTS) for scale in "ASE"},
    }


def gold(truth: list[dict[str, Any]] | None = None) -> CountedGold:
    return count_gold(read_dch2(json.dumps(TRUTH if truth is None else truth).encode()))


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def normal(values: list[float]) -> list[float]:
    return [value / sum(values) for value in values]


def plain_jsd(p: list[float], q: list[float]) -> float:
    total = 0.0
    for a, b in zip(normal(p), normal(q), strict=True):
        m = (a + b) / 2
        total += (a * math.log2(a / m) if a else 0) + (b * math.log2(b / m) if b else 0)
    return total / 2


def plain_rnss(p: list[float], q: list[float]) -> float:
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(normal(p), normal(q), strict=True)) / 2)


def plain_nmd(p: list[float], q: list[float]) -> float:
    p, q = normal(p), normal(q)
    return sum(abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(len(p))) / (len(p) - 1)


def plain_rsnod(p: list[float], q: list[float]) -> float:
    p, q = normal(p), normal(q)
    size = len(p)
    dw = [sum(abs(i - j) * (p[j] - q[j]) ** 2 for j in range(size)) for i in range(size)]

    def divergence(of: list[float]) -> float:
        there = [dw[i] for i in range(size) if of[i] > 0]
        return sum(there) / len(there)

    return math.sqrt((divergence(p) + divergence(q)) / 2 / (size - 1))


def plain_scores(truth: dict[str, Any], pred: dict[str, Any]) -> dict[str, float]:
    """The scores of one dialogue by loops and lists, straight from the definitions."""
    found: dict[str, float] = {}
    for name, distance in (("jsd", plain_jsd), ("rnss", plain_rnss)):
        sides: dict[str, list[float]] = {"customer": [], "helpdesk": []}
        for n, each in enumerate(truth["turns"]):
            labels = CUSTOMER if each["sender"] == "customer" else HELPDESK
            said = [a["nugget"][n] for a in truth["annotations"]]
            shares = [pred["nugget"][n].get(label, 0.0) for label in labels]
            counts = [float(said.count(label)) for label in labels]
            sides[each["sender"]].append(distance(shares, counts))
        means = [sum(values) / len(values) for values in sides.values()]
        found[name] = 0.5 * means[0] + 0.5 * means[1]
    for scale in "ASE":
        given = [str(a["quality"][scale]) for a in truth["annotations"]]
        counts = [float(given.count(point)) for point in POINTS]
        shares = [pred["quality"][scale].get(point, 0.0) for point in POINTS]
        found[f"rsnod-{scale}"] = plain_rsnod(shares, counts)
        found[f"nmd-{scale}"] = plain_nmd(shares, counts)
    return found
