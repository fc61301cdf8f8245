"""Ratings over dialogues, with success: numbers of scipy, and what holds under people with tastes."""

import random
from itertools import combinations

import pytest
from scipy import stats

from palaver.analysis.comparisons import Successes
from palaver.analysis.corrections import holm
from palaver.analysis.means import mean
from palaver.analysis.ratings_summary import RatedDialogue, summarise_ratings
from palaver.analysis.resampling import BootstrapSettings
from palaver.core.serial import plain


def rated(system: str, *dialogues: list[float], people: int | None = None) -> list[RatedDialogue]:
    """Ratings by dialogue; each by somebody else, or by so many people in turn."""
    rows = [(f"{system}-{n}", value) for n, values in enumerate(dialogues) for value in values]
    return [
        RatedDialogue(system, key, f"{system}/{n if people is None else n % people}", value)
        for n, (key, value) in enumerate(rows)
    ]


def drawn(dice: random.Random, system: str, mean: float, n: int) -> list[RatedDialogue]:
    return rated(system, *([mean + dice.gauss(0, 1)] for _ in range(n)))


def test_a_dialogue_counts_once_however_many_rated_it() -> None:
    (found,) = summarise_ratings({"q": rated("x", [1, 2, 3], [5], [5, 4])}).questions[0].systems
    means = [2, 5, 4.5]
    assert found.mean == pytest.approx(sum(means) / 3)
    assert found.sem == pytest.approx(stats.sem(means))
    assert (found.n, found.ratings) == (3, 6)


def test_means_errors_and_tests_are_those_of_scipy() -> None:
    dice = random.Random(5)
    given = {
        name: drawn(dice, name, middle, 20 + n)
        for n, (name, middle) in enumerate({"rule": 3.4, "neural": 2.9, "people": 4.2}.items())
    }
    rows = [row for each in given.values() for row in each]
    (found,) = summarise_ratings({"humanlike": rows}).questions
    assert [each.system for each in found.systems] == ["people", "rule", "neural"]
    values = {name: [row.value for row in each] for name, each in given.items()}
    for each in found.systems:
        mine = values[each.system]
        assert each.mean == pytest.approx(sum(mine) / len(mine))
        assert each.sem == pytest.approx(stats.sem(mine))
        # The interval that the same answers have wherever else their mean is shown.
        assert each.interval == mean(mine, [range(len(mine))]).interval
        ends = stats.t.interval(0.95, len(mine) - 1, each.mean, each.sem)
        assert plain(each.interval) == pytest.approx(ends, abs=0.08)
    order = [each.system for each in found.systems]
    ps = [
        stats.ttest_ind(values[a], values[b], equal_var=False).pvalue
        for a, b in combinations(order, 2)
    ]
    assert [pair.test.p for pair in found.pairs] == pytest.approx(ps)
    assert [pair.adjusted for pair in found.pairs] == pytest.approx(holm(ps))


def test_few_dialogues_are_permuted() -> None:
    rows = [*rated("x", [5], [4], [5]), *rated("y", [1], [2], [1])]
    (pair,) = summarise_ratings({"q": rows}).questions[0].pairs
    exact = stats.permutation_test(
        ([5, 4, 5], [1, 2, 1]), lambda a, b: sum(a) / 3 - sum(b) / 3, n_resamples=99999
    )
    assert pair.test.p == pytest.approx(exact.pvalue)
    assert pair.difference == pytest.approx(10 / 3)


def test_one_dialogue_has_no_error_and_no_interval() -> None:
    (found,) = summarise_ratings({"q": rated("x", [3])}).questions[0].systems
    assert found.sem != found.sem
    assert (found.interval, found.reason) == (None, "there is a single dialogue")


def test_dialogues_that_are_all_rated_alike_have_no_interval_and_a_reason() -> None:
    (found,) = summarise_ratings({"q": rated("x", [4], [4], [4])}).questions[0].systems
    assert (found.mean, found.interval) == (4.0, None)
    assert found.reason == "all 3 dialogues are the same"


def test_success_has_wilsons_interval_and_is_compared() -> None:
    counts = {"rule": Successes(18, 20), "people": Successes(10, 20), "new": Successes(0, 0)}
    found = summarise_ratings({}, counts)
    assert [(each.system, each.share) for each in found.success] == [("rule", 0.9), ("people", 0.5)]
    ends = stats.binomtest(18, 20).proportion_ci(method="wilson")
    low, high = found.success[0].interval.low, found.success[0].interval.high  # type: ignore[union-attr]
    assert (low, high) == pytest.approx((ends.low, ends.high))
    # The z test of two shares squared is chi-squared without Yates' correction.
    chi = stats.chi2_contingency([[18, 2], [10, 10]], correction=False)
    assert found.success_pairs[0].test.p == pytest.approx(chi.pvalue)
    assert found.systems == ("rule", "people")


def test_few_successes_are_tested_exactly() -> None:
    counts = {"rule": Successes(5, 6), "people": Successes(2, 7)}
    (pair,) = summarise_ratings({}, counts).success_pairs
    assert pair.test.name == "fisher"
    assert pair.test.p == pytest.approx(stats.fisher_exact([[5, 1], [2, 5]]).pvalue)
    assert pair.difference == pytest.approx(5 / 6 - 2 / 7)


def _tastes(dice: random.Random, design: str) -> list[RatedDialogue]:
    """24 people with tastes rate 4 dialogues each; neither system is better."""
    rows = []
    for person in range(24):
        taste = dice.gauss(0, 0.8)
        for turn in range(4):
            system = "AB"[person % 2] if design == "nested" else dice.choice("AB")
            value = min(5, max(1, round(3 + taste + dice.gauss(0, 0.7))))
            rows.append(RatedDialogue(system, (person, turn), person, value))
    return rows


@pytest.mark.parametrize("design", ["crossed", "nested"])
def test_people_with_tastes_make_no_false_findings(design: str) -> None:
    """Of 120 studies without a difference about 6 are found at 5 %; with a t test that takes the
    dialogues of one person for independent it is about 30 in the nested design."""
    found = covered = 0
    settings = BootstrapSettings(resamples=300)
    for seed in range(120):
        rows = _tastes(random.Random(seed), design)
        (question,) = summarise_ratings({"q": rows}, settings=settings).questions
        found += question.pairs[0].test.p < 0.05
        covered += sum(3 in each.interval for each in question.systems)  # type: ignore[operator]
    # The ends leave out less than 1 in 1,000 for a true rate of 5 %.
    assert found <= stats.binom.ppf(0.999, 120, 0.05)
    assert covered >= stats.binom.ppf(0.001, 240, 0.95)
