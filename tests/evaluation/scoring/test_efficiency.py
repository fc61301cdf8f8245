"""Throughput and memory of a run."""

import math
from typing import Any

import pytest

from palaver.core.evaluation.runs import Run
from palaver.evaluation.scoring.efficiency import memory, throughput
from support.evaluations import made_run


def run_of(**changes: Any) -> Run:
    """A finished run."""
    known: dict[str, Any] = {
        "state": "scoring",
        "items": 4,
        "answered": 4,
        "start_seconds": 30.0,
        "busy_seconds": 2.0,
        "memory": (1.0, 1.5, 2.0, 1.5),
        "started": 0.0,
    }
    return made_run(**(known | changes))


def test_throughput_leaves_start_up_out_and_counts_calls_in_flight() -> None:
    found = throughput(run_of(), [0.5, 1.0, 1.0, 1.5], kind="http")
    assert found.value == pytest.approx(4 / 2.0)
    assert found.interval is not None
    assert found.interval.low < 2 < found.interval.high
    assert found.parts["latency"] == pytest.approx({"mean": 1.0, "p50": 1.0, "p95": 1.425})
    assert found.parts["legacy"] == {"examples_per_second": 2.0}
    assert found.form == "throughput"


def test_throughput_of_what_nobody_was_asked() -> None:
    assert "uploaded" in throughput(run_of(), [0.0] * 4, kind="predictions").reason
    silent = throughput(run_of(busy_seconds=0.0), [0.0] * 4, kind="http")
    assert math.isnan(silent.value)
    assert silent.reason == "no time was measured"


def test_memory_is_the_mean_of_its_samples() -> None:
    found = memory(run_of(), kind="command")
    assert found.value == 1.5
    assert found.n == 4
    assert found.interval is not None
    assert found.parts == {"most": 2.0, "legacy": {"memory_utilization": 1.5}}


def test_memory_that_cannot_be_measured_has_a_reason() -> None:
    found = memory(run_of(memory=()), kind="http")
    assert math.isnan(found.value)
    assert "cannot be measured" in found.reason
    assert "uploaded" in memory(run_of(), kind="predictions").reason
