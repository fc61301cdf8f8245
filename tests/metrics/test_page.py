"""Every metric is in docs/metrics.md, with what the code says of it."""

import math
import re
from pathlib import Path

import pytest

from palaver.metrics import METRICS, Metric, find_metric, known_metrics

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
WORDS = {"higher": "higher", "lower": "lower", "none": "neither"}


def described() -> dict[str, list[str]]:
    """The cells of each metric's row."""
    found = re.findall(r"^\| `(\w+)` (\|.*\|)$", PAGE, re.MULTILINE)
    return {name: [cell.strip() for cell in row.strip("|").split("|")] for name, row in found}


def span(metric: Metric) -> str:
    """The range as it is written."""
    ends = {math.inf: "∞", -math.inf: "−∞", -1: "−1"}
    return " to ".join(ends.get(end, f"{end:g}") for end in (metric.low, metric.high))


def test_the_page_lists_every_metric_and_no_other() -> None:
    assert sorted(described()) == METRICS.names()


@pytest.mark.parametrize("name", METRICS.names())
def test_a_row_says_what_the_code_says(name: str) -> None:
    metric = find_metric(name)
    about, better, ends, unit, items, options = described()[name]
    assert about == metric.about.rstrip(".")
    assert (better, ends, unit) == (WORDS[metric.direction], span(metric), metric.unit)
    assert items == ("yes" if metric.decomposes else "no")
    assert re.findall(r"`(\w+)`", options) == list(metric.options)


def test_metrics_stand_by_family() -> None:
    assert list(described()) == [metric.name for metric in known_metrics()]
