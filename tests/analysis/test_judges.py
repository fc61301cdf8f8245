"""A judge beside people, against scikit-learn, statsmodels and tables worked by hand."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score
from statsmodels.stats.contingency_tables import mcnemar

from palaver.analysis.agreement import Judgement, SamplingSettings, judge_beside_people
from palaver.core.serial import plain

FAST = SamplingSettings(resamples=0)
PEOPLE = ("Ann", "Bo", "Cy")


def said(rows: dict[str, list[int | None]]) -> list[Judgement]:
    return [
        Judgement(unit, rater, bool(value))
        for rater, row in rows.items()
        for unit, value in enumerate(row)
        if value is not None
    ]


def by_chance(units: int = 120, seed: int = 3) -> dict[str, list[int | None]]:
    """A judge and three people with gaps, around a truth that is positive in a quarter."""
    dice = np.random.default_rng(seed)
    truth = dice.random(units) < 0.25
    rows: dict[str, list[int | None]] = {}
    for rater, errs in (("gpt", 0.25), ("Ann", 0.1), ("Bo", 0.15), ("Cy", 0.2)):
        answers = truth ^ (dice.random(units) < errs)
        gone = dice.random(units) < 0.3
        rows[rater] = [
            None if missing else int(answer) for answer, missing in zip(answers, gone, strict=True)
        ]
    return rows


def shared(one: list[int | None], other: list[int | None]) -> tuple[list[int], list[int]]:
    both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return [a for a, _ in both], [b for _, b in both]


def expected(judge: list[int], person: list[int]) -> dict[str, float]:
    return {
        "f1_pos": f1_score(person, judge),
        "f1_neg": f1_score(person, judge, pos_label=0),
        "precision": precision_score(person, judge),
        "recall": recall_score(person, judge),
        "accuracy": accuracy_score(person, judge),
    }


def f1_by_hand(one: np.ndarray, other: np.ndarray) -> float:
    return float(2 * (one & other).sum() / (one.sum() + other.sum()))


def test_a_judge_who_says_what_everybody_says_has_no_interval_of_width_zero() -> None:
    answers = [n % 3 == 0 for n in range(30)]
    said = [
        Judgement(n, who, each) for who in ("gpt", "Ann", "Bo") for n, each in enumerate(answers)
    ]
    found = judge_beside_people(said, "gpt")

    assert found.scores["f1_pos"].value == 1
    assert all(each.interval is None for each in found.scores.values())
    assert any("all have the same" in warning for warning in found.warnings)


def test_each_measure_is_scikit_learns_averaged_over_people() -> None:
    rows = by_chance()

    found = judge_beside_people(said(rows), "gpt", settings=FAST)

    each = [expected(*shared(rows["gpt"], rows[person])) for person in PEOPLE]
    for name, estimate in found.scores.items():
        assert estimate.value == pytest.approx(np.mean([one[name] for one in each]))


def test_the_ceiling_is_each_person_against_each_other_where_the_judge_judged() -> None:
    rows = by_chance()
    judged = {
        person: [
            value if here is not None else None
            for value, here in zip(rows[person], rows["gpt"], strict=True)
        ]
        for person in PEOPLE
    }

    found = judge_beside_people(said(rows), "gpt", settings=FAST)

    pairs = [
        expected(*shared(judged[one], judged[other]))
        for one in PEOPLE
        for other in PEOPLE
        if one != other
    ]
    for name, estimate in found.ceiling.items():
        assert estimate.value == pytest.approx(np.mean([pair[name] for pair in pairs]))
        difference = found.scores[name].value - estimate.value
        assert found.difference[name].value == pytest.approx(difference)
    assert found.ceiling["precision"].value == pytest.approx(found.ceiling["recall"].value)
    assert found.ceiling_pairs == 3


def test_mcnemar_is_that_of_statsmodels_for_each_person_and_holms_over_them() -> None:
    rows = by_chance(60, seed=8)

    found = judge_beside_people(said(rows), "gpt", settings=FAST)

    p_values = []
    for person, test in zip(PEOPLE, found.tests, strict=True):
        judge, answers = shared(rows["gpt"], rows[person])
        table = np.zeros((2, 2))
        for one, other in zip(judge, answers, strict=True):
            table[one, other] += 1
        assert (test.person, test.units) == (person, len(judge))
        assert (test.judge_only, test.person_only) == (table[1, 0], table[0, 1])
        assert test.p == pytest.approx(mcnemar(table, exact=True).pvalue)
        p_values.append(test.p)
    assert found.p == pytest.approx(min(1.0, 3 * min(p_values)))


def test_units_and_positives_are_counted_and_gaps_are_said() -> None:
    found = judge_beside_people(
        said(
            {
                "gpt": [1, 1, 0, None, 1, None],
                "Ann": [1, 0, 0, 1, None, None],
                "Bo": [1, 1, None, 0, None, None],
                "Cy": [None, None, None, 1, None, 1],
            }
        ),
        "gpt",
        settings=FAST,
    )

    # Both people call the first unit positive and one of two the second.
    assert (found.n, found.positives, found.judge_positives) == (3, 1.5, 2)
    assert (found.gaps, found.unshared, found.people, found.strangers) == (2, 1, 2, ("Cy",))
    assert found.warnings[0] == (
        "The judge has no answer for 2 units that people judged; they are left out."
    )
    assert found.warnings[1] == "People who share no unit with the judge, left out: Cy."


def test_what_is_undefined_is_null_with_its_reason() -> None:
    none = judge_beside_people(said({"gpt": [0, 0], "Ann": [0, 0], "Bo": [0, 0]}), "gpt")
    told = plain(none)

    assert told["f1_pos"] is told["precision"] is told["recall"] is None
    assert told["reasons"]["f1_pos"] == "nobody said positive"
    assert told["ceiling"]["reasons"]["precision"] == "no person said positive"
    assert told["f1_neg"] == told["accuracy"] == 1.0
    assert told["mcnemar"]["p"] == 1.0
    alone = judge_beside_people(said({"gpt": [1, 0], "Ann": [1, 1]}), "gpt")
    assert alone.ceiling["f1_pos"].reason.startswith("no two people")
    assert "There is one person: nothing can be said of people among themselves." in alone.warnings
    apart = judge_beside_people(said({"gpt": [1, None], "Ann": [None, 1]}), "gpt")
    assert (apart.n, apart.reason) == (0, "the judge and people answered nothing in common")
    silent = judge_beside_people(said({"Ann": [1, 0], "Bo": [1, 1]}), "gpt")
    assert (silent.reason, silent.gaps) == ("the judge has no answer here", 2)


def test_a_person_without_positives_is_left_out_of_the_mean_that_has_none_for_them() -> None:
    rows: dict[str, list[int | None]] = {
        "gpt": [1, 0, 0, 0, 0],
        "Ann": [1, 1, 0, None, None],
        "Bo": [None, None, None, 0, 0],
    }

    found = judge_beside_people(said(rows), "gpt", settings=FAST)

    assert found.scores["f1_pos"].value == pytest.approx(2 / 3)
    assert found.scores["accuracy"].value == pytest.approx((2 / 3 + 1) / 2)
    assert any("f1_pos of 1" in warning for warning in found.warnings)


def test_intervals_draw_units_as_a_loop_that_draws_them_does() -> None:
    rows = by_chance(80, seed=5)
    full = {rater: [value or 0 for value in row] for rater, row in rows.items()}
    settings = SamplingSettings(resamples=4000, method="percentile")

    found = judge_beside_people(said(full), "gpt", settings=settings)

    dice = np.random.default_rng(0)
    table = {rater: np.array(row) for rater, row in full.items()}
    drawn = []
    for _ in range(3000):
        rows_drawn = dice.integers(0, 80, size=80)
        some = {rater: row[rows_drawn] for rater, row in table.items()}
        judge = np.mean([f1_by_hand(some[person], some["gpt"]) for person in PEOPLE])
        pairs = [("Ann", "Bo"), ("Ann", "Cy"), ("Bo", "Cy")]
        people = np.mean([f1_by_hand(some[one], some[other]) for one, other in pairs])
        drawn.append((judge, judge - people))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    for estimate, ends in (
        (found.scores["f1_pos"], (low[0], high[0])),
        (found.difference["f1_pos"], (low[1], high[1])),
    ):
        assert estimate.interval is not None
        assert estimate.interval.low == pytest.approx(ends[0], abs=0.025)
        assert estimate.interval.high == pytest.approx(ends[1], abs=0.025)


def test_whole_clusters_are_drawn_where_they_are_named() -> None:
    """Ten turns of one dialogue are alike: drawn as clusters the interval is about √10 as wide."""
    dice = np.random.default_rng(2)
    right = np.repeat(dice.random(60) < 0.7, 10)
    truth = np.repeat(dice.random(60) < 0.5, 10)
    rows = {"gpt": (truth == right).astype(int).tolist(), "Ann": truth.astype(int).tolist()}
    dialogues = {unit: unit // 10 for unit in range(600)}

    free = judge_beside_people(said(rows), "gpt")
    held = judge_beside_people(said(rows), "gpt", clusters=[dialogues])

    assert free.scores["accuracy"].value == held.scores["accuracy"].value
    widths = []
    for found in (free, held):
        interval = found.scores["accuracy"].interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[1] / widths[0] == pytest.approx(10**0.5, rel=0.15)
    assert held.clusters == (60,)


def test_neither_the_order_of_rows_nor_the_names_of_units_change_anything() -> None:
    rows = said(by_chance(50, seed=1))
    renamed = [Judgement(f"u{99 - unit}", rater, value) for unit, rater, value in rows]

    one = judge_beside_people(rows, "gpt")
    other = judge_beside_people(renamed[::-1], "gpt")

    for name in one.scores:
        assert other.scores[name].value == pytest.approx(one.scores[name].value)
