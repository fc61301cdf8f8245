"""Trials in rounds: each is drawn from the null distribution, and the test keeps its level."""

import json

import numpy as np
import pytest

from palaver.analysis import tukey_trials
from palaver.analysis.tukey import randomised_tukey, randomised_tukeys
from palaver.analysis.tukey_trials import largest_differences
from palaver.core.errors import InputError
from support.shared import SHARED

EXAMPLES = SHARED / "data" / "dialeval" / "examples.json"


@pytest.fixture
def in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small problems are computed as large ones are: 64 numbers a trial, groups of several topics."""
    monkeypatch.setattr(tukey_trials, "LARGE", 0)
    monkeypatch.setattr(tukey_trials, "GROUPED", 64)


def shares(matrix: np.ndarray, at: np.ndarray, trials: int) -> np.ndarray:
    """How often the largest difference reaches each of `at`."""
    found = largest_differences(matrix[:, :, None], trials, 1)[:, 0]
    return np.array([(found >= each).mean() for each in at])


@pytest.mark.parametrize(("topics", "systems"), [(40, 2), (40, 3), (90, 8), (60, 30)])
def test_rounds_find_what_shuffling_every_score_finds(
    topics: int, systems: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = np.random.default_rng(topics + systems)
    matrix = dice.exponential(size=(topics, systems)) * dice.exponential(size=(topics, 1))
    exact = largest_differences(matrix[:, :, None], 20_000, 2)[:, 0]
    at = np.quantile(exact, [0.5, 0.9, 0.95, 0.99])
    monkeypatch.setattr(tukey_trials, "LARGE", 0)
    monkeypatch.setattr(tukey_trials, "GROUPED", topics * systems // 3)
    monkeypatch.setattr(tukey_trials, "ROUND", 8)
    p = np.array([0.5, 0.1, 0.05, 0.01])
    # Both are estimates; trials of a round count a little less than independent ones.
    error = np.sqrt(p * (1 - p) * (1 / 20_000 + 2 / 8_000))
    assert np.all(np.abs(shares(matrix, at, 8_000) - p) < 4 * error)


@pytest.mark.usefixtures("in_rounds")
@pytest.mark.skipif(not EXAMPLES.exists(), reason="the worked examples are not here")
def test_the_worked_example_holds_in_rounds() -> None:
    example = json.loads(EXAMPLES.read_text(encoding="utf-8"))["randomised_tukey_hsd"]
    matrix = list(zip(*example["systems"].values(), strict=True))
    for pair in randomised_tukey(matrix, ["a", "b", "c"], trials=30_000).pairs:
        p = example["exact_p"][pair.a + pair.b]
        assert pair.p == pytest.approx(p, abs=4 * (2 * p * (1 - p) / 30_000) ** 0.5)


@pytest.mark.usefixtures("in_rounds")
def test_rounding_does_not_break_ties() -> None:
    scores = [[0.1, 0.2], [0.3, 0.1], [0.2, 0.3]] * 40
    assert randomised_tukey(scores, ["a", "b"], trials=300).pairs[0].p == 1


@pytest.mark.usefixtures("in_rounds")
def test_measures_tested_together_are_those_tested_alone() -> None:
    dice = np.random.default_rng(4)
    one, other = dice.normal(size=(2, 50, 4))
    names = list("abcd")
    both = randomised_tukeys([one, other], names, trials=300, seed=9)
    alone = [randomised_tukey(each, names, trials=300, seed=9) for each in (one, other)]
    assert [each.pairs for each in both] == [each.pairs for each in alone]
    assert both[0].pairs != randomised_tukey(one, names, trials=300, seed=10).pairs


def test_measures_with_other_topics_are_not_tested_together() -> None:
    with pytest.raises(InputError, match="the same topics"):
        randomised_tukeys([np.eye(3), np.ones((4, 3))], list("abc"))
    assert randomised_tukeys([], list("abc")) == []


@pytest.mark.parametrize("large", [0, 10**9])
def test_progress_goes_up_to_the_end(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tukey_trials, "LARGE", large)
    monkeypatch.setattr(tukey_trials, "GROUPED", 64)
    monkeypatch.setattr(tukey_trials, "BLOCK", 30)
    told: list[tuple[int, int]] = []
    stack = np.random.default_rng(1).normal(size=(50, 4, 2))
    largest_differences(stack, 100, 1, lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (100, 100)
    assert len(told) > 1


@pytest.mark.long
@pytest.mark.usefixtures("in_rounds")
def test_without_differences_the_family_errs_as_often_as_its_level_says() -> None:
    dice = np.random.default_rng(3)
    rounds, names = 1500, [f"s{n}" for n in range(8)]
    least = [
        min(
            pair.p
            for pair in randomised_tukey(
                dice.normal(size=(40, 8)) + dice.normal(size=(40, 1)), names, trials=399, seed=n
            ).pairs
        )
        for n in range(rounds)
    ]
    assert np.mean(np.array(least) <= 0.05) == pytest.approx(
        0.05, abs=3 * (0.05 * 0.95 / rounds) ** 0.5
    )


@pytest.mark.long
def test_trials_of_a_round_count_nearly_as_much_as_independent_ones() -> None:
    """The variance of p between rounds is that of independent trials, at most a quarter more."""
    matrix = np.random.default_rng(5).normal(size=(1000, 50))
    rounds, size = 300, tukey_trials.ROUND
    found = tukey_trials._turned(matrix[:, :, None], rounds * size, 1, None)[:, 0]
    for quantile in (0.5, 0.95):
        reached = (found >= np.quantile(found, quantile)).reshape(rounds, size)
        inflation = size * reached.mean(axis=1).var(ddof=1) / (quantile * (1 - quantile))
        assert inflation < 1.25 + 3 * (2 / rounds) ** 0.5
