"""The machinery of the study: a procedure that lies is found out, and work may be shared."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest
from coverage_study.design import Outcome, Point, outcome
from coverage_study.page import BEGIN, END, tables, write
from coverage_study.points.every import POINTS
from coverage_study.simulating import measure

from palaver.core.estimates import Interval


def _covering(dice, *, share):
    return Outcome(bool(dice.random() < share), 1.0)


def _nothing(dice):
    return None if dice.random() < 0.5 else Outcome(True, 1.0)


def point(promise, simulate):
    return Point(procedure="made up", setting="any", promise=promise, simulate=simulate)


@pytest.mark.parametrize(
    ("promise", "share", "verdict"),
    [
        ("exact", 0.95, "holds"),
        ("exact", 0.90, "MISSED"),
        ("exact", 0.99, "MISSED"),
        ("conservative", 0.99, "holds"),
        ("conservative", 0.90, "MISSED"),
        ("short", 0.85, "falls short"),
        ("short", 0.95, "holds after all"),
    ],
)
def test_the_verdict_follows_the_promise(promise, share, verdict):
    found = measure(point(promise, partial(_covering, share=share)), simulations=4000)
    assert found.verdict == verdict
    assert found.share == pytest.approx(share, abs=0.02)
    assert share in found.monte_carlo


def test_missing_intervals_are_not_forgotten():
    found = measure(point("exact", _nothing), simulations=400)
    assert found.share == 1.0
    assert found.counts.without == pytest.approx(200, abs=50)
    assert found.verdict == "MISSED"


def test_the_number_of_processes_does_not_change_the_numbers():
    chosen = POINTS[0]
    alone = measure(chosen, simulations=250)
    with ProcessPoolExecutor(2) as pool:
        shared = measure(chosen, simulations=250, pool=pool)
    assert shared.counts.covered == alone.counts.covered
    assert shared.width == pytest.approx(alone.width, rel=1e-12)


def test_an_outcome_knows_both_ends():
    assert outcome(None, 0.5) is None
    assert outcome(Interval(0.0, 1.0), 1.0).covered
    assert not outcome(Interval(0.0, 1.0), 1.1).covered


def test_the_tables_replace_what_stood_between_the_marks(tmp_path):
    found = [
        measure(point(promise, partial(_covering, share=0.95)), simulations=100)
        for promise in ("exact", "short")
    ]
    page = tmp_path / "coverage.md"
    page.write_text(f"# Before\n{BEGIN}\nstale words\n{END}\nafter\n", encoding="utf-8")
    write(found, page)
    write(found, page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Before\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "stale words" not in text
    assert text.count("| made up | any |") == 2
    assert tables(found) in text


def test_every_simulation_is_seeded_by_its_number_alone():
    draws = [np.random.default_rng(seed).random() for seed in np.random.SeedSequence(1).spawn(3)]
    again = [np.random.default_rng(seed).random() for seed in np.random.SeedSequence(1).spawn(5)]
    assert draws == again[:3]
